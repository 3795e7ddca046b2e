package import Checkout
internal import JSON
package import Upstream
internal import ValueTree

/// Reads client tokens: JWTs that say whom to call, with which access token, until when.
///
/// The signature is upstream's to check; here only the payload is read, strictly.
package struct ClientTokenReader: Sendable {
  private let policy: UpstreamPolicy

  /// Makes a reader.
  ///
  /// - Parameter policy: What the token's URLs are checked against.
  package init(policy: UpstreamPolicy) { self.policy = policy }

  /// Reads a token.
  ///
  /// A header and a payload are needed, parted by a dot; what follows the payload is not looked at,
  /// so that an unsigned token (`h.p`, `h.p.`) reads like a signed one. The payload may be base64 in
  /// either alphabet, padded or not. `null` and an empty string count as absent. `expiration` counts
  /// before `exp`, both in whole seconds (`2000000000.0` and `2e9` are whole); a token that expires
  /// now has expired.
  ///
  /// - Parameters:
  ///   - encoded: The JWT, at most 64 KiB.
  ///   - now: The wall clock.
  /// - Returns: A token whose every URL is allowed, and which has not expired.
  /// - Throws: ``ClientTokenProblem``, in this order: what cannot be decoded, a missing
  ///   `accessToken`, the expiry, a URL that is not allowed.
  package func read(
    _ encoded: String, now: WallTime
  ) throws(ClientTokenProblem) -> ClientToken {
    let fields = try Fields(payload: payload(of: encoded))
    guard let accessToken = try fields.text("accessToken") else {
      throw .missing(field: "accessToken")
    }
    guard isHeaderSafe(accessToken) else { throw .undecodable }
    let (expiration, exp) = (try fields.seconds("expiration"), try fields.seconds("exp"))
    guard let expiry = expiration ?? exp else { throw .expired }
    let (expiresAt, overflows) = expiry.multipliedReportingOverflow(by: 1000)
    guard !overflows else { throw .undecodable }
    var token = ClientToken(encoded: encoded, accessToken: accessToken, expiresAt: expiresAt)
    token.intent = try fields.text("intent")
    token.stripeClientSecret = try fields.text("stripeClientSecret")
    token.configurationURL = try fields.text("configurationUrl")
    token.coreURL = try fields.text("coreUrl")
    token.pciURL = try fields.text("pciUrl")
    token.redirectURL = try fields.text("redirectUrl")
    token.statusURL = try fields.text("statusUrl")
    token.sdkCompleteURL = try fields.text("sdkCompleteUrl")
    guard expiresAt > now else { throw .expired }
    try check(token)
    return token
  }

  private func payload(of encoded: String) throws(ClientTokenProblem) -> Value {
    guard encoded.utf8.count <= 64 * 1024 else { throw .undecodable }
    let parts = encoded[...].utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, !parts[0].isEmpty, !parts[1].isEmpty,
      let text = decodedBase64(parts[1])
    else { throw .undecodable }
    do {
      return try JSONReader(maximumByteCount: 64 * 1024).value(of: text)
    } catch { throw .undecodable }
  }

  private func check(_ token: ClientToken) throws(ClientTokenProblem) {
    for (field, url) in [
      ("configurationUrl", token.configurationURL), ("coreUrl", token.coreURL),
      ("pciUrl", token.pciURL), ("statusUrl", token.statusURL),
      ("sdkCompleteUrl", token.sdkCompleteURL),
    ] {
      guard let url else { continue }
      do { try policy.check(url) } catch { throw .notAllowed(field: field) }
    }
    guard let url = token.redirectURL else { return }
    do { try policy.checkDisplayed(url) } catch { throw .notAllowed(field: "redirectUrl") }
  }
}

/// The payload's members, each absent, of its right type, or a reason to refuse the token.
private struct Fields {
  private let payload: Value

  init(payload: Value) throws(ClientTokenProblem) {
    guard payload.object != nil else { throw .undecodable }
    self.payload = payload
  }

  func text(_ name: String) throws(ClientTokenProblem) -> String? {
    switch payload[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text.isEmpty ? nil : text
    default: throw .undecodable
    }
  }

  func seconds(_ name: String) throws(ClientTokenProblem) -> Int64? {
    switch payload[name] {
    case nil, .null?: return nil
    case let value?:
      guard let seconds = value.wholeNumber else { throw .undecodable }
      return seconds
    }
  }
}
