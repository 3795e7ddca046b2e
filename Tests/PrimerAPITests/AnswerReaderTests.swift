import Checkout
import Testing
import Upstream
import ValueTree

@testable import PrimerAPI

@Suite struct AnswerReaderTests {
  private func read(
    _ body: String, to request: Operation.Request, status: Int = 200
  ) throws -> Result<Answer, OperationFailure> {
    let reader = AnswerReader(policy: try UpstreamPolicy(), maximumBodyByteCount: 1 << 20)
    return reader.read(
      HTTPResponse(status: status, body: Array(body.utf8)), to: request, now: 1_700_000_000_000)
  }

  private func undecodable(_ status: Int = 200) -> Result<Answer, OperationFailure> {
    .failure(OperationFailure(.undecodable, httpStatus: status))
  }

  @Test(arguments: [
    "", "null", "[]", "true", "7", #"{"result":{}}"#, #"{"result":[{},7]}"#,
    #"{"result":[{"name":"A"}]}"#, #"{"result":[{"id":1,"name":"A"}]}"#, #"{"result":[null]}"#,
    "<html></html>", #"{"result":[]"#,
  ])
  func `a bank list that makes no sense is undecodable as a whole`(body: String) throws {
    #expect(try read(body, to: .fetchBanks(configurationID: "c")) == undecodable())
  }

