import Checkout
import Glibc
import LinuxSystem
import Systemd
import Testing
import Upstream

@testable import PrimerAPI

@Suite(.timeLimit(.minutes(1))) struct PrimerGatewayConnectionTests {
  private static let create = Operation.Request.createPayment(
    paymentMethodToken: "tok", idempotencyKey: "key")
  private static let resume = Operation.Request.resume(paymentID: "pay", resumeToken: "res")
  private static let complete = Operation.Request.complete(mandateAcceptedAt: 0)

  @Test func `connections are kept`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { $0.connection.answer(200, pending) }
    rig.perform("1") { _ in rig.perform("2") { _ in rig.perform("3") } }
    try rig.run(untilCompleted: 3)
    #expect(rig.results.allSatisfy { $0.result == isPending })
    #expect(rig.server.requests.count == 3 && rig.server.connectionCount == 1)
  }

  @Test(arguments: [create, resume, complete])
  func `what moves money does not go over a kept connection`(
    request: Operation.Request
  ) throws {
    let rig = try GatewayRig()
    rig.server.onRequest = {
      // The first request is answered, the second one is met by a dead connection.
      $0.line.hasPrefix("GET") ? $0.connection.answer(200, pending) : $0.connection.reset()
    }
    rig.perform("poll") { _ in rig.perform("money", request) }
    try rig.run(untilCompleted: 2)
    #expect(rig.results[1].result == .failure(OperationFailure(.interrupted)))
    #expect(rig.server.requests.count == 2 && rig.server.connectionCount == 2)
  }

  @Test func `a poll whose kept connection died is sent again`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { [server = rig.server] request in
      let isSecond = server.requests.count == 2
      isSecond ? request.connection.reset() : request.connection.answer(200, pending)
    }
    rig.perform("1") { _ in rig.perform("2") }
    try rig.run(untilCompleted: 2)
    #expect(rig.results[1].result == isPending)
    #expect(rig.server.requests.count == 3)
  }

  @Test func `a connection that nobody takes sends nothing`() throws {
    let rig = try GatewayRig()
    let url = rig.url
    rig.server.stopListening()
    #expect(try rig.result(at: url) == .failure(OperationFailure(.notSent)))
  }

  @Test func `a name that nobody knows sends nothing`() throws {
    let rig = try GatewayRig(host: "nobody.invalid", port: 443)
    let result = try rig.result(of: Self.create, at: "https://nobody.invalid/")
    #expect(result == .failure(OperationFailure(.notSent)))
  }

  @Test(arguments: [
    "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 13\r\n\r\n<html></html>", "HTTP/1.1 5", "{}", "",
  ])
  func `a proxy that does not connect sends nothing`(answer: String) throws {
    let rig = try GatewayRig(port: 9) { $0.proxy = "http://127.0.0.1:\($1)" }
    rig.server.onRawBytes = { connection in
      connection.send(answer)
      connection.close()
    }
    let result = try rig.result(of: Self.create, at: "https://127.0.0.1:9/")
    #expect(result == .failure(OperationFailure(.notSent)))
    #expect(rig.server.connectionCount == 1)
  }

  @Test(arguments: [true, false])
  func `without a descriptor nothing is sent, and with one it is again`(isLoaded: Bool) async {
    // In a process of its own: the limit is the whole process's, and so is the library, which is loaded
    // with the first request.
    await #expect(processExitsWith: .success) { [isLoaded = isLoaded as Bool] in
      if isLoaded { try CurlLibrary.load() }
      let rig = try GatewayRig()
      rig.server.onRequest = { $0.connection.answer(200, pending) }
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let next = dup(0)
      close(next)
      var none = rlimit(rlim_cur: rlim_t(next), rlim_max: limit.rlim_max)
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
      rig.perform("without", PrimerGatewayConnectionTests.create) { _ in
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        rig.perform("with")
      }
      try rig.run(untilCompleted: 2)
      try #require(rig.results[0].result == .failure(OperationFailure(.notSent)))
      try #require(rig.results[1].result == isPending)
    }
  }

  @Test func `a failed TLS handshake sends nothing`() throws {
    let rig = try GatewayRig()
    rig.server.onRawBytes = { connection in
      connection.send("HTTP/1.1 400 Bad\r\n\r\n")
      connection.close()
    }
    let url = "https://127.0.0.1:\(rig.server.port)/"
    #expect(try rig.result(of: Self.create, at: url) == .failure(OperationFailure(.notSent)))
    #expect(rig.server.connectionCount == 1)
  }

  @Test func `a time-out within the handshake sends nothing`() throws {
    let rig = try GatewayRig { options, _ in options.timeouts.connect = 50 }
    rig.server.onRawBytes = { _ in }
    let url = "https://127.0.0.1:\(rig.server.port)/"
    #expect(try rig.result(of: Self.create, at: url) == .failure(OperationFailure(.notSent)))
  }

  @Test(arguments: ["https://evil.example/", "http://127.0.0.1:9/", "nonsense"])
  func `a URL off the list is refused before any connection, and later`(url: String) throws {
    let rig = try GatewayRig()
    rig.perform("refused", at: url)
    #expect(rig.results.isEmpty)
    try rig.run(untilCompleted: 1)
    #expect(rig.results[0].result == .failure(OperationFailure(.notAllowed)))
    #expect(rig.server.connectionCount == 0)
  }

  @Test func `a listed name that leads to a private address is refused`() throws {
    let rig = try GatewayRig(host: "localhost")
    let url = "https://localhost:\(rig.server.port)/"
    #expect(try rig.result(at: url) == .failure(OperationFailure(.notAllowed)))
    #expect(rig.server.connectionCount == 0)
  }

  @Test func `a kept connection to a private address is refused to whom it is not listed`() throws {
    let loop = try EventLoop()
    let server = try TestServer(on: loop)
    server.onRequest = { $0.connection.answer(200, pending) }
    let listed = try UpstreamPolicy(entries: ["127.0.0.1:\(server.port)"])
    try CurlLibrary.load()
    let multi = try CurlMulti(on: loop)
    var outcomes: [TransferOutcome] = []
    var transfers: [CurlTransfer] = []
    func start(_ policy: UpstreamPolicy) throws {
      let options = GatewayOptions(policy: policy, client: SDKClient(version: "1"))
      let transfer = try #require(CurlTransfer(options))
      let poll = operation(.poll, "http://127.0.0.1:\(server.port)/")
      let request = try #require(HTTPRequest(poll, client: options.client))
      let isReady = transfer.prepare(
        request, to: try listed.parsed(poll.url), limit: 5000, options)
      try #require(isReady && multi.add(transfer))
      transfers.append(transfer)
    }
    multi.onFinished = { key, code in
      for transfer in transfers where transfer.key == key {
        outcomes.append(transfer.outcome(code))
      }
    }
    multi.onSettled = {
      if outcomes.count == 1, transfers.count == 1 { try? start(UpstreamPolicy()) }
      if outcomes.count == 2 { loop.exit(0) }
    }
    try start(listed)
    _ = try loop.run()
    multi.onSettled = nil
    #expect(outcomes[0].elapsed != nil && outcomes[0].status == 200)
    #expect(outcomes[1].elapsed == nil && outcomes[1].isAddressRefused)
    #expect(server.connectionCount == 1 && server.requests.count == 1)
  }

  @Test func `an egress that says nothing sends nothing`() throws {
    let path = "/tmp/checkoutd-test-\(Random.uint64())"
    let silent = try UnixSocket.listen(at: path)
    defer { unsafe unlink(path) }
    let rig = try GatewayRig { options, _ in
      options.timeouts.connect = 50
      options.egress = EgressPath(path)
    }
    #expect(try rig.result(of: Self.create) == .failure(OperationFailure(.notSent)))
    #expect(rig.server.connectionCount == 0 && silent.rawValue >= 0)
  }

  @Test func `an egress that is not there is told of once`() throws {
    let rig = try GatewayRig { options, _ in options.egress = EgressPath("/nowhere/socket") }
    var told: [Errno?] = []
    rig.gateway.onEgressChanged = { told.append($0) }
    for name in ["1", "2", "3"] { rig.perform(name, Self.create) }
    try rig.run(untilCompleted: 3)
    #expect(rig.results.allSatisfy { $0.result == .failure(OperationFailure(.notSent)) })
    #expect(told == [Errno(code: ENOENT, call: "connect")])
    #expect(rig.server.connectionCount == 0)
  }

  @Test(arguments: [
    (
      "\u{5}\u{0}\u{5}\u{2}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
      OperationFailure.Kind.notAllowed
    ),
    ("\u{5}\u{0}\u{5}\u{1}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", .notSent),
    ("\u{5}\u{0}\u{5}\u{5}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", .notSent),
    ("\u{5}\u{0}\u{5}", .notSent), ("\u{5}\u{7F}", .notSent),
    ("HTTP/1.1 200 OK\r\n\r\n{}", .notSent),
  ])
  func `what an egress says instead of connecting is no answer`(
    answer: String, kind: OperationFailure.Kind
  ) throws {
    let path = "/tmp/checkoutd-test-\(Random.uint64())"
    let listener = try UnixSocket.listen(at: path)
    defer { unsafe unlink(path) }
    let rig = try GatewayRig { options, _ in options.egress = EgressPath(path) }
    let number = listener.rawValue
    let isCut = answer.utf8.count < 12
    var clients: [Int32] = []
    defer { for client in clients { _ = close(client) } }
    let source = try rig.loop.addIO(number, .readable) { _ in
      let client = accept(number, nil, nil)
      clients.append(client)
      _ = unsafe Array(answer.utf8).withUnsafeBytes { bytes in
        unsafe send(client, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      // Else it is waited for.
      if isCut { _ = shutdown(client, Int32(SHUT_WR)) }
    }
    #expect(try rig.result(of: Self.create) == .failure(OperationFailure(kind)))
    #expect(rig.server.connectionCount == 0)
    source.cancel()
  }

  @Test func `behind a proxy the proxy is asked, private as it may be`() throws {
    let rig = try GatewayRig(port: 9) { $0.proxy = "http://127.0.0.1:\($1)" }
    rig.server.onRequest = { $0.connection.answer(200, pending) }
    #expect(try rig.result(at: "http://127.0.0.1:9/s") == isPending)
    #expect(rig.server.requests.first?.line == "GET http://127.0.0.1:9/s HTTP/1.1")
  }
}
