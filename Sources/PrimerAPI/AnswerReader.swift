internal import Checkout
internal import JSON
internal import Upstream
internal import ValueTree

/// A whole answer as HTTP has it.
struct HTTPResponse {
  /// 200 to 599; libcurl keeps 1xx to itself.
  var status: Int
  /// What followed the header.
  var body: [UInt8] = []
  /// `Retry-After`, in milliseconds.
  var retryAfter: Milliseconds?
}

/// Turns whole answers into what the core understands, by the rules of each call.
///
/// Upstream is read tolerantly: a 2xx is used if what the call needs can be read from it, whatever
/// else it holds. What is only displayed is left out where it makes no sense, and an `error` counts
/// only where the rest is not what was asked for.
struct AnswerReader {
  /// What URLs in answers are checked against.
  let policy: UpstreamPolicy
  /// The longest line that a client is sent.
  let maximumLineByteCount: Int
  private let json: TolerantReader

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - policy: What URLs in answers are checked against.
  ///   - maximumBodyByteCount: The longest body there can be.
  ///   - maximumLineByteCount: The longest line that a client is sent.
  init(policy: UpstreamPolicy, maximumBodyByteCount: Int, maximumLineByteCount: Int = 1 << 20) {
    self.policy = policy
    self.maximumLineByteCount = maximumLineByteCount
    json = TolerantReader(maximumByteCount: maximumBodyByteCount)
  }

  /// Reads the answer to a request.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - request: What was asked.
  ///   - now: The wall clock, for the expiry of a replacement token.
  ///   - onLeftOut: Called with the number of entries of a list that were left out, if there are any.
  /// - Returns: What the core gets.
  func read(
    _ response: HTTPResponse, to request: Operation.Request, now: WallTime,
    onLeftOut: (Int) -> Void = { _ in }
  ) -> Result<Answer, OperationFailure> {
    let text = json.read(response.body)
    guard 200...299 ~= response.status else { return .failure(Self.refusal(response, text)) }
    do throws(OperationFailure) {
      let answer = try answer(text, response, to: request, now, onLeftOut)
      return .success(answer)
    } catch {
      var failure = error
      if failure.kind == .undecodable, text.isWhole, ServerError(body: text.value) != nil {
        failure = Self.refusal(response, text)
      }
      failure.httpStatus = response.status
      failure.payment = failure.payment ?? Self.payment(namedIn: text, to: request)
      return .failure(failure)
    }
  }

  /// The payment that a body names which is no answer to a request: one that is cut, or too long.
  func payment(namedIn body: [UInt8], to request: Operation.Request) -> Payment? {
    Self.payment(namedIn: json.read(body), to: request)
  }

  private static func payment(
    namedIn text: TolerantText, to request: Operation.Request
  ) -> Payment? {
    switch request {
    case .createPayment, .resume: Payment(namedBy: text.value)
    default: nil
    }
  }

  private func answer(
    _ text: TolerantText, _ response: HTTPResponse, to request: Operation.Request, _ now: WallTime,
    _ onLeftOut: (Int) -> Void
  ) throws(OperationFailure) -> Answer {
    switch request {
    case .complete: return .acknowledged
    case .validateClientToken where response.body.isEmpty: return .acknowledged
    default: break
    }
    guard text.isWhole else { throw OperationFailure(.undecodable) }
    let body = text.value
    switch request {
    case .fetchConfiguration: return .configuration(try configuration(body))
    case .performActions: return .configuration(try changedSession(body))
    case .fetchBanks: return .banks(try banks(body, onLeftOut))
    case .tokenize: return .instrument(try instrument(body))
    case .createPayment: return .payment(try payment(body, knownID: nil, now: now))
    case .resume(let id, _): return .payment(try payment(body, knownID: id, now: now))
    case .poll: return .redirectStatus(try redirectStatus(body))
    // Any JSON is what was asked for, so that an error in it does not count.
    case .complete, .validateClientToken: return .acknowledged
    }
  }

  private static func refusal(_ response: HTTPResponse, _ text: TolerantText) -> OperationFailure {
    let error = text.isWhole ? ServerError(body: text.value) : nil
    var failure = OperationFailure(
      .status, httpStatus: response.status, retryAfter: response.retryAfter, serverError: error,
      payment: Payment(namedByError: text.value))
    let id = (error?.id ?? "").lowercased()
    failure.isKeyAlreadyUsed =
      id == "idempotencykeyalreadyexists" || id == "transactionrequestidempotencykeyalreadyexists"
    failure.speaksOfKey = id.utf8.firstRange(of: "idempotency".utf8) != nil
    return failure
  }

  private func instrument(_ body: Value) throws(OperationFailure) -> PaymentInstrument {
    guard body.object != nil else { throw OperationFailure(.undecodable) }
    let token = body["token"]?.text(of: 64 * 1024)
    if token == nil, ServerError(body: body) != nil { throw OperationFailure(.undecodable) }
    return PaymentInstrument(
      token: token, data: body.keepingMembers(within: maximumLineByteCount / 4))
  }

  private func redirectStatus(_ body: Value) throws(OperationFailure) -> RedirectStatus {
    switch body["status"]?.text {
    case "PENDING"?: return .pending
    case "COMPLETE"?:
      guard let token = body["id"]?.text(of: 64 * 1024) else {
        throw OperationFailure(.undecodable)
      }
      return .complete(resumeToken: token)
    case let status?: return .unknown(bounded(status))
    case nil: throw OperationFailure(.undecodable)
    }
  }
}

extension ServerError {
  /// Reads `{"error":{…}}`, each text cut to 1 KiB and at most 16 validation errors kept.
  ///
  /// - Returns: `nil` if the body has no `error` object.
  init?(body: Value) {
    guard let error = body["error"], error.object != nil else { return nil }
    self.init(
      id: error["errorId"]?.boundedText, description: error["description"]?.boundedText,
      diagnosticsID: error["diagnosticsId"]?.boundedText,
      validationErrors: (error["validationErrors"]?.array ?? []).prefix(16).compactMap(
        \.boundedText))
  }
}
