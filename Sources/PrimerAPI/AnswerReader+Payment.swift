internal import Checkout
internal import ValueTree

extension AnswerReader {
  /// Reads an answer about a payment.
  ///
  /// What is needed is a word about the payment, or about the checkout as a whole, and an id to name
  /// it by, unless the payment failed or the checkout is complete all the same.
  ///
  /// - Parameters:
  ///   - body: The answer.
  ///   - knownID: The payment's id, if it is known already: an answer need not repeat it.
  ///   - now: The wall clock, for the expiry of a replacement token.
  /// - Returns: What was read.
  /// - Throws: ``OperationFailure`` if something that is needed is missing.
  func payment(
    _ body: Value, knownID: String?, now: WallTime
  ) throws(OperationFailure) -> PaymentResponse {
    let status = body["status"]?.boundedText.map(PaymentResponse.Status.init(rawValue:))
    let outcome = body["checkoutOutcome"]?.string.flatMap(
      PaymentResponse.CheckoutOutcome.init(rawValue:))
    let id = body["id"]?.text(of: 1024) ?? knownID
    let isSaid = status != nil || outcome == .complete || outcome == .failure
    let isNamed = id != nil || status?.meaning == .failed || outcome == .complete
    guard isSaid, isNamed else { throw OperationFailure(.undecodable) }
    return PaymentResponse(
      id: id, orderID: body["orderId"]?.boundedText, status: status,
      checkoutOutcome: outcome ?? .determineFromPaymentStatus,
      showsSuccessOnPending: body["showSuccessCheckoutOnPendingPayment"]?.bool ?? false,
      requiredAction: requiredAction(body["requiredAction"], after: status, now: now))
  }

  /// Reads what must be done; of a payment that waits for nothing, only what makes sense.
  private func requiredAction(
    _ value: Value?, after status: PaymentResponse.Status?, now: WallTime
  ) -> RequiredAction? {
    guard let value, value != .null else { return nil }
    guard value.object != nil else {
      let isSettled = status?.meaning == .made || status?.meaning == .failed
      return isSettled ? nil : RequiredAction(name: "", clientToken: .failure(.undecodable))
    }
    return RequiredAction(
      name: value["name"]?.boundedText ?? "",
      clientToken: replacementToken(value["clientToken"], now: now))
  }

  private func replacementToken(
    _ value: Value?, now: WallTime
  ) -> Result<ClientToken, ClientTokenProblem> {
    switch value {
    case nil, .null?: return .failure(.missing(field: "clientToken"))
    case .string(let encoded)?:
      do throws(ClientTokenProblem) {
        var token = try ClientTokenReader(policy: policy).read(
          encoded, now: now, maximumByteCount: 256 * 1024)
        // Upstream's own needs no validation, and may be long.
        token.encoded = ""
        return .success(token)
      } catch { return .failure(error) }
    default: return .failure(.undecodable)
    }
  }
}

extension Payment {
  /// The payment that an answer about a payment names.
  ///
  /// - Returns: `nil` if it names none.
  init?(namedBy body: Value) {
    self.init(
      id: body["id"]?.text(of: 1024), orderID: body["orderId"]?.boundedText,
      status: body["status"]?.boundedText)
    guard self != Payment() else { return nil }
  }

  /// The payment that an error body names, at its top level or within `error`.
  ///
  /// - Returns: `nil` if it names none.
  init?(namedByError body: Value) {
    func read(_ name: String, _ text: (Value) -> String?) -> String? {
      body[name].flatMap(text) ?? body["error"]?[name].flatMap(text)
    }
    self.init(
      id: read("paymentId") { $0.text(of: 1024) }, orderID: read("orderId", \.boundedText),
      status: read("paymentStatus", \.boundedText))
    guard id != nil || status != nil else { return nil }
  }
}
