/// How far a client's connection has got: what one run leaves to the next, beside its descriptors.
struct SessionState: Sendable, Equatable {
  /// What is awaited.
  enum Stage: UInt8, Sendable {
    /// The first message.
    case greeting = 0
    /// The second one, or an answer from where it leads.
    case request = 1
    /// Bytes, from either side: there are two descriptors.
    case relay = 2
  }

  /// One direction of a relay.
  struct Flow: Sendable, Equatable {
    /// What was read and is still to be written.
    var held: [UInt8] = []
    /// Whether the source has said everything.
    var hasEnded = false
    /// Whether nothing is to be done any more.
    var isOver = false
  }

  var stage = Stage.greeting
  /// What has come of the message that is awaited.
  var message: [UInt8] = []
  /// From the client.
  var out = Flow()
  /// From upstream.
  var back = Flow()
  /// Whether the client was heard to speak TLS.
  var isTLS = false
}

extension SessionState {
  private static let version: UInt8 = 1

  /// The bytes that say how far some connections have got.
  static func encode(_ states: [SessionState]) -> [UInt8] {
    var bytes = [version]
    for state in states {
      bytes += [state.stage.rawValue, state.isTLS ? 1 : 0]
      append(state.message, to: &bytes)
      for flow in [state.out, state.back] {
        bytes.append((flow.hasEnded ? 1 : 0) | (flow.isOver ? 2 : 0))
        append(flow.held, to: &bytes)
      }
    }
    return bytes
  }

  private static func append(_ part: [UInt8], to bytes: inout [UInt8]) {
    let count = UInt32(clamping: part.count)
    bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    bytes += part.prefix(Int(count))
  }

  /// Reads such bytes.
  ///
  /// - Returns: The states; nil if the bytes are of another version, or damaged.
  static func decode(_ bytes: [UInt8]) -> [SessionState]? {
    var rest = bytes[...]
    guard rest.popFirst() == version else { return nil }
    var states: [SessionState] = []
    while !rest.isEmpty {
      guard let stage = rest.popFirst().flatMap(Stage.init(rawValue:)),
        let isTLS = rest.popFirst().flatMap(flag), let message = part(&rest),
        let out = flow(&rest), let back = flow(&rest)
      else { return nil }
      states.append(
        SessionState(stage: stage, message: message, out: out, back: back, isTLS: isTLS))
    }
    return states
  }

  private static func flag(_ byte: UInt8) -> Bool? { byte < 2 ? byte == 1 : nil }

  private static func flow(_ rest: inout ArraySlice<UInt8>) -> Flow? {
    guard let bits = rest.popFirst(), bits < 4, let held = part(&rest) else { return nil }
    return Flow(held: held, hasEnded: bits & 1 != 0, isOver: bits & 2 != 0)
  }

  private static func part(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.count >= 4 else { return nil }
    let count = Int(rest.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
    rest = rest.dropFirst(4)
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
