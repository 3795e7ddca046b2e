import CheckoutClient
import JSONRPC
import Terminal
import ValueTree

extension Payment {
  /// What the payment waits for.
  private enum Stage {
    case upstream(WaitingView)
    case page(PageView)
    case account(PageView)
    case noAccount(NoticeView)
    case mandate(MandateView)
    case notice(NoticeView)
  }

  /// Follows a payment that is on its way, and does what it waits for.
  ///
  /// - Parameter awaiting: What it waits for to begin with.
  /// - Returns: Why it has to be submitted again; nil if the snapshot has to tell how it is.
  /// - Throws: Its end.
  func followThrough(awaiting: [Value]) throws(PayEnding) -> Value? {
    var stage = Stage.upstream(WaitingView("The payment is being made"))
    for awaited in awaiting { stage = try self.stage(for: awaited) ?? stage }
    while true {
      show(stage)
      switch try loop.next() {
      case .missed: return nil
      case .event(let event):
        try heed(.event(event))
        if let problem = try problem(in: event) { return problem }
        stage = try self.stage(after: event) ?? stage
      case .collector: stage = try collectorStage() ?? stage
      case .key(let key): stage = try self.stage(stage, after: key)
      }
    }
  }

  private func show(_ stage: Stage) {
    switch stage {
    case .upstream(let view): loop.show(isTicking: true, view.screen)
    case .page(let view), .account(let view): loop.show(isTicking: true, view.screen)
    case .noAccount(let view), .notice(let view): loop.show(isTicking: true, view.screen)
    case .mandate(let view): loop.show(view.screen)
    }
  }

  /// What a failed attempt left to be done again, if an event tells of one.
  private func problem(in event: ClientEvent) throws(PayEnding) -> Value? {
    guard event.method == "component.didReceiveError", let error = event.params["error"] else {
      return nil
    }
    let component = try result("component.get", ["componentId": .string(componentID)])
    guard component["submittable"]?.bool == true else { return nil }
    isSubmitted = false
    return error
  }

  /// The stage that an event leads to; nil if it changes nothing.
  private func stage(after event: ClientEvent) throws(PayEnding) -> Stage? {
    if let id = event.params["componentId"]?.string { componentID = id }
    switch event.method {
    case "component.didReceiveStep":
      guard let step = event.params["step"] else { return nil }
      guard step["name"]?.string == "webRedirect" else {
        return step["name"]?.string == "awaitingConfirmation" ? confirmationStage : nil
      }
      switch step["state"]?.string {
      case "loaded": return try redirectStage(step["url"]?.string ?? "")
      case "success", "failure": return .upstream(WaitingView("The bank has answered"))
      default: return nil
      }
    case "checkout.didReceiveAdditionalInfo":
      let info = event.params["info"] ?? .object([])
      switch info["kind"]?.string {
      case "mandate": return try mandateStage(info)
      case "bankAccountCollector": return try accountStage(info)
      case "qrCode": return try codeStage(info)
      default: return nil
      }
    default: return nil
    }
  }

  /// The stage for what a snapshot says is awaited.
  private func stage(for awaited: Value) throws(PayEnding) -> Stage? {
    let info = awaited["info"] ?? .object([])
    componentID = awaited["componentId"]?.string ?? submittedComponentID
    switch awaited["kind"]?.string {
    case "redirect": return try redirectStage(awaited["url"]?.string ?? "")
    case "code": return try codeStage(info)
    case "confirmation": return confirmationStage
    case "bankAccount": return try accountStage(info)
    case "mandate": return try mandateStage(info)
    case "decision":
      return .notice(
        NoticeView(
          heading: heading, problem: "Somebody else has to decide about this payment.",
          advice: "checkout.decide takes the decision.", waiting: WaitingView("Waiting")))
    default: return nil
    }
  }

  // MARK: Pages and codes

  private func redirectStage(_ url: String) throws(PayEnding) -> Stage {
    redirectURL = url
    try tell(url, of: "redirect")
    // For information only: it is no matter if the answer of the bank was faster.
    _ = try loop.call(
      "component.reportRedirect",
      ["componentId": .string(componentID), "outcome": "presented"])
    return .page(
      PageView(
        heading: heading, explanation: "Open this address in a browser, or scan the code:",
        address: url, code: QRCode(url), waiting: WaitingView("Waiting for the bank"),
        keys: "Ctrl-C leave; the payment goes on"))
  }

