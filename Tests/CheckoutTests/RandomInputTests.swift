import Checkout
import Testing

@Suite struct RandomInputTests {
  @Test(arguments: UInt64(0)..<40)
  func `whatever comes, a checkout ends once and pays once`(seed: UInt64) {
    var random = RandomWalk.Generator(state: seed)
    for _ in 0..<60 {
      var bench = RandomWalk.beginning(&random)
      for _ in 0..<80 { RandomWalk.step(&bench, &random) }
      let problems = RandomWalk.problems(with: bench)
      #expect(problems.isEmpty, "seed \(seed): \(problems)\n\(bench.lines.joined(separator: "\n"))")
      if !problems.isEmpty { return }
      RandomWalk.drain(&bench)
      let left = RandomWalk.problems(with: bench, isOver: true)
      #expect(left.isEmpty, "seed \(seed): \(left)\n\(bench.lines.joined(separator: "\n"))")
      if !left.isEmpty { return }
    }
  }

  @Test(arguments: UInt64(0)..<20)
  func `whatever comes between restarts, a checkout ends once and pays once`(
    seed: UInt64
  ) throws {
    var random = RandomWalk.Generator(state: seed)
    for _ in 0..<60 {
      var bench = RandomWalk.beginning(&random)
      for _ in 0..<80 {
        RandomWalk.step(&bench, &random)
        if random.chance(10) { try bench.restart(after: Int64(random.next() % 400_000)) }
      }
      let problems = RandomWalk.problems(with: bench)
      #expect(problems.isEmpty, "seed \(seed): \(problems)\n\(bench.lines.joined(separator: "\n"))")
      if !problems.isEmpty { return }
      RandomWalk.drain(&bench)
      let left = RandomWalk.problems(with: bench, isOver: true)
      #expect(left.isEmpty, "seed \(seed): \(left)\n\(bench.lines.joined(separator: "\n"))")
      if !left.isEmpty { return }
    }
  }
}
