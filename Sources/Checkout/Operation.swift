package import ValueTree

/// One request to Primer's API, complete: whoever performs it needs to know nothing else.
package struct Operation: Sendable, Equatable {
  /// Its number within the checkout.
  package let id: OperationID
  /// What is asked.
  package let request: Request
  /// The whole URL (configuration, poll, complete) or the base that the request's path is added to;
  /// already checked against the allow list.
  package let url: String
  /// The `Primer-Client-Token` header.
  package let accessToken: String
  /// The `Primer-SDK-Checkout-Session-ID` header, one for each checkout.
  package let sessionID: String
  /// The `X-Request-ID` header, the same for each repeat of one request.
  package let requestID: String

  /// Makes an operation.
  package init(
    id: OperationID, request: Request, url: String, accessToken: String, sessionID: String,
    requestID: String
  ) {
    self.id = id
    self.request = request
    self.url = url
    self.accessToken = accessToken
    self.sessionID = sessionID
    self.requestID = requestID
  }

  /// The calls of Primer's API.
  package enum Request: Sendable, Equatable {
    /// `GET {url}?withDisplayMetadata=true`, answered by ``Answer/configuration(_:)``.
    case fetchConfiguration
    /// `POST {url}/client-session/actions`, answered by ``Answer/configuration(_:)``.
    case performActions([ClientSessionAction])
    /// `POST {url}/adyen/checkout`, answered by ``Answer/banks(_:)``.
    case fetchBanks(configurationID: String)
    /// `POST {url}/payment-instruments`, answered by ``Answer/instrument(_:)``.
    case tokenize(instrument: Value)
    /// `POST {url}/payments`, answered by ``Answer/payment(_:)``.
    case createPayment(paymentMethodToken: String, idempotencyKey: String)
    /// `GET {url}`, answered by ``Answer/redirectStatus(_:)``.
    case poll
    /// `POST {url}/payments/{paymentID}/resume`, answered by ``Answer/payment(_:)``.
    case resume(paymentID: String, resumeToken: String)
    /// `POST {url}`, answered by ``Answer/acknowledged``. The time is when the mandate was accepted.
    case complete(mandateAcceptedAt: WallTime)
    /// `POST {url}/client-token/validate`, answered by ``Answer/acknowledged``.
    case validateClientToken(encoded: String)

    /// The call in one word, for the log.
    package var name: String {
      switch self {
      case .fetchConfiguration: "configuration"
      case .performActions: "actions"
      case .fetchBanks: "banks"
      case .tokenize: "tokenize"
      case .createPayment: "create"
      case .poll: "poll"
      case .resume: "resume"
      case .complete: "complete"
      case .validateClientToken: "validate"
      }
    }
  }
}

/// A change of the client session.
package enum ClientSessionAction: Sendable, Equatable {
  /// `SELECT_PAYMENT_METHOD`
  case selectPaymentMethod(type: String)
  /// `UNSELECT_PAYMENT_METHOD`
  case unselectPaymentMethod
  /// `SET_CUSTOMER_FIRST_NAME`; never empty.
  case setFirstName(String)
  /// `SET_CUSTOMER_LAST_NAME`; never empty.
  case setLastName(String)
  /// `SET_EMAIL_ADDRESS`; never empty.
  case setEmailAddress(String)
}

/// What upstream answered, decoded.
package enum Answer: Sendable, Equatable {
  /// To a configuration fetch or session actions.
  case configuration(Configuration)
  /// To a bank list fetch, in the server's order.
  case banks([IssuingBank])
  /// To a tokenization.
  case instrument(PaymentInstrument)
  /// To a payment's creation or resumption.
  case payment(PaymentResponse)
  /// To a status poll.
  case redirectStatus(RedirectStatus)
  /// To a completion or a token validation: it was accepted.
  case acknowledged
}

/// A tokenized payment instrument.
package struct PaymentInstrument: Sendable, Equatable {
  /// What a payment is created from; `nil` if the answer held none.
  package var token: String?
  /// The whole answer, for a client that handles the payment itself.
  package var data: Value

  /// Makes an instrument.
  package init(token: String?, data: Value = .object([])) {
    self.token = token
    self.data = data
  }
}

/// What must happen before a payment can go on, and the token to do it with.
package struct RequiredAction: Sendable, Equatable {
  /// As in `USE_PRIMER_SDK`.
  package var name: String
  /// The replacement token, or why it cannot be used.
  package var clientToken: Result<ClientToken, ClientTokenProblem>

  /// Makes an action.
  package init(name: String, clientToken: Result<ClientToken, ClientTokenProblem>) {
    self.name = name
    self.clientToken = clientToken
  }
}

