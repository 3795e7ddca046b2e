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
    for row in Row.all where names.isEmpty || names.contains(row.name) {
      jobs += Job.all(of: row, isFull: isFull)
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

  static func all(of row: Row, isFull: Bool) -> [Job] {
    [
      Job(
        row: row, name: "whole",
        bounds: Bounds(inputs: 24, faults: 2, deaths: 1, restores: 0, copies: 0, starts: 1),
        limit: isFull ? 1_500_000 : 150_000)
    ]
  }

  /// Explores, and prints what was found.
  ///
  /// - Returns: Whether everything held.
  func run() -> Bool {
    let explorer = Explorer(row, bounds)
    let start = Self.seconds()
    explorer.run(atMost: limit)
    let span = Self.seconds() - start
    print(
      """
      \(row.name) \(name): \(explorer.stateCount) states, \(explorer.transitions) transitions, \
      depth \(explorer.depth)\(explorer.isExhausted ? " (all)" : ""), \
      \(explorer.model.cells.pool.count) checkouts, \(span) s, \
      \(Int(Double(explorer.stateCount) / max(span, 0.001))) states/s, \(Self.memory()) MB
      """)
    guard let (claim, path) = explorer.violation else {
      print("passed: the model, \(row.name) \(name)")
      return true
    }
    print("FAILED: the model, \(row.name) \(name): \(claim), after \(path.count) inputs")
    print(Transcript(path, explorer.model, bounds).text)
    return false
  }

  private static func seconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The most memory that the process has had.
  private static func memory() -> Int {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1024
  }
}
