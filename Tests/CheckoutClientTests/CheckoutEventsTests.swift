@testable import CheckoutClient
import Testing
import ValueTree

@Suite(.timeLimit(.minutes(1))) struct CheckoutEventsTests {
  private func events(of daemon: ScriptedDaemon, after: Int64 = 0) -> CheckoutEvents {
    CheckoutEvents(path: daemon.path, checkoutID: Script.checkout, after: after)
  }

  private func seqs(_ events: CheckoutEvents) async throws -> [Int64] {
    var seqs: [Int64] = []
    for try await event in events { seqs.append(event.seq) }
    return seqs
  }

  @Test func `events come in order, and end with the checkout`() async throws {
    let daemon = try ScriptedDaemon { request in
      guard request.method == "events.subscribe" else { return Script.answer(request) }
      return [request.result(Script.subscribed(after: 0, to: 2))]
        + (1...2).map { .say(Script.event($0)) } + [.say(Script.end(3)), .say(Script.event(4))]
    }
    defer { daemon.close() }
    #expect(try await seqs(events(of: daemon)) == [1, 2, 3])
    #expect(daemon.methods == ["system.hello", "events.subscribe"])
    #expect(
      daemon.requests.last?.params == ["checkoutId": .string(Script.checkout), "after": 0])
  }

  @Test func `after a lost connection they go on where they were`() async throws {
    let daemon = try ScriptedDaemon { request in
      guard request.method == "events.subscribe" else { return Script.answer(request) }
      let after = request.params["after"]?.integer ?? 0
      let subscribed = request.result(Script.subscribed(after: after, to: 5))
      switch request.connection {
      case 1: return [subscribed, .say(Script.event(1)), .say(Script.event(2)), .hangUp]
      case 2: return [.hangUp]
      case 3:
        #expect(after == 2)
        // Half a line is no line.
        return [
          subscribed, .say(Script.event(3)), .begin(String(Script.event(4).dropLast(9))), .hangUp,
        ]
      default:
        #expect(after == 3)
        return [subscribed] + (2...5).map { .say(Script.event($0)) } + [.say(Script.end(6))]
      }
    }
    defer { daemon.close() }
    #expect(try await seqs(events(of: daemon)) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a daemon that is away when they are asked for is waited for`() async throws {
    let daemon = try ScriptedDaemon { request in
      guard request.connection > 2 else { return [.hangUp] }
      guard request.method == "events.subscribe" else { return Script.answer(request) }
      return [request.result(Script.subscribed(after: 0, to: 1)), .say(Script.end(1))]
    }
    defer { daemon.close() }
    #expect(try await seqs(events(of: daemon)) == [1])
  }

  @Test func `lost events are fetched`() async throws {
    let lost =
      #"{"jsonrpc":"2.0","method":"events.lost","params":{"checkoutId":"\#(Script.checkout)","#
      + #""from":2,"to":3}}"#
    let daemon = try ScriptedDaemon { request in
      guard request.method == "events.subscribe" else { return Script.answer(request) }
      guard request.params["after"] == 1 else {
        return [
          request.result(Script.subscribed(after: 0, to: 1)), .say(Script.event(1)),
          .say(lost), .say(Script.event(4)),
        ]
      }
      return [request.result(Script.subscribed(after: 1, to: 4))]
        + (2...4).map { .say(Script.event($0)) } + [.say(Script.end(5))]
    }
    defer { daemon.close() }
    #expect(try await seqs(events(of: daemon)) == [1, 2, 3, 4, 5])
    #expect(daemon.methods.filter { $0 == "events.subscribe" }.count == 2)
  }

  @Test func `those of an ended checkout end too`() async throws {
    let daemon = try ScriptedDaemon { request in
      guard request.method == "events.subscribe" else { return Script.answer(request) }
      return [request.result(Script.subscribed(after: 12, to: 12, ended: true))]
    }
    defer { daemon.close() }
    #expect(try await seqs(events(of: daemon, after: 12)) == [])
  }

  @Test func `of an archived checkout is told that they are gone`() async throws {
    let daemon = try ScriptedDaemon { request in
      guard request.method == "events.subscribe" else { return Script.answer(request) }
      return [
        request.result(
          #"{"subscriptionId":"s1","from":4,"to":3,"ended":true,"trimmedTo":12}"#)
      ]
    }
    defer { daemon.close() }
    var kinds: [String] = []
    for try await event in events(of: daemon, after: 3) {
      if case .other(let name) = event.kind { kinds.append("\(name) \(event.seq)") }
    }
    #expect(kinds == ["events.lost 12"])
  }

  @Test func `a checkout that nobody knows is an error`() async throws {
    let daemon = try ScriptedDaemon { [$0.error(1001, "unknown-checkout")] }
    defer { daemon.close() }
    let error = await #expect(throws: CheckoutClientError.self) {
      try await seqs(events(of: daemon))
    }
    #expect(error?.details?.errorId == "unknown-checkout")
  }

  @Test func `a cancelled task gets no more`() async throws {
    let daemon = try ScriptedDaemon(Script.answer)
    defer { daemon.close() }
    let events = events(of: daemon)
    let following = Task { try await seqs(events) }
    try await daemon.hears("events.subscribe")
    following.cancel()
    _ = try await following.value
  }
}
