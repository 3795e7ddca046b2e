import LinuxSystem

/// A command: one row of the table from which the help, the dispatch and the refusal of what does
/// not go with it are made.
struct Command: Sendable {
  let name: String
  /// What its operands are called, as in `CHECKOUT`; empty if it takes none.
  let operands: String
  let operandCount: ClosedRange<Int>
  /// The options that go with it, beside those that go with every command.
  let options: [Option]
  /// What it does, in a line.
  let summary: String
  /// The rest of what there is to know, in lines of at most 100 columns.
  let details: String
  /// Whether it speaks JSON whatever the options are.
  let isJSON: Bool
  /// Does it.
  let run: @Sendable (Invocation) throws(Failure) -> Void

  init(
    _ name: String, _ operands: String = "", count: ClosedRange<Int> = 0...0,
    options: [Option] = [], summary: String, details: String = "", isJSON: Bool = false,
    run: @escaping @Sendable (Invocation) throws(Failure) -> Void
  ) {
    self.name = name
    self.operands = operands
    operandCount = count
    self.options = options
    self.summary = summary
    self.details = details
    self.isJSON = isJSON
    self.run = run
  }

  /// All commands, in the order in which they are told of.
  static let all: [Command] = [
    start, pay, list, show, banks, follow, wait, cancel, call, batch, status, metrics, connections,
    backup,
    discover,
  ]

  /// Refuses options and operands that do not go with it.
  func check(_ given: GivenOptions) throws(Failure) {
    if let option = given.other(than: Option.common + options) {
      throw .usage("--\(option.row.name) does not go with \(name)")
    }
    guard operandCount.contains(given.operands.count - 1) else {
      throw .usage(operands.isEmpty ? "\(name) takes no arguments" : "usage: \(name) \(operands)")
    }
  }
}
