import Checkout
import Testing

@testable import PrimerAPI

@Suite(.timeLimit(.minutes(1))) struct PrimerGatewayTests {
  private static let create = Operation.Request.createPayment(
    paymentMethodToken: "tok", idempotencyKey: "key")
  private static let resume = Operation.Request.resume(paymentID: "pay", resumeToken: "res")

  @Test func `a request arrives whole, and its answer is decoded`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { $0.connection.answer(200, #"{"id":"pay","status":"SUCCESS"}"#) }
    let result = try rig.result(of: Self.create)
    #expect(result == .success(.payment(PaymentResponse(id: "pay", status: .success))))
    let request = try #require(rig.server.requests.first)
    #expect(request.line == "POST /payments HTTP/1.1")
    #expect(request.body == #"{"paymentMethodToken":"tok"}"#)
    #expect(
      request.headers == [
        "Host: 127.0.0.1:\(rig.server.port)", "Accept: */*", "Primer-SDK-Version: 1",
        "Primer-SDK-Client: CHECKOUTD", "X-Request-ID: request-1",
        "Primer-SDK-Checkout-Session-ID: session-1", "Primer-Client-Token: at-1",
        "Content-Type: application/json", "X-Api-Version: 2.4", "X-Idempotency-Key: key",
        "Content-Length: 28",
      ])
  }

  @Test func `a GET has no body`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { $0.connection.answer(200, pending) }
    #expect(try rig.result(at: rig.url + "/a/../s%2F?x=1") == isPending)
    let request = try #require(rig.server.requests.first)
    #expect(request.line == "GET /s%2F?x=1 HTTP/1.1")
    #expect(!request.headers.contains { $0.hasPrefix("Content-") })
  }

  @Test func `a silent server ends in a time-out`() throws {
    let rig = try GatewayRig { options, _ in options.timeouts.payment = 50 }
    #expect(try rig.result(of: Self.resume) == .failure(OperationFailure(.timedOut)))
    #expect(rig.server.requests.count == 1)
  }

  @Test func `half an answer ends in a time-out`() throws {
    let rig = try GatewayRig { options, _ in options.timeouts.poll = 50 }
    rig.server.onRequest = { $0.connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{") }
    #expect(try rig.result() == .failure(OperationFailure(.timedOut)))
  }

  @Test(arguments: [
    "", "HTTP/1.1 400 Bad", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    "HTTP/1.1 400 Bad\r\nContent-Length: 50\r\n\r\n{\"error\":{\"errorId\":\"X\"}}",
  ])
  func `a connection that breaks is an interruption`(start: String) throws {
    for breaks in [TestServer.Connection.close, TestServer.Connection.reset] {
      let rig = try GatewayRig()
      rig.server.onRequest = {
        $0.connection.send(start)
        breaks($0.connection)()
      }
      #expect(try rig.result(of: Self.create) == .failure(OperationFailure(.interrupted)))
      #expect(rig.server.requests.count == 1)
    }
  }

  @Test func `what is not HTTP is an interruption`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = {
      $0.connection.send("220 mail.example ESMTP\r\n")
      $0.connection.close()
    }
    #expect(try rig.result() == .failure(OperationFailure(.interrupted)))
  }

  @Test(arguments: [
    #"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"id":"pay-1","status":"SUCC"#,
    #"HTTP/1.1 201 OK\r\nContent-Length: 99\r\n\r\n{"id":"pay-1","amount":12"#,
  ])
  func `a success that is cut names its payment`(start: String) throws {
    let rig = try GatewayRig()
    rig.server.onRequest = {
      $0.connection.send(
        start.split(separator: #"\r\n"#, omittingEmptySubsequences: false)
          .joined(separator: "\r\n"))
      $0.connection.close()
    }
    let failure = OperationFailure(.interrupted, payment: Payment(id: "pay-1"))
    #expect(try rig.result(of: Self.create) == .failure(failure))
  }

  @Test(arguments: [
    "", "<html>", "{\"error\":{\"errorId\":\"X\"}}", String(repeating: "x", count: 2000),
  ])
  func `a completion is accepted by its status alone`(body: String) throws {
    let rig = try GatewayRig { options, _ in options.maximumBodyByteCount = 1000 }
    rig.server.onRequest = { $0.connection.answer(202, body) }
    #expect(try rig.result(of: .complete(mandateAcceptedAt: 0)) == .success(.acknowledged))
  }

  @Test func `entries of a bank list that are left out are told of`() throws {
    let rig = try GatewayRig()
    var told: [String] = []
    rig.gateway.onBanksLeftOut = { told.append("\($0) \($1)") }
    rig.server.onRequest = {
      $0.connection.answer(200, #"{"result":[{"id":"1","name":"A"},{"name":"B"},7]}"#)
    }
    let result = try rig.result(of: .fetchBanks(configurationID: "c"))
    #expect(result == .success(.banks([IssuingBank(id: "1", name: "A")])))
    #expect(told == ["2 session-1"])
  }

  @Test func `a redirect is not followed`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { [url = rig.url] in
      $0.connection.answer(302, "", headers: "Location: \(url)/other\r\n")
    }
    #expect(try rig.result() == .failure(OperationFailure(.status, httpStatus: 302)))
    #expect(rig.server.requests.count == 1)
  }

  @Test func `a server may say when to come again`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { $0.connection.answer(503, "busy", headers: "Retry-After: 7\r\n") }
    #expect(
      try rig.result()
        == .failure(OperationFailure(.status, httpStatus: 503, retryAfter: 7000)))
  }

  @Test func `a date to come again becomes a wait`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = {
      let date = "Fri, 01 Jan 2100 00:00:00 GMT"
      $0.connection.answer(429, "", headers: "Retry-After: \(date)\r\n")
    }
    #expect(
      try rig.result()
        == .failure(OperationFailure(.status, httpStatus: 429, retryAfter: 3_600_000)))
  }

  @Test func `a body within the limit is read, chunked as well`() throws {
    let rig = try GatewayRig { options, _ in options.maximumBodyByteCount = pending.utf8.count }
    rig.server.onRequest = {
      let size = String(pending.utf8.count, radix: 16)
      let header = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      $0.connection.send("\(header)\(size)\r\n\(pending)\r\n0\r\n\r\n")
    }
    #expect(try rig.result() == isPending)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", OperationFailure.Kind.undecodable),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", .undecodable),
    ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", .undecodable),
    ("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", .status),
  ])
  func `a body above the limit is not read`(header: String, kind: OperationFailure.Kind) throws {
    let rig = try GatewayRig { options, _ in options.maximumBodyByteCount = 1000 }
    rig.server.onRequest = {
      $0.connection.send(header + String(repeating: " ", count: 1001))
    }
    let failure = OperationFailure(kind, httpStatus: kind == .status ? 500 : 200)
    #expect(try rig.result() == .failure(failure))
  }

  @Test func `the status counts what came of requests`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { $0.connection.answer($0.line.contains("bad") ? 401 : 200, pending) }
    #expect(rig.gateway.status == GatewayStatus())
    rig.perform("good")
    rig.perform("bad", at: rig.url + "/bad")
    #expect(rig.gateway.status.underWay == 2)
    try rig.run(untilCompleted: 2)
    let status = rig.gateway.status
    #expect(status.underWay == 0 && status.succeeded == 1 && status.failed == 1)
    #expect(status.lastFailureKind == .status && status.lastFailureHTTPStatus == 401)
    #expect(status.lastSuccessAt != nil && status.lastFailureAt != nil)
  }
}
