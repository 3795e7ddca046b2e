import Checkout
import Glibc

/// Explores the core, row by row; the arguments are those of `Tests/model/run`.
@main struct Main {
  static func main() async {
    var isFull = false
    var names: [String] = []
    for argument in CommandLine.arguments.dropFirst() {
      if argument == "--full" { isFull = true } else { names.append(argument) }
    }
    var jobs: [Job] = []
    for job in Row.all.flatMap({ Job.all(of: $0, isFull: isFull) })
    where names.isEmpty || names.contains(job.row.name) || names.contains(job.title) {
      jobs.append(job)
    }
    let failed = await withTaskGroup(of: Bool.self) { group in
      var waiting = jobs[...]
      var failed = 0
      for _ in 0..<2 {
        if let job = waiting.popFirst() { group.addTask { job.run() } }
      }
      while let holds = await group.next() {
        if !holds { failed += 1 }
        if let job = waiting.popFirst() { group.addTask { job.run() } }
      }
      return failed
    }
    exit(failed == 0 ? 0 : 1)
  }
}

/// One exploration.
struct Job: Sendable {
  let row: Row
  let name: String
  let bounds: Bounds
  let limit: Int

  /// The explorations of a row.
  ///
  /// The whole takes each shopper's input by itself. The others are about the money alone: what is
  /// collected is there from the beginning, so that they come further.
  static func all(of row: Row, isFull: Bool) -> [Job] {
    func job(_ name: String, _ bounds: Bounds, usual: Int, full: Int) -> Job {
      Job(row: row, name: name, bounds: bounds, limit: isFull ? full : usual)
    }
    return [
      job("whole", Bounds(inputs: 30, faults: 1, deaths: 1), usual: 30_000, full: 300_000),
      job("money", Bounds(inputs: 40, faults: 2, deaths: 2), usual: 60_000, full: 1_000_000),
      job("restored", Bounds(inputs: 40, deaths: 0, restores: 1), usual: 80_000, full: 300_000),
      job("doubled", Bounds(inputs: 40, deaths: 0, copies: 1), usual: 30_000, full: 300_000),
    ]
  }

  /// As in `ideal/money`.
  var title: String { row.name + "/" + name }

  /// Explores, and prints what was found.
  ///
  /// - Returns: Whether everything held.
  func run() -> Bool {
    let explorer = Explorer(row, bounds, isAboutMoney: name != "whole")
    let start = ContinuousClock.now
    explorer.run(atMost: limit)
    let span = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
    let depth = "\(explorer.depth) inputs\(explorer.isExhausted ? " and no more" : "")"
    print(
      """
      \(title): \(explorer.stateCount) states, \(explorer.transitions) transitions, \
      every run of \(depth), \(explorer.model.cells.count) checkouts, \(Int(span)) s, \
      \(Int(Double(explorer.stateCount) / max(span, 0.001))) states/s, \(Self.memory) MB
      """)
    guard let (claim, path) = explorer.violation else {
      print("passed: the model, \(title)")
      fflush(nil)
      return true
    }
    print("FAILED: the model, \(title): \(claim), after \(path.count) inputs")
    print(Transcript(path, explorer.model, bounds).text)
    fflush(nil)
    return false
  }

  /// The most memory that the process has had so far.
  private static var memory: Int {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1024
  }
}
