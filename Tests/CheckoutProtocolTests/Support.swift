import JSON
import Testing

@testable import JSONRPC

/// Lends the value of a JSON text, as a handler would see it.
func withView<R>(_ text: String, _ body: (JSONView) throws -> R) throws -> R {
  let bytes = Array(text.utf8)
  let result = unsafe try bytes.withUnsafeBytes { bytes in
    unsafe try JSONReader().read(bytes) { view in Result { try body(view) } }
  }
  return try result.get()
}

extension MethodKey {
  /// What a handler would be given for these parameters.
  func read(_ text: String) throws -> P {
    try withView(text) { view in try read(view) }
  }
}

extension Shape {
  /// What a text is read as.
  func read(_ text: String) throws -> T {
    try withView(text) { view in try read(view) }
  }
}
