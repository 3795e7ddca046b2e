package import LinuxSystem

/// Tells the service manager that the loop still does its work.
///
/// libsystemd's own watchdog shows only that the loop turns, and so would a timer's handler. This one
/// reports when a turn has come to its end: its commit made, its replies sent. The owner may add what
/// else must be true.
package final class Watchdog {
  private let service: ServiceManager
  private let intervalMicroseconds: UInt64
  private let isHealthy: () -> Bool
  private var timer: Timer?
  /// Whether the turn under way is to report.
  private var isDue = false

  /// Starts to report, at half the time that the service manager waits.
  ///
  /// - Parameters:
  ///   - loop: The loop to be watched; it keeps the watchdog.
  ///   - service: Who is told.
  ///   - isHealthy: Asked each time; nothing is reported while it says no.
  /// - Throws: ``Errno`` of ``EventLoop/addTimer(_:)``.
  @discardableResult
  package init?(
    on loop: EventLoop, _ service: ServiceManager, isHealthy: @escaping () -> Bool = { true }
  ) throws(Errno) {
    guard let limit = service.watchdogMicroseconds else { return nil }
    self.service = service
    self.isHealthy = isHealthy
    intervalMicroseconds = limit / 2
    // It makes sure that there is a turn.
    timer = try loop.addTimer { self.isDue = true }
    loop.afterTurn { self.report() }
    arm()
  }

  private func report() {
    guard isDue else { return }
    isDue = false
    if isHealthy() { service.notify(.watchdog) }
    arm()
  }

  private func arm() {
    timer?.arm(atBootMicroseconds: Clock.bootMicroseconds() + intervalMicroseconds)
  }
}
