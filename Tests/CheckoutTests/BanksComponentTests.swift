import Checkout
import Testing
import ValueTree

/// One row of the banks component's state table.
///
/// S0 is new, S1 loading, S2 loaded, S3 submitted. `difference` says why a row departs from the
/// reference.
struct BanksRow: Sendable, CustomTestStringConvertible {
  enum State: String { case s0, s1, s2, s2Empty, s2Chosen, s3 }
  enum Act { case start, bank(String), filter(String), submit, cancel, banks, failure, notAllowed }

  let state: State
  let acts: [Act]
  let lines: [String]
  let difference: String?

  init(_ state: State, _ acts: [Act], _ lines: [String], difference: String? = nil) {
    self.state = state
    self.acts = acts
    self.lines = lines
    self.difference = difference
  }

  var testDescription: String { "\(state) \(acts)" }
}

@Suite struct BanksComponentTests {
  static let all = "0,1,2,3"

  static let rows = [
    BanksRow(
      .s0, [.start, .banks],
      [
        "step loading", "> banks cfg-ideal", "step banksRetrieved \(all)",
        "= step banksRetrieved \(all)",
      ]),
    BanksRow(
      .s0, [.start, .notAllowed],
      [
        "step loading", "> banks cfg-ideal", "error banks-fetch-failed", "! banks-fetch-failed",
      ], difference: "the reference says nothing, for ever"),
    BanksRow(
      .s0, [.start, .failure, .start],
      [
        "step loading", "> banks cfg-ideal", "error banks-fetch-failed", "! banks-fetch-failed",
        "step loading", "> banks cfg-ideal",
      ], difference: "a failed start is told, and may be tried again"),
    BanksRow(
      .s1, [.start, .banks],
      ["! already-started", "step banksRetrieved \(all)", "= step banksRetrieved \(all)"],
      difference: "the reference fetches twice, and the last answer wins"),
    BanksRow(.s2, [.start], ["! already-started"], difference: "the seed page: once only"),
    BanksRow(
      .s2Chosen, [.start, .submit],
      [
        "! already-started", "step webRedirect loading", "willCreatePayment ADYEN_IDEAL",
        "didStartTokenization ADYEN_IDEAL", "> tokenize", "= {}",
      ],
      difference: "the list is fetched once, so no later one can lack the chosen bank"),
    BanksRow(.s3, [.start], ["! already-started"], difference: "the seed page: once only"),
    BanksRow(
      .s0, [.bank("0")],
      ["validating bankId", "invalid bankId banks-not-loaded", "= invalid banks-not-loaded"]),
    BanksRow(
      .s1, [.bank("0")],
      ["validating bankId", "invalid bankId banks-not-loaded", "= invalid banks-not-loaded"]),
    BanksRow(.s2, [.bank("1")], ["validating bankId", "valid bankId", "= valid"]),
    BanksRow(
      .s2, [.bank("9")],
      ["validating bankId", "invalid bankId invalid-bank-id", "= invalid invalid-bank-id"]),
    BanksRow(
      .s2Chosen, [.bank("9"), .submit],
      [
        "validating bankId", "invalid bankId invalid-bank-id", "= invalid invalid-bank-id",
        "! invalid-collected-data bankId:invalid-bank-id",
      ], difference: "the reference would pay with the bank chosen before"),
    BanksRow(
      .s2Chosen, [.bank(""), .submit],
      [
        "validating bankId", "invalid bankId invalid-bank-id", "= invalid invalid-bank-id",
        "! invalid-collected-data bankId:invalid-bank-id",
      ], difference: "the reference would pay with the bank chosen before"),
    BanksRow(
      .s2Chosen, [.bank("3"), .submit],
      [
        "validating bankId", "invalid bankId bank-disabled", "= invalid bank-disabled",
        "! invalid-collected-data bankId:invalid-bank-id",
      ], difference: "the reference accepts a bank that is shown as disabled"),
    BanksRow(
      .s2Empty, [.bank("0")],
      ["validating bankId", "invalid bankId invalid-bank-id", "= invalid invalid-bank-id"],
      difference: "an empty list is loaded; the reference says banks-not-loaded"),
    BanksRow(
      .s0, [.filter("x")],
      [
        "validating bankFilterText", "invalid bankFilterText banks-not-loaded",
        "= invalid banks-not-loaded banks ",
      ], difference: "no step tells of an empty list that nobody retrieved"),
    BanksRow(
      .s1, [.filter("x")],
      [
        "validating bankFilterText", "invalid bankFilterText banks-not-loaded",
        "= invalid banks-not-loaded banks ",
      ], difference: "no step tells of an empty list that nobody retrieved"),
    BanksRow(
      .s2, [.filter("")],
      [
        "step banksRetrieved \(all)", "validating bankFilterText", "valid bankFilterText",
        "= valid banks \(all)",
      ]),
    BanksRow(
      .s2, [.filter("FILTER")],
      [
        "step banksRetrieved 2", "validating bankFilterText", "valid bankFilterText",
        "= valid banks 2",
      ]),
    BanksRow(
      .s2, [.filter("nothing like it")],
      [
        "step banksRetrieved ", "validating bankFilterText", "valid bankFilterText",
        "= valid banks ",
      ]),
    BanksRow(
      .s2, [.filter("filtered"), .bank("0")],
      [
        "step banksRetrieved 2", "validating bankFilterText", "valid bankFilterText",
        "= valid banks 2", "validating bankId", "valid bankId", "= valid",
      ]),
    BanksRow(.s0, [.submit], ["! not-started"], difference: "the reference does nothing"),
    BanksRow(.s1, [.submit], ["! not-started"], difference: "the reference does nothing"),
    BanksRow(
      .s2, [.submit], ["! invalid-collected-data bankId:invalid-bank-id"],
      difference: "the reference does nothing"),
    BanksRow(
      .s2Chosen, [.submit],
      [
        "step webRedirect loading", "willCreatePayment ADYEN_IDEAL",
        "didStartTokenization ADYEN_IDEAL", "> tokenize", "= {}",
      ], difference: "the reference tells nobody of the submission"),
    BanksRow(
      .s2Chosen, [.submit, .failure],
      [
        "step webRedirect loading", "willCreatePayment ADYEN_IDEAL",
        "didStartTokenization ADYEN_IDEAL", "> tokenize", "= {}", "step webRedirect failure",
        "didFail failed server-error", "# ended failed",
      ], difference: "the reference logs a failed tokenization and nothing more"),
    BanksRow(
      .s3, [.submit], ["! already-submitted"], difference: "the reference pays a second time"),
    BanksRow(
      .s3, [.bank("1")], ["! already-submitted"],
      difference: "a choice that cannot count any more is refused"),
    BanksRow(
      .s3, [.filter("x")], ["! already-submitted"],
      difference: "a component that has been submitted takes no more data"),
    BanksRow(
      .s3, [.cancel],
      [
        "x tokenize", "step webRedirect failure", "didFail cancelled payment-cancelled",
        "# ended cancelled", "= failed",
      ], difference: "the reference goes on"),
  ]

