import Checkout

@testable import PrimerAPI

/// Base64 in the standard alphabet, padded.
func base64(_ text: String) -> String { base64(Array(text.utf8)) }

/// Base64 of bytes, likewise.
func base64(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var encoded = ""
  var rest = bytes[...]
  while !rest.isEmpty {
    let group = rest.prefix(3)
    rest = rest.dropFirst(3)
    let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(Array(group)[$1]) : 0) }
    for place in 0..<4 {
      encoded.append(place > group.count ? "=" : alphabet[bits >> (18 - 6 * place) & 63])
    }
  }
  return encoded
}

/// A client token with that payload.
func token(_ payload: String) -> String { "aGVhZGVy.\(base64(payload)).c2ln" }

/// An operation with made-up ids.
func operation(_ request: Operation.Request, _ url: String) -> Operation {
  Operation(
    id: 1, request: request, url: url, accessToken: "at-1", sessionID: "session-1",
    requestID: "request-1")
}
