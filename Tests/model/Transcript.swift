import Checkout

/// A path as a test of the core can have it.
struct Transcript {
  private let model: Model
  private var lines: [String] = []
  /// What the next process finds of each checkout, and of each copy.
  private var saved = ["bench", "second", "nothing", "nothing"]

  /// Writes a path down.
  init(_ path: [Move], _ model: Model, _ bounds: Bounds) {
    self.model = model
    var world = model.first(bounds)
    for (place, move) in path.enumerated() {
      lines += text(of: move, Self.name(of: Int(move.slot)), world)
      guard let reached = model.make(move, in: world) else { break }
      // What a power cut goes back to is kept where it is flushed.
      if path[(place + 1)...].contains(where: { $0.kind == .powerCut }) {
        for slot in 0..<2 where reached.copies[slot] != world.copies[slot] {
          save(slot, as: slot, "flushed", place)
        }
      }
      if move.kind == .backUp {
        for slot in 0..<2 where reached.copies[2 + slot] != 0 {
          save(slot, as: 2 + slot, "copied", place)
        }
      }
      world = reached
    }
  }

  private mutating func save(_ slot: Int, as place: Int, _ word: String, _ number: Int) {
    saved[place] = "\(word)\(number)"
    lines.append("let \(saved[place]) = \(Self.name(of: slot)).checkout")
  }

  /// The lines.
  var text: String { lines.map { "    " + $0 + "\n" }.joined() }

  private static func name(of slot: Int) -> String {
    ["bench", "second", "copy", "secondCopy"][min(slot, 3)]
  }

  private func text(of move: Move, _ name: String, _ world: World) -> [String] {
    let slot = Int(move.slot)
    func cell() -> Cell { model.cells[world.cells[slot]] }
    func restarts(_ arguments: (Int) -> String) -> [String] {
      (0..<2).filter { world.cells[$0] != 0 }.map {
        "try \(Self.name(of: $0)).restart(\(arguments($0)))"
      }
    }
    let outage = move.choice == 1 ? Model.outage : 0
    switch move.kind {
    case .begin:
      let note = move.choice & 1 == 1 ? "  // with allowRepeat" : ""
      let line = "var \(name) = Bench(\(model.row.settingsText))\(note)"
      guard model.isAboutMoney else { return [line] }
      return [line] + filling(of: slot, name, world)
    case .arrive:
      return ["// upstream carries out the \(flight(move, cell())) of \(name): \(move.effect)"]
    case .answer:
      let flight = cell().flights[Int(move.choice & 7)]
      guard let (result, text) = model.cells.result(of: flight, move) else { return [] }
      // A question is a creation to upstream.
      var call = "answer"
      var record = ""
      if case .failure = result {
        call = "fail"
        if model.isSettledHere(flight.key, slot, world) { record = ", isSettledHere: true" }
      }
      let done = move.effect == .none ? "" : "  // upstream: \(move.effect)"
      return ["\(name).\(call)(\"\(flight.operation.request.name)\", \(text)\(record))\(done)"]
    case .fire:
      let timer = cell().timers[Int(move.choice)].id
      if case .repeat = timer { return ["\(name).fireRepeat()"] }
      return ["\(name).fire(.\(timer.name))"]
    case .kill: return restarts { _ in "after: \(outage)" }
    case .powerCut: return restarts { "as: \(saved[$0]).restored(), after: \(outage)" }
    case .backUp: return []
    case .restore:
      let gone = (0..<2).filter { world.cells[$0] != 0 && world.copies[2 + $0] == 0 }
      return (0..<2).filter { world.copies[2 + $0] != 0 }.map {
        "try \(Self.name(of: $0)).restart(as: \(saved[2 + $0]).restored()"
          + (move.choice == 0 ? ", isRestored: true)" : ")")
      } + gone.map { "// the copy knows nothing of \(Self.name(of: $0))" }
    case .copy:
      return (0..<2).filter { world.copies[2 + $0] != 0 }.flatMap {
        let name = Self.name(of: 2 + $0)
        return [
          "var \(name) = \(Self.name(of: $0))  // on another machine",
          "try \(name).restart(as: \(saved[2 + $0]).restored())",
        ]
      }
    case .approve, .decline:
      let verb = move.kind == .approve ? "approves" : "declines"
      return ["// the shopper \(verb) \(Cells.paymentID(slot))"]
    case .want: return ["\(name).handle(.sessionIsWanted)"]
    case .payElsewhere:
      return ["// another program has paid with that key: \(Cells.paymentID(slot))"]
    case .settle: return ["// upstream: \(Cells.paymentID(slot)) becomes \(move.effect)"]
    case .arriveLate:
      let request = world.late[Int(move.choice)]
      return ["// upstream carries out the late \(request.kind) \(request.key): \(move.effect)"]
    default:
      guard let (command, text) = model.cells.command(move, cell()) else { return [] }
      if case .component = command { return ["\(name).call(\(text))"] }
      return ["\(name).call(\(text))"]
    }
  }

  /// What ``Model/filling(_:)`` does, as a test writes it.
  private func filling(of slot: Int, _ name: String, _ world: World) -> [String] {
    let row = model.row
    let provide = model.cells.command(Move(.provide), nil).map(\.1) ?? ""
    var lines = [
      "\(name).answer(\"configuration\", .configuration(\(row.configurationText)))",
      "\(name).call(\(provide))", "\(name).call(.start)",
    ]
    switch row.start {
    case .banks: lines.append("\(name).answer(\"banks\", .banks(Sample.banks))")
    case .actions:
      lines.append("\(name).answer(\"actions\", .configuration(\(row.configurationText)))")
    case nil: break
    }
    if let entry = row.entries.first {
      lines.append("\(name).call(.update([\"\(entry.field)\": \"\(entry.value)\"]))")
    }
    return lines
  }

  private func flight(_ move: Move, _ cell: Cell) -> String {
    cell.flights[Int(move.choice & 7)].operation.request.name
  }
}
