import Checkout
import ValueTree

/// What happens to a checkout beside commands.
typealias HappenedInput = Input

/// All that the model knows of the core's interface: what changes there is followed here.
enum Core {
  /// Spans as short as their order to each other allows, so that runs are short.
  static let spans: Spans = {
    var spans = Spans()
    spans.poll = 2500
    return spans
  }()

  /// How long upstream may go on with a request whose answer is lost.
  static let upstreamLimit: Milliseconds = 90_000

  /// How long an open decision stays open at least after a restart.
  static let minimumDecisionSpan: Milliseconds = 60_000

  // MARK: Inputs

  /// A new checkout, and what it wants first.
  static func begin(
    number: Int, _ row: Row, allowsRepeat: Bool, at moment: Moment
  ) -> (checkout: Checkout, effects: [Effect]) {
    let id = CheckoutID(UInt64(number))
    var checkout = Checkout(
      id: id, owner: 1000, token: Sample.token, settings: row.settings, spans: spans,
      repetition: allowsRepeat ? id.text : nil, moment: moment)
    let effects = checkout.begin(at: moment)
    return (checkout, effects)
  }

  /// A moment of the core's; a key is read off its name at once.
  static func moment(now: WallTime, entropy: UInt64, asksQuestions: Bool) -> Moment {
    Moment(now: now, entropy: entropy, asksQuestions: asksQuestions) { name in
      String(name.map { $0 == "\n" ? "/" : $0 })
    }
  }

  /// What a checkout is handed: a client's command, or what happened.
  enum Input {
    case command(Command)
    case happened(HappenedInput)
  }

  /// Hands a checkout an input.
  ///
  /// - Returns: What a command was answered, and what is to be done.
  static func handle(
    _ checkout: inout Checkout, _ input: Input, at moment: Moment
  ) -> (reply: Result<CommandReply, CheckoutError>?, effects: [Effect]) {
    switch input {
    case .command(let command): checkout.perform(command, at: moment)
    case .happened(let input): (nil, checkout.handle(input, at: moment))
    }
  }

  /// Has a process take a checkout up that was just read.
  static func takeUp(
    _ checkout: inout Checkout, isRestored: Bool, at moment: Moment
  ) -> [Effect] {
    checkout.resume(
      at: moment, minimumDecisionSpan: minimumDecisionSpan, isRestored: isRestored)
  }

  // MARK: The store

  /// What the store has of a checkout.
  struct Stored: Equatable {
    var hot: [UInt8]
    var fixed: [UInt8]
    var parts: [[UInt8]]

    init(_ checkout: Checkout) {
      hot = Core.hot(checkout)
      fixed = bytes(of: checkout.storedFixed)
      parts = (0..<checkout.componentCount).map { bytes(of: checkout.storedPart(of: $0) ?? .null) }
    }

    /// The checkout as the next process reads it; `nil` if it cannot.
    func checkout(like cell: Cell) -> Checkout? {
      let checkout = cell.checkout
      guard let hot = tree(hot), let fixed = tree(fixed) else { return nil }
      var bodies: [(name: Int, body: Value)] = []
      for (index, part) in parts.enumerated() {
        guard let body = tree(part) else { return nil }
        if case .null = body { continue }
        bodies.append((index, body))
      }
      return try? Checkout(
        id: checkout.id, spans: checkout.spans,
        repetition: cell.allowsRepeat ? checkout.id.text : nil, fixed: fixed, hot: hot,
        parts: bodies)
    }
  }

  /// What every row has.
  static func hot(_ checkout: Checkout) -> [UInt8] {
    let writer = CompactWriter()
    checkout.writeHot(to: writer)
    return writer.bytes
  }

  private static func bytes(of value: Value) -> [UInt8] {
    let writer = CompactWriter()
    writer.append(value)
    return writer.bytes
  }

  private static func tree(_ bytes: [UInt8]) -> Value? {
    unsafe try? bytes.withUnsafeBytes { unsafe try CompactValue.read($0) }
  }

  /// Whether the server flushes the commit of that turn, and does not only write it.
  static func isFlushed(_ input: Input?, _ flight: Flight?, _ effects: [Effect]) -> Bool {
    if flight?.kind.isAboutMoney == true { return true }
    switch input {
    case .command(.decide), .command(.cancel), .command(.component(_, .reportBankAccount)),
      .command(.component(_, .decideMandate)):
      return true
    default: break
    }
    return effects.contains { effect in
      switch effect {
      case .publish(let event):
        event.isTerminal || event.members.contains { $0.name == "decisionId" }
      case .perform(let operation): Flight.Kind(operation.request).isAboutMoney
      default: false
      }
    }
  }

  // MARK: Requests

  /// The key that a payment is asked for with.
  static func key(of request: Operation.Request) -> String? {
    guard case .createPayment(_, let key) = request else { return nil }
    return key
  }

  /// Whether a creation only asks about one that has been answered, and how often it has been sent.
  static func creation(
    _ operation: Operation, of checkout: Checkout
  ) -> (isQuestion: Bool, sentCount: Int64) {
    let all = tree(hot(checkout))?.array?[3].array ?? []
    let pending = all.compactMap(\.array).first { $0.first?.integer == Int64(operation.id) }
    guard let pending, pending.count > 6 else { return (false, 1) }
    return (pending[1].array?.first == .integer(11), pending[6].integer ?? 1)
  }
}
