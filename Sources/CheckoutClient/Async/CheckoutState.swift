// Made by client/models/generate.

/// Where a checkout is.
public struct CheckoutState: RawRepresentable, Sendable, Hashable {
  /// The word of the protocol.
  public let rawValue: String

  /// Takes any word: a daemon may know states that this library does not.
  ///
  /// - Parameter rawValue: The word of the protocol.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The configuration is being loaded.
  public static let starting = Self(rawValue: "starting")
  /// Components can be provided.
  public static let ready = Self(rawValue: "ready")
  /// A component has been submitted.
  public static let submitted = Self(rawValue: "submitted")
  /// The daemon waits for a decision.
  public static let awaitingDecision = Self(rawValue: "awaitingDecision")
  /// The shopper is at a page.
  public static let awaitingRedirect = Self(rawValue: "awaitingRedirect")
  /// The shopper gives a bank account.
  public static let awaitingBankAccount = Self(rawValue: "awaitingBankAccount")
  /// The shopper reads the mandate.
  public static let awaitingMandate = Self(rawValue: "awaitingMandate")
  /// The shopper scans a code, or enters one elsewhere.
  public static let awaitingCode = Self(rawValue: "awaitingCode")
  /// The shopper confirms the payment elsewhere.
  public static let awaitingConfirmation = Self(rawValue: "awaitingConfirmation")
  /// Primer is at work.
  public static let processing = Self(rawValue: "processing")
  /// A cancellation waits for Primer's answer.
  public static let cancelling = Self(rawValue: "cancelling")
  /// It has ended well.
  public static let completed = Self(rawValue: "completed")
  /// It has ended otherwise.
  public static let failed = Self(rawValue: "failed")
  /// It has ended, and what it came to is all that is left.
  public static let archived = Self(rawValue: "archived")
}
