package import LinuxSystem

/// Has a loop write what a log could not write at once, as soon as there is room.
package final class LogPump {
  private let sink: LogSink
  private var source: IOSource?
  private var timer: Timer?
  private var isOn = false

  /// What cannot be watched is tried so often.
  private static let interval: UInt64 = 200_000

  /// Begins; the loop keeps it.
  ///
  /// - Throws: ``Errno`` of ``EventLoop/addTimer(_:)``.
  @discardableResult
  package init(on loop: EventLoop, _ log: Log) throws(Errno) {
    sink = log.sink
    timer = try loop.addTimer { [self] in
      isOn = false
      sink.drain()
    }
    // A file cannot be watched; then the timer has to do.
    source = try? loop.addIO(sink.rawValue, []) { [self] events in
      sink.drain()
      // That is told unasked, again and again.
      if events.isGone { source?.cancel() }
    }
    loop.afterTurn { [self] in look() }
  }

  /// Looks after each turn whether something is held, and no longer.
  private func look() {
    let isHolding = sink.isHolding
    guard isHolding != isOn else { return }
    isOn = isHolding
    set(isWatched: isHolding)
    if isHolding {
      timer?.arm(atBootMicroseconds: Clock.bootMicroseconds() + Self.interval)
    } else {
      timer?.disarm()
    }
  }

  private func set(isWatched: Bool) {
    // Where that fails there is the timer.
    try? source?.setEvents(isWatched ? .writable : [])
  }
}
