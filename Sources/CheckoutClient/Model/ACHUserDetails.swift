import ValueTree

/// The shopper, as the client session has them.
public struct ACHUserDetails: Sendable, Hashable {
  /// The first name; empty if the session has none.
  public let firstName: String

  /// The last name; empty if the session has none.
  public let lastName: String

  /// The e-mail address; empty if the session has none.
  public let emailAddress: String

  /// Makes details.
  ///
  /// - Parameters:
  ///   - firstName: The first name.
  ///   - lastName: The last name.
  ///   - emailAddress: The e-mail address.
  public init(firstName: String, lastName: String, emailAddress: String) {
    self.firstName = firstName
    self.lastName = lastName
    self.emailAddress = emailAddress
  }

  init(_ value: Value) {
    self.init(
      firstName: value["firstName"]?.string ?? "", lastName: value["lastName"]?.string ?? "",
      emailAddress: value["emailAddress"]?.string ?? "")
  }
}

/// How far a ``StripeAchUserDetailsComponent`` is.
public enum ACHUserDetailsStep: PrimerHeadlessStep, Hashable {
  /// It is started; these are the details that the session was created with.
  case retrievedUserDetails(_ details: ACHUserDetails)

  /// The details have been submitted, and the payment goes on by itself.
  case didCollectUserDetails
}

/// What a ``StripeAchUserDetailsComponent`` collects.
public enum ACHUserDetailsCollectableData: PrimerCollectableData, Hashable {
  /// The first name.
  case firstName(_ value: String)

  /// The last name.
  case lastName(_ value: String)

  /// The e-mail address.
  case emailAddress(_ value: String)
}
