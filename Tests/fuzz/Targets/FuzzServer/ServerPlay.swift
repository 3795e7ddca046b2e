package import Checkout
internal import CheckoutProtocol
package import FuzzSupport
internal import JSON
internal import JSONRPC
package import ValueTree

@testable internal import Bench

/// A whole server played by the fuzzer's choices: what clients say, what upstream answers and when,
/// time, commits that fail, and processes that take over.
///
/// Every line out is JSON that is no longer or deeper than announced, every call is answered once, a
/// checkout has one terminal event, and a turn that is not committed leaves everything as it was.
package final class ServerPlay {
  /// Answers an operation.
  package typealias Upstream = (Operation.Request, inout FuzzInput) -> Result<
    Answer, OperationFailure
  >

  /// One of those who call.
  private struct Client {
    let user: UInt32
    var connection: TestClient
    /// The calls that are not answered.
    var awaited: Set<Int64> = []
  }

  private static let users: [UInt32] = [1000, 1001, 0]
  private static let lineLimit = 1 << 20
  private static let depthLimit = 64

  private let bench: ServerBench
  private var clients: [Client] = []
  /// The digits of the id of the checkout that was named last, which are its components' too.
  private var digits = "0000000000000001"
  /// The number of each checkout's terminal event.
  private var terminals: [String: Int64] = [:]
  /// The calls of this turn that are not refused: what they did may stay.
  private var taken: Set<Int64> = []
  private let json = JSONReader(maximumByteCount: lineLimit, maximumDepth: depthLimit)

  /// Makes a server, and clients that have connected.
  package init() {
    guard let bench = try? ServerBench() else { fatalError("no server can be made") }
    self.bench = bench
    connect()
  }

  private func connect() {
    clients = Self.users.map { Client(user: $0, connection: connection(of: $0)) }
    bench.turn()
  }

  private func connection(of user: UInt32) -> TestClient {
    guard let made = try? bench.connect(as: user, isAdministrator: user == 0) else {
      fatalError("no connection can be made")
    }
    return made
  }

  /// Lets a turn happen.
  package func step(_ input: inout FuzzInput, _ upstream: Upstream) {
    let failures = bench.backend.failureCount
    bench.backend.isFailing = input.chance(oneIn: 6)
    // The whole state is compared now and then: that takes as long as many turns.
    let isCompared = bench.backend.isFailing && input.chance(oneIn: 4)
    let before = isCompared ? StateDump(of: bench.server) : nil
    taken = []
    var isComparable = true
    switch input.number(below: 8) {
    case 0, 1,
      2 where !bench.upstream.pending.isEmpty:
      let place = input.number(below: bench.upstream.pending.count)
      bench.upstream.answer(at: place) { upstream($0, &input) }
    case 3:
      bench.clock.pass(milliseconds: UInt64(input.byte()) * input.one(of: [1, 100, 10_000]))
    case 4 where input.chance(oneIn: 4):
      isComparable = false
      leave(input.number(below: clients.count))
    default: say(&input)
    }
    bench.turn()
    bench.backend.isFailing = false
    let hasFailed = bench.backend.failureCount > failures
    let after = hasFailed && isCompared ? StateDump(of: bench.server) : nil
    read(mayTell: !hasFailed)
    if isComparable, taken.isEmpty, let before, let after {
      let differences = after.differences(from: before)
      require(differences.isEmpty, "nothing is left of a turn: \(differences.prefix(8))")
    }
  }

  /// Damages what is kept, and has another process take over.
  ///
  /// - Returns: Whether it did; it may also refuse.
  package func takeOver(damage: (Value) -> Value, at places: [Int]) -> Bool {
    for place in places where bench.backend.keptCount > 0 {
      bench.backend.damage(at: place % bench.backend.keptCount, damage)
    }
    do { try bench.restart() } catch { return false }
    terminals = [:]
    connect()
    return true
  }

  /// Has another process take over, which must find what was told.
  package func takeOver() {
    require(takeOver(damage: { $0 }, at: []), "what was kept can be taken up")
  }

  /// Lets everything come to its end: whoever waits is answered.
  package func finish(_ input: inout FuzzInput, _ upstream: Upstream) {
    for _ in 0..<400 where clients.contains(where: { !$0.awaited.isEmpty }) {
      while bench.upstream.answer({ upstream($0, &input) }) { bench.turn() }
      bench.pass(milliseconds: 10_000)
      read(mayTell: true)
    }
    for client in clients {
      require(client.awaited.isEmpty, "every call is answered: \(client.awaited)")
    }
  }

  // MARK: Clients

  /// A client goes, and comes again.
  private func leave(_ place: Int) {
    clients[place].connection = connection(of: clients[place].user)
    clients[place].awaited = []
  }

  /// A client says something: a call, some calls, or a batch.
  private func say(_ input: inout FuzzInput) {
    let place = input.one(of: [0, 0, 0, 0, 1, 2])
    // What is beyond the limit of calls that wait is read later.
    guard clients[place].awaited.count < 32 else { return leave(place) }
    let isBatch = input.chance(oneIn: 4)
    var calls: [String] = []
    for _ in 0...input.number(below: 3) {
      let (method, params) = call(&input)
      let (text, id) = bench.line(method, params)
      clients[place].awaited.insert(id)
      taken.insert(id)
      calls.append(named(String(text.dropLast())))
    }
    let text = isBatch ? "[" + calls.joined(separator: ",") + "]" : calls.joined(separator: "\n")
    require(text.utf8.count < 150_000, "a line fits into a socket")
    clients[place].connection.send(text + "\n")
  }

  /// A call with the id of a checkout that there is.
  private func named(_ call: String) -> String {
    guard let place = call.firstRange(of: SchemaValue.digits) else { return call }
    return String(call[..<place.lowerBound]) + digits + named(String(call[place.upperBound...]))
  }

  private func call(_ input: inout FuzzInput) -> (method: String, params: Value) {
    let checkout: Value = .string("co_" + SchemaValue.digits)
    let component: Value = .string("cm_" + SchemaValue.digits + "_0")
    switch input.number(below: 16) {
    case 0:
      let token = input.one(of: SampleUpstream.tokens)
      return (
        "checkout.start",
        .object(
          [.init("clientToken", .string(token))] + settings(&input)
            + (input.chance(oneIn: 2) ? [.init("startKey", "k")] : [])
            + (input.chance(oneIn: 4) ? [.init("allowRepeat", true)] : []))
      )
    case 1:
      return (
        "componentWithRedirectManager.provideBanksComponent",
        ["checkoutId": checkout, "paymentMethodType": "ADYEN_IDEAL"]
      )
    case 2: return ("component.start", ["componentId": component])
    case 3:
      return (
        "component.updateCollectedData", ["componentId": component, "data": ["bankId": "0"]]
      )
    case 4, 5: return ("component.submit", ["componentId": component])
    case 6: return ("checkout.cancel", ["checkoutId": checkout])
    case 7:
      return (
        "checkout.decide",
        [
          "checkoutId": checkout, "decisionId": input.one(of: ["d1", "d2"]), "decision": "continue",
        ]
      )
    case 8:
      return (
        "events.subscribe",
        input.one(of: [[:], ["checkoutId": checkout], ["checkoutId": checkout, "after": 0]])
      )
    case 9:
      return (
        "checkout.wait",
        ["checkoutId": checkout, "for": ["terminal"], "waitMs": .integer(input.integer() % 1000)]
      )
    case 10:
      return (
        "checkout.share",
        ["checkoutId": checkout, "uid": 1001, "role": input.one(of: ["observe", "drive"])]
      )
    default:
      let row = input.one(of: Methods.all)
      var maker = SchemaValue(FuzzInput(input.chunk()))
      let params = maker.parameters(of: row)
      // What is longer than a socket holds would have to be sent in parts.
      return (row.name.description, params.jsonBytes.count < 20_000 ? params : [:])
    }
  }

  private func settings(_ input: inout FuzzInput) -> [Value.Member] {
    switch input.number(below: 4) {
    case 1: [.init("settings", ["paymentHandling": "manual"])]
    case 2: [.init("decisions", ["willCreatePayment"])]
    default: []
    }
  }

  // MARK: Lines

  private func read(mayTell: Bool) {
    for place in clients.indices {
      for line in clients[place].connection.readTexts() {
        require(line.count < Self.lineLimit, "a line is as long as announced")
        guard let value = try? json.value(of: line) else {
          return require(
            false, "a line is JSON: \(String(decoding: line.prefix(400), as: UTF8.self))")
        }
        for message in value.array ?? [value] {
          take(message, of: place, mayTell: mayTell)
        }
      }
    }
  }

  private func take(_ message: Value, of place: Int, mayTell: Bool) {
    guard let id = message["id"] else { return note(message, mayTell: mayTell) }
    guard let number = id.integer else {
      return require(message["error"] != nil, "what has no id is an error: \(message.jsonText)")
    }
    require(
      clients[place].awaited.remove(number) != nil, "a call is answered once: \(message.jsonText)")
    if message["error"] != nil { taken.remove(number) }
    note(checkout: message["result"])
    note(checkout: message["result"]?["checkouts"]?.array?.last)
  }

  private func note(_ event: Value, mayTell: Bool) {
    guard let params = event["params"], let seq = params["seq"]?.integer,
      let checkout = params["checkoutId"]?.string
    else { return }
    require(mayTell, "nothing is told of a turn that is not committed: \(event.jsonText)")
    note(checkout: params)
    guard ["checkout.didCompleteCheckout", "checkout.didFail"].contains(event["method"]?.string)
    else { return }
    let known = terminals[checkout] ?? seq
    terminals[checkout] = seq
    require(known == seq, "there is one terminal event")
  }

  private func note(checkout value: Value?) {
    guard let id = value?["checkoutId"]?.string, id.hasPrefix("co_") else { return }
    digits = String(id.dropFirst(3))
  }
}
