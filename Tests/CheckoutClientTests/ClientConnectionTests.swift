import CheckoutClient
import Glibc
import JSONRPC
import LinuxSystem
import Testing
import ValueTree

@Suite(.timeLimit(.minutes(1))) struct ClientConnectionTests {
  let daemon: FakeDaemon
  var client: ClientConnection { daemon.client }

  init() throws { daemon = try FakeDaemon() }

  private static let soon: Int64 = 30

  @Test func `a call is one line, and each has an id of its own`() throws {
    _ = try client.send("system.ping")
    _ = try client.send("checkout.get", ["checkoutId": "co_1"])
    #expect(
      daemon.heard() == """
        {"jsonrpc":"2.0","id":1,"method":"system.ping"}
        {"jsonrpc":"2.0","id":2,"method":"checkout.get","params":{"checkoutId":"co_1"}}

        """)
  }

  @Test func `replies are told from events and from each other`() throws {
    let first = try client.send("a")
    let second = try client.send("b")
    daemon.say(#"{"jsonrpc":"2.0","method":"x","params":{"seq":1}}"# + "\n")
    daemon.say(#"{"jsonrpc":"2.0","id":2,"result":"second"}"# + "\n")
    daemon.say(#"{"jsonrpc":"2.0","method":"y","params":{}}"# + "\n")
    daemon.say(#"{"jsonrpc":"2.0","id":1,"result":null}"# + "\n")
    #expect(try client.reply(to: first) == .null)
    #expect(try client.reply(to: second) == "second")
    #expect(try client.nextEvent().value == ["method": "x", "params": ["seq": 1]])
    #expect(try client.nextEvent().method == "y")
  }

  @Test func `an error reply is thrown, and the connection goes on`() throws {
    let id = try client.send("a")
    let sent = #"{"code":1001,"message":"m","data":{"errorId":"e"}}"#
    daemon.say(#"{"jsonrpc":"2.0","id":1,"error":"# + sent + "}\n")
    let error = #expect(throws: ClientError.self) { try client.reply(to: id) }
    guard case .remote(let remote)? = error else { return }
    #expect(remote.code.rawValue == 1001)
    #expect(remote.errorId == "e")
    #expect(remote.value == ["code": 1001, "message": "m", "data": ["errorId": "e"]])
    let next = try client.send("b")
    daemon.say(#"{"jsonrpc":"2.0","id":2,"result":true}"# + "\n")
    #expect(try client.reply(to: next) == true)
  }

  @Test func `the last word of a refused connection is what the call throws`() throws {
    daemon.say(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"full"}}"# + "\n")
    daemon.hangUp()
    let full = RPCError(code: .quotaExceeded, message: "full", data: nil)
    #expect(throws: ClientError.remote(full)) { try client.call("system.ping") }
    #expect(throws: ClientError.closed) { try client.nextEvent() }
  }

  @Test func `events that came before the end are delivered before it`() throws {
    daemon.say(#"{"jsonrpc":"2.0","method":"x","params":{}}"# + "\n{\"jsonrpc\"")
    daemon.hangUp()
    #expect(try client.nextEvent().method == "x")
    #expect(throws: ClientError.closed) { try client.nextEvent() }
  }

  @Test func `a deadline ends the wait, not the connection`() throws {
    let id = try client.send("a")
    #expect(throws: ClientError.timedOut) {
      try client.reply(to: id, until: .after(milliseconds: Self.soon))
    }
    daemon.say(#"{"jsonrpc":"2.0","id":1,"result":7}"# + "\n")
    #expect(try client.reply(to: id) == 7)
  }

  @Test func `a deadline ends sending to a daemon that does not read`() {
    let long = Value.string(String(repeating: "x", count: 4 << 20))
    #expect(throws: ClientError.timedOut) {
      try client.send("system.echo", [long], until: .after(milliseconds: Self.soon))
    }
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
    let id = try client.send("a")
    daemon.say(line + "\n")
    let error = #expect(throws: ClientError.self) { try client.reply(to: id) }
    guard case .protocolViolation? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `after the half-close the answer still comes`() throws {
    let id = try client.send("a")
    try client.finishSending()
    #expect(daemon.heard() == #"{"jsonrpc":"2.0","id":1,"method":"a"}"# + "\n")
    #expect(daemon.isAtEnd)
    daemon.say(#"{"jsonrpc":"2.0","id":1,"result":{}}"# + "\n")
    daemon.hangUp()
    #expect(try client.reply(to: id) == .object([]))
  }

  @Test func `waiting ends when nobody reads the output`() throws {
    let pipe = try Pipe()
    client.watchedOutput = pipe.writing.rawValue
    #expect(throws: ClientError.timedOut) {
      try client.nextEvent(until: .after(milliseconds: Self.soon))
    }
    let output = pipe.closeReading()
    #expect(throws: ClientError.outputClosed) { try client.nextEvent() }
    #expect(client.watchedOutput == output.rawValue)
  }

  @Test func `nobody listens`() {
    let error = #expect(throws: ClientError.self) {
      try ClientConnection(path: "/nonexistent/socket")
    }
    guard case .cannotConnect(.failed(let errno, _))? = error else { return }
    #expect(errno.code == ENOENT)
  }
}
