import Checkout

/// A path as a test of the core can have it.
struct Transcript {
  private let model: Model
  private var lines: [String] = []
  private var names: [Int: String] = [:]

  /// Writes a path down.
  init(_ path: [Move], _ model: Model, _ bounds: Bounds) {
    self.model = model
    var world = model.first(bounds)
    // What a power cut or a copy goes back to is kept where it is written.
    let usesFlushed = path.contains { $0.kind == .powerCut }
    for move in path {
      let name = name(of: Int(move.slot))
      lines.append(contentsOf: text(of: move, name, world))
      guard let reached = model.make(move, in: world) else { break }
      if usesFlushed, reached.copies[0] != world.copies[0] {
        lines.append("let flushed\(lines.count) = bench.checkout")
      }
      world = reached
    }
  }

  /// The lines.
  var text: String { lines.map { "    " + $0 + "\n" }.joined() }

  private func name(of slot: Int) -> String {
    ["bench", "second", "copy", "secondCopy"][min(slot, 3)]
  }

  private func lastFlushed() -> String {
    lines.last { $0.hasPrefix("let flushed") }?.split(separator: " ")[1].description ?? "nothing"
  }

  private func text(of move: Move, _ name: String, _ world: World) -> [String] {
    let slot = Int(move.slot)
    func cell() -> Cell { model.cells[world.cells[slot]] }
    func restarts(_ from: (String) -> String) -> [String] {
      (0..<2).filter { model.facts(world, $0).isLive || model.facts(world, $0).isEnded }.map {
        "\(self.name(of: $0)).restart(\(from(self.name(of: $0))))"
      }
    }
    let outage = move.choice == 1 ? Model.outage : 0
    switch move.kind {
    case .begin:
      let note = move.choice & 1 == 1 ? "  // with allowRepeat" : ""
      return ["var \(name) = Bench(\(model.row.settingsText))\(note)"]
    case .arrive:
      return ["// upstream carries out the \(flight(move, cell())) of \(name): \(move.effect)"]
    case .answer:
      let flight = cell().flights[Int(move.choice & 7)]
      guard let (result, text) = model.cells.result(of: flight, move) else { return [] }
      var call = "answer"
      if case .failure = result { call = "fail" }
      let done = move.effect == .none ? "" : "  // upstream: \(move.effect)"
      return ["\(name).\(call)(\"\(flight.operation.request.name)\", \(text))\(done)"]
    case .fire:
      let timer = cell().timers[Int(move.choice)].id
      if case .repeat = timer { return ["\(name).fireRepeat()"] }
      return ["\(name).fire(.\(timer.name))"]
    case .kill: return restarts { _ in "after: \(outage)" }.map { "try " + $0 }
    case .powerCut:
      return restarts { _ in "as: \(lastFlushed()).restored(), after: \(outage)" }
        .map { "try " + $0 }
    case .backUp: return ["let copied = bench.checkout"]
    case .restore:
      return [
        "try bench.restart(as: copied.restored())  // "
          + (move.choice == 0 ? "known to be restored" : "copied by hand")
      ]
    case .copy:
      return ["// another machine", "var copy = bench", "try copy.restart(as: copied.restored())"]
    case .approve, .decline:
      let verb = move.kind == .approve ? "approves" : "declines"
      return ["// the shopper \(verb) \(Cells.paymentID(slot))"]
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

  private func flight(_ move: Move, _ cell: Cell) -> String {
    cell.flights[Int(move.choice & 7)].operation.request.name
  }
}
