import Checkout
import JSONRPC
import LinuxSystem
import PrimerAPI
import Systemd
import ValueTree

/// The way to the end after SIGTERM: what was asked is answered, payments under way are waited for.
///
/// Clients are accepted and served meanwhile, for that may take as long as the creation of a payment;
/// but nothing is begun that would have to be waited for.
final class Drain {
  private unowned let server: Server
  private var isOver = false
  private var isOutOfTime = false

  /// Begins: every call that would wait is told so.
  init(_ server: Server, timeout: Milliseconds) {
    self.server = server
    server.service.notify(.stopping, status: "Draining: \(server.connections.count) connections")
    // As long as it may take, and a little to tell everybody.
    server.service.notify(
      .extendTimeout(microseconds: UInt64(max(0, timeout) + 10_000) * 1000))
    server.log.notice("stopping", id: MessageID.stopping)
    server.timers.set(
      .drain, at: Clock.bootMicroseconds() + UInt64(max(0, timeout)) * 1000)
    for connection in server.connections.values
    where connection.saidHello || connection.wideSubscription != nil
      || !connection.subscriptions.isEmpty
    {
      connection.notify("system.draining", [.init("reason", "stop")])
    }
    failCalls()
  }

  /// Answers the calls that wait.
  private func failCalls() {
    for wait in Array(server.waits.values) { server.fail(wait, RPCError(.shuttingDown)) }
  }

  /// Ends the process once no payment is under way upstream and everyone has what they are owed.
  func check() {
    guard !isOver else { return }
    if hasPaymentUnderWay {
      guard isOutOfTime else { return }
      server.log.warning("a payment is still under way upstream; stopping all the same")
    }
    finish()
  }

  /// Ends the process all the same, once the turn under way is written.
  func timeOut() { isOutOfTime = true }

  private var hasPaymentUnderWay: Bool {
    server.checkouts.checkouts.contains { !$0.requests.isEmpty && $0.checkout.isPaying }
  }

  private func finish() {
    isOver = true
    // Who comes from now on waits for the next run.
    server.stopListening()
    failCalls()
    for connection in Array(server.connections.values) { connection.flush() }
    if !server.leaveConnections() {
      for connection in Array(server.connections.values) {
        connection.closeSaying(RPCError(.shuttingDown))
        connection.flush()
      }
    }
    server.gateway.shutdown()
    server.loop.exit(0)
  }
}
