import Checkout
import JSON
import Testing
import ValueTree

@testable import CheckoutServer

/// What clients are answered, and when, by a whole server.
@Suite struct AnswerTests {
  private func started(_ bench: ServerBench, _ client: TestClient) throws -> Value {
    let (text, id) = bench.line(
      "checkout.start", ["clientToken": .string(SampleUpstream.tokens[0]), "startKey": "k"])
    client.send(text)
    bench.turn()
    bench.answer()
    return try #require(CallOutcome(try client.readLines(), id).result?["checkoutId"])
  }

  @Test func `an event that has not happened is no place to begin`() throws {
    let bench = try ServerBench()
    let client = try bench.connect()
    let id = try started(bench, client)
    for method in ["events.subscribe", "events.read"] {
      for after in [2, Int64.max] {
        let outcome = try bench.call(
          client, method, ["checkoutId": id, "after": .integer(after)])
        #expect(outcome.code == -32602)
        let data = outcome.reply?["error"]?["data"]
        #expect(data?["path"] == "/params/after" && data?["used"] == 1)
      }
      for after in [-1, Int64.min] {
        let outcome = try bench.call(
          client, method, ["checkoutId": id, "after": .integer(after)])
        #expect(outcome.code == -32602)
      }
      #expect(try bench.call(client, method, ["checkoutId": id, "after": 1]).result != nil)
    }
  }

  @Test func `the events of a call come before its answer`() throws {
    let bench = try ServerBench()
    let client = try bench.connect()
    let id = try started(bench, client)
    _ = try bench.call(client, "events.subscribe")
    let (text, number) = bench.line("checkout.cancel", ["checkoutId": id])
    client.send(text)
    bench.turn()
    let lines = try client.readLines()
    #expect(lines.map { $0["method"]?.string } == ["checkout.didFail", nil])
    #expect(lines.last?["id"]?.integer == number)
  }

  @Test func `who waits for a start that another makes is answered with it`() throws {
    let bench = try ServerBench()
    let clients = [try bench.connect(), try bench.connect()]
    let params: Value = [
      "clientToken": .string(SampleUpstream.tokens[0]), "startKey": "k",
    ]
    for client in clients { client.send(bench.line("checkout.start", params).text) }
    bench.turn()
    for client in clients { #expect(try client.readLines().isEmpty) }
    #expect(bench.upstream.sent.count == 1)
    bench.answer()
    let states = try clients.map { try $0.readLines().first?["result"]?["state"] }
    #expect(states == ["ready", "ready"])
  }

  @Test func `a start that upstream refuses is answered with why`() throws {
    let bench = try ServerBench()
    let client = try bench.connect()
    let (text, id) = bench.line(
      "checkout.start", ["clientToken": .string(SampleUpstream.tokens[0]), "startKey": "k"])
    client.send(text)
    bench.turn()
    bench.upstream.answer { _ in .failure(OperationFailure(.status, httpStatus: 401)) }
    bench.turn()
    #expect(CallOutcome(try client.readLines(), id).code == 1006)
    #expect(
      try bench.call(client, "checkout.get", ["checkoutId": ["startKey": "k"]]).errorID
        == "unknown-checkout")
  }

  @Test func `a reply nested deeper than a line may be is refused from its id`() throws {
    let bench = try ServerBench()
    let client = try bench.connect()
    let id = try started(bench, client)
    let echoed = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
    let update =
      "{\"jsonrpc\":\"2.0\",\"id\":\"deep \\u00e9\",\"method\":\"checkout.cancel\",\"params\":"
      + "{\"checkoutId\":\(id.jsonText)}}\n"
    let echo =
      "{\"jsonrpc\":\"2.0\",\"id\":9001,\"method\":\"system.echo\",\"params\":\(echoed)}\n"
    bench.backend.isFailing = true
    client.send(update + echo)
    bench.turn()
    let lines = try client.readLines()
    #expect(lines.first { $0["id"] == "deep é" }?["error"]?["code"] == -32006)
    #expect(lines.first { $0["id"] == 9001 }?["result"] != nil)
  }

  @Test func `a call that waits for what was taken back is answered`() throws {
    let bench = try ServerBench()
    let client = try bench.connect()
    bench.backend.isFailing = true
    let outcome = try bench.call(
      client, "checkout.start", ["clientToken": .string(SampleUpstream.tokens[0])])
    #expect(outcome.code == -32006)
    #expect(bench.upstream.sent.isEmpty)
    bench.backend.isFailing = false
    bench.pass(milliseconds: 1000)
    let (text, id) = bench.line(
      "checkout.start", ["clientToken": .string(SampleUpstream.tokens[0])])
    client.send(text)
    bench.turn()
    bench.answer()
    #expect(CallOutcome(try client.readLines(), id).result?["state"] == "ready")
  }

  @Test func `members that an earlier turn committed keep their results`() throws {
    let bench = try ServerBench()
    let client = try bench.connect()
    let id = try started(bench, client)
    let component = try bench.call(
      client, "componentWithRedirectManager.provideBanksComponent",
      ["checkoutId": id, "paymentMethodType": "ADYEN_IDEAL"])
    let componentID = try #require(component.result?["componentId"])
    // The start of the component is answered with the bank list, turns later.
    let calls = [
      bench.line("component.start", ["componentId": componentID]),
      bench.line("checkout.share", ["checkoutId": id, "uid": 1001, "role": "observe"]),
    ]
    client.send("[" + calls.map { $0.text.dropLast() }.joined(separator: ",") + "]\n")
    bench.turn()
    #expect(try client.readLines().isEmpty)
    bench.backend.isFailing = true
    bench.answer()
    bench.backend.isFailing = false
    bench.pass(milliseconds: 1000)
    let replies = try #require(try client.readLines().first?.array)
    for (_, number) in calls {
      let reply = replies.first { $0["id"]?.integer == number }
      #expect(reply?["result"] != nil, "\(reply?.jsonText ?? "nothing")")
    }
  }

  @Test func `an answer beside a retry is kept until a commit has taken it`() throws {
    let bench = try ServerBench()
    let client = try bench.connect()
    let id = try started(bench, client)
    _ = try bench.call(
      client, "checkout.share", ["checkoutId": id, "uid": 1001, "role": "observe"])
    let (text, number) = bench.line(
      "checkout.start", ["clientToken": .string(SampleUpstream.tokens[1])])
    client.send(text)
    bench.turn()
    bench.backend.isFailing = true
    bench.answer()
    #expect(try client.readLines().isEmpty)
    bench.backend.isFailing = false
    bench.pass(milliseconds: 1000)
    #expect(CallOutcome(try client.readLines(), number).errorID == "session-in-use")
  }
}
