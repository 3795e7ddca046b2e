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
struct AnswerReader {
  /// What URLs in answers are checked against.
  let policy: UpstreamPolicy
  private let json: JSONReader

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - policy: What URLs in answers are checked against.
  ///   - maximumBodyByteCount: The longest body there can be.
  init(policy: UpstreamPolicy, maximumBodyByteCount: Int) {
    self.policy = policy
    json = JSONReader(maximumByteCount: maximumBodyByteCount)
  }

  /// Reads the answer to a request.
  ///
  /// An error body decides whatever the status is: a 2xx with one is a refusal all the same.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - request: What was asked.
  ///   - now: The wall clock, for the expiry of a replacement token.
  /// - Returns: What the core gets.
  func read(
    _ response: HTTPResponse, to request: Operation.Request, now: WallTime
  ) -> Result<Answer, OperationFailure> {
    let body: Value?
    do { body = try json.value(of: response.body) } catch { body = nil }

    guard 200...299 ~= response.status else {
      return .failure(Self.refusal(response, body))
    }
    if let body, ServerError(body: body) != nil {
      return .failure(Self.refusal(response, body))
    }
    do throws(OperationFailure) {
      switch request {
      case .complete, .validateClientToken:
        guard body != nil || response.body.isEmpty else { throw OperationFailure(.undecodable) }
        return .success(.acknowledged)
      case .fetchConfiguration, .performActions:
        return .success(.configuration(try configuration(body)))
      case .fetchBanks: return .success(.banks(try banks(body)))
      case .tokenize:
        guard let body, body.object != nil else { throw OperationFailure(.undecodable) }
        return .success(.instrument(PaymentInstrument(token: body["token"]?.text, data: body)))
      case .createPayment, .resume: return .success(.payment(try payment(body, now: now)))
      case .poll: return .success(.redirectStatus(try redirectStatus(body)))
      }
    } catch {
      var failure = error
      failure.httpStatus = response.status
      return .failure(failure)
    }
  }

  private static func refusal(_ response: HTTPResponse, _ body: Value?) -> OperationFailure {
    let error = body.flatMap(ServerError.init(body:))
    let isKeyAlreadyUsed =
      error?.id == "IdempotencyKeyAlreadyExists"
      || error?.id == "TransactionRequestIdempotencyKeyAlreadyExists"
    return OperationFailure(
      .status, httpStatus: response.status, retryAfter: response.retryAfter, serverError: error,
      payment: body.flatMap(Payment.init(namedByError:)), isKeyAlreadyUsed: isKeyAlreadyUsed)
  }

  private func banks(_ body: Value?) throws(OperationFailure) -> [IssuingBank] {
    guard let list = body?["result"]?.array else { throw OperationFailure(.undecodable) }
    var banks: [IssuingBank] = []
    banks.reserveCapacity(list.count)
    for entry in list {
      guard let id = entry["id"]?.text, let name = entry["name"]?.text else {
        throw OperationFailure(.undecodable)
      }
      var iconURL = entry["iconUrl"]?.text
      if let url = iconURL {
        do { try policy.checkDisplayed(url) } catch { iconURL = nil }
      }
      // A bank that does not say is enabled: one slip upstream must not take the whole list away.
      let isDisabled = entry["disabled"]?.bool ?? false
      banks.append(IssuingBank(id: id, name: name, iconURL: iconURL, isDisabled: isDisabled))
    }
    return banks
  }

  private func redirectStatus(_ body: Value?) throws(OperationFailure) -> RedirectStatus {
    switch body?["status"]?.text {
    case "PENDING"?: return .pending
    case "COMPLETE"?:
      guard let token = body?["id"]?.text else { throw OperationFailure(.undecodable) }
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
