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

/// Lends the parameters of a call, checked as the dispatcher checks them.
func withParameters<R>(
  of row: MethodRow?, _ text: String, _ body: (borrowing Parameters) throws -> R
) throws -> R {
  let row = try #require(row)
  return try withView(text) { view in
    try body(Parameters(view, shape: Parameters.Shape(row)))
  }
}
