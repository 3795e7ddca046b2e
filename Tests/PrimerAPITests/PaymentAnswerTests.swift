import Checkout
import Testing
import Upstream
import ValueTree

@testable import PrimerAPI

@Suite struct PaymentAnswerTests {
  private static let create = Operation.Request.createPayment(
    paymentMethodToken: "t", idempotencyKey: "k")

  private func read(
    _ body: String, status: Int = 200, to request: Operation.Request = create
  ) throws -> Result<Answer, OperationFailure> {
    let reader = AnswerReader(policy: try UpstreamPolicy(), maximumBodyByteCount: 1 << 20)
    return reader.read(
      HTTPResponse(status: status, body: Array(body.utf8)), to: request, now: 1_700_000_000_000)
  }

  @Test func `a payment with a required action is read with its token`() throws {
    let encoded = token(#"{"accessToken":"at-2","exp":2000000000,"intent":"X_REDIRECTION"}"#)
    let body = #"""
      {"id":"pay_1","orderId":"o-1","status":"PENDING","amount":1299,
       "requiredAction":{"clientToken":"\#(encoded)","name":"USE_PRIMER_SDK","description":"d"},
       "showSuccessCheckoutOnPendingPayment":true,
       "checkoutOutcome":"DETERMINE_FROM_PAYMENT_STATUS"}
      """#
    let replacement = ClientToken(
      encoded: "", accessToken: "at-2", expiresAt: 2_000_000_000_000,
      intent: "X_REDIRECTION")
    let expected = PaymentResponse(
      id: "pay_1", orderID: "o-1", status: .pending, showsSuccessOnPending: true,
      requiredAction: RequiredAction(name: "USE_PRIMER_SDK", clientToken: .success(replacement)))
    #expect(try read(body) == .success(.payment(expected)))
    #expect(
      try read(body, to: .resume(paymentID: "p", resumeToken: "r"))
        == .success(.payment(expected)))
  }

  @Test(arguments: [
    (#"{"id":"p","status":"SUCCESS"}"#, PaymentResponse(id: "p", status: .success)),
    (
      #"{"id":"p","status":"FAILED","requiredAction":null,"checkoutOutcome":null}"#,
      PaymentResponse(id: "p", status: .failed)
    ),
    (
      #"{"status":"PENDING","checkoutOutcome":"CHECKOUT_COMPLETE"}"#,
      PaymentResponse(id: nil, status: .pending, checkoutOutcome: .complete)
    ),
    (
      #"{"id":"p","status":"PENDING","checkoutOutcome":"CHECKOUT_FAILURE"}"#,
      PaymentResponse(id: "p", status: .pending, checkoutOutcome: .failure)
    ),
    (#"{"status":"DECLINED"}"#, PaymentResponse(id: nil, status: .init(rawValue: "DECLINED"))),
    (
      #"{"id":"p","checkoutOutcome":"CHECKOUT_COMPLETE"}"#,
      PaymentResponse(id: "p", status: nil, checkoutOutcome: .complete)
    ),
    (
      #"{"id":"p","orderId":7,"status":"SETTLED","checkoutOutcome":"NEW","requiredAction":"x"}"#,
      PaymentResponse(id: "p", status: .init(rawValue: "SETTLED"))
    ),
    (
      #"{"id":"p","orderId":"o","status":"REVERSED","checkoutOutcome":7}"#,
      PaymentResponse(id: "p", orderID: "o", status: .init(rawValue: "REVERSED"))
    ),
    (
      #"{"id":"p","status":"PENDING","requiredAction":[]}"#,
      PaymentResponse(
        id: "p", status: .pending,
        requiredAction: RequiredAction(name: "", clientToken: .failure(.undecodable)))
    ),
    (
      #"{"id":"p","status":"PENDING","requiredAction":{}}"#,
      PaymentResponse(
        id: "p", status: .pending,
        requiredAction: RequiredAction(
          name: "", clientToken: .failure(.missing(field: "clientToken"))))
    ),
  ])
  func `what is needed is read, and what is not may be anything`(
    body: String, expected: PaymentResponse
  ) throws {
    #expect(try read(body) == .success(.payment(expected)))
  }

  @Test(arguments: [
    (#""7""#, ClientTokenProblem.undecodable), ("7", .undecodable),
    ("null", .missing(field: "clientToken")),
  ])
  func `an action whose token is unusable still is an action`(
    member: String, problem: ClientTokenProblem
  ) throws {
    let body =
      #"{"id":"p","status":"PENDING","requiredAction":{"name":"NEW","clientToken":\#(member)}}"#
    let expected = PaymentResponse(
      id: "p", status: .pending,
      requiredAction: RequiredAction(name: "NEW", clientToken: .failure(problem)))
    #expect(try read(body) == .success(.payment(expected)))
  }

  @Test(arguments: [
    (#"{"id":"p"}"#, Payment(id: "p")), (#"{"id":"p","status":7}"#, Payment(id: "p")),
    (#"{"id":"p","orderId":"o","checkoutOutcome":"NEW"}"#, Payment(id: "p", orderID: "o")),
    (#"{"id":"p","status":"S"} <!-- x -->"#, Payment(id: "p", status: "S")),
    (#"{"id":7,"status":"SUCCESS"}"#, Payment(status: "SUCCESS")),
    ("{}", nil), ("[]", nil), ("", nil), ("<html>", nil),
    (#"{"id":"p","status":"SUCC"#, Payment(id: "p")),
  ])
  func `an answer that makes no sense still names its payment`(
    body: String, payment: Payment?
  ) throws {
    #expect(
      try read(body)
        == .failure(OperationFailure(.undecodable, httpStatus: 200, payment: payment)))
  }

  @Test(arguments: [
    (
      409,
      #"{"error":{"errorId":"IdempotencyKeyAlreadyExists","paymentId":"p","#
        + #""paymentStatus":"FAILED"}}"#
    ),
    (
      409,
      #"{"error":{"errorId":"IdempotencyKeyAlreadyExists"},"paymentId":"p","#
        + #""paymentStatus":"FAILED"}"#
    ),
    (
      400,
      #"{"error":{"errorId":"TransactionRequestIdempotencyKeyAlreadyExists"},"#
        + #""paymentId":"p","paymentStatus":"FAILED"}"#
    ),
  ])
  func `a key that was used names the payment it made`(status: Int, body: String) throws {
    guard case .failure(let failure) = try read(body, status: status) else {
      Issue.record("taken for an answer")
      return
    }
    #expect(failure.kind == .status && failure.httpStatus == status)
    #expect(failure.isKeyAlreadyUsed && failure.speaksOfKey)
    #expect(failure.payment == Payment(id: "p", status: "FAILED"))
  }

  @Test func `a resumption's answer need not name the payment again`() throws {
    let request = Operation.Request.resume(paymentID: "p", resumeToken: "r")
    let expected = PaymentResponse(id: "p", status: .success)
    #expect(try read(#"{"status":"SUCCESS"}"#, to: request) == .success(.payment(expected)))
  }

  @Test(arguments: ["IdempotencyKeyInUse", "invalid_idempotency_key", "IDEMPOTENCY"])
  func `an unknown id that speaks of the key is no word about the payment`(id: String) throws {
    let body = #"{"error":{"errorId":"\#(id)"}}"#
    guard case .failure(let failure) = try read(body, status: 400) else { return }
    #expect(failure.speaksOfKey && !failure.isKeyAlreadyUsed)
  }

  @Test func `another conflict is not taken for a used key`() throws {
    let body = #"{"error":{"errorId":"Conflict"}}"#
    let error = ServerError(id: "Conflict")
    #expect(
      try read(body, status: 409)
        == .failure(OperationFailure(.status, httpStatus: 409, serverError: error)))
  }
}
