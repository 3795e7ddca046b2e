package import ValueTree

/// What someone who may only observe is shown: everything but secrets and collected data.
package enum Redaction {
  /// The members that hold a secret, a page's address or what a shopper typed, wherever they stand.
  private static let hidden: [String] = [
    "clientSecret", "resumeToken", "paymentMethodTokenData", "url", "data", "details", "fullName",
    "emailAddress", "firstName", "lastName", "customer", "returnUrl", "publishableKey",
  ]

  /// Takes hidden members out, and says so.
  ///
  /// - Parameter value: A snapshot.
  /// - Returns: The same with `redacted: true`.
  package static func redact(_ value: Value) -> Value {
    guard case .object(let members) = value else { return value }
    return .object(redact(members))
  }

  /// Takes hidden members out, and says so.
  ///
  /// - Parameter members: An event's.
  /// - Returns: The same with `redacted: true`.
  package static func redact(_ members: [Value.Member]) -> [Value.Member] {
    guard case .object(let shown) = sift(.object(members)) else { return [] }
    return shown + [.init("redacted", true)]
  }

  private static func sift(_ value: Value) -> Value {
    switch value {
    case .object(let members):
      .object(
        members.filter { !hidden.contains($0.name) }.map { .init($0.name, sift($0.value)) })
    case .array(let elements): .array(elements.map(sift))
    default: value
    }
  }
}
