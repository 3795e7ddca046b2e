import Checkout
import JSON
import JSONRPC
import ValueTree

/// What parameters are read as, each with its schema.
enum Shapes {
  static let checkoutID: Shape<CheckoutReference> = Shape<String>
    .text(.string(byteCount: 1...64, pattern: "^co_[0-9a-f]{16}$"))
    .map { .id(CheckoutID(text: $0)) }

  /// A checkout by its id, or by the key it was started with.
  static let checkout: Shape<CheckoutReference> =
    checkoutID
    .or(
      Shape<CheckoutReference>(
        object: Parameter<String>("startKey", startKey, "The key that checkout.start was given."),
        make: { .startKey($0) })
    )
    .named("CheckoutReference")

  /// A component by its id; nil if the text is none.
  static let component = Shape<ComponentID?>(checking: Schemas.componentID) {
    view throws(SchemaViolation) in
    unsafe view.withUTF8 { unsafe ComponentID(utf8: $0) } ?? nil
  }

  static let startKey: Shape<String> = .text(1...255)
  static let clientToken: Shape<String> = .text(1...65_536)
  static let waitSpan: Shape<Int64> = .integer(0...300_000)
  static let count: Shape<Int> = Shape<Int64>.integer(1...1000).map { Int($0) }
  static let seq: Shape<Int64> = .integer(0...Int64.max)

  static let userID: Shape<UInt32> = Shape<Int64>
    .integer(0...4_294_967_294).map { UInt32(truncatingIfNeeded: $0) }

  static let cursor: Shape<UInt64> = Shape<String>
    .text(1...32)
    .map(otherwise: "is not a page's next") { text in
      UInt64(text).flatMap { String($0) == text ? $0 : nil }
    }

  /// Names of events, or prefixes that end in a period.
  static let eventTypes: Shape<EventFilter> = Shape<String>
    .text(1...64).list(atMost: 32)
    .map(otherwise: "names an event there is not") { EventFilter(words: $0) }

  static let share = Shape<Share>(
    object: Parameter<UInt32?>.optional("uid", userID, uidSummary),
    Parameter<UInt32?>.optional("gid", userID, gidSummary),
    Parameter<Share.Role>("role", .word),
    make: { uid, gid, role throws(SchemaViolation) in
      guard let subject = Share.Subject(uid: uid, gid: gid) else {
        throw SchemaViolation(Share.Subject.problem)
      }
      return Share(subject: subject, role: role)
    })

  static let uidSummary = "A user; or"
  static let gidSummary = "a group."

  static let settings: Shape<Settings> = Shape<Settings>(
    object: Parameter<Settings.PaymentHandling>.optional(
      "paymentHandling", .word, else: .auto,
      "auto (the default): the daemon creates the payment; manual: your backend does."),
    Parameter<String?>.optional(
      "locale",
      .text(.string(byteCount: 2...35, pattern: "^[A-Za-z]{2,8}([-_][A-Za-z0-9]{2,8})*$")),
      "The shopper's language and region, as in nl-NL."),
    Parameter<String?>.optional(
      "urlScheme", .text(1...2048), "Where a page or Stripe's collector returns to."),
    Parameter<StripeSettings?>.optional("stripe", stripe, "What ACH needs."),
    make: { handling, locale, urlScheme, stripe in
      var settings = Settings(
        paymentHandling: handling, urlScheme: urlScheme,
        stripePublishableKey: stripe?.publishableKey, mandateText: stripe?.mandateText,
        merchantName: stripe?.merchantName)
      if let locale { settings.locale = locale }
      return settings
    }
  ).named("Settings")

  private struct StripeSettings {
    let publishableKey: String?
    let mandateText: String?
    let merchantName: String?
  }

  private static let stripe = Shape<StripeSettings>(
    object: Parameter<String?>.optional("publishableKey", .text(1...255)),
    Parameter<String?>.optional("mandateText", .text(1...65_536)),
    Parameter<String?>.optional("merchantName", .text(1...255)),
    make: StripeSettings.init)

  static let payment = Shape<Payment>(
    object: Parameter<String?>.optional("id", .text(1...255)),
    Parameter<String?>.optional("orderId", .text(1...255)),
    Parameter<String?>.optional("status", .text(1...64)),
    make: { Payment(id: $0, orderID: $1, status: $2) })
}
