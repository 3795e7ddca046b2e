package import ValueTree

/// What stays of a checkout once everything personal and secret has been wiped.
package struct OutcomeRecord: Sendable, Equatable {
  /// What it came to.
  package var outcome: Outcome
  /// The error that ended it, if one did.
  package var errorID: String?
  /// The payment, if there was one.
  package var payment: Payment?
  /// The merchant's id of the order.
  package var orderID: String?
  /// When it was started.
  package var createdAt: WallTime
  /// When it ended.
  package var endedAt: WallTime
  /// The number of its last event.
  package var seq: Int64
  /// Who created the payment.
  package var paymentHandling: Settings.PaymentHandling
  /// Whether the client session stays held: money has moved, or may.
  package var holdsSession: Bool
  /// What was to be paid, in minor units, as far as it was known.
  package var amount: Int64?
  /// In which currency.
  package var currencyCode: String?
  /// The voucher that it is to be paid with.
  package var voucher: ClientToken.Voucher?

  /// How long after the end it is kept: as long as all, and a voucher's until the day after its expiry,
  /// but no longer than 60 days.
  ///
  /// - Parameters:
  ///   - span: How long all are.
  ///   - wallOffset: How far the wall clock is ahead of the steady one.
  /// - Returns: The span, counted from the end.
  package func retention(_ span: Milliseconds, wallOffset: Milliseconds) -> Milliseconds {
    guard let voucher else { return span }
    let day: Milliseconds = 86_400_000
    let longest = max(span, 60 * day)
    guard let expiry = voucher.expiresAt.flatMap(Timestamp.day) else { return longest }
    // The day of the expiry, and the whole day after it, wherever the shopper is.
    return min(max(span, expiry.adding(3 * day).since(endedAt.adding(wallOffset))), longest)
  }

  /// The form in the store.
  package var stored: Value {
    [
      .string(outcome.rawValue), Value(errorID), payment?.stored ?? .null, Value(orderID),
      .integer(createdAt), .integer(endedAt), .integer(seq), .string(paymentHandling.rawValue),
      .bool(holdsSession), amount.map(Value.integer) ?? .null, Value(currencyCode),
      voucher?.stored ?? .null,
    ]
  }

  /// Reads the stored form.
  package init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    outcome = try reader.word()
    errorID = try reader.optionalText()
    payment = try Payment(reader.optionalReader())
    orderID = try reader.optionalText()
    createdAt = try reader.time()
    endedAt = try reader.time()
    seq = try reader.count()
    paymentHandling = try reader.word()
    // Records of earlier versions end here, or one later.
    holdsSession = reader.isAtEnd ? outcome.holdsSession : try reader.flag()
    guard !reader.isAtEnd else { return }
    amount = try reader.optionalInteger()
    currencyCode = try reader.optionalText()
    voucher = reader.isAtEnd ? nil : try ClientToken.Voucher(reader.optionalReader())
    try reader.end()
  }

  fileprivate init(_ checkout: Checkout, _ ending: Ending) {
    outcome = ending.outcome
    errorID = ending.error.map { $0.foreignID ?? $0.id.rawValue }
    payment = checkout.attempt?.payment
    orderID = checkout.configuration?.clientSession.orderID
    createdAt = checkout.createdAt
    endedAt = ending.at
    seq = checkout.seq
    paymentHandling = checkout.settings.paymentHandling
    holdsSession = checkout.holdsSession
    amount = checkout.configuration?.clientSession.amount
    currencyCode = checkout.configuration?.clientSession.currencyCode
    voucher = ending.outcome == .pending ? checkout.token.voucher : nil
  }
}

extension Checkout {
  /// When the checkout ended, if it has.
  package var endedAt: WallTime? {
    switch phase {
    case .ended(let ending): ending.at
    case .archived(let record): record.endedAt
    default: nil
    }
  }

  /// What may stay of an ended checkout.
  package var outcomeRecord: OutcomeRecord? {
    switch phase {
    case .ended(let ending): OutcomeRecord(self, ending)
    case .archived(let record): record
    default: nil
    }
  }

  /// A checkout of which only the record is left: it answers `archived`, and nothing can be done
  /// with it.
  package init(id: CheckoutID, owner: UInt32, record: OutcomeRecord) {
    self.id = id
    self.owner = owner
    createdAt = record.createdAt
    sessionID = ""
    spans = Spans()
    repetition = nil
    sharedSettings = Remains.settings(record.paymentHandling)
    sharedToken = Remains.token
    sharedConfiguration = Remains.configuration
    shares = []
    seq = record.seq
    phase = .archived(record)
  }
}

/// What is the same in all checkouts of which only the record is left: there are a great many.
private enum Remains {
  static let token = Shared(ClientToken(encoded: "", accessToken: "", expiresAt: 0))
  static let configuration: Shared<Configuration?> = Shared(nil)
  private static let automatic = Shared(Settings(paymentHandling: .auto))
  private static let manual = Shared(Settings(paymentHandling: .manual))

  static func settings(_ handling: Settings.PaymentHandling) -> Shared<Settings> {
    switch handling {
    case .auto: automatic
    case .manual: manual
    }
  }
}
