import CSystemd
package import LinuxSystem

/// The loop of the one thread that does the daemon's work (`sd-event`).
///
/// Everything that happens is a *source*: a descriptor that is ready, a timer that is due, a signal.
/// The loop calls the source's handler and then ``endOfTurn``, so that what one event changed is
/// kept and sent before the next is looked at.
///
/// A loop and its sources belong to the thread that runs it. The loop keeps a source alive until it
/// is cancelled; the caller keeps a reference only to cancel it, or to arm a timer.
@safe  // the pointer is made, used and freed here, and lent only to sources, which the loop owns
package final class EventLoop {
  /// What to do after each source's handler, in the same turn of the loop.
  package var endOfTurn: (() -> Void)?

  /// What to do when a turn has done all of its work, ``endOfTurn`` included.
  private var afterTurn: [() -> Void] = []

  let event: OpaquePointer
  private var sources: [ObjectIdentifier: Source] = [:]

  /// Makes a loop without sources.
  ///
  /// - Throws: ``Errno`` of `sd_event_new`: no memory, or no descriptor left.
  package init() throws(Errno) {
    var made: OpaquePointer?
    let result = unsafe sd_event_new(&made)
    guard result >= 0, let made = unsafe made else {
      throw Errno(code: -result, call: "sd_event_new")
    }
    unsafe event = unsafe made
  }

  deinit {
    releaseSources()
    _ = unsafe sd_event_unref(event)
  }

  /// Runs until ``exit(_:)``, once; then the sources are cancelled.
  ///
  /// - Returns: The code that was given to ``exit(_:)``.
  /// - Throws: ``Errno`` if waiting fails, which has no cure.
  package func run() throws(Errno) -> Int32 {
    // Handlers that hold the loop would keep it, and all that they hold, for ever.
    defer { releaseSources() }
    let result = unsafe sd_event_loop(event)
    guard result >= 0 else { throw Errno(code: -result, call: "sd_event_loop") }
    return result
  }

  /// Ends ``run()`` when the turn under way is over.
  ///
  /// - Parameter code: What ``run()`` returns; not negative.
  package func exit(_ code: Int32) {
    precondition(code >= 0, "a negative code would look like a failure of the loop")
    // It can only fail when the loop has ended already.
    _ = unsafe sd_event_exit(event, code)
  }

  /// Watches a descriptor, level-triggered.
  ///
  /// - Parameters:
  ///   - fd: The descriptor; it stays the caller's, who cancels the source before closing it.
  ///   - events: What to watch for; errors and hang-ups are reported unasked.
  ///   - handler: Called with what the descriptor is ready for.
  /// - Returns: The source, being watched.
  /// - Throws: ``Errno`` of `epoll_ctl`: `EEXIST`, `EPERM` for a descriptor that cannot be watched.
  @discardableResult
  package func addIO(
    _ fd: Int32, _ events: EpollEvents, _ handler: @escaping (EpollEvents) -> Void
  ) throws(Errno) -> IOSource {
    try keep(IOSource(on: self, fd, events, handler))
  }

  /// Makes a timer, which is not armed.
  ///
  /// Timers that are due in the same turn fire in no particular order.
  ///
  /// - Parameter handler: Called once each time the timer was armed and its time has come.
  /// - Returns: The timer.
  /// - Throws: ``Errno``: no memory, or no descriptor left.
  package func addTimer(_ handler: @escaping () -> Void) throws(Errno) -> Timer {
    try keep(Timer(on: self, handler))
  }

  /// Takes a signal over from its default action.
  ///
  /// The signal is blocked in this thread; threads that are made later inherit that, so add signals
  /// before anything makes a thread.
  ///
  /// - Parameters:
  ///   - signal: Its number.
  ///   - handler: Called when it has arrived; several that arrive together may count as one.
  /// - Returns: The source. Cancelling it unblocks the signal.
  /// - Throws: ``Errno`` of `sd_event_add_signal`.
  @discardableResult
  package func addSignal(
    _ signal: Int32, _ handler: @escaping () -> Void
  ) throws(Errno) -> SignalSource {
    try keep(SignalSource(on: self, signal, handler))
  }

  private func keep<Kind: Source>(_ source: Kind) -> Kind {
    sources[ObjectIdentifier(source)] = source
    return source
  }

  /// Has something done whenever a turn has done all of its work, ``endOfTurn`` included.
  func afterTurn(_ body: @escaping () -> Void) { afterTurn.append(body) }

  /// Ends a turn of which a source's handler has done its part.
  func finishTurn() {
    endOfTurn?()
    for body in afterTurn { body() }
  }

  func forget(_ source: Source) { sources[ObjectIdentifier(source)] = nil }

  private func releaseSources() {
    for source in sources.values { source.release() }
    sources = [:]
    afterTurn = []
  }
}
