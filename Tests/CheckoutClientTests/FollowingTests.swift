import JSON
import JSONRPC
import Testing
import ValueTree

@testable import CheckoutClient

/// The cases that every client shares, each with the bytes cut in different ways.
@Suite struct FollowingTests {
  /// Lines as they are, or byte by byte.
  enum Cutting: CaseIterable { case whole, cut }

  private static let cases: [Value] = {
    let text = Files.text(Files.root + "/Tests/clients/following/cases.json") ?? ""
    return (try? JSONReader().value(of: text))?.array ?? []
  }()

  @Test func `there are cases`() { #expect(Self.cases.count > 40) }

  @Test(arguments: cases.indices, Cutting.allCases)
  func `a client does what the shared cases say`(number: Int, cutting: Cutting) throws {
    let one = Self.cases[number]
    let title = one["title"]?.string ?? ""
    var play = Play(after: one["after"], cutting)
    for step in one["steps"]?.array ?? [] {
      let member = try #require(step.object?.first)
      try play.take(member.name, member.value, "\(title): \(step.jsonText)")
    }
    let (isAtEnd, isOver) = (play.isAtEnd, play.isOver)
    #expect(isAtEnd, "\(title): something is left")
    #expect(isOver == (one["steps"]?.array?.last?["over"] != nil), "\(title)")
  }
}

/// One client, and a daemon that does what the steps say.
private struct Play {
  private static let checkout = "co_1"

  private let cutting: FollowingTests.Cutting
  private var exchange = Exchange(patience: 86_400_000, isKnown: true)
  private var reader = MessageReader()
  private var now: UInt64 = 0
  private var lastID: Value = .null
  private var told: [Value] = []
  private var failure: ClientError?
  private var place: Following.Place?
  private(set) var isOver = false

  init(after: Value?, _ cutting: FollowingTests.Cutting) {
    self.cutting = cutting
    let seq = after?.integer ?? after?["seq"]?.integer ?? 0
    let following = Following(
      Self.checkout, after: .init(epoch: after?["epoch"]?.string, seq: seq))
    exchange.add(following, as: Self.checkout)
    exchange.connect()
  }

  var isAtEnd: Bool {
    var rest = exchange
    return rest.takeOutput().isEmpty && told.isEmpty && failure == nil
  }

  mutating func take(_ kind: String, _ value: Value, _ comment: String) throws {
    switch kind {
    case "send":
      goOn()
      let lines = exchange.takeOutput().split(separator: UInt8(ascii: "\n"))
      let calls = try lines.map { try JSONReader().value(of: Array($0)) }
      let said = calls.map { Value.array([$0["method"] ?? .null, $0["params"] ?? .null]) }
      try #require(said == [value], "\(comment)")
      lastID = calls[0]["id"] ?? .null
    case "result": say(["jsonrpc": "2.0", "id": lastID, "result": value])
    case "error": say(["jsonrpc": "2.0", "id": lastID, "error": value])
    case "event": sayEvent("component.didReceiveStep", value)
    case "end": sayEvent("checkout.didFail", value)
    case "lost":
      let range = value.array ?? []
      say([
        "jsonrpc": "2.0", "method": "events.lost",
        "params": ["checkoutId": .string(Self.checkout), "from": range[0], "to": range[1]],
      ])
    case "line": say((value.string ?? "") + "\n")
    case "fragment": say(value.string ?? "")
    case "break": lose(.closed)
    case "told":
      #expect(told == value.array, "\(comment)")
      told = []
    case "place":
      let expected = Following.Place(
        epoch: value["epoch"]?.string, seq: value["seq"]?.integer ?? -1)
      #expect(place == expected, "\(comment)")
    case "over": #expect(isOver, "\(comment)")
    case "failed":
      switch failure {
      case .protocolViolation?: #expect(value == "protocol", "\(comment)")
      case let error: #expect(error?.errorID == value.string, "\(comment)")
      }
      failure = nil
    default: Issue.record("\(comment): an unknown step")
    }
  }

  private mutating func sayEvent(_ name: String, _ seq: Value) {
    let params: Value = [
      "checkoutId": .string(Self.checkout), "seq": seq, "time": "2030-01-01T00:00:00.000Z",
    ]
    say(["jsonrpc": "2.0", "method": .string(name), "params": params])
  }

  private mutating func say(_ message: Value) { say(message.jsonText + "\n") }

  private mutating func say(_ text: String) {
    let bytes = Array(text.utf8)
    for chunk in cutting == .whole ? [bytes] : bytes.map({ [$0] }) {
      let ending = reader.feed(chunk) { exchange.take($0, at: now) }
      note()
      if let ending { return lose(ending) }
    }
  }

  /// The connection is of no use any more; a new one is made when its time has come.
  private mutating func lose(_ reason: ClientError) {
    exchange.disconnect(reason, at: now)
    reader = MessageReader()
    note()
  }

  /// Lets the time pass that the client waits.
  private mutating func goOn() {
    if let next = exchange.nextRetry { now = next }
    if exchange.wantsConnection(at: now) {
      exchange.connect()
    } else {
      exchange.repeatHeld(at: now)
    }
  }

  private mutating func note() {
    if let following = exchange.followers[Self.checkout] as? Following { place = following.place }
    for news in exchange.takeNews() {
      switch news {
      case .told(_, .event(let event)): told.append(event.params["seq"] ?? .null)
      case .told(_, .lost(_, let seqs)):
        told.append([.integer(seqs.lowerBound), .integer(seqs.upperBound)])
        if let epoch = place?.epoch { place = .init(epoch: epoch, seq: seqs.upperBound) }
      case .ended(_, let reason):
        isOver = reason == nil
        failure = reason
      default: Issue.record("unexpected: \(news)")
      }
    }
  }
}
