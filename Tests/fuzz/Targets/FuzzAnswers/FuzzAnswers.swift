import Checkout
import FuzzServer
import FuzzSupport
import Upstream
import ValueTree

@testable import JSON
@testable import PrimerAPI

/// Whatever upstream answers, and whatever a client token holds.
///
/// There is an answer of the right kind or a failure, no URL that is not allowed, and a checkout that
/// ends at most once.
@main enum FuzzAnswers {
  static func main() {
    guard let policy = try? UpstreamPolicy(entries: ["127.0.0.1:8080"]) else {
      fatalError("the policy is good")
    }
    let world = World(
      policy: policy, answers: AnswerReader(policy: policy, maximumBodyByteCount: World.bodyLimit),
      json: JSONReader(maximumByteCount: 8 * World.bodyLimit, maximumDepth: 128))
    Fuzzer.run { bytes in
      var input = FuzzInput(bytes)
      let choice = input.byte()
      switch choice % 4 {
      case _ where choice >= 128: world.serve(&input)
      case 0: world.readOne(&input)
      case 1 where input.chance(oneIn: 2): world.readTolerantly(input.remainder())
      case 1: world.readToken(String(decoding: input.remainder(), as: UTF8.self))
      case 2: world.readToken("h." + Base64URL.encoded(input.remainder()) + ".s")
      default: world.play(&input)
      }
    }
  }
}

/// What all inputs are tried on.
private struct World {
  static let bodyLimit = 1 << 20

  let policy: UpstreamPolicy
  let answers: AnswerReader
  let json: JSONReader

  private static let statuses = [
    200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 201, 202, 204, 299, 301, 302, 400, 401, 403,
    404, 408, 409, 422, 425, 429, 451, 500, 502, 503, 504, 599,
  ]

  private static let requests: [Operation.Request] = [
    .fetchConfiguration, .performActions([.unselectPaymentMethod]),
    .fetchBanks(configurationID: "c"), .tokenize(instrument: .object([])),
    .createPayment(paymentMethodToken: "t", idempotencyKey: "k"), .poll,
    .resume(paymentID: "p", resumeToken: "r"), .complete(mandateAcceptedAt: 0),
    .validateClientToken(encoded: "e"),
  ]

  /// One answer, all that is left of the input.
  func readOne(_ input: inout FuzzInput) {
    let request = input.one(of: Self.requests)
    let head = head(&input)
    _ = read(head, input.remainder(), request)
  }

  /// A whole checkout, each answer a chunk of the input.
  func play(_ input: inout FuzzInput) {
    var play = Play(Sample.settings(input.number(below: 3)), json: json)
    for _ in 0..<64 where !input.isEmpty {
      play.step(&input) { request, input in
        let head = head(&input)
        return read(head, input.chunk(), request)
      }
    }
  }

  /// A whole server, each answer a chunk of the input.
  func serve(_ input: inout FuzzInput) {
    func answer(
      _ request: Operation.Request, _ input: inout FuzzInput
    ) -> Result<Answer, OperationFailure> {
      let head = head(&input)
      return read(head, input.chunk(), request)
    }
    let play = ServerPlay()
    for _ in 0..<96 where !input.isEmpty { play.step(&input, answer) }
    play.finish(&input, answer)
  }

  /// What is strict means the same to the reader that takes over for it, and whatever it makes of the
  /// rest is text that can be written and read again.
  func readTolerantly(_ body: [UInt8]) {
    let text = TolerantReader(maximumByteCount: World.bodyLimit).read(body)
    if let value = try? json.value(of: body) {
      var scan = TolerantScan(body, maximumDepth: 128)
      require(scan.read() == TolerantText(value: value, isWhole: true), "both readers agree")
    }
    let written = try? json.value(of: text.value.jsonBytes)
    require(written == text.value, "what was read can be written")
  }

  func readToken(_ encoded: String) {
    let reader = ClientTokenReader(policy: policy)
    guard let token = try? reader.read(encoded, now: Sample.now) else { return }
    check(token)
  }

  private func head(_ input: inout FuzzInput) -> (status: Int, retryAfter: Milliseconds?) {
    let status = input.one(of: Self.statuses)
    return (status, status < 400 ? nil : Milliseconds(input.byte()) * 20_000)
  }

  private func read(
    _ head: (status: Int, retryAfter: Milliseconds?), _ body: [UInt8], _ request: Operation.Request
  ) -> Result<Answer, OperationFailure> {
    let body = Base64URL.withTokens(body)
    let result = answers.read(
      HTTPResponse(status: head.status, body: body, retryAfter: head.retryAfter), to: request,
      now: Sample.now)
    switch result {
    case .failure(let failure): check(failure, head.status)
    case .success(let answer):
      require(200...299 ~= head.status, "only a 2xx succeeds")
      check(answer, to: request)
    }
    return result
  }

  private func check(_ failure: OperationFailure, _ status: Int) {
    require(failure.httpStatus == status, "a failure tells the status")
    let texts = [
      failure.serverError?.id, failure.serverError?.description, failure.payment?.id,
      failure.payment?.orderID, failure.payment?.status,
    ]
    for text in texts { require(text?.utf8.count ?? 0 <= 1024, "upstream's texts are bounded") }
  }

  private func check(_ answer: Answer, to request: Operation.Request) {
    switch (answer, request) {
    case (.configuration(let configuration), .fetchConfiguration),
      (.configuration(let configuration), .performActions):
      for url in [configuration.coreURL, configuration.pciURL] { checkCalled(url) }
    case (.payment(let response), .createPayment), (.payment(let response), .resume):
      if case .success(let token)? = response.requiredAction?.clientToken { check(token) }
    case (.banks(let banks), .fetchBanks):
      for bank in banks { checkShown(bank.iconURL) }
    case (.instrument, .tokenize), (.redirectStatus, .poll), (.acknowledged, .complete),
      (.acknowledged, .validateClientToken):
      break
    default: require(false, "an answer fits its request")
    }
  }

  private func check(_ token: ClientToken) {
    require(token.expiresAt > Sample.now, "an expired token is none")
    let urls = [
      token.configurationURL, token.coreURL, token.pciURL, token.statusURL, token.sdkCompleteURL,
    ]
    for url in urls { checkCalled(url) }
    checkShown(token.redirectURL)
  }

  private func checkCalled(_ url: String?) {
    guard let url else { return }
    do {
      require(try policy.called(url) == url, "\(url) is in the form in which it is called")
    } catch { require(false, "\(url) may be called") }
  }

  private func checkShown(_ url: String?) {
    guard let url else { return }
    do {
      require(try policy.shown(url) == url, "\(url) is in the form in which it is shown")
    } catch { require(false, "\(url) may be shown") }
  }
}
