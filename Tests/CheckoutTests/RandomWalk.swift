import Checkout
import Testing
import ValueTree

/// Sequences of inputs drawn from a seeded generator, sensible and senseless alike.
enum RandomWalk {
  /// SplitMix64.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }

    mutating func one<T>(of elements: [T]) -> T {
      elements[Int(next() % UInt64(elements.count))]
    }

    mutating func chance(_ percent: UInt64) -> Bool { next() % 100 < percent }
  }

  /// A new checkout, or one that is well on its way.
  static func beginning(_ random: inout Generator) -> Bench {
    let asksQuestions = random.chance(50)
    if random.chance(50) {
      var bench = Bench(at: random.one(of: Stop.allCases))
      bench.asksQuestions = asksQuestions
      return bench
    }
    var bench = Bench(
      random.one(of: [Sample.settings, Sample.manualSettings, Sample.decidingSettings]))
    bench.asksQuestions = asksQuestions
    bench.start(random.chance(50) ? Sample.configuration : Sample.surcharged)
    return bench
  }

  /// One random input: mostly what is waited for, sometimes anything.
  static func step(_ bench: inout Bench, _ random: inout Generator) {
    bench.now += Int64(random.next() % 3000)
    switch random.next() % 100 {
    case 0..<35:
      guard !bench.inFlight.isEmpty else { return command(&bench, &random) }
      let request = random.one(of: bench.inFlight).request
      if random.chance(70) {
        bench.answer(request.name, answer(to: request, &random))
      } else {
        bench.fail(request.name, failure(&random))
      }
    case 35..<50:
      let due = bench.timers.keys.sorted { "\($0)" < "\($1)" }
      guard !due.isEmpty else { return command(&bench, &random) }
      let timer = random.one(of: due)
      // A timer that would end everything runs out seldom.
      let isDeadline = timer == .expiry || timer == .decision
      if !isDeadline || random.chance(1) { bench.fire(timer) }
    case 50..<52: bench.handle(.timerFired(random.one(of: [.poll, .repeat(1), .repeat(99)])))
    case 52: bench.handle(.operationFinished(77, .success(.acknowledged)))
    case 53: bench.handle(.sessionIsTaken(by: nil))
    default: command(&bench, &random)
    }
  }

  private static func command(_ bench: inout Bench, _ random: inout Generator) {
    let component = random.one(of: [0, 0, 0, 1, 1, 2, -1])
    switch random.next() % 40 {
    case 0..<4: bench.provideBanks()
    case 4..<8: bench.provideACH()
    case 8..<14: bench.call(.start, of: component)
    case 14..<18: bench.choose(random.one(of: ["0", "1", "3", "9"]), component: component)
    case 18: bench.update("bankFilterText", random.one(of: ["", "b", "x"]), component: component)
    case 19..<22:
      bench.update(
        random.one(of: ["firstName", "lastName", "emailAddress"]),
        random.one(of: ["Ada", "a@example.com", "3", ""]), component: component)
    case 22..<28: bench.call(.submit, of: component)
    case 28: if random.chance(15) { bench.call(.cancel(reason: nil)) }
    case 29: bench.call(.reportRedirect(dismissed: random.chance(50)), of: component)
    case 30..<32:
      bench.call(
        .reportBankAccount(random.chance(80) ? .succeeded : .cancelled),
        of: component)
    case 32..<34: bench.call(.decideMandate(isAccepted: random.chance(80)), of: component)
    case 34: bench.awaitStart()
    case 35: bench.call(.share(Share(subject: .user(1), role: .drive)))
    default:
      bench.call(
        .decide(id: random.one(of: ["d1", "d1", "d2", "d3", "x"]), decision(&random)))
    }
  }

  private static func decision(_ random: inout Generator) -> Decision {
    random.one(of: [
      .continue(idempotencyKey: nil), .continue(idempotencyKey: "key-a"), .abort(message: nil),
      .continueWithNewClientToken(Sample.redirectToken),
      .continueWithNewClientToken(Sample.achToken), .complete(nil),
    ])
  }

  private static func answer(
    to request: Operation.Request, _ random: inout Generator
  ) -> Answer {
    switch request {
    case .fetchConfiguration, .performActions:
      return .configuration(random.one(of: [Sample.configuration, Sample.surcharged]))
    case .fetchBanks: return .banks(random.one(of: [Sample.banks, Sample.banks, []]))
    case .tokenize:
      return .instrument(random.chance(95) ? Sample.instrument : PaymentInstrument(token: nil))
    case .createPayment, .resume:
      let action = random.one(of: [Sample.redirectToken, Sample.achToken, nil])
      return Sample.payment(
        random.one(of: [.pending, .pending, .success, .failed]),
        id: random.chance(95) ? "pay-1" : nil,
        random.chance(80) ? .determineFromPaymentStatus : random.one(of: [.complete, .failure]),
        shows: random.chance(30), action: action)
    case .poll:
      return .redirectStatus(
        random.chance(60)
          ? .pending : random.one(of: [.complete(resumeToken: "res-1"), .unknown("LATER")]))
    case .complete, .validateClientToken: return .acknowledged
    }
  }

  private static func failure(_ random: inout Generator) -> OperationFailure {
    random.one(of: [
      Sample.failure(.notSent), Sample.failure(.timedOut), Sample.failure(.interrupted),
      Sample.failure(.undecodable), Sample.failure(.notAllowed), Sample.refusal(),
      Sample.status(503), Sample.status(429, retryAfter: .max), Sample.status(404),
      Sample.keyUsed(random.one(of: ["SUCCESS", "FAILED", "PENDING", nil])),
    ])
  }

  /// Lets every operation fail and every timer run out until nothing is left.
  static func drain(_ bench: inout Bench) {
    for _ in 0..<5000 where !bench.checkout.isEnded {
      if let operation = bench.inFlight.first {
        bench.fail(operation.request.name, Sample.failure(.timedOut))
      } else if let timer = bench.timers.min(by: { $0.value < $1.value })?.key {
        bench.fire(timer)
      } else {
        bench.call(.cancel(reason: nil))
      }
    }
  }

  static func problems(with bench: Bench, isOver: Bool = false) -> [String] {
    var problems: [String] = []
    func require(_ holds: Bool, _ claim: String) { if !holds { problems.append(claim) } }
    let ends = bench.events.indices.filter { bench.events[$0].isTerminal }
    let isRemoved = bench.lines.contains("# removed")
    let isEnded = bench.checkout.isEnded
    require(ends.count == (isEnded && !isRemoved ? 1 : 0), "one terminal event")
    require(ends.allSatisfy { $0 == bench.events.count - 1 }, "no event after the end")
    let isTold = bench.events.last.map { $0["outcome"] == "failed" || $0["outcome"] == "cancelled" }
    let isMade = bench.events.last?["payment"]?["status"] == "SUCCESS"
    require(isTold != true || !isMade, "no made payment is told as failed or cancelled")
    require(isTold != true || !bench.isCreationOpen, "nor is one that may exist")
    require(
      bench.lines.filter { $0.hasPrefix("# ") }.count == (isEnded ? 1 : 0), "one end")
    require(bench.checkout.seq == Int64(bench.events.count), "no gap in the numbers")
    if let end = bench.lines.firstIndex(where: { $0.hasPrefix("# ") }) {
      require(!bench.lines[end...].contains { $0.hasPrefix("> ") }, "nothing sent after the end")
      require(bench.inFlight.isEmpty, "nothing under way after the end")
      require(bench.timers.isEmpty, "no timer after the end")
    }
    var keys: Set<String> = []
    for operation in bench.sent {
      if case .createPayment(_, let key) = operation.request { keys.insert(key) }
      if case .performActions(let actions) = operation.request {
        require(
          !actions.contains(.setFirstName("")) && !actions.contains(.setLastName(""))
            && !actions.contains(.setEmailAddress("")), "no empty value is set")
      }
    }
    require(keys.count <= 1 + bench.usedKeyCount, "one payment")
    require(
      bench.inFlight.filter { $0.request.name == "actions" }.count <= 1, "one change at a time")
    require(bench.inFlight.filter { $0.request.name == "poll" }.count <= 1, "one poll at a time")
    require(
      bench.refusals.values.allSatisfy { $0.id.code != nil }, "every refusal has a code")
    if isOver {
      require(isEnded, "it ends")
      let answered = bench.replies.count + bench.refusals.count
      require(answered + bench.lostCalls == bench.lastCall, "every call is answered")
    }
    return problems
  }
}
