@testable import CheckoutClient
import Testing
import ValueTree

@Suite(.timeLimit(.minutes(1))) struct LinkTests {
  @Test func `calls are sent in the order they were made`() async throws {
    let daemon = try ScriptedDaemon { [$0.result("{}")] }
    defer { daemon.close() }
    let link = Link(path: daemon.path)
    for number in 0..<50 { link.call("call.\(number)", .object([])) { _ in } }
    #expect(try await link.call("last", .object([])) == .object([]))
    #expect(daemon.methods == (0..<50).map { "call.\($0)" } + ["last"])
  }

  @Test func `a blocked thread gets its answer too`() throws {
    let daemon = try ScriptedDaemon { [$0.result("7")] }
    defer { daemon.close() }
    #expect(try Link(path: daemon.path).callAndWait("a", .object([])) == 7)
  }

  @Test func `what the daemon refuses is thrown`() async throws {
    let daemon = try ScriptedDaemon {
      [
        $0.error(
          1005, "invalid-value",
          #","path":"/settings/urlScheme","diagnosticsId":"x","httpStatus":4"#)
      ]
    }
    defer { daemon.close() }
    let error = await #expect(throws: CheckoutClientError.self) {
      try await Link(path: daemon.path).call("a", .object([]))
    }
    guard case .refused(1005, let details)? = error else { return #expect(Bool(false)) }
    #expect(details.errorId == "invalid-value")
    #expect(details.path == "/settings/urlScheme")
    #expect(details.diagnosticsId == "x")
    #expect(details.httpStatus == 4)
  }

  @Test func `nobody listens`() async {
    let link = Link(path: "/nonexistent/socket")
    for _ in 0..<2 {
      let error = await #expect(throws: CheckoutClientError.self) {
        try await link.call("a", .object([]))
      }
      guard case .unreachable? = error else { return #expect(Bool(false)) }
    }
  }

  @Test func `whoever does not speak the protocol is not taken for the daemon`() async throws {
    let daemon = try ScriptedDaemon { _ in [.say("HTTP/1.1 400 Bad Request")] }
    defer { daemon.close() }
    let error = await #expect(throws: CheckoutClientError.self) {
      try await Link(path: daemon.path).call("a", .object([]))
    }
    guard case .protocolViolation? = error else { return #expect(Bool(false)) }
  }

  @Test func `a call whose answer was lost is made again`() async throws {
    let daemon = try ScriptedDaemon {
      $0.method == "first" || $0.connection > 1 ? [$0.result("{}")] : [.hangUp]
    }
    defer { daemon.close() }
    let link = Link(path: daemon.path)
    _ = try await link.call("first", .object([]))
    async let one = link.call("a", .object([]))
    #expect(try await one == .object([]))
    #expect(daemon.methods == ["first", "a", "a"])
  }

  @Test func `that it had taken effect is no error then`() async throws {
    let daemon = try ScriptedDaemon {
      switch ($0.method, $0.connection) {
      case ("first", _): [$0.result("{}")]
      case (_, 1): [.hangUp]
      default: [$0.error(1003, "already-submitted")]
      }
    }
    defer { daemon.close() }
    let link = Link(path: daemon.path)
    _ = try await link.call("first", .object([]))
    let again = try await link.call("submit", .object([]), settledBy: ["already-submitted"])
    #expect(again == .object([]))
    await #expect(throws: CheckoutClientError.self) {
      try await link.call("submit", .object([]), settledBy: ["already-submitted"])
    }
  }

  @Test func `a daemon that stops is asked again after it`() async throws {
    let daemon = try ScriptedDaemon {
      $0.connection == 1 && $0.method != "first"
        ? [$0.error(-32005, "shutting-down"), .hangUp] : [$0.result("3")]
    }
    defer { daemon.close() }
    let link = Link(path: daemon.path)
    _ = try await link.call("first", .object([]))
    #expect(try await link.call("a", .object([]), settledBy: ["x"]) == 3)
    #expect(daemon.methods == ["first", "a", "a"])
  }

  @Test func `a connection that outlives the stop is asked again too`() async throws {
    let daemon = try ScriptedDaemon { [$0.id == 1 ? $0.error(-32005, "shutting-down") : .hangUp] }
    defer { daemon.close() }
    let link = Link(path: daemon.path)
    link.call("b", .object([])) { _ in }
    try await daemon.hears("b", times: 2)
    #expect(daemon.requests.last?.id == 1)
  }

  @Test func `a daemon that stays away is given up`() async throws {
    let daemon = try ScriptedDaemon { $0.method == "first" ? [$0.result("{}")] : [.hangUp] }
    defer { daemon.close() }
    let link = Link(path: daemon.path, patience: 100)
    _ = try await link.call("first", .object([]))
    let error = await #expect(throws: CheckoutClientError.self) {
      try await link.call("a", .object([]))
    }
    guard case .unreachable? = error else { return #expect(Bool(false)) }
  }

  @Test func `cancelling ends the waiting`() async throws {
    let daemon = try ScriptedDaemon { _ in [] }
    defer { daemon.close() }
    let link = Link(path: daemon.path)
    let waiting = Task { try await link.call("a", .object([])) }
    try await daemon.hears("a")
    waiting.cancel()
    await #expect(throws: CheckoutClientError.cancelled) { try await waiting.value }
  }

  @Test func `letting go closes the connection`() async throws {
    let daemon = try ScriptedDaemon { [$0.result("{}")] }
    defer { daemon.close() }
    _ = try await Link(path: daemon.path).call("a", .object([]))
    // The listener serves one connection after the other.
    _ = try await Link(path: daemon.path).call("b", .object([]))
    #expect(daemon.requests.map(\.connection) == [1, 2])
  }
}
