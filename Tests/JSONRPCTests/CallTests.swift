import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct CallTests {
  let server = ConformanceServer()

  private func send(_ text: String) { server.send(ConformanceTests.bytes(text) + [0x0A]) }

  private func replies() throws -> [Value] {
    try server.takeLines().map { try JSONReader().value(of: $0) }
  }

  @Test func `an answer may be given later, and calls overtake each other`() throws {
    send(#"{$,"id":1,"method":"conf.later"}"#)
    send(#"{$,"id":"two","method":"conf.later"}"#)
    #expect(server.callsInFlight == 2 && server.pending.map(\.id) == [.integer(1), .string("two")])
    server.pending[1].succeed([1])
    server.pending[0].fail(RPCError(.quotaExceeded, [.init("limit", 3)]))
    let answers = try replies()
    #expect(server.callsInFlight == 0 && server.lineCount == 2)
    #expect(answers[0] == ["jsonrpc": "2.0", "id": "two", "result": [1]])
    #expect(answers[1]["error"]?["data"] == ["errorId": "quota-exceeded", "limit": 3])
  }

  @Test func `N-42 a batch is one line, sent when its last member is answered`() throws {
    send(
      #"[{$,"id":1,"method":"conf.later"},{$,"id":2,"method":"conf.snapshot"},"#
        + #"{$,"method":"conf.later"},{$,"id":4,"result":1},{$,"id":3,"method":"conf.later"}]"#)
    #expect(server.callsInFlight == 2 && server.pending.count == 3)
    #expect(!server.pending[1].wantsReply)
    server.pending[2].succeed("c")
    server.pending[1].succeed("nobody hears this")
    #expect(try replies().isEmpty)
    server.pending[0].succeed("a")
    let lines = try replies()
    #expect(lines.count == 1 && lines[0].array?.map { $0["id"] } == [2, 3, 1])
    #expect(server.callsInFlight == 0 && server.lineCount == 1)
  }

  @Test func `a closed connection is answered without harm`() throws {
    send(#"[{$,"id":1,"method":"conf.later"}]"#)
    send(#"{$,"id":2,"method":"conf.later"}"#)
    server.acceptsReplies = false
    for call in server.pending { call.succeed(1) }
    #expect(try replies().isEmpty)
    #expect(server.callsInFlight == 0 && server.lineCount == 0)
  }

  @Test(arguments: [#"{$,"id":1,"method":"conf.forget"}"#, #"{$,"id":1,"method":"conf.later"}"#])
  func `a call that its handler forgets is an internal error`(line: String) throws {
    send(line)
    server.pending.removeAll()
    #expect(try replies().map { $0["error"]?["code"] } == [-32603])
    #expect(server.callsInFlight == 0)
  }

  @Test func `a reply longer than a line may be becomes an internal error`() throws {
    server.maximumReplyByteCount = 50_000
    send(#"{$,"id":1,"method":"conf.fill","params":[49000]}"#)
    send(#"{$,"id":2,"method":"conf.fill","params":[50001]}"#)
    let answers = try replies()
    #expect(answers[0]["result"]?.string?.utf8.count == 49000)
    #expect(answers[1]["id"] == 2 && answers[1]["error"]?["code"] == -32603)
    #expect(answers[1]["error"]?["data"]?["limit"] == 50_000)
  }

  @Test(arguments: [62, 63, 64, 2000], [false, true])
  func `a reply deeper than a line may be becomes an internal error`(depth: Int, byHand: Bool)
    throws
  {
    let call = #"{$,"id":1,"method":"conf.deep","params":[\#(depth),\#(byHand)]}"#
    for (text, most) in [(call, 63), ("[\(call)]", 62)] {
      send(text)
      let reply = try JSONReader().value(of: server.takeLines()[0])
      let error = (reply.array?[0] ?? reply)["error"]
      #expect(error?["code"] == (depth > most ? -32603 : nil))
      #expect(error?["data"]?["limit"] == (depth > most ? 64 : nil))
    }
  }

  @Test(
    arguments: [
      (#"{"a":null}"#, [true, false, false]),
      (#"{"a":1,"b":null,"c":null}"#, [true, false, false]),
      (#"[1,null,null]"#, [true, false, false]), (#"[null]"#, [true, false, false]),
      (#"{"a":1,"b":"x","c":{"d":null,"e":2}}"#, [true, true, true]),
      (#"[1,null,{"d":null,"e":2}]"#, [true, false, true]),
    ] as [(String, [Bool])])
  func `null is the same as leaving an optional parameter or member out`(
    params: String, expected: [Bool]
  ) throws {
    send(#"{$,"id":1,"method":"conf.optional","params":\#(params)}"#)
    #expect(try replies()[0]["result"] == .array(expected.map(Value.bool)))
  }

  @Test(arguments: [
    #"{"b":null}"#, #"{"a":1,"c":{"d":null,"e":null}}"#, #"{"a":1,"x":null}"#, "[1,null,null,null]",
  ])
  func `null is no value for what is required or unknown`(params: String) throws {
    send(#"{$,"id":1,"method":"conf.optional","params":\#(params)}"#)
    #expect(try replies()[0]["error"]?["code"] == -32602)
  }

  @Test func `a batch whose replies do not fit keeps an answer for each member`() throws {
    server.maximumReplyByteCount = 200_000
    let member = #"{$,"id":1,"method":"conf.fill","params":[30000]}"#
    send("[" + Array(repeating: member, count: 20).joined(separator: ",") + "]")
    let lines = server.takeLines()
    #expect(lines.count == 1 && lines[0].count < 200_000)
    let members = try #require(JSONReader().value(of: lines[0]).array)
    let errors = members.filter { $0["error"]?["code"] == -32603 }
    #expect(members.count == 20 && errors.count > 10 && errors.count < 20)
  }

  @Test(arguments: [1, 2, 31, 64])
  func `a batch of as many as may be is answered in a line, whatever its replies are`(count: Int)
    throws
  {
    let id = String(repeating: #"\u0001"#, count: RequestID.maximumByteCount)
    let limit = try #require((3...).first { BatchReply.memberCount(fitting: $0) == count })
    server.maximumReplyByteCount = limit
    for length in [0, 400, 450, 500, 1000, 60_000] {
      let member = #"{$,"id":"\#(id)","method":"conf.fill","params":[\#(length)]}"#
      send("[" + Array(repeating: member, count: count).joined(separator: ",") + "]")
      let lines = server.takeLines()
      #expect(lines.count == 1 && lines[0].count < limit, "\(length)")
      #expect(try JSONReader().value(of: lines[0]).array?.count == count)
    }
  }

  @Test func `an error that belongs to no call has id null`() throws {
    server.report(RPCError(.closing, [.init("reason", "slow-reader")]))
    #expect(
      try replies() == [
        [
          "jsonrpc": "2.0", "id": .null,
          "error": [
            "code": -32007, "message": "Closing connection",
            "data": ["errorId": "closing", "reason": "slow-reader"],
          ],
        ]
      ])
  }

  @Test(arguments: [
    #"{$,"id":1,"method":"conf.snapshot","x":{"a":1,"a":2}}"#,
    #"{$,"id":1,"method":"conf.snapshot","x":1,"x":2}"#,
  ])
  func `a duplicate beside the parameters is an invalid request with its id`(line: String) throws {
    send(line)
    let answer = try replies()[0]
    #expect(answer["id"] == 1 && answer["error"]?["code"] == -32600)
  }

  @Test func `in a batch a duplicate spoils its own member alone`() throws {
    send(
      #"[{$,"id":1,"method":"conf.echo","params":[{"a":1,"a":2}]},{$,"id":2,"method":"conf.mark"}]"#
    )
    let members = try #require(replies()[0].array)
    #expect(members.map { $0["error"]?["code"] } == [-32602, nil])
  }
}