/// What a status poll says.
package enum RedirectStatus: Sendable, Equatable {
  /// The shopper is not done.
  case pending
  /// The shopper is done; the token resumes the payment.
  case complete(resumeToken: String)
  /// A status that this version does not know.
  case unknown(String)
}

/// Why an operation gave no answer, and what can be known from that.
package struct OperationFailure: Error, Sendable, Equatable {
  /// What happened.
  package enum Kind: Sendable, Equatable {
    /// No connection was made (name, address, TLS): nothing left this machine.
    case notSent
    /// Bytes left, and no whole answer came within the time-out.
    case timedOut
    /// Bytes left, and the connection broke before a whole answer came.
    case interrupted
    /// A whole answer came with a status outside 200 to 299.
    case status
    /// A whole answer came that makes no sense: not JSON, wrong shape, too large.
    case undecodable
    /// The URL is not allowed (a private address behind an allowed name); nothing was sent.
    case notAllowed
    /// A connection was made, and the peer could not show that it is who it should be.
    case untrusted
  }

  /// What happened.
  package var kind: Kind
  /// HTTP status, where an answer came.
  package var httpStatus: Int?
  /// `Retry-After`, in milliseconds.
  package var retryAfter: Milliseconds?
  /// Primer's error body, where there was one.
  package var serverError: ServerError?
  /// A payment that the answer names in spite of all: from an error body, or salvaged from a success
  /// that could not be read.
  package var payment: Payment?
  /// Whether upstream said that this idempotency key has been used before.
  package var isKeyAlreadyUsed: Bool
  /// Whether upstream refused because of the idempotency key, in words known or not: then nothing is
  /// said about whether the payment was made.
  package var speaksOfKey = false
  /// How long ago the first byte of the request had left when this happened; `nil` if none did.
  ///
  /// Waiting for a connection does not count. It matters for the next repeat alone, so it is not
  /// stored.
  package var elapsed: Milliseconds?
  /// More about an answer that makes no sense, for people to read; an error that is made of this
  /// takes it over, so it is not stored.
  package var detail: String?

  /// Makes a failure.
  package init(
    _ kind: Kind, httpStatus: Int? = nil, retryAfter: Milliseconds? = nil,
    serverError: ServerError? = nil, payment: Payment? = nil, isKeyAlreadyUsed: Bool = false
  ) {
    self.kind = kind
    self.httpStatus = httpStatus
    self.retryAfter = retryAfter
    self.serverError = serverError
    self.payment = payment
    self.isKeyAlreadyUsed = isKeyAlreadyUsed
  }
}

extension OperationFailure {
  /// Whether nothing of the request left this machine, for certain.
  package var neverLeft: Bool {
    switch kind {
    case .notSent, .notAllowed, .untrusted: true
    case .timedOut, .interrupted, .status, .undecodable: false
    }
  }

  /// Whether upstream may still be working on the request, so that what became of it is not yet
  /// settled there.
  package var mayStillBeAtWork: Bool {
    switch kind {
    case .timedOut, .interrupted: true
    case .status: httpStatus == 408 || (500..<600).contains(httpStatus ?? 0)
    case .notSent, .undecodable, .notAllowed, .untrusted: false
    }
  }
}

/// Primer's error body.
package struct ServerError: Error, Sendable, Equatable {
  /// As in `InvalidToken`.
  package var id: String?
  /// For people to read.
  package var description: String?
  /// To quote to Primer's support.
  package var diagnosticsID: String?
  /// What was wrong with the request.
  package var validationErrors: [String]

  /// Makes an error body.
  package init(
    id: String? = nil, description: String? = nil, diagnosticsID: String? = nil,
    validationErrors: [String] = []
  ) {
    self.id = id
    self.description = description
    self.diagnosticsID = diagnosticsID
    self.validationErrors = validationErrors
  }
}

/// A payment, as far as it is known.
package struct Payment: Sendable, Equatable {
  /// The payment's id.
  package var id: String?
  /// The merchant's id of the order.
  package var orderID: String?
  /// The latest status heard, as upstream spelled it.
  package var status: String?
  /// Whether it was made before the checkout's creation: this checkout took no money.
  package var isExisting: Bool

  /// Makes a payment.
  package init(
    id: String? = nil, orderID: String? = nil, status: String? = nil, isExisting: Bool = false
  ) {
    self.id = id
    self.orderID = orderID
    self.status = status
    self.isExisting = isExisting
  }
}
