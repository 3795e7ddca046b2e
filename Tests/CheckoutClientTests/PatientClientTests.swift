import Glibc
import JSONRPC
import LinuxSystem
import Testing
import ValueTree

@testable import CheckoutClient

@Suite(.timeLimit(.minutes(1))) struct PatientClientTests {
  let daemon: FakeDaemon
  let client: PatientClient

  init() throws {
    daemon = try FakeDaemon()
    client = PatientClient(path: daemon.path, patience: 0)
  }

  /// Goes on until there is news.
  private func news(until deadline: Deadline = .never) throws -> [PatientClient.News] {
    while true {
      let news = client.goOn()
      if !news.isEmpty { return news }
      try client.wait(until: deadline, watching: -1)
    }
  }

  /// Makes a call, and has the daemon say something about it.
  private func answer(_ lines: String...) throws -> [Result<Value, ClientError>] {
    _ = client.call("a", nil, .never)
    _ = client.goOn()
    try daemon.accept()
    for line in lines { daemon.say(line + "\n") }
    return try news().compactMap { if case .answer(_, let result) = $0 { result } else { nil } }
  }

  @Test func `a call is one line, and each has an id of its own`() throws {
    let numbers = [
      client.call("system.ping", nil, .never),
      client.call("checkout.get", ["checkoutId": "co_1"], .always),
    ]
    _ = client.goOn()
    try daemon.accept()
    #expect(numbers == [1, 2])
    #expect(
      daemon.heard() == """
        {"jsonrpc":"2.0","id":1,"method":"system.ping"}
        {"jsonrpc":"2.0","id":2,"method":"checkout.get","params":{"checkoutId":"co_1"}}

        """)
  }

  @Test func `an error is the call's, and the connection goes on`() throws {
    let sent = #"{"code":1001,"message":"m","data":{"errorId":"e"}}"#
    let results = try answer(#"{"jsonrpc":"2.0","id":1,"error":\#(sent)}"#)
    guard case .failure(.remote(let error))? = results.first else {
      return #expect(Bool(false))
    }
    #expect(error.value == ["code": 1001, "message": "m", "data": ["errorId": "e"]])
    _ = client.call("b", nil, .never)
    _ = client.goOn()
    daemon.say(#"{"jsonrpc":"2.0","id":2,"result":true}"# + "\n")
    guard case .answer(2, .success(true))? = try news().first else {
      return #expect(Bool(false))
    }
  }

  @Test func `the last word of a refused connection is what fails the call`() throws {
    let full = RPCError(code: .quotaExceeded, message: "full", data: nil)
    let results = try answer(
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"full"}}"#)
    #expect(results == [.failure(.refused(full))])
  }

  @Test func `what was said before the end comes before it`() throws {
    _ = client.call("a", nil, .never)
    client.follow("co_1", after: 0)
    _ = client.goOn()
    try daemon.accept()
    daemon.say(#"{"jsonrpc":"2.0","id":2,"result":{"epoch":"e"}}"# + "\n")
    _ = client.goOn()
    daemon.say(#"{"jsonrpc":"2.0","id":3,"result":{"to":0,"ended":false}}"# + "\n")
    daemon.say(
      #"{"jsonrpc":"2.0","method":"x","params":{"checkoutId":"co_1","seq":1}}"# + "\n{\"js")
    daemon.hangUp()
    guard case .told("co_1", .event(let event))? = try news().first else {
      return #expect(Bool(false))
    }
    #expect(event.method == "x")
    let rest = try news()
    guard case .answer(1, .failure(.closed))? = rest.first,
      case .ended("co_1", .closed?)? = rest.last
    else { return #expect(Bool(false), "\(rest)") }
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK", "[]", #"{"jsonrpc":"1.0","id":1,"result":1}"#,
    #"{"jsonrpc":"2.0","id":1}"#, #"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
    #"{"jsonrpc":"2.0","id":null,"result":1}"#, #"{"jsonrpc":"2.0","id":2,"result":1}"#,
    #"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"x","params":{}}"#,
    #"{"jsonrpc":"2.0","method":"x","params":[]}"#, #"{"jsonrpc":"2.0","id":1,"id":1,"result":1}"#,
  ])
  func `what the protocol does not allow is a violation`(line: String) throws {
    guard case .failure(.protocolViolation)? = try answer(line).first else {
      return #expect(Bool(false), "\(line)")
    }
  }

  @Test func `a deadline ends the wait, not the connection`() throws {
    _ = client.call("a", nil, .never)
    #expect(throws: ClientError.timedOut) { try news(until: .after(milliseconds: 30)) }
    try daemon.accept()
    daemon.say(#"{"jsonrpc":"2.0","id":1,"result":7}"# + "\n")
    guard case .answer(1, .success(7))? = try news().first else { return #expect(Bool(false)) }
  }

  @Test func `a daemon that does not read holds up nobody`() throws {
    let long = Value.string(String(repeating: "x", count: 4 << 20))
    _ = client.call("system.echo", [long], .never)
    #expect(throws: ClientError.timedOut) { try news(until: .after(milliseconds: 30)) }
    #expect(client.pollEvents & Int16(POLLOUT) != 0)
  }

  @Test func `waiting ends when nobody reads the output`() throws {
    let pipe = try Pipe()
    #expect(throws: ClientError.timedOut) {
      try client.wait(until: .after(milliseconds: 30), watching: pipe.writing.rawValue)
    }
    let output = pipe.closeReading()
    #expect(throws: ClientError.outputClosed) {
      try client.wait(until: .never, watching: output.rawValue)
    }
  }

  @Test func `nobody listens`() throws {
    let client = PatientClient(path: "/nonexistent/socket", patience: 60_000)
    _ = client.call("a", nil, .always)
    guard case .answer(1, .failure(.cannotConnect(.failed(let error, _))))? = client.goOn().first
    else { return #expect(Bool(false)) }
    #expect(error.code == ENOENT)
  }
}

/// Many checkouts at once: each case is what the daemon says, and what is told.
@Suite struct FollowingAllTests {
  /// A daemon's side of the conversation.
  private struct Talk {
    var all = FollowingAll(reach: [.init("all", true)], client: "c")
    private var asked: [Ask] = []
    private(set) var told: [Value] = []

    init() {
      all.open()
      collect()
    }

    mutating func collect() {
      asked += all.takeAsks()
      for told in all.takeTold() {
        switch told {
        case .event(let event):
          self.told.append([event.params["checkoutId"] ?? .null, event.params["seq"] ?? .null])
        case .lost(let id, let seqs):
          self.told.append(
            [.string(id), .integer(seqs.lowerBound), .integer(seqs.upperBound)])
        case .reset: self.told.append("reset")
        }
      }
    }

    /// Answers the oldest call.
    mutating func answer(_ method: String, _ result: Value) throws {
      let ask = try #require(asked.first, "nothing was asked")
      asked.removeFirst()
      #expect(ask.method == method)
      try all.take(.success(result), to: ask.number)
      collect()
    }

    mutating func refuse(_ method: String, _ errorID: String) throws {
      let ask = try #require(asked.first, "nothing was asked")
      asked.removeFirst()
      #expect(ask.method == method)
      let error = RPCError(
        code: .init(rawValue: 1001), message: "m", data: ["errorId": .string(errorID)])
      try all.take(.failure(error), to: ask.number)
      collect()
    }

    mutating func say(_ id: String, _ seq: Int64, _ name: String = "x") {
      all.hear(
        ClientEvent(method: name, params: ["checkoutId": .string(id), "seq": .integer(seq)]))
      collect()
    }

    mutating func lose(_ id: String, to: Int64) {
      all.hear(
        ClientEvent(
          method: "events.lost",
          params: ["checkoutId": .string(id), "from": 1, "to": .integer(to)]))
      collect()
    }

    mutating func begin(_ earlier: [(String, Int64)] = []) throws {
      try answer("system.hello", ["epoch": "e"])
      try answer("checkout.list", ["checkouts": Self.list(earlier)])
      try answer("events.subscribe", ["snapshots": Self.list(earlier)])
    }

    static func list(_ checkouts: [(String, Int64)]) -> Value {
      .array(checkouts.map { ["checkoutId": .string($0.0), "seq": .integer($0.1)] })
    }

    mutating func takeTold() -> [Value] {
      defer { told = [] }
      return told
    }
  }

  @Test func `what is new is told, once`() throws {
    var talk = Talk()
    try talk.begin([("a", 5)])
    talk.say("a", 5)
    talk.say("a", 6)
    talk.say("b", 1)
    talk.say("b", 1)
    #expect(talk.takeTold() == [["a", 6], ["b", 1]])
  }

  @Test func `a gap is filled before anything after it`() throws {
    var talk = Talk()
    try talk.begin([("a", 5)])
    talk.lose("a", to: 7)
    talk.say("b", 1)
    talk.say("a", 8)
    try talk.answer("events.subscribe", ["to": 8, "ended": false])
    for seq: Int64 in 6...9 { talk.say("a", seq) }
    talk.say("b", 3)
    #expect(talk.takeTold() == [["b", 1], ["a", 6], ["a", 7], ["a", 8], ["a", 9]])
    try talk.answer("events.subscribe", ["to": 3, "ended": false])
    talk.say("b", 2)
    talk.say("b", 3, "checkout.didFail")
    // It has ended, and with it the subscription of its own.
    #expect(talk.takeTold() == [["b", 2], ["b", 3]])
  }

  @Test func `after a break it goes on where it was`() throws {
    var talk = Talk()
    try talk.begin([("a", 5), ("b", 2)])
    talk.all.open()
    talk.collect()
    try talk.answer("system.hello", ["epoch": "e"])
    try talk.answer("events.subscribe", ["snapshots": .array([]), "more": true])
    try talk.answer("checkout.list", ["checkouts": Talk.list([("a", 6), ("b", 2)]), "next": "2"])
    try talk.answer("events.subscribe", ["to": 6, "ended": false])
    try talk.answer("checkout.list", ["checkouts": Talk.list([("c", 1)])])
    talk.say("a", 6)
    try talk.answer("events.subscribe", ["to": 1, "ended": false])
    talk.say("c", 1)
    talk.say("b", 3)
    #expect(talk.takeTold() == [["a", 6], ["c", 1], ["b", 3]])
  }

  @Test func `what is gone is told of`() throws {
    var talk = Talk()
    try talk.begin([("a", 5)])
    talk.lose("a", to: 7)
    try talk.refuse("events.subscribe", "unknown-checkout")
    talk.say("b", 4)
    try talk.answer("events.subscribe", ["to": 0, "ended": true, "trimmedTo": 4])
    #expect(talk.takeTold() == [["a", 6, 7], ["b", 1, 4]])
    talk.all.open()
    talk.collect()
    try talk.answer("system.hello", ["epoch": "f"])
    try talk.answer("events.subscribe", ["snapshots": .array([])])
    talk.say("a", 1)
    #expect(talk.takeTold() == ["reset", ["a", 1]])
  }

  @Test func `what the daemon cannot read ends it`() throws {
    var talk = Talk()
    try talk.begin()
    talk.lose("a", to: 7)
    #expect(throws: ClientError.self) { try talk.refuse("events.subscribe", "store-failed") }
  }
}
