import CheckoutClient
import Glibc
import JSONRPC
import LinuxSystem
import Terminal
import ValueTree

/// One checkout, paid from its client token to its outcome.
///
/// Every step is a function that waits in ``PayLoop``; what ends it all, wherever it is, is thrown as
/// a ``PayEnding``.
package final class Payment {
  let command: PayRequest
  let loop: PayLoop
  let output: PayOutput

  /// How the checkout is named in calls: by the key that it is started with, until its id is known.
  private(set) var reference: Value
  private(set) var checkoutID: String?
  private(set) var clientSession: Value?
  private(set) var methods: [Value] = []
  var componentID = ""
  private var components: [Value] = []
  /// What the collector was told, to tell it once more.
  var collectorInfo: Value = .object([])
  /// Whether the bank account is still to be learnt.
  var isCollecting = false
  /// Whether the payment is on its way: then it goes on without us.
  var isSubmitted = false
  /// Whether the checkout is one that was there before.
  private var isAdopted = false
  /// The pages that were told of.
  var toldAddresses: Set<String> = []
  /// The bank's page, once it is known.
  var redirectURL: String?

  /// Connects, and opens the terminal if somebody has to be asked.
  private init(_ command: PayRequest, _ console: any PayConsole) throws(PayEnding) {
    self.command = command
    reference = ["startKey": command.startKey]
    loop = try PayLoop(command)
    output = PayOutput(console: console, isInteractive: loop.terminal != nil)
  }

  /// Pays a checkout, and says what came of it.
  ///
  /// - Parameters:
  ///   - request: What is to be paid, and how.
  ///   - console: Where to say so.
  /// - Returns: How it has ended.
  /// - Throws: What went wrong, to be reported.
  package static func pay(
    _ request: PayRequest, _ console: any PayConsole
  ) throws(PayFailure) -> PayResult {
    let payment: Payment
    do throws(PayEnding) {
      payment = try Payment(request, console)
    } catch {
      guard case .failure(let failure) = error else { return .timedOut }
      throw failure
    }
    return try payment.run()
  }

  /// Pays, says what came of it, and restores the terminal before that.
  ///
  /// - Returns: How it has ended.
  /// - Throws: What went wrong, to be reported.
  private func run() throws(PayFailure) -> PayResult {
    let ending: PayEnding
    do throws(PayEnding) {
      try pay()
    } catch { ending = error }
    let wasCancelled = cancelIfMeant(ending)
    loop.terminal?.leave()
    defer { endCollector() }
    switch ending {
    case .verdict(let verdict):
      try output.tell(verdict, checkoutID ?? "")
      return .ended(outcome: verdict.outcome)
    case .failure(let failure):
      if !wasCancelled { explainWhatGoesOn() }
      throw failure
    case .timedOut:
      explainWhatGoesOn()
      return .timedOut
    case .signal(let number):
      if wasCancelled {
        output.explain("the checkout was cancelled; nothing was paid")
      } else {
        explainWhatGoesOn()
      }
      return .signal(number)
    }
  }

  /// Cancels a checkout that nobody will go on with: when the shopper has pressed Ctrl-C, or when
  /// something failed that nobody can be asked about, before the payment was on its way.
  ///
  /// - Returns: Whether it is cancelled.
  private func cancelIfMeant(_ ending: PayEnding) -> Bool {
    guard !isSubmitted else { return false }
    switch ending {
    case .signal(SIGINT): break
    case .failure(.client(.remote)), .failure(.refused), .failure(.usage):
      guard !isAdopted, loop.terminal == nil else { return false }
    default: return false
    }
    loop.deadline = .after(milliseconds: Self.cancelMilliseconds)
    guard
      case .success? = try? loop.call(
        "checkout.cancel", ["checkoutId": reference], settledBy: ["checkout-ended"])
    else { return false }
    return true
  }

  private static let cancelMilliseconds: Int64 = 5000

  /// Ends the collector: at once if it has found out nothing, else once it has shown that it has.
  private func endCollector() {
    guard let collector = loop.collector else { return }
    loop.deadline = .after(milliseconds: isCollecting ? 0 : Self.farewellMilliseconds)
    while collector.isRunning, (try? loop.next()) != nil {}
    collector.terminate()
  }

  private static let farewellMilliseconds: Int64 = 1000

  /// Says how to go on with a checkout that is not at its end.
  private func explainWhatGoesOn() {
    guard let checkoutID else { return }
    guard isSubmitted else {
      return output.explain(
        "the checkout is still open; pay once more with the same client token goes on with it")
    }
    output.explain("the payment goes on: checkoutctl follow \(checkoutID) tells what comes of it")
    if let redirectURL { output.explain("the bank's page is \(redirectURL)") }
  }

  // MARK: Steps

  /// Pays; always ends by throwing.
  private func pay() throws(PayEnding) -> Never {
    let view = WaitingView("Opening the checkout")
    loop.show(isTicking: true, view.screen)
    var snapshot = try open()
    var problem: Value?
    while true {
      if let verdict = Verdict(snapshot, clientSession) { throw .verdict(verdict) }
      switch snapshot["state"]?.string {
      case "starting": try heed(try loop.next())
      case "ready":
        try collect(because: problem)
        problem = try followThrough(awaiting: [])
      default:
        isSubmitted = true
        problem = try followThrough(awaiting: snapshot["awaiting"]?.array ?? [])
      }
      snapshot = try get()
    }
  }

  /// Starts the checkout, or finds the one that the client session is being paid in.
  private func open() throws(PayEnding) -> Value {
    let answer = try loop.call("checkout.start", command.startParams)
    if case .failure(let error) = answer {
      guard error.errorId == "session-in-use", let id = error.data?["checkoutId"]?.string else {
        throw .failure(.client(.remote(error)))
      }
      reference = .string(id)
      isAdopted = true
    }
    let snapshot = try get()
    loop.follow(checkoutID ?? "", after: snapshot["seq"]?.integer ?? 0)
    return snapshot
  }

  private func get() throws(PayEnding) -> Value {
    let snapshot = try result("checkout.get", ["checkoutId": reference])
    checkoutID = snapshot["checkoutId"]?.string
    clientSession = snapshot["clientSession"]
    methods = snapshot["availablePaymentMethods"]?.array ?? []
    components = snapshot["components"]?.array ?? []
    return snapshot
  }

  /// The component that has been submitted; empty if none has.
  var submittedComponentID: String {
    components.first { $0.isSubmitted }?["componentId"]?.string ?? ""
  }

  /// Makes a call whose error ends everything.
  @discardableResult
  func result(
    _ method: String, _ params: Value, settledBy: [String] = []
  ) throws(PayEnding) -> Value {
    switch try loop.call(method, params, settledBy: settledBy) {
    case .success(let value): return value
    case .failure(let error): throw .failure(.client(.remote(error)))
    }
  }

  /// Ends everything if the checkout has ended.
  func heed(_ occurrence: PayLoop.Occurrence) throws(PayEnding) {
    switch occurrence {
    case .event(let event) where event.isTerminal:
      if let verdict = Verdict(event.params, clientSession) { throw .verdict(verdict) }
    case .missed:
      if let verdict = Verdict(try get(), clientSession) { throw .verdict(verdict) }
    default: break
    }
  }
}