  private func codeStage(_ info: Value) throws(PayEnding) -> Stage {
    let heading = heading
    guard let url = info["imageUrl"]?.string else {
      if loop.terminal == nil {
        try tell(info["image"]?.string.map(Self.dataURL) ?? "", of: "code")
      }
      return .notice(
        NoticeView(
          heading: heading,
          problem: "The shopper has to scan a code, which this terminal cannot show.",
          advice: "awaiting of checkout.get has it as an image.",
          waiting: WaitingView("Waiting for the payment")))
    }
    try tell(url, of: "code")
    return .page(
      PageView(
        heading: heading, explanation: "Open this address: it has the code to be scanned.",
        address: url, code: QRCode(url), waiting: WaitingView("Waiting for the payment"),
        keys: "Ctrl-C leave; the payment goes on"))
  }

  /// An image as an address that a browser opens.
  private static func dataURL(of image: String) -> String {
    let types = ["iVBOR": "png", "/9j/": "jpeg", "R0lGOD": "gif", "UklGR": "webp"]
    let type = types.first { image.hasPrefix($0.key) }?.value ?? "png"
    return "data:image/\(type);base64,\(image)"
  }

  private var confirmationStage: Stage {
    .notice(
      NoticeView(
        heading: heading, problem: "The shopper has to confirm the payment in an app.",
        advice: "Ctrl-C leaves; the payment goes on.",
        waiting: WaitingView("Waiting for the confirmation")))
  }

  private func tell(_ address: String, of page: String) throws(PayEnding) {
    // What a snapshot says anew is no other page.
    guard toldAddresses.insert(address).inserted else { return }
    do throws(PayFailure) {
      try output.tell(address, of: page, checkoutID ?? "")
    } catch { throw .failure(error) }
  }

  // MARK: Bank accounts

  private func accountStage(_ info: Value) throws(PayEnding) -> Stage? {
    if isCollecting, info == collectorInfo, loop.collector?.isRunning == true {
      return try collectorStage()
    }
    collectorInfo = info
    isCollecting = true
    loop.collector = Collector(for: componentID, info: info, socket: command.socket)
    return try collectorStage()
  }

  private func collectorStage() throws(PayEnding) -> Stage? {
    guard isCollecting, let collector = loop.collector else { return nil }
    switch collector.state {
    case .starting: return .upstream(WaitingView("Preparing to ask for the bank account"))
    case .done: return .upstream(WaitingView("The bank account is known"))
    case .waiting(let address):
      try tell(address, of: "bankAccount")
      return .account(
        PageView(
          heading: heading,
          explanation: "Open this address in a browser on this machine, to give the bank account:",
          address: address, code: nil, waiting: WaitingView("Waiting for the bank account"),
          keys: "Ctrl-C leave; the payment goes on"))
    case .missing(let program):
      return noAccountStage(
        "There is no program \(program), which asks for the bank account.",
        "Install it or name it in CHECKOUTD_COLLECTOR, and pay once more with the same client"
          + " token; or report the account from elsewhere, by component.reportBankAccount for"
          + " \(componentID).")
    case .failed(let reason):
      return noAccountStage(
        "The program that asks for the bank account ended: \(reason)", "Enter starts it again.")
    }
  }

  private func noAccountStage(_ problem: String, _ advice: String) -> Stage {
    if loop.terminal == nil { output.explain("\(problem) \(advice)") }
    return .noAccount(
      NoticeView(
        heading: heading, problem: problem, advice: advice,
        waiting: WaitingView("Waiting for the bank account")))
  }

  private func mandateStage(_ info: Value) throws(PayEnding) -> Stage {
    isCollecting = false
    let merchant = info["merchantName"]?.string ?? "The merchant"
    let text = info["text"]?.string ?? "\(merchant) may debit your bank account."
    if let accepts = command.given?.acceptsMandate { return try answerMandate(accepts) }
    if loop.terminal == nil {
      output.explain(
        "\(text) Somebody must accept that, by component.acceptMandate for \(componentID), or"
          + " decline it, by component.declineMandate.")
    }
    loop.forgetKeys()
    return .mandate(MandateView(heading: heading, text: text))
  }

  private func answerMandate(_ accepts: Bool) throws(PayEnding) -> Stage {
    let answer = try loop.call(
      accepts ? "component.acceptMandate" : "component.declineMandate",
      ["componentId": .string(componentID)])
    if case .failure(let error) = answer, error.errorId != "not-awaited" {
      throw .failure(.client(.remote(error)))
    }
    return .upstream(WaitingView(accepts ? "The debit is being made" : "Declining"))
  }

  private func stage(_ stage: Stage, after key: Key) throws(PayEnding) -> Stage {
    switch (stage, key) {
    case (.mandate(var view), .up), (.mandate(var view), .down):
      view.scroll(by: key == .up ? -1 : 1, loop.terminal?.size ?? ScreenSize(columns: 80, rows: 24))
      return .mandate(view)
    case (.mandate, .character("y")): return try answerMandate(true)
    case (.mandate, .character("n")): return try answerMandate(false)
    case (.noAccount, .enter): return try accountStage(collectorInfo) ?? stage
    default: return stage
    }
  }
}
