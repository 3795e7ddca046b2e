import CSystemd
import Glibc
package import LinuxSystem

/// What the daemon tells the service manager about itself.
package enum ServiceState: Sendable, Equatable {
  /// Start-up, or a reload, is finished.
  case ready

  /// The configuration is being read again; ``ready`` follows.
  case reloading

  /// The daemon is on its way out.
  case stopping

  /// Nothing new; there is a status text only.
  case status

  /// The daemon does its work.
  case watchdog

  /// Starting, reloading or stopping goes on for at least that long from now.
  case extendTimeout(microseconds: UInt64)
}

/// The service manager that started the process, if one did.
///
/// It reads what the service manager left in the environment and removes it, so that no child takes
/// the daemon's place: make it first thing in `main`, before there is a second thread. It speaks the
/// notification protocol itself, for `sd_notify` can only find the address in the environment.
package final class ServiceManager {
  /// How long the service manager waits for a sign of life; nil if it does not.
  package let watchdogMicroseconds: UInt64?

  /// How many descriptors the service manager keeps for the next start; zero if it keeps none.
  package let storeCapacity: Int

  private let address: String?
  private let socket: DatagramSocket?

  /// Takes `NOTIFY_SOCKET`, `WATCHDOG_*` and `FDSTORE` out of the environment.
  package init() {
    var limit: UInt64 = 0
    let isWatched = unsafe sd_watchdog_enabled(1, &limit) > 0
    watchdogMicroseconds = isWatched ? limit : nil
    address = unsafe getenv("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
    unsafe unsetenv("NOTIFY_SOCKET")
    let capacity = unsafe getenv("FDSTORE").flatMap { unsafe Int(String(cString: $0)) }
    unsafe unsetenv("FDSTORE")
    storeCapacity = address == nil ? 0 : max(0, capacity ?? 0)
    guard address != nil else {
      socket = nil
      return
    }
    // Without a socket nothing can be told; the service manager will notice, and the daemon goes on.
    socket = try? DatagramSocket(patienceMilliseconds: 5000)
  }

  /// Whether there is one.
  package var isPresent: Bool { address != nil }

  /// Tells the service manager something, in one datagram.
  ///
  /// It does nothing without a service manager, and it never fails: the daemon's work does not
  /// depend on who listens. A status text that finds no room is dropped; what the service manager
  /// acts on waits up to five seconds.
  ///
  /// - Parameters:
  ///   - state: What is new.
  ///   - status: A line for people, shown by `systemctl status`; its line breaks become spaces.
  package func notify(_ state: ServiceState, status: String? = nil) {
    var lines: [String] = []
    switch state {
    case .ready: lines.append("READY=1")
    case .reloading:
      lines += ["RELOADING=1", "MONOTONIC_USEC=\(Clock.monotonicMicroseconds())"]
    case .stopping: lines.append("STOPPING=1")
    case .status: break
    case .watchdog: lines.append("WATCHDOG=1")
    case .extendTimeout(let microseconds): lines.append("EXTEND_TIMEOUT_USEC=\(microseconds)")
    }
    if let status {
      lines.append("STATUS=" + status.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
    guard !lines.isEmpty else { return }
    send(lines, waits: state != .status)
  }

  /// Sends lines in one datagram.
  ///
  /// - Returns: Whether it went out.
  @discardableResult
  func send(_ lines: [String], with descriptors: [Int32] = [], waits: Bool = true) -> Bool {
    guard let address, socket != nil else { return false }
    do throws(Errno) {
      try socket?.send(
        lines.joined(separator: "\n"), with: descriptors, to: address, waits: waits)
      return true
    } catch { return false }
  }
}

extension ServiceManager {
  /// This boot of the machine, as 32 hexadecimal digits; times of ``Clock/bootMicroseconds()`` from
  /// another boot mean nothing.
  ///
  /// Where the kernel's file is hidden (`ProcSubset=pid`) the unit says it in `CHECKOUTD_BOOT_ID`.
  ///
  /// - Throws: ``Errno`` of `sd_id128_get_boot`.
  package static func bootID() throws(Errno) -> String {
    var id = sd_id128_t()
    var result = unsafe sd_id128_get_boot(&id)
    if result < 0, let text = unsafe getenv("CHECKOUTD_BOOT_ID"),
      unsafe sd_id128_from_string(text, &id) >= 0
    {
      result = 0
    }
    guard result >= 0 else { throw Errno(code: -result, call: "sd_id128_get_boot") }
    var text = [CChar](repeating: 0, count: Int(SD_ID128_STRING_MAX))
    return unsafe String(cString: sd_id128_to_string(id, &text))
  }
}
