internal import CCurl
internal import Glibc
internal import LinuxSystem
internal import Systemd

/// libcurl's transfers on the event loop: one source for each of its sockets, and one timer.
@safe final class CurlMulti {
  /// Called for each transfer that has finished, by its key, when libcurl has let go
  /// of it.
  var onFinished: ((CurlTransfer.Key, CURLcode) -> Void)?
  /// Called after all that one event has finished.
  var onSettled: (() -> Void)?

  private let loop: EventLoop
  // Made in `init`, freed in `deinit`.
  private let multi: UnsafeMutableRawPointer
  private let timer: Timer
  private var sources: [curl_socket_t: IOSource] = [:]

  /// Makes an empty set of transfers; libcurl must have been loaded.
  ///
  /// - Throws: ``Errno``: no memory, or no descriptor left.
  init(on loop: EventLoop) throws(Errno) {
    self.loop = loop
    guard let multi = unsafe ccurl_multi_init() else {
      throw Errno(code: ENOMEM, call: "curl_multi_init")
    }
    unsafe self.multi = unsafe multi
    let target = WeakMulti()
    do throws(Errno) {
      timer = try loop.addTimer { target.multi?.timerFired() }
    } catch {
      _ = unsafe ccurl_multi_cleanup(multi)
      throw error
    }
    target.multi = self
    setCallbacks()
    // Enough to keep a connection to each of Primer's hosts, and a burst's worth beside.
    _ = unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 16)
  }

  deinit {
    for source in sources.values { source.cancel() }
    timer.cancel()
    unsafe ccurl_multi_silence(multi)
    _ = unsafe ccurl_multi_cleanup(multi)
  }

  /// Starts a transfer.
  ///
  /// - Returns: Whether libcurl took it.
  func add(_ transfer: CurlTransfer) -> Bool {
    unsafe ccurl_multi_add(multi, transfer.easy) == CURLM_OK
  }

  /// Ends a transfer that has not finished.
  func remove(_ transfer: CurlTransfer) {
    _ = unsafe ccurl_multi_remove(multi, transfer.easy)
  }

  private func setCallbacks() {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    _ = unsafe ccurl_multi_set_socket(
      multi,
      { _, socket, events, context, _ in
        unsafe CurlMulti.from(context)?.watch(socket, events)
        return 0
      }, context)
    _ = unsafe ccurl_multi_set_timer(
      multi,
      { _, milliseconds, context in
        unsafe CurlMulti.from(context)?.arm(milliseconds)
        return 0
      }, context)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> CurlMulti? {
    unsafe context.map { unsafe Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
  }

  private func watch(_ socket: curl_socket_t, _ interest: Int32) {
    guard interest != CURL_POLL_REMOVE else {
      sources.removeValue(forKey: socket)?.cancel()
      return
    }
    var events: EpollEvents = []
    if interest & CURL_POLL_IN != 0 { events.insert(.readable) }
    if interest & CURL_POLL_OUT != 0 { events.insert(.writable) }
    do throws(Errno) {
      if let source = sources[socket] {
        try source.setEvents(events)
      } else {
        sources[socket] = try loop.addIO(socket, events) { [weak self] events in
          self?.socketReady(socket, events)
        }
      }
    } catch {
      // Nobody watches the socket then, and the transfer ends with its time-out.
    }
  }

  private func socketReady(_ socket: curl_socket_t, _ events: EpollEvents) {
    var flags: Int32 = 0
    if events.contains(.readable) || events.contains(.hangUp) { flags |= CURL_CSELECT_IN }
    if events.contains(.writable) { flags |= CURL_CSELECT_OUT }
    if events.contains(.error) { flags |= CURL_CSELECT_ERR }
    _ = unsafe ccurl_multi_socket_ready(multi, socket, flags)
    collect()
  }

  private func arm(_ milliseconds: Int) {
    guard milliseconds >= 0 else { return timer.disarm() }
    // Never more than a day, so that no number of libcurl's overflows.
    let wait = UInt64(min(milliseconds, 86_400_000)) * 1000
    timer.arm(atBootMicroseconds: Clock.bootMicroseconds() + wait)
  }

  private func timerFired() {
    _ = unsafe ccurl_multi_timer_fired(multi)
    collect()
  }

  private func collect() {
    var code = CURLE_OK
    while let easy = unsafe ccurl_multi_next_done(multi, &code) {
      _ = unsafe ccurl_multi_remove(multi, easy)
      onFinished?(unsafe CurlTransfer.key(of: easy), code)
    }
    onSettled?()
  }
}

/// Lets the timer be made before the object that it calls.
private final class WeakMulti {
  weak var multi: CurlMulti?
}
