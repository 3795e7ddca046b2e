/// A client token whose fields have been read and whose URLs have been checked.
///
/// Tokens come from untrusted local processes and from upstream answers and name the URLs to call,
/// so a value of this type exists only once every URL in it has passed the allow list.
package struct ClientToken: Sendable, Equatable {
  /// The token as it was given (a JWT); sent upstream only to have a new token validated.
  package var encoded: String
  /// What every call upstream carries.
  package var accessToken: String
  /// When the token stops being usable: by the wall clock as it is read, by the steady one in a
  /// checkout.
  package var expiresAt: WallTime
  /// What a token of a required action asks for, as in `ADYEN_IDEAL_REDIRECTION`.
  package var intent: String?
  /// Where the configuration is fetched.
  package var configurationURL: String?
  /// Base of the bank list call, unless the configuration names another.
  package var coreURL: String?
  /// Base of session actions, tokenization and payments, unless the configuration names another.
  package var pciURL: String?
  /// The page that the shopper must see.
  package var redirectURL: String?
  /// Where the outcome of the redirect is asked for.
  package var statusURL: String?
  /// What Stripe's bank-account collector needs.
  package var stripeClientSecret: String?
  /// Where an accepted mandate is reported.
  package var sdkCompleteURL: String?
  /// The code that the shopper has to scan.
  package var code: Code?
  /// The voucher that the shopper pays with later; there only where the token's intent is one.
  package var voucher: Voucher?

  /// A code to be scanned.
  package enum Code: Sendable, Equatable {
    /// Base64 of a PNG, JPEG, GIF or WebP file.
    case image(String)
    /// Where the image is; never fetched by the daemon.
    case imageURL(String)
    /// Something that no client could show.
    case unusable
  }

  /// What a shopper needs to pay at a cash point or a bank.
  package struct Voucher: Sendable, Equatable {
    /// What the payment is named by.
    package var reference: String?
    /// Who is paid.
    package var entity: String?
    /// Until when, as upstream wrote it: often without a zone.
    package var expiresAt: String?

    /// Makes a voucher.
    package init(reference: String?, entity: String? = nil, expiresAt: String? = nil) {
      self.reference = reference
      self.entity = entity
      self.expiresAt = expiresAt
    }
  }

  /// Makes a token from its fields.
  package init(
    encoded: String, accessToken: String, expiresAt: WallTime, intent: String? = nil,
    configurationURL: String? = nil, coreURL: String? = nil, pciURL: String? = nil,
    redirectURL: String? = nil, statusURL: String? = nil, stripeClientSecret: String? = nil,
    sdkCompleteURL: String? = nil, code: Code? = nil, voucher: Voucher? = nil
  ) {
    self.encoded = encoded
    self.accessToken = accessToken
    self.expiresAt = expiresAt
    self.intent = intent
    self.configurationURL = configurationURL
    self.coreURL = coreURL
    self.pciURL = pciURL
    self.redirectURL = redirectURL
    self.statusURL = statusURL
    self.stripeClientSecret = stripeClientSecret
    self.sdkCompleteURL = sdkCompleteURL
    self.code = code
    self.voucher = voucher
  }

  /// The same with its expiry by the steady clock: what is left of its life counts from now on,
  /// whatever happens to the wall clock.
  func steady(by moment: Moment) -> ClientToken {
    var token = self
    token.expiresAt = expiresAt.adding(0 - max(moment.wallOffset, -.max))
    return token
  }
}

/// Why a client token cannot be used.
package enum ClientTokenProblem: Error, Sendable, Equatable {
  /// Not a JWT, or its payload is not a JSON object, or a field has the wrong type.
  case undecodable
  /// A field that this use needs is absent.
  case missing(field: String)
  /// It names no expiry.
  case withoutExpiry
  /// It has expired; both are by the wall clock.
  case expired(at: WallTime, now: WallTime)
  /// A URL in it cannot be used: why, and its host if it names one that could be listed.
  case notAllowed(field: String, host: String?, why: String)
  /// Its URLs cannot be taken apart, for the library that does that cannot be loaded.
  case unchecked
}
