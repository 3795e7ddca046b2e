import Checkout
import CheckoutStore
import LinuxSystem
import PrimerAPI
import Systemd

/// Ending when there is nothing to do, for the service manager to start the daemon with the next
/// client.
extension Server {
  /// Whether nobody is connected and nothing is under way or due.
  private var isIdle: Bool {
    guard connections.isEmpty, drain == nil, storeProblem == nil, turnInputs.isEmpty,
      !timers.contains(where: \.keepsDaemon)
    else { return false }
    let upstream = gateway.status
    guard upstream.underWay == 0, upstream.queued == 0 else { return false }
    return store.isDurable || checkouts.checkouts.allSatisfy { $0.checkout.isEnded }
  }

  /// Takes note of whether there is something to do, at the end of a turn.
  func watchIdleness() {
    guard idleSpan > 0, connections.isEmpty, isIdle else {
      timers.clear(.idle)
      return
    }
    guard !timers.contains(.idle) else { return }
    timers.set(.idle, at: Clock.bootMicroseconds() + UInt64(idleSpan) * 1000)
  }

  /// Ends the process, if there is still nothing to do and every socket is the service manager's.
  ///
  /// From here on nobody is accepted: who connects waits in the socket for the next start. The
  /// service manager must know that this is the end before it sees the process gone, or it would
  /// take a start that is asked for meanwhile as done.
  func endIfIdle() {
    guard isIdle, listeners.allSatisfy(\.isShared) else { return }
    log.info("nothing to do", id: MessageID.idle)
    isStatusDue = false
    stopListening()
    service.notify(.stopping, status: "Ended: nothing to do")
    if !service.synchronize() { log.warning("the service manager does not answer") }
    loop.exit(0)
  }
}

extension Deadline {
  /// Whether the daemon must be there when the time has come.
  ///
  /// A record without personal data can be forgotten later: those overdue go at the next start.
  fileprivate var keepsDaemon: Bool {
    switch self {
    case .forget, .status, .idle, .drain: false
    case .checkout, .wait, .slowReader, .accept, .wipe, .scrub, .retry, .reserve: true
    }
  }
}
