import CheckoutClient
import JSON
import ValueTree

extension Command {
  static let start = Command(
    "start",
    options: [
      .tokenFile, .startKey, .handling, .locale, .urlScheme, .publishableKey, .merchantName,
      .mandateText, .settings, .decide, .decisionTimeout, .allowRepeat, .wait, .retry, .json,
    ],
    summary: "start a checkout, and print its id",
    details: """
      The client token is read from standard input, unless --token-file says otherwise. The id, or
      with --json the snapshot, is printed as soon as the configuration is loaded; with --wait the
      command ends only when what is waited for has come.

      With --start-key it may be run again: it finds the checkout that it started before.

      Example:
        checkoutctl start --start-key till-1 --locale nl-NL <token
      """
  ) { invocation throws(Failure) in
    let (given, console) = (invocation.given, invocation.console)
    let awaited = try Awaited(given)
    let link = try Link(invocation)
    let snapshot = try link.start(try StartCommand(given, console), console)
    guard let id = snapshot["checkoutId"]?.string else {
      throw .client(.protocolViolation("a snapshot without an id"))
    }
    try console.print(snapshot) { _ in id }
    if let awaited { _ = try link.wait(for: awaited, on: Reference(id), console) }
  }
}

/// What a checkout is started with.
struct StartCommand {
  let params: Value
  /// Whether starting twice is starting once.
  let isRepeatable: Bool

  /// Reads options, and what they name.
  init(_ given: GivenOptions, _ console: Console) throws(Failure) {
    let tokenFile = given[.tokenFile] ?? "-"
    guard tokenFile != "-" || given[.settings] != "-" else {
      throw .usage("standard input has either the settings or the client token")
    }
    let settings = try Self.settings(given)
    let timeout = try given.number(
      .decisionTimeout, in: 1000...1_800_000, unit: "milliseconds")
    if tokenFile == "-" { console.tellProgress("reading the client token from standard input") }
    let token = try CallCommand.token(in: tokenFile)
    var members: [Value.Member] = [.init("clientToken", .string(token))]
    if !settings.isEmpty { members.append(.init("settings", .object(settings))) }
    if given.has(.decide) { members.append(.init("decisions", ["willCreatePayment"])) }
    if let timeout { members.append(.init("decisionTimeoutMs", .integer(timeout))) }
    if let key = given[.startKey] { members.append(.init("startKey", .string(key))) }
    if given.has(.allowRepeat) { members.append(.init("allowRepeat", true)) }
    params = .object(members)
    isRepeatable = given.has(.startKey)
  }

  private static func settings(_ given: GivenOptions) throws(Failure) -> [Value.Member] {
    var settings = try given[.settings].map { path throws(Failure) in try object(in: path) } ?? []
    func put(_ name: String, _ option: Option, in members: inout [Value.Member]) {
      guard let text = given[option] else { return }
      members.removeAll { $0.name == name }
      members.append(.init(name, .string(text)))
    }
    put("paymentHandling", .handling, in: &settings)
    put("locale", .locale, in: &settings)
    put("urlScheme", .urlScheme, in: &settings)
    var stripe = settings.first { $0.name == "stripe" }?.value.object ?? []
    put("publishableKey", .publishableKey, in: &stripe)
    put("merchantName", .merchantName, in: &stripe)
    put("mandateText", .mandateText, in: &stripe)
    guard !stripe.isEmpty else { return settings }
    return settings.filter { $0.name != "stripe" } + [.init("stripe", .object(stripe))]
  }

  private static func object(in path: String) throws(Failure) -> [Value.Member] {
    let text = try ProcessStreams.read(path)
    guard let members = (try? JSONReader().value(of: text))?.object else {
      throw .usage("--settings: expected a JSON object")
    }
    return members
  }
}

extension Link {
  /// Starts a checkout.
  ///
  /// - Returns: Its snapshot.
  func start(_ command: StartCommand, _ console: Console) throws(Failure) -> Value {
    console.tellProgress("starting")
    return command.isRepeatable
      ? try ask("checkout.start", command.params) : try call("checkout.start", command.params)
  }
}
