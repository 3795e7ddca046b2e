import Checkout
import JSON
import LinuxSystem
import Systemd
import ValueTree

@testable import CheckoutServer
@testable import CheckoutStore

/// The whole state of a server as lines, found by reflection: every stored property of every part,
/// private ones too.
///
/// Left out is what a failed commit must change: what tells of the failure, what was kept to be tried
/// again, and the numbers of turns. So is what is no state: memory that is reused, and what is
/// remembered because it was worked out once.
struct StateDump: Equatable {
  private(set) var lines: [String] = []
  private var seen: Set<ObjectIdentifier> = []

  init(of server: Server) { add(server, "server") }

  private static let leftOut: Set<String> = [
    // What tells of the failure.
    "Turn.failure", "Turn.kept", "StoreHealth.retryAlarm", "StoreHealth.report",
    "Lifetime.report", "Server.report", "Questions.report", "Counters.refusedCalls",
    "Counters.calls",
    "ConnectionOutput.refusal",
    // How long something has taken: it has, whatever becomes of the turn.
    "Counters.requests", "Counters.commits",
    // Numbers of turns.
    "CheckoutStore.turn", "CheckoutLog.turn", "Outbound.number", "EventHub.waitCount",
    // Memory that is reused, and what was worked out once.
    "CheckoutStore.backend", "CheckoutStore.writer", "CheckoutStore.spareWriter",
    "CheckoutLog.staged", "CheckoutLog.stagedCount", "CheckoutLog.stagedSeq",
    "CheckoutLog.isOfComponentsAlone", "CheckoutLog.isRemoved", "LiveCheckout.leastComponentCount",
    "LiveCheckout.componentTexts", "LiveCheckout.log", "CheckoutStore.logs", "Checkouts.entropy",
    "EventHub.writer", "EventHub.reader", "ConnectionInput.framer", "ConnectionInput.inbound",
    "ConnectionOutput.share", "Schedule.hasChanged", "Server.timer", "Server.soon",
    "Server.isSoonArmed", "TimerQueue.heap",
    // An answer that was taken in is kept among what is tried again, as is a timer that has rung.
    "LiveCheckout.requests", "Checkouts.timers",
    // What only lends to others.
    "Server.options", "Server.recovery", "Server.takeover", "Clients.epoll", "Clients.readyCount",
    "Clients.servedCount",
    "Clients.inbound", "Alarms.schedule", "Alarm.schedule", "Schedule.lists",
  ]

  private mutating func add(_ value: Any, _ path: String) {
    switch value {
    case is Journal, is ServerClock, is EventLoop, is any UpstreamGatewayMark, is JSONOutput:
      return
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      guard let some = mirror.children.first else { return lines.append("\(path) = nil") }
      add(some.value, path)
    case .class:
      let object = value as AnyObject
      guard seen.insert(ObjectIdentifier(object)).inserted else {
        return lines.append("\(path) = seen \(type(of: value))")
      }
      addChildren(of: value, path)
    case .dictionary, .set:
      // In the order of what they read as, since they have none of their own.
      var entries: [[String]] = []
      for (_, child) in mirror.children {
        var part = self
        part.lines = []
        part.add(child, path)
        seen = part.seen
        entries.append(part.lines)
      }
      lines.append("\(path) has \(entries.count)")
      for entry in entries.sorted(by: { $0.lexicographicallyPrecedes($1) }) { lines += entry }
    case .collection:
      lines.append("\(path) has \(mirror.children.count)")
      for (place, child) in mirror.children.enumerated() { add(child.value, "\(path)[\(place)]") }
    case .struct, .tuple: addChildren(of: value, path)
    case .enum:
      guard !mirror.children.isEmpty else { return lines.append("\(path) = \(value)") }
      addChildren(of: value, path)
    default: if mirror.children.isEmpty { lines.append("\(path) = \(value)") }
    }
  }

  private mutating func addChildren(of value: Any, _ path: String) {
    let name = String(describing: type(of: value)).prefix { $0 != "<" }
    var mirror: Mirror? = Mirror(reflecting: value)
    if mirror?.children.isEmpty == true { lines.append("\(path) = \(value)") }
    while let present = mirror {
      for child in present.children {
        let label = child.label ?? "?"
        guard !Self.leftOut.contains("\(name).\(label)") else { continue }
        if String(describing: type(of: child.value)).contains("->") { continue }
        add(child.value, "\(path).\(label)")
      }
      mirror = present.superclassMirror
    }
  }

  /// The lines that only one of them has.
  func differences(from other: StateDump) -> [String] {
    lines.difference(from: other.lines).map { change in
      switch change {
      case .insert(_, let line, _): "+ " + line
      case .remove(_, let line, _): "- " + line
      }
    }
  }
}

/// What is no part of the server.
protocol UpstreamGatewayMark {}
extension ScriptedUpstream: UpstreamGatewayMark {}
