package import Checkout
internal import JSON
package import Upstream
internal import ValueTree

/// Reads client tokens: JWTs that say whom to call, with which access token, until when.
///
/// The signature is upstream's to check; here only the payload is read, which upstream wrote: it is
/// read tolerantly, as answers are.
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
  /// either alphabet, padded or not. `null`, an empty string and a value of another type count as absent. `expiration` counts
  /// before `exp`, both in whole seconds (`2000000000.0` and `2e9` are whole); a token that expires
  /// now has expired.
  ///
  /// - Parameters:
  ///   - encoded: The JWT.
  ///   - now: The wall clock.
  ///   - maximumByteCount: How long it may be; upstream's own may hold an image.
  /// - Returns: A token whose every URL is allowed, and which has not expired.
  /// - Throws: ``ClientTokenProblem``, in this order: what cannot be decoded, a missing
  ///   `accessToken`, the expiry, a URL that is not allowed.
  package func read(
    _ encoded: String, now: WallTime, maximumByteCount: Int = 64 * 1024
  ) throws(ClientTokenProblem) -> ClientToken {
    let fields = try payload(of: encoded, maximumByteCount)
    guard let accessToken = fields["accessToken"]?.text else {
      throw .missing(field: "accessToken")
    }
    guard isHeaderSafe(accessToken) else { throw .undecodable }
    let seconds = fields["expiration"]?.wholeNumber ?? fields["exp"]?.wholeNumber
    guard let seconds else { throw .withoutExpiry }
    let (expiresAt, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflows else { throw .undecodable }
    guard expiresAt > now else { throw .expired(at: expiresAt, now: now) }
    var token = ClientToken(encoded: encoded, accessToken: accessToken, expiresAt: expiresAt)
    token.intent = fields["intent"]?.boundedText
    token.stripeClientSecret = fields["stripeClientSecret"]?.text
    func called(_ field: String) throws(ClientTokenProblem) -> String? {
      guard let url = fields[field]?.text else { return nil }
      do { return try policy.called(url) } catch { throw problem(error, with: url, in: field) }
    }
    token.configurationURL = try called("configurationUrl")
    token.coreURL = try called("coreUrl")
    token.pciURL = try called("pciUrl")
    token.statusURL = try called("statusUrl")
    token.sdkCompleteURL = try called("sdkCompleteUrl")
    token.code = code(fields)
    if token.intent == "PAYMENT_METHOD_VOUCHER" {
      token.voucher = ClientToken.Voucher(
        reference: fields["reference"]?.boundedText, entity: fields["entity"]?.boundedText,
        expiresAt: fields["expiresAt"]?.boundedText)
    }
    if let url = fields["redirectUrl"]?.text {
      do { token.redirectURL = try policy.shown(url) } catch {
        throw problem(error, with: url, in: "redirectUrl")
      }
    }
    return token
  }

  private func problem(
    _ refusal: URLRefusal, with url: String, in field: String
  ) -> ClientTokenProblem {
    let host = policy.host(of: url)
    let why: String
    switch refusal {
    case .libraryMissing: return .unchecked
    case .malformed: why = "it is no URL"
    case .scheme: why = "it is not https"
    case .userInfo: why = "it names a user"
    case .fragment: why = "it has a fragment"
    case .host: why = "\(host ?? "its host") is not on the allow list"
    case .port: why = "that port of \(host ?? "its host") is not on the allow list"
    }
    return .notAllowed(field: field, host: host, why: why)
  }

  /// The code to be scanned: `qrCode` counts before `qrCodeUrl`, and may be a URL as well.
  ///
  /// What no client could show costs nothing here: the payment exists, and its status can be heard.
  private func code(_ fields: Value) -> ClientToken.Code? {
    guard let text = fields["qrCode"]?.text ?? fields["qrCodeUrl"]?.text else {
      // A code that is empty is one all the same: without it the shopper has nothing to scan.
      return fields["qrCode"]?.string == nil && fields["qrCodeUrl"]?.string == nil ? nil : .unusable
    }
    if text.utf8.starts(with: "http".utf8), text.utf8.contains(UInt8(ascii: ":")) {
      guard let url = try? policy.shown(text) else { return .unusable }
      return .imageURL(url)
    }
    let image = ImageFile(base64: text, maximumByteCount: Self.maximumImageByteCount)
    return image.map { .image($0.base64) } ?? .unusable
  }

  /// How many bytes the image of a code may have.
  package static let maximumImageByteCount = 64 * 1024

  private func payload(
    of encoded: String, _ maximumByteCount: Int
  ) throws(ClientTokenProblem) -> Value {
    guard encoded.utf8.count <= maximumByteCount else { throw .undecodable }
    let parts = encoded[...].utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, !parts[0].isEmpty, !parts[1].isEmpty,
      let text = decodedBase64(parts[1])
    else { throw .undecodable }
    let payload = TolerantReader(maximumByteCount: maximumByteCount).read(text)
    guard payload.isWhole, payload.value.object != nil else { throw .undecodable }
    return payload.value
  }
}
