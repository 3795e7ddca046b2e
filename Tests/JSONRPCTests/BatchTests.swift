import JSON
import Testing
import ValueTree

@testable import JSONRPC

/// Batches that are stopped, go on, are abandoned and taken back.
@Suite struct BatchTests {
  let server = ConformanceServer()

  private func send(_ text: String) { server.send(ConformanceTests.bytes(text) + [0x0A]) }

  private func replies() throws -> [Value] {
    try server.takeLines().map { try JSONReader().value(of: $0) }
  }

  /// A batch whose text is awkward to cut.
  private static let members = [
    #"{$,"id":1,"method":"conf.note","params":["],[","\\",{"a":"}"},"\"",[[],[{}]]]}"#,
    #" {$,"id":"\",]","method":"conf.note","params":{"x\\\"":"é\u2028"}} "#,
    #"{$,"method":"conf.note","params":[1e3]}"#, " 12", "null ", "[]", #""\\\",]""#,
    #"{$,"id":3,"result":["a,b"]}"#, #"{$,"id":4,"method":"conf.note","params":[{"a":1,"a":2}]}"#,
    #"{$,"id":5,"method":"conf.fail"}"#, #"{$,"id":6,"method":"conf.gap","params":[1]}"#,
    #"{$,"id":7,"method":"conf.later"}"#,
  ]

  private static let batch = " [\(members.joined(separator: ",\t"))]\u{000D}"

  @Test(arguments: 1...members.count)
  func `a batch that is stopped at any member brings what it brings at once`(stop: Int) throws {
    let whole = ConformanceServer()
    whole.send(ConformanceTests.bytes(Self.batch) + [0x0A])
    whole.pending[0].succeed(.null)
    let expected = whole.takeLines()
    server.goOn = stop
    send(Self.batch)
    #expect(server.isStopped == (stop < Self.members.count))
    #expect(server.batches.isSuspended == server.isStopped)
    while server.batches.isSuspended { _ = server.resumeBatch(for: stop) }
    #expect(server.takeLines().isEmpty && server.batches.heldByteCount > 0)
    server.pending[0].succeed(.null)
    #expect(server.takeLines() == expected && server.counters == whole.counters)
    #expect(server.notes == whole.notes && server.notes.count == 3)
    #expect(server.callsInFlight == 0 && server.batches.heldByteCount == 0)
  }