  @Test func `banks keep their order, and only what they need is asked of them`() throws {
    let body = #"""
      {"result":[{"id":"2","name":"Zed","iconUrl":"https://i.example/2.png","disabled":true},
      {"id":"1","name":"Æon","iconUrl":"http://i.example/1.png","disabled":false},
      {"id":"3","name":"No word","iconUrl":null,"extra":1}]}
      """#
    let expected = [
      IssuingBank(id: "2", name: "Zed", iconURL: "https://i.example/2.png", isDisabled: true),
      IssuingBank(id: "1", name: "Æon"), IssuingBank(id: "3", name: "No word"),
    ]
    #expect(
      try read(body, to: .fetchBanks(configurationID: "c")) == .success(.banks(expected)))
    #expect(
      try read(#"{"result":[]}"#, to: .fetchBanks(configurationID: "c")) == .success(.banks([])))
  }

  @Test(arguments: [
    ("true", true), (#""true""#, true), (#""TRUE""#, true), ("1", true), (#""1""#, true),
    ("1.0", true), ("false", false), (#""false""#, false), ("0", false), ("2", false),
    ("null", false), ("[]", false),
  ])
  func `a bank is disabled however a server writes it`(word: String, expected: Bool) throws {
    let body = #"{"result":[{"id":"1","name":"A","disabled":\#(word)}]}"#
    let bank = IssuingBank(id: "1", name: "A", isDisabled: expected)
    #expect(try read(body, to: .fetchBanks(configurationID: "c")) == .success(.banks([bank])))
  }

  @Test func `a bad entry of a bank list is left out and counted`() throws {
    let body = #"""
      {"result":[{"id":"1","name":""},{"name":"B"},{"id":7,"name":"C"},null,{"id":"","name":"D"},
      {"id":"2","name":9},{"id":"\#(String(repeating: "i", count: 1025))","name":"E"}]}
      """#
    let reader = AnswerReader(policy: try UpstreamPolicy(), maximumBodyByteCount: 1 << 20)
    var counts: [Int] = []
    let result = reader.read(
      HTTPResponse(status: 200, body: Array(body.utf8)), to: .fetchBanks(configurationID: "c"),
      now: 0, onLeftOut: { counts.append($0) })
    let banks = [IssuingBank(id: "1", name: "1"), IssuingBank(id: "2", name: "2")]
    #expect(result == .success(.banks(banks)))
    #expect(counts == [5])
  }

  /// Half a line is for the list, a quarter for the session, so that a snapshot has room for both.
  @Test(arguments: [1, 7, 100, 1000, 5000])
  func `what cannot be told in a line is refused when it is read`(count: Int) throws {
    let lineByteCount = 64 * 1024
    let reader = AnswerReader(
      policy: try UpstreamPolicy(), maximumBodyByteCount: 4 << 20,
      maximumLineByteCount: lineByteCount)
    let escaped = #"\u2028"#
    let entries = (0..<count).map { #"{"id":"\#($0)","name":"\#(escaped)","amount":1}"# }
    let list = entries.joined(separator: ",")
    for (body, request, isRead, shownByteCount) in [
      (#"{"result":[\#(list)]}"#, .fetchBanks(configurationID: "c"), count <= 100, 60 * count),
      (
        #"{"clientSession":{"order":{"lineItems":[\#(list)]}},"paymentMethods":[]}"#,
        .fetchConfiguration, count <= 7, 80 * count
      ),
    ] as [(String, Operation.Request, Bool, Int)] {
      let result = reader.read(
        HTTPResponse(status: 200, body: Array(body.utf8)), to: request, now: 0)
      switch result {
      case .success: #expect(isRead && shownByteCount < lineByteCount / 2)
      case .failure(let failure):
        #expect(!isRead || count > 1)
        #expect(failure.kind == .undecodable)
        #expect(failure.detail?.hasSuffix("is too long to be told in a line") == true)
      }
    }
  }

  @Test func `a tokenization's answer is told as far as it fits into a line`() throws {
    let reader = AnswerReader(
      policy: try UpstreamPolicy(), maximumBodyByteCount: 1 << 20, maximumLineByteCount: 4096)
    let long = String(repeating: "x", count: 2000)
    let body = #"{"a":"\#(long)","token":"tok_1","b":[1],"c":{"d":"\#(long)"}}"#
    let result = reader.read(
      HTTPResponse(status: 200, body: Array(body.utf8)), to: .tokenize(instrument: [:]), now: 0)
    let instrument = PaymentInstrument(token: "tok_1", data: ["token": "tok_1", "b": [1]])
    #expect(result == .success(.instrument(instrument)))
  }

  @Test(arguments: [
    (#"{"status":"PENDING","id":"r","source":"s"}"#, RedirectStatus.pending),
    (#"{"status":"PENDING"}"#, .pending),
    (#"{"status":"COMPLETE","id":"res_1","source":"s"}"#, .complete(resumeToken: "res_1")),
    (#"{"status":"FAILED","id":"r"}"#, .unknown("FAILED")),
  ])
  func `a poll tells how far the shopper is`(body: String, expected: RedirectStatus) throws {
    #expect(try read(body, to: .poll) == .success(.redirectStatus(expected)))
  }

  @Test(arguments: ["", "{}", #"{"status":1}"#, #"{"status":"COMPLETE"}"#, "<p>"])
  func `a poll without a status is undecodable`(body: String) throws {
    #expect(try read(body, to: .poll) == undecodable())
  }

  @Test(arguments: ["", "{}", "null", "[]", "true", #"{"success":true}"#])
  func `an acknowledgement may be empty or any JSON`(body: String) throws {
    #expect(try read(body, to: .complete(mandateAcceptedAt: 0)) == .success(.acknowledged))
    #expect(
      try read(body, to: .validateClientToken(encoded: "t"), status: 204)
        == .success(.acknowledged))
  }

  @Test(arguments: ["<html>ok</html>", "{", "ok", #"{"error":{"errorId":"X"}}"#])
  func `a completion is accepted whatever the body says, a token only by JSON`(
    body: String
  ) throws {
    #expect(try read(body, to: .complete(mandateAcceptedAt: 0)) == .success(.acknowledged))
    let isJSON = body.hasSuffix("}")
    #expect(
      try read(body, to: .validateClientToken(encoded: "t"))
        == (isJSON ? .success(.acknowledged) : undecodable()))
  }

  @Test func `a tokenization's answer is kept whole`() throws {
    let request = Operation.Request.tokenize(instrument: [:])
    let data: Value = ["token": "tok_1", "id": "i", "paymentInstrumentType": "NEW"]
    #expect(
      try read(#"{"token":"tok_1","id":"i","paymentInstrumentType":"NEW"}"#, to: request)
        == .success(.instrument(PaymentInstrument(token: "tok_1", data: data))))
    #expect(
      try read(#"{"token":null}"#, to: request)
        == .success(.instrument(PaymentInstrument(token: nil, data: ["token": .null]))))
    #expect(try read("[]", to: request) == undecodable())
  }

  @Test func `an error body says why, whatever the status`() throws {
    let body = #"""
      {"error":{"errorId":"Bad","description":"No.","diagnosticsId":"d-1",
      "validationErrors":["a",{"x":1},"b"]}}
      """#
    let error = ServerError(
      id: "Bad", description: "No.", diagnosticsID: "d-1", validationErrors: ["a", "b"])
    for status in [200, 202, 302, 400, 401, 404, 429, 500, 503] {
      for request in [Operation.Request.poll, .fetchConfiguration] {
        #expect(
          try read(body, to: request, status: status)
            == .failure(OperationFailure(.status, httpStatus: status, serverError: error)))
      }
    }
  }

  @Test(arguments: ["", "<html>", "null", #"{"error":"x"}"#, #"{"message":"x"}"#])
  func `a status outside 2xx needs no error body`(body: String) throws {
    for status in [300, 302, 304, 400, 401, 403, 408, 500, 502, 599] {
      #expect(
        try read(body, to: .poll, status: status)
          == .failure(OperationFailure(.status, httpStatus: status)))
    }
  }

  @Test func `what upstream says is bounded`() throws {
    let long = String(repeating: "é", count: 2000)
    let errors = Array(repeating: #""x""#, count: 40).joined(separator: ",")
    let body =
      #"{"error":{"errorId":"\#(long)","description":"a\#(long)","validationErrors":[\#(errors)]}}"#
    guard case .failure(let failure) = try read(body, to: .poll, status: 400) else {
      Issue.record("taken for an answer")
      return
    }
    #expect(failure.serverError?.id == String(repeating: "é", count: 512))
    #expect(failure.serverError?.description?.utf8.count == 1023)
    #expect(failure.serverError?.validationErrors.count == 16)
  }
}
