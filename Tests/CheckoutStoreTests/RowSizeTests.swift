import Checkout
import Testing
import ValueTree

@testable import CheckoutStore

/// How much a turn writes.
@Suite struct RowSizeTests {
  private let now: WallTime = 1_767_259_800_000

  /// The operations among effects.
  private func operations(_ effects: [Effect]) -> [Operation] {
    effects.compactMap { effect in
      if case .perform(let operation) = effect { operation } else { nil }
    }
  }

  /// The row of an input: its events, and the state after it with the moment that the server adds.
  private func row(_ checkout: Checkout, _ effects: [Effect]) throws -> [UInt8] {
    let events = effects.compactMap { effect -> Event? in
      if case .publish(let event) = effect { event } else { nil }
    }
    let first = checkout.seq - Int64(events.count) + 1
    let records = events.enumerated().map { place, event in
      EventRecord(seq: first + Int64(place), time: now, event: event)
    }
    let moment: Value = [.integer(now), 123_456_789, .integer(.max)]
    return rowBytes(hot: [try checkout.storedHot, moment], records)
  }

  @Test(arguments: [("ADYEN_IDEAL", Manager.componentWithRedirect), ("STRIPE_ACH", .ach)])
  func `a keystroke is a small row, whatever the size of the rest`(
    type: String, manager: Manager
  ) throws {
    let session = ClientSession(
      id: "cs-1", orderID: "o-1", currencyCode: "EUR", totalOrderAmount: 1299,
      lineItems: Array(
        repeating: LineItem(id: "i-1", description: "Mug", amount: 1, quantity: 1), count: 200),
      customer: Customer(firstName: "Ada", lastName: "Byron", emailAddress: "ada@example.com"))
    let configuration = Configuration(
      paymentMethods: [PaymentMethod(id: "cfg-1", type: type, name: "Name")],
      clientSession: session)
    let banks = (0..<64).map { number in
      IssuingBank(
        id: "\(number)", name: "Bank \(number)",
        iconURL: "https://icons.example.com/\(number).png")
    }
    var entropy: UInt64 = 0
    func moment() -> Moment {
      entropy += 1
      return Moment(now: now, entropy: entropy, digest: { $0 })
    }
    var checkout = Checkout(
      id: CheckoutID(1), owner: 1000,
      token: ClientToken(
        encoded: String(repeating: "t", count: 900), accessToken: "a", expiresAt: now + 3_600_000),
      settings: Settings(urlScheme: "kiosk://checkout", stripePublishableKey: "key-1"),
      spans: Spans(), moment: moment())
    let fetch = try #require(operations(checkout.begin(at: moment())).first)
    _ = checkout.handle(
      .operationFinished(fetch.id, .success(.configuration(configuration))), at: moment())
    _ = checkout.perform(.provide(manager: manager, paymentMethodType: type), at: moment())
    let start = checkout.perform(.component(0, .start), at: moment())
    let request = try #require(operations(start.effects).first)
    let answer: Answer = manager == .ach ? .configuration(configuration) : .banks(banks)
    _ = checkout.handle(.operationFinished(request.id, .success(answer)), at: moment())

    let data: Value = manager == .ach ? ["firstName": "Grace"] : ["bankId": "7"]
    let before = checkout.fixedVersion
    let update = checkout.perform(.component(0, .update(data)), at: moment())
    let row = try row(checkout, update.effects)
    #expect(checkout.fixedVersion == before)
    #expect((100..<320).contains(row.count), "\(row.count) bytes")
    // What is not in it is much larger.
    #expect(CompactValueTests.bytes(checkout.storedFixed).count > 3000)
  }
}
