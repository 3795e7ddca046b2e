import CheckoutClient
import JSON
import LinuxSystem
import Pay
import ValueTree

extension Command {
  static let pay = Command(
    "pay",
    options: [
      .tokenFile, .startKey, .locale, .urlScheme, .publishableKey, .merchantName, .mandateText,
      .settings, .data, .allowRepeat, .retry, .json,
    ],
    summary: "pay a checkout, from its client token to its outcome",
    details: """
      The client token is read from standard input, unless --token-file says otherwise. Everything
      else is asked for on the terminal: the payment method, and what it needs of the shopper, as the
      daemon tells it. A page to open is shown as its address and as a QR code. ACH needs --url-scheme
      and --publishable-key, and the program checkoutd-collector, in PATH or named by
      CHECKOUTD_COLLECTOR, which asks for the bank account in a browser.

      Nobody is asked with --data: then a JSON object has what a shopper would be asked for, each text
      by the name of its field, as in bankId; what the client session has may be left out. The payment
      method is the one that collects these fields, or paymentMethodType names it. acceptMandate, true
      or false, answers a mandate; without it somebody else has to. The pages to open are printed, each
      after its name, and last the outcome, the payment's id and its status; with --json these are
      objects.

      Ctrl-C before the payment is under way cancels the checkout. Afterwards, and with any other
      signal, the command ends and the checkout goes on; pay with the same client token finds it again.

      Exit status: 0 also if the payment is still pending; 1 also if it failed or was cancelled; 4 if
      the time was over before that; 6 if its outcome is unknown, and then the order to look up is told;
      128 and its number after a signal.

      Example:
        printf '{"bankId":"%s"}' "$BANK" | checkoutctl pay --token-file token --data -
      """
  ) { invocation throws(Failure) in
    let request = try PayRequest(invocation)
    let result: PayResult
    do throws(PayFailure) { result = try Payment.pay(request, invocation.console) } catch {
      throw Failure(error)
    }
    let status = ExitStatus(result)
    if status != .success { throw .ended(status) }
  }
}

extension PayRequest {
  /// Reads a command line, and what it names.
  ///
  /// - Throws: What is wrong with them.
  fileprivate init(_ invocation: Invocation) throws(Failure) {
    let given = invocation.given
    let dataFile = given[.data]
    guard dataFile != "-" || ![given[.tokenFile] ?? "-", given[.settings]].contains("-") else {
      throw .usage("standard input has one thing only: collected data, client token or settings")
    }
    let start = try StartCommand(given, invocation.console)
    invocation.console.tellProgress("")
    guard start.params["settings"]?["paymentHandling"]?.string ?? "auto" == "auto" else {
      throw .usage("pay leaves the payment to the daemon: paymentHandling must be auto")
    }
    // Without a key a start could not be made once more after a lost answer.
    let startKey =
      start.params["startKey"] ?? .string("pay-\(Random.uint64())-\(Random.uint64())")
    self.init(
      socket: invocation.socket, deadline: invocation.deadline,
      patience: try Link.patience(given),
      startParams: (start.params.object ?? []).filter { $0.name != "startKey" },
      startKey: startKey,
      given: try dataFile.map { path throws(Failure) in try Self.given(in: path) })
  }

  private static func given(in path: String) throws(Failure) -> Given {
    let text = try ProcessStreams.read(path)
    guard let data = try? JSONReader().value(of: text), let members = data.object else {
      throw .usage("--data: expected a JSON object")
    }
    let (type, mandate) = ("paymentMethodType", "acceptMandate")
    for member in members {
      let isRight = member.name == mandate ? member.value.bool != nil : member.value.string != nil
      guard isRight else {
        throw .usage(
          "--data: expected texts by the names of fields, and acceptMandate true or false")
      }
    }
    return Given(
      fields: members.filter { ![type, mandate].contains($0.name) },
      paymentMethodType: data[type]?.string, acceptsMandate: data[mandate]?.bool)
  }
}

extension Console: PayConsole {
  /// Nobody needs to read it: how the command ends still tells how the payment did.
  func put(_ text: String) throws(PayFailure) {
    do throws(Failure) { try print(text) } catch {
      guard case .output(let error) = error, error != Errno.brokenPipe else { return }
      throw .output(error)
    }
  }
}

extension Failure {
  /// Why nothing was paid.
  fileprivate init(_ failure: PayFailure) {
    self =
      switch failure {
      case .client(let error): .client(error)
      case .refused(let error): .refused(error)
      case .usage(let message): .usage(message)
      case .output(let error): .output(error)
      }
  }
}

extension ExitStatus {
  /// What tells how paying has ended.
  fileprivate init(_ result: PayResult) {
    self =
      switch result {
      case .ended("success"), .ended("pending"), .ended("handledByClient"): .success
      case .ended("unknown"): .outcomeUnknown
      case .ended: .errorReply
      case .timedOut: .timedOut
      case .signal(let number): ExitStatus(signal: number)
      }
  }
}
