package import Upstream

/// Options that were checked as far as they can be without serving: what the server takes.
///
/// The start, `--check` and each reload make them by the same function, so that none of them accepts
/// what another refuses.
package struct CheckedOptions: Sendable {
  /// The options.
  package let options: Options
  /// Which URLs may be called.
  package let policy: UpstreamPolicy

  /// Checks options.
  ///
  /// - Parameters:
  ///   - options: What was given.
  ///   - memoryLimit: How many bytes the process may use, `nil` for as many as there are.
  /// - Throws: The first problem, in the order of the options.
  package init(_ options: Options, memoryLimit: Int?) throws(OptionError) {
    for row in OptionRow.all {
      guard let (place, problem) = row.check(options) else { continue }
      let given = options.given[row.name] ?? []
      throw OptionError(
        row, problem, at: given.indices.contains(place) ? given[place].place : .commandLine)
    }
    do throws(UpstreamEntryProblem) {
      policy = try UpstreamPolicy(entries: options.upstreamAllow)
    } catch {
      throw OptionError("--upstream-allow: \(error)")
    }
    let need = options.limits.memoryNeed
    if let memoryLimit, need > memoryLimit {
      throw OptionError(
        "the limits allow for \(mebibytes(need)), and the control group for \(mebibytes(memoryLimit)):"
          + " lower --max-memory, --max-checkouts, --max-records or --max-connections,"
          + " or raise MemoryMax=")
    }
    self.options = options
  }

  /// The options whose values are read at start alone, and are others here than in those in force.
  ///
  /// - Parameter running: What is in force.
  /// - Returns: Their names.
  package func needingRestart(after running: CheckedOptions) -> [String] {
    OptionRow.all.filter { row in
      func values(_ checked: CheckedOptions) -> [String] {
        checked.options.given[row.name]?.map(\.text) ?? row.initial.map { [$0] } ?? []
      }
      return row.when == .start && values(self) != values(running)
    }.map(\.name)
  }
}

private func mebibytes(_ byteCount: Int) -> String {
  "\(byteCount / 1_048_576) MiB"
}
