package import LinuxSystem

/// Tells the service manager that the loop still does its work.
///
/// libsystemd's own watchdog shows only that the loop turns. This one is a source like any other, so
/// it shows that turns come to their end, and the owner may add what else must be true.
package final class Watchdog {
  private let service: ServiceManager
  private let intervalMicroseconds: UInt64
  private let isHealthy: () -> Bool
  private var timer: Timer?

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
    timer = try loop.addTimer { self.report() }
    report()
  }

  private func report() {
    if isHealthy() { service.notify(.watchdog) }
    timer?.arm(atBootMicroseconds: Clock.bootMicroseconds() + intervalMicroseconds)
  }
}
