import Checkout
import CheckoutProtocol
import JSONRPC
import ValueTree

/// What one run of the daemon leaves to the next about a client, besides its descriptor.
struct ConnectionState {
  /// Events that were dropped, and that the client has not been told of.
  struct Lost {
    let checkout: CheckoutID
    let seqs: ClosedRange<Int64>
  }

  /// A subscription to one checkout.
  struct Narrow {
    let id: String
    let checkout: CheckoutID
    let filter: EventFilter
    /// The number of the last event that was sent.
    let after: Int64
  }

  /// A subscription to many.
  struct Wide {
    let id: String
    let filter: EventFilter
    let reach: WideSubscription.Reach
  }

  /// What the client has not taken yet; it may begin in the middle of a line, or of a character.
  var output: [UInt8] = []
  /// What it has sent and was not looked at yet.
  var input = HeldInput()
  var isClosing = false
  var saidHello = false
  var clientName: String?
  var subscriptionCount = 0
  var lost: [Lost] = []
  var lostCount = 0
  var subscriptions: [Narrow] = []
  var wide: Wide?

  /// Whether the client wants to hear of the daemon's own affairs.
  var wantsNews: Bool { saidHello || !subscriptions.isEmpty || wide != nil }
}

// MARK: Stored form

extension Value {
  /// Gives a list names, as version 1 of the handover has none.
  ///
  /// - Parameter names: The names, in the order of the list.
  /// - Returns: An object; the same if this is no list.
  func named(_ names: [String]) -> Value {
    guard let parts = array else { return self }
    return .object(zip(names, parts).map { Member($0, $1) })
  }
}

// Read by name: members that a later version has added are passed over.
extension ConnectionState {
  private static let names = [
    "output", "input", "skipped", "isClosing", "saidHello", "client", "subscriptionCount", "lost",
    "lostCount", "subscriptions", "wide",
  ]

  /// Everything but the bytes, of which there are only the numbers.
  var stored: Value {
    [
      "output": .integer(Int64(output.count)), "input": .integer(Int64(input.bytes.count)),
      "skipped": .integer(Int64(input.skipped)), "isClosing": .bool(isClosing),
      "saidHello": .bool(saidHello), "client": Value(clientName),
      "subscriptionCount": .integer(Int64(subscriptionCount)),
      "lost": .array(lost.map(\.stored)), "lostCount": .integer(Int64(lostCount)),
      "subscriptions": .array(subscriptions.map(\.stored)), "wide": wide?.stored ?? .null,
    ]
  }

  /// What a count may be.
  private static let counts: ClosedRange<Int64> = 0...(1 << 53)

  /// Reads the stored form.
  ///
  /// - Parameters:
  ///   - value: What ``stored`` was.
  ///   - take: Gives so many bytes, `nil` if there are not that many.
  init?(_ value: Value, bytes take: (Int64) -> [UInt8]?) {
    let value = value.named(Self.names)
    guard let outputCount = value["output"]?.integer, let inputCount = value["input"]?.integer,
      let skipped = value["skipped"]?.integer, let isClosing = value["isClosing"]?.bool,
      let saidHello = value["saidHello"]?.bool,
      let subscriptionCount = value["subscriptionCount"]?.integer,
      let lost = value["lost"]?.array, let lostCount = value["lostCount"]?.integer,
      let subscriptions = value["subscriptions"]?.array,
      let output = take(outputCount), let input = take(inputCount),
      // They are counted on from here.
      [skipped, subscriptionCount, lostCount].allSatisfy(Self.counts.contains)
    else { return nil }
    self.output = output
    self.input = HeldInput(bytes: input, skipped: Int(skipped))
    self.isClosing = isClosing
    self.saidHello = saidHello
    clientName = value["client"]?.string
    self.subscriptionCount = Int(subscriptionCount)
    self.lost = lost.compactMap(Lost.init)
    self.lostCount = Int(lostCount)
    self.subscriptions = subscriptions.compactMap(Narrow.init)
    wide = value["wide"].flatMap(Wide.init)
  }
}

extension ConnectionState.Lost {
  fileprivate var stored: Value {
    [
      "checkout": .string(checkout.text), "from": .integer(seqs.lowerBound),
      "to": .integer(seqs.upperBound),
    ]
  }

  fileprivate init?(_ value: Value) {
    let value = value.named(["checkout", "from", "to"])
    guard let checkout = value["checkout"]?.string.flatMap(CheckoutID.init(text:)),
      let from = value["from"]?.integer, let to = value["to"]?.integer, from <= to
    else { return nil }
    self.init(checkout: checkout, seqs: from...to)
  }
}

extension ConnectionState.Narrow {
  fileprivate var stored: Value {
    [
      "id": .string(id), "checkout": .string(checkout.text), "filter": filter.stored,
      "after": .integer(after),
    ]
  }

  fileprivate init?(_ value: Value) {
    let value = value.named(["id", "checkout", "filter", "after"])
    guard let id = value["id"]?.string, let after = value["after"]?.integer,
      let checkout = value["checkout"]?.string.flatMap(CheckoutID.init(text:))
    else { return nil }
    self.init(
      id: id, checkout: checkout, filter: EventFilter(stored: value["filter"] ?? .null),
      after: after)
  }
}

extension ConnectionState.Wide {
  fileprivate var stored: Value {
    ["id": .string(id), "filter": filter.stored, "reach": .string(reach.rawValue)]
  }

  fileprivate init?(_ value: Value) {
    let value = value.named(["id", "filter", "reach"])
    guard let id = value["id"]?.string,
      let reach = value["reach"]?.string.flatMap(WideSubscription.Reach.init(rawValue:))
    else { return nil }
    self.init(id: id, filter: EventFilter(stored: value["filter"] ?? .null), reach: reach)
  }
}

extension EventFilter {
  fileprivate var stored: Value {
    names.map { .array($0.map { .string($0) }) } ?? .null
  }

  fileprivate init(stored value: Value) {
    self.init(names: value.array?.compactMap(\.string))
  }
}