  @Test func `members run as they are let, and what follows the batch waits`() throws {
    server.goOn = 2
    let member = #"{$,"id":1,"method":"conf.note"}"#
    send("[\(Array(repeating: member, count: 7).joined(separator: ","))]")
    send(#"{$,"id":2,"method":"conf.note"}"#)
    var counts = [server.notes.count]
    while !server.resumeBatch(for: 2) { counts.append(server.notes.count) }
    #expect(counts == [2, 4, 6] && server.notes.count == 7 && server.lineCount == 1)
    server.goOn = .max
    server.resume()
    #expect(server.notes.count == 8 && server.lineCount == 2)
  }

  @Test func `what waits is counted, text and replies`() throws {
    server.goOn = 2
    let long = String(repeating: "x", count: 10_000)
    send(
      #"[{$,"id":1,"method":"conf.fill","params":[20000]},{$,"id":2,"method":"conf.later"},"#
        + #"{$,"id":3,"method":"conf.echo","params":["\#(long)"]}]"#)
    #expect((30_000..<60_000).contains(server.batches.heldByteCount))
    #expect(server.resumeBatch(for: 9))
    #expect((30_000..<70_000).contains(server.batches.heldByteCount))
    server.pending[0].succeed(.null)
    #expect(server.batches.heldByteCount == 0 && server.lineCount == 1)
  }

  @Test func `what has not begun when the server stops is refused under its id`() throws {
    server.goOn = 1
    send(
      #"[{$,"id":1,"method":"conf.note"},{$,"id":2,"method":"conf.note"},"#
        + #"{$,"method":"conf.note"},7,{$,"id":"x","method":"none"}]"#)
    server.abandonBatch(RPCError(.shuttingDown))
    let members = try #require(replies().first?.array)
    #expect(members.map { $0["id"] } == [1, 2, .null, "x"])
    #expect(members.map { $0["error"]?["code"] } == [nil, -32005, -32600, -32601])
    #expect(server.notes.count == 1 && server.counters.failedNotifications == 1)
    #expect(server.callsInFlight == 0 && server.batches.heldByteCount == 0)
    server.abandonBatch(RPCError(.shuttingDown))
    #expect(server.resumeBatch(for: 1) && server.lineCount == 1)
  }

  @Test func `a connection that is closed forgets its batches`() throws {
    server.goOn = 2
    send(
      #"[{$,"id":1,"method":"conf.later"},{$,"id":2,"method":"conf.note"},"#
        + #"{$,"id":3,"method":"conf.note"}]"#)
    server.acceptsReplies = false
    server.batches.drop()
    #expect(server.batches.heldByteCount == 0 && !server.batches.isSuspended)
    #expect(server.resumeBatch(for: 9) && server.notes.count == 1)
    server.pending[0].succeed(1)
    #expect(try replies().isEmpty)
    #expect(server.callsInFlight == 0 && server.lineCount == 0)
  }

  @Test func `a batch whose own member closes the connection keeps nothing`() throws {
    server.acceptsReplies = false
    server.goOn = 1
    send(#"[{$,"id":1,"method":"conf.note"},{$,"id":2,"method":"conf.note"}]"#)
    #expect(!server.batches.isSuspended && server.batches.heldByteCount == 0)
  }

  @Test func `the limits of a batch are those of its line`() throws {
    let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
    server.goOn = 1
    send(
      #"[{$,"id":1,"method":"conf.note"},{$,"id":2,"method":"conf.echo","params":\#(deep)}]"#)
    server.setLimits(maximumDepth: 8)
    #expect(server.resumeBatch(for: 9))
    #expect(try replies()[0].array?.map { $0["error"] } == [nil, nil])
  }

  // MARK: Taking back

  @Test func `what a turn has said of itself is taken back, and nothing else`() throws {
    server.goOn = 2
    server.turn = 5
    let id = #""\u0001,\"id\":9}""#
    send(
      #"[{$,"id":\#(id),"method":"conf.fill","params":[9]},{$,"id":2,"method":"conf.later"},"#
        + #"{$,"id":3,"method":"conf.echo","params":[1]},{$,"id":4,"method":"conf.fail"}]"#)
    server.batches.takeBack(turn: 4, as: RPCError(.storeFailed))
    server.turn = 6
    #expect(server.resumeBatch(for: 9))
    server.batches.takeBack(turn: 6, as: RPCError(.storeFailed))
    server.batches.takeBack(turn: 6, as: RPCError(.shuttingDown))
    server.turn = 7
    server.pending[0].succeed(["late"])
    let line = try #require(server.said.first)
    #expect(!line.fails(with: 6) && line.fails(with: 7) && line.fails(with: 5))
    server.output.append(line, takingBack: 7, as: RPCError(.quotaExceeded))
    let lines = try replies().map { try #require($0.array) }
    #expect(lines[0].map { $0["id"] } == [.string("\u{1},\"id\":9}"), 3, 4, 2])
    #expect(lines[0].map { $0["error"]?["code"] } == [nil, -32006, -32603, nil])
    #expect(lines[1].map { $0["id"] } == lines[0].map { $0["id"] })
    #expect(lines[1].map { $0["error"]?["code"] } == [nil, -32006, -32603, -32004])
    #expect(lines[1][0] == lines[0][0] && lines[0][3]["result"] == ["late"])
  }

  @Test(arguments: [0, 3, 4] as [UInt64])
  func `a reply is taken back if it depends on the turn, however deep it is`(turn: UInt64) throws {
    let brackets = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    server.turn = turn
    let reply = server.output.appendReply(.string("ä\n"), isResult: true) {
      $0.append(#""result":"#)
      $0.append(json: Array(brackets.utf8))
    }
    server.output.appendLineFeed()
    var stamped = reply
    stamped.turn = turn
    server.output.append(.single(stamped), takingBack: 3, as: RPCError(.storeFailed))
    let lines = server.takeLines()
    let isSame = lines[0] == lines[1]
    #expect(isSame == (turn != 3))
    guard turn == 3 else { return }
    let refusal = try JSONReader().value(of: lines[1])
    #expect(refusal["id"] == "ä\n" && refusal["error"]?["code"] == -32006)
  }

  @Test func `a batch that is taken back fits into a line as it did`() throws {
    let id = String(repeating: #"\u0001"#, count: RequestID.maximumByteCount)
    let count = 8
    let limit = try #require((3...).first { BatchReply.memberCount(fitting: $0) == count })
    server.maximumReplyByteCount = limit
    let short = #"{$,"id":"\#(id)","method":"conf.mark"}"#
    for length in stride(from: 0, to: limit, by: 500) {
      let long = #"{$,"id":0,"method":"conf.fill","params":[\#(length)]}"#
      let members = Array(repeating: short, count: count - 1) + [long]
      server.goOn = count - 1
      server.turn = 1
      send("[\(members.joined(separator: ","))]")
      server.turn = 2
      #expect(server.resumeBatch(for: 1))
      server.goOn = .max
      server.resume()
      let line = try #require(server.said.last)
      server.output.append(line, takingBack: 1, as: RPCError(.storeFailed))
      let lines = server.takeLines()
      #expect(lines.allSatisfy { $0.count < limit }, "\(length)")
      #expect(try JSONReader().value(of: lines[1]).array?.count == count)
    }
  }

  // MARK: Cutting

  @Test(arguments: members.indices)
  func `an element's end is found whatever is in it`(place: Int) throws {
    let member = ConformanceTests.bytes(Self.members[place])
    for end in [",1]", "]"] {
      let text = member + Array(end.utf8)
      let found = unsafe text.withUnsafeBytes { unsafe SuspendedBatch.memberEnd(in: $0, from: 0) }
      #expect(found == member.count)
    }
  }
}
