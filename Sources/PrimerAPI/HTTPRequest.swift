internal import Checkout
internal import JSON
internal import ValueTree

/// One request as HTTP has it, but for the URL's base.
struct HTTPRequest: Equatable {
  /// A header field.
  struct Header: Equatable {
    let name: String
    let value: String

    /// As it is sent.
    var line: String { "\(name): \(value)" }
  }

  /// Segments to add to the URL's path.
  var path: [String] = []
  /// A pair to add to the URL's query.
  var query: String?
  /// Header fields in order; every value is header-safe.
  var headers: [Header] = []
  /// The body of a `POST`; `nil` makes a `GET`.
  var body: [UInt8]?
  /// Whether the request needs a connection of its own.
  ///
  /// libcurl silently sends a request again when a kept connection dies before the first byte of
  /// an answer. It cannot know whether the first one was carried out, and what moves money must
  /// not be done twice, so such requests do not go over kept connections.
  var needsFreshConnection = false

  /// Makes the request of an operation.
  ///
  /// - Returns: `nil` if a header's value is not header-safe.
  init?(_ operation: Operation, client: SDKClient) {
    var isVersioned = true
    switch operation.request {
    case .fetchConfiguration:
      query = "withDisplayMetadata=true"
    case .performActions(let actions):
      path = ["client-session", "actions"]
      body = Value.object([.init("actions", .array(actions.map(Value.init)))]).jsonBytes
    case .fetchBanks(let configurationID):
      path = ["adyen", "checkout"]
      isVersioned = false
      body =
        Value.object([
          .init("paymentMethodConfigId", .string(configurationID)),
          .init("command", "FETCH_BANK_ISSUERS"),
          .init("parameters", ["paymentMethod": "ideal"]),
        ]).jsonBytes
    case .tokenize(let instrument):
      path = ["payment-instruments"]
      body =
        Value.object([
          .init("paymentInstrument", Self.naming(client.platform, in: instrument))
        ]).jsonBytes
    case .createPayment(let token, _):
      path = ["payments"]
      needsFreshConnection = true
      body = Value.object([.init("paymentMethodToken", .string(token))]).jsonBytes
    case .poll:
      isVersioned = false
    case .resume(let paymentID, let resumeToken):
      path = ["payments", paymentID, "resume"]
      needsFreshConnection = true
      body = Value.object([.init("resumeToken", .string(resumeToken))]).jsonBytes
    case .complete(let acceptedAt):
      isVersioned = false
      needsFreshConnection = true
      let text = mandateTimestamp(acceptedAt)
      body = Value.object([.init("mandateSignatureTimestamp", .string(text))]).jsonBytes
    case .validateClientToken(let encoded):
      path = ["client-token", "validate"]
      body = Value.object([.init("clientToken", .string(encoded))]).jsonBytes
    }
    addHeaders(operation, client, isVersioned: isVersioned)
    guard headers.allSatisfy({ isHeaderSafe($0.value) }) else { return nil }
  }

  /// Makes the request's URL of its base.
  ///
  /// - Returns: Whether the parser took it.
  func complete(_ base: inout CurlURL) -> Bool {
    guard base.append(path: path) else { return false }
    return query.map { base.append(query: $0) } ?? true
  }

  private mutating func addHeaders(
    _ operation: Operation, _ client: SDKClient, isVersioned: Bool
  ) {
    headers = [
      Header(name: "Primer-SDK-Version", value: client.version),
      Header(name: "Primer-SDK-Client", value: client.name),
      Header(name: "X-Request-ID", value: operation.requestID),
      Header(name: "Primer-SDK-Checkout-Session-ID", value: operation.sessionID),
      Header(name: "Primer-Client-Token", value: operation.accessToken),
    ]
    if body != nil { headers.append(Header(name: "Content-Type", value: "application/json")) }
    if isVersioned { headers.append(Header(name: "X-Api-Version", value: "2.4")) }
    if case .createPayment(_, let key) = operation.request {
      headers.append(Header(name: "X-Idempotency-Key", value: key))
    }
  }

  /// Sets `sessionInfo.platform`, where there is a `sessionInfo`: a component does not know what
  /// the account needs to be told.
  private static func naming(_ platform: String, in instrument: Value) -> Value {
    guard case .object(var members) = instrument,
      let place = members.firstIndex(where: { $0.name == "sessionInfo" }),
      case .object(var session) = members[place].value
    else { return instrument }
    let member = Value.Member("platform", .string(platform))
    if let place = session.firstIndex(where: { $0.name == "platform" }) {
      session[place] = member
    } else {
      session.append(member)
    }
    members[place].value = .object(session)
    return .object(members)
  }
}

extension Value {
  /// A session action as the API has it.
  fileprivate init(_ action: ClientSessionAction) {
    func make(_ type: String, _ name: String, _ value: String) -> Value {
      ["type": .string(type), "params": .object([Member(name, .string(value))])]
    }
    self =
      switch action {
      case .selectPaymentMethod(let type):
        make("SELECT_PAYMENT_METHOD", "paymentMethodType", type)
      case .unselectPaymentMethod: ["type": "UNSELECT_PAYMENT_METHOD"]
      case .setFirstName(let name): make("SET_CUSTOMER_FIRST_NAME", "firstName", name)
      case .setLastName(let name): make("SET_CUSTOMER_LAST_NAME", "lastName", name)
      case .setEmailAddress(let address): make("SET_EMAIL_ADDRESS", "emailAddress", address)
      }
  }
}