  @Test(arguments: rows)
  func `the banks component follows its state table`(row: BanksRow) {
    var bench = Self.bench(in: row.state)
    let lines = row.acts.flatMap { Self.perform($0, on: &bench) }
    #expect(lines == row.lines, "\(row.difference ?? "as the reference")")
  }

  private static func bench(in state: BanksRow.State) -> Bench {
    var bench = Bench(at: .ready)
    bench.provideBanks()
    if state == .s0 { return bench }
    bench.call(.start)
    if state == .s1 { return bench }
    bench.answer("banks", .banks(state == .s2Empty ? [] : Sample.banks))
    if state == .s2Chosen || state == .s3 { bench.choose("0") }
    if state == .s3 { bench.call(.submit) }
    return bench
  }

  private static func perform(_ act: BanksRow.Act, on bench: inout Bench) -> [String] {
    let waiting = bench.inFlight.first?.request.name ?? "banks"
    return switch act {
    case .start: bench.call(.start)
    case .bank(let id): bench.choose(id)
    case .filter(let text): bench.update("bankFilterText", text)
    case .submit: bench.call(.submit)
    case .cancel: bench.call(.cancel(reason: nil))
    case .banks: bench.answer("banks", .banks(Sample.banks))
    case .failure: bench.fail(waiting, Sample.refusal())
    case .notAllowed: bench.fail(waiting, Sample.failure(.notAllowed))
    }
  }

  @Test func `a payment method without an id cannot be started`() {
    var configuration = Sample.configuration
    configuration.paymentMethods[0].id = nil
    var bench = Bench()
    bench.start(configuration)
    bench.provideBanks()
    #expect(bench.call(.start) == ["error invalid-value", "! invalid-value"])
    #expect(bench.lastRefusal?.diagnosticsID != nil)
  }

  @Test(
    arguments: [
      .null, [:], "bankId", ["bankId": 1], ["bankId": .null], ["other": "x"], ["firstName": "Ada"],
      ["bankId": "0", "bankFilterText": "x"],
    ] as [Value])
  func `data that is no single field of the component is refused`(data: Value) {
    var bench = Bench(at: .chosen)
    #expect(bench.call(.update(data)) == ["! invalid-value /data"])
  }

  @Test func `the instrument names the chosen bank`() {
    var bench = Bench(.submittable, settings: Settings(locale: "nl-NL"))
    bench.choose("1")
    bench.call(.submit)
    guard case .tokenize(let instrument)? = bench.sent.last?.request else {
      Issue.record("not tokenized")
      return
    }
    #expect(
      instrument == [
        "paymentMethodConfigId": "cfg-ideal", "paymentMethodType": "ADYEN_IDEAL",
        "sessionInfo": ["issuer": "1", "locale": "nl_NL", "platform": "WEB"],
        "type": "OFF_SESSION_PAYMENT",
      ])
    #expect(bench.sent.last?.url == "https://pci.example.com")
  }
}
