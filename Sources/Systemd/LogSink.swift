import Glibc
import LinuxSystem
import Synchronization

/// Where a log and all copies of it write, from any thread; it never waits.
///
/// What finds no room is held in a ``LogBacklog`` and goes first when there is room again: when the
/// next entry is written, and when ``drain()`` is called.
final class LogSink: Sendable {
  let form: Log.Form
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var output: LogOutput
    var backlog = LogBacklog()
    /// A line of which a part was taken, and how much of it.
    var begun: (bytes: [UInt8], count: Int)?
  }

  /// Makes a sink.
  ///
  /// Without a journal to connect to, its entries are lines for the descriptor.
  init(_ form: Log.Form, descriptor: Int32, journal: String) {
    if form == .journal, let output = LogOutput.toJournal(at: journal) {
      self.form = form
      state = Mutex(State(output: output))
    } else {
      self.form = form == .journal ? .prefixed : form
      state = Mutex(State(output: LogOutput.lines(to: descriptor)))
    }
  }

  /// Writes an entry, now or later.
  func write(_ entry: LogEntry) {
    let encoded = EncodedEntry(entry, as: form)
    state.withLock { state in
      if drain(&state), pass(encoded.head + encoded.tail, &state) { return }
      let rank = LogBacklog.Rank.of(entry.level, isKept: entry.isKept)
      state.backlog.append(encoded, rank: rank)
    }
  }

  /// Writes what is held, as far as there is room.
  ///
  /// - Returns: Whether nothing is held any more.
  @discardableResult
  func drain() -> Bool { state.withLock { drain(&$0) } }

  /// Whether something is held.
  var isHolding: Bool {
    state.withLock { $0.begun != nil || !$0.backlog.isEmpty || $0.backlog.droppedCount > 0 }
  }

  /// The descriptor that can be watched until there is room.
  var rawValue: Int32 { state.withLock { $0.output.rawValue } }

  private func drain(_ state: inout State) -> Bool {
    if let (bytes, count) = state.begun {
      state.begun = nil
      guard pass(bytes, from: count, &state) else {
        if state.begun == nil { state.begun = (bytes, count) }
        return false
      }
    }
    let count = state.backlog.droppedCount
    if count > 0 {
      let notice = LogEntry(
        .warning, "\(count) entries were dropped: they could not be written in time",
        id: MessageID.dropped)
      let encoded = EncodedEntry(notice, as: form)
      guard pass(encoded.head + encoded.tail, &state) else { return false }
      state.backlog.forgetDropped()
    }
    while let bytes = state.backlog.first {
      guard pass(bytes, &state) else { return false }
      state.backlog.removeFirst()
    }
    return true
  }

  /// Writes an entry; what was begun of a line is finished later.
  ///
  /// - Returns: Whether it is off our hands: written, begun, or refused for good.
  private func pass(_ bytes: [UInt8], from start: Int = 0, _ state: inout State) -> Bool {
    guard state.begun == nil else { return false }
    switch state.output.write(bytes, from: start) {
    case .full: return false
    case .refused: state.backlog.noteDropped()
    case .taken(let count):
      if !state.output.isWhole, start + count < bytes.count { state.begun = (bytes, start + count) }
    }
    return true
  }
}
