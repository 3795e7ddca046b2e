internal import Checkout
internal import ValueTree

extension AnswerReader {
  /// Reads an answer about a payment.
  ///
  /// What it says of the payment is read leniently first, so that an answer that makes no sense as
  /// a whole still names the payment there is.
  func payment(_ body: Value?, now: WallTime) throws(OperationFailure) -> PaymentResponse {
    guard let body, body.object != nil else { throw OperationFailure(.undecodable) }
    let undecodable = OperationFailure(.undecodable, payment: Payment(namedBy: body))

    guard let id = optional(body["id"], \.string),
      let orderID = optional(body["orderId"], \.string),
      let status = body["status"]?.string.flatMap(PaymentResponse.Status.init),
      let outcomeText = optional(body["checkoutOutcome"], \.string),
      let showsSuccess = optional(body["showSuccessCheckoutOnPendingPayment"], \.bool)
    else { throw undecodable }
    var response = PaymentResponse(
      id: id, orderID: orderID, status: status, showsSuccessOnPending: showsSuccess ?? false)
    if let outcomeText {
      guard let outcome = PaymentResponse.CheckoutOutcome(rawValue: outcomeText) else {
        throw undecodable
      }
      response.checkoutOutcome = outcome
    }
    guard let action = optional(body["requiredAction"], { $0.object == nil ? nil : $0 }) else {
      throw undecodable
    }
    if let action {
      guard let name = action["name"]?.text else { throw undecodable }
      response.requiredAction = RequiredAction(
        name: bounded(name), clientToken: replacementToken(action["clientToken"], now: now))
    }
    return response
  }

  private func replacementToken(
    _ value: Value?, now: WallTime
  ) -> Result<ClientToken, ClientTokenProblem> {
    switch value {
    case nil, .null?: return .failure(.missing(field: "clientToken"))
    case .string(let encoded)?:
      do throws(ClientTokenProblem) {
        return .success(try ClientTokenReader(policy: policy).read(encoded, now: now))
      } catch { return .failure(error) }
    default: return .failure(.undecodable)
    }
  }

  /// A member that may be absent or `null` (then `.some(nil)`), but must not have another type
  /// (then `nil`).
  private func optional<T>(_ value: Value?, _ read: (Value) -> T?) -> T?? {
    switch value {
    case nil, .null?: .some(nil)
    case let value?: read(value).map(Optional.some)
    }
  }
}

extension Payment {
  /// The payment that an answer about a payment names.
  ///
  /// - Returns: `nil` if it names none.
  init?(namedBy body: Value) {
    self.init(
      id: body["id"]?.boundedText, orderID: body["orderId"]?.boundedText,
      status: body["status"]?.boundedText)
    guard self != Payment() else { return nil }
  }

  /// The payment that an error body names, at its top level or within `error`.
  ///
  /// - Returns: `nil` if it names none.
  init?(namedByError body: Value) {
    func text(_ name: String) -> String? {
      body[name]?.boundedText ?? body["error"]?[name]?.boundedText
    }
    self.init(id: text("paymentId"), orderID: text("orderId"), status: text("paymentStatus"))
    guard id != nil || status != nil else { return nil }
  }
}
