import CSystemd
package import LinuxSystem

/// Something that an event loop waits for.
///
/// It may be cancelled at any time, by its own handler too, and more than once; after that its
/// handler is never called again. A source that is not cancelled ends with its loop.
@safe  // the pointer is nil once the source is cancelled, and never leaves this class
package class Source {
  // Unowned, for the loop owns its sources; strong references would keep both for ever.
  private unowned let loop: EventLoop
  private var pointer: OpaquePointer?

  fileprivate init(on loop: EventLoop) {
    self.loop = loop
    unsafe pointer = nil
  }

  /// Registers the source with the loop, for which it needs its own address.
  fileprivate func register(
    _ call: StaticString,
    _ add: (OpaquePointer, inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
  ) throws(Errno) {
    let result = unsafe add(loop.event, &pointer, Unmanaged.passUnretained(self).toOpaque())
    guard result >= 0 else { throw Errno(code: -result, call: call) }
  }

  /// Calls into libsystemd about this source, unless it is cancelled.
  fileprivate func withPointer(_ body: (OpaquePointer) -> Int32) -> Int32 {
    guard let pointer = unsafe pointer else { return 0 }
    return unsafe body(pointer)
  }

  /// Ends the source.
  package func cancel() {
    guard unsafe pointer != nil else { return }
    release()
    loop.forget(self)
  }

  /// Ends the source for libsystemd and lets go of what its handler holds.
  func release() {
    _ = unsafe sd_event_source_disable_unref(pointer)
    unsafe pointer = nil
  }

  /// Does one event's work: the handler, then the end of the turn.
  ///
  /// The source and its loop are held for that long, whatever the handler lets go of.
  fileprivate static func dispatch<Kind: Source>(
    _ context: UnsafeMutableRawPointer?, as kind: Kind.Type, _ handle: (Kind) -> Void
  ) -> Int32 {
    guard let context = unsafe context else { return 0 }
    let source = unsafe Unmanaged<Kind>.fromOpaque(context).takeUnretainedValue()
    let loop = source.loop
    handle(source)
    loop.finishTurn()
    return 0
  }
}

/// A descriptor being watched.
package final class IOSource: Source {
  private var handler: ((EpollEvents) -> Void)?

  init(
    on loop: EventLoop, _ fd: Int32, _ events: EpollEvents,
    _ handler: @escaping (EpollEvents) -> Void
  ) throws(Errno) {
    self.handler = handler
    super.init(on: loop)
    try unsafe register("sd_event_add_io") { event, source, context in
      unsafe sd_event_add_io(
        event, &source, fd, events.rawValue,
        { _, _, events, context in
          unsafe Source.dispatch(context, as: IOSource.self) { source in
            source.handler?(EpollEvents(rawValue: events))
          }
        }, context)
    }
  }

  /// Changes what the descriptor is watched for.
  ///
  /// - Parameter events: What to watch for from now on.
  /// - Throws: ``Errno`` of `epoll_ctl`.
  package func setEvents(_ events: EpollEvents) throws(Errno) {
    let result = unsafe withPointer { unsafe sd_event_source_set_io_events($0, events.rawValue) }
    guard result >= 0 else { throw Errno(code: -result, call: "sd_event_source_set_io_events") }
  }

  override func release() {
    super.release()
    handler = nil
  }
}

/// A moment on the clock that counts from the machine's start, sleep included.
package final class Timer: Source {
  private var handler: (() -> Void)?

  init(on loop: EventLoop, _ handler: @escaping () -> Void) throws(Errno) {
    self.handler = handler
    super.init(on: loop)
    try unsafe register("sd_event_add_time") { event, source, context in
      // An accuracy of 0 would mean the default, a quarter of a second.
      unsafe sd_event_add_time(
        event, &source, CLOCK_BOOTTIME, .max, 1,
        { _, _, context in
          unsafe Source.dispatch(context, as: Timer.self) { $0.handler?() }
        }, context)
    }
    disarm()
  }

  /// Sets when the handler is called; replaces an earlier time.
  ///
  /// - Parameter atBootMicroseconds: A time of ``Clock/bootMicroseconds()``. One that has passed is
  ///   due in the next turn.
  package func arm(atBootMicroseconds: UInt64) {
    enable(unsafe withPointer { unsafe sd_event_source_set_time($0, atBootMicroseconds) })
    enable(unsafe withPointer { unsafe sd_event_source_set_enabled($0, Int32(SD_EVENT_ONESHOT)) })
  }

  /// Takes the time back; the timer can be armed again.
  package func disarm() {
    enable(unsafe withPointer { unsafe sd_event_source_set_enabled($0, Int32(SD_EVENT_OFF)) })
  }

  private func enable(_ result: Int32) {
    // What these calls need was allocated when the timer was made.
    precondition(result >= 0, "a timer can always be set")
  }

  override func release() {
    super.release()
    handler = nil
  }
}

/// A signal taken over by the loop.
package final class SignalSource: Source {
  private var handler: (() -> Void)?

  init(on loop: EventLoop, _ signal: Int32, _ handler: @escaping () -> Void) throws(Errno) {
    self.handler = handler
    super.init(on: loop)
    try unsafe register("sd_event_add_signal") { event, source, context in
      unsafe sd_event_add_signal(
        event, &source, signal | SD_EVENT_SIGNAL_PROCMASK,
        { _, _, context in
          unsafe Source.dispatch(context, as: SignalSource.self) { $0.handler?() }
        }, context)
    }
  }

  override func release() {
    super.release()
    handler = nil
  }
}
