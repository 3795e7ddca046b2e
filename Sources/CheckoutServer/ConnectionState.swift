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

extension ConnectionState {
  /// Everything but the bytes, of which there are only the numbers.
  var stored: Value {
    [
      .integer(Int64(output.count)), .integer(Int64(input.bytes.count)),
      .integer(Int64(input.skipped)), .bool(isClosing), .bool(saidHello), Value(clientName),
      .integer(Int64(subscriptionCount)), .array(lost.map(\.stored)),
      .integer(Int64(lostCount)), .array(subscriptions.map(\.stored)), wide?.stored ?? .null,
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
    guard let parts = value.array, parts.count == 11, let outputCount = parts[0].integer,
      let inputCount = parts[1].integer, let skipped = parts[2].integer,
      let isClosing = parts[3].bool, let saidHello = parts[4].bool,
      let subscriptionCount = parts[6].integer, let lost = parts[7].array,
      let lostCount = parts[8].integer, let subscriptions = parts[9].array,
      let output = take(outputCount), let input = take(inputCount),
      // They are counted on from here.
      Self.counts.contains(subscriptionCount), Self.counts.contains(lostCount)
    else { return nil }
    self.output = output
    self.input = HeldInput(bytes: input, skipped: Int(skipped))
    self.isClosing = isClosing
    self.saidHello = saidHello
    clientName = parts[5].string
    self.subscriptionCount = Int(subscriptionCount)
    self.lost = lost.compactMap(Lost.init)
    self.lostCount = Int(lostCount)
    self.subscriptions = subscriptions.compactMap(Narrow.init)
    wide = Wide(parts[10])
  }
}

extension ConnectionState.Lost {
  fileprivate var stored: Value {
    [.string(checkout.text), .integer(seqs.lowerBound), .integer(seqs.upperBound)]
  }

  fileprivate init?(_ value: Value) {
    guard let parts = value.array, parts.count == 3,
      let checkout = parts[0].string.flatMap(CheckoutID.init(text:)),
      let from = parts[1].integer, let to = parts[2].integer, from <= to
    else { return nil }
    self.init(checkout: checkout, seqs: from...to)
  }
}

extension ConnectionState.Narrow {
  fileprivate var stored: Value {
    [.string(id), .string(checkout.text), filter.stored, .integer(after)]
  }

  fileprivate init?(_ value: Value) {
    guard let parts = value.array, parts.count == 4, let id = parts[0].string,
      let checkout = parts[1].string.flatMap(CheckoutID.init(text:)),
      let after = parts[3].integer
    else { return nil }
    self.init(id: id, checkout: checkout, filter: EventFilter(stored: parts[2]), after: after)
  }
}

extension ConnectionState.Wide {
  fileprivate var stored: Value { [.string(id), filter.stored, .string(reach.rawValue)] }

  fileprivate init?(_ value: Value) {
    guard let parts = value.array, parts.count == 3, let id = parts[0].string,
      let reach = parts[2].string.flatMap(WideSubscription.Reach.init(rawValue:))
    else { return nil }
    self.init(id: id, filter: EventFilter(stored: parts[1]), reach: reach)
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
