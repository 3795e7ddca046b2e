import Checkout
import JSON
import JSONRPC
import LinuxSystem
import Testing
import ValueTree

@testable import CheckoutServer

@Suite struct ConnectionOutputTests {
  private var small: Limits {
    var limits = Limits()
    limits.queue = 8192
    return limits
  }

  private func line(_ parts: Parts, _ count: Int) -> Range<Int> {
    let output = parts.outbound.output
    let start = output.count
    output.append(#"{"method":"x","params":"#)
    output.append(plain: String(repeating: "x", count: count))
    output.append("}\n")
    return start..<output.count
  }

  private func event(_ parts: Parts, _ count: Int = 10, depth: Int = 2) -> EventWriter.Written {
    EventWriter.Written(range: line(parts, count), depth: depth)
  }

  @Test func `events beyond the limit are lost, and told of when there is room`() throws {
    let parts = Parts(small)
    let session = parts.session()
    let id = CheckoutID(7)
    session.output.append(line(parts, 9000))
    session.output.offer(event(parts), of: id, seq: 4)
    session.output.offer(event(parts), of: id, seq: 5)
    #expect(session.output.lostCount == 0)
    let lines = try parts.said(to: session)
    #expect(lines.count == 1 && session.output.lostCount == 2)
    #expect(parts.counters.eventsLost == 2)
    session.output.markDirty()
    let told = try parts.said(to: session)
    #expect(told.first?["method"] == "events.lost")
    #expect(told.first?["params"]?["from"] == 4 && told.first?["params"]?["to"] == 5)
  }

  @Test func `what was lost of a turn that is taken back was not lost`() throws {
    let parts = Parts(small)
    let session = parts.session()
    session.output.append(line(parts, 9000))
    session.output.offer(event(parts), of: CheckoutID(7), seq: 4)
    session.output.takeBack()
    _ = try parts.said(to: session)
    #expect(session.output.lostCount == 0 && parts.counters.eventsLost == 0)
    session.output.offer(event(parts), of: CheckoutID(7), seq: 4)
    #expect(try parts.said(to: session).count == 1)
  }

  @Test func `an event that is taken back is not sent, and a fact is`() throws {
    let parts = Parts()
    let session = parts.session()
    let event = event(parts)
    parts.outbound.noteEvent(event.range.lowerBound)
    session.output.offer(event, of: CheckoutID(7), seq: 1)
    session.output.notify("system.draining", [.init("reason", "stop")])
    session.output.takeBack()
    #expect(try parts.said(to: session).map { $0["method"] } == ["system.draining"])
  }

  @Test func `an event that is longer or deeper than a line may be is lost`() throws {
    var limits = Limits()
    limits.lineOut = 65_536
    limits.nesting = 8
    let parts = Parts(limits)
    let session = parts.session()
    session.output.offer(event(parts, 65_536), of: CheckoutID(7), seq: 1)
    session.output.replay(event(parts, 65_536), of: CheckoutID(8), seq: 1)
    session.output.offer(event(parts, depth: 9), of: CheckoutID(9), seq: 1)
    session.output.offer(event(parts, 65_000, depth: 8), of: CheckoutID(10), seq: 1)
    _ = try parts.said(to: session)
    session.output.markDirty()
    _ = try parts.said(to: session)
    #expect(session.output.lostCount == 2 && parts.counters.eventsLost == 2)
  }

  @Test func `who is let go is told why, and nothing after it`() throws {
    let parts = Parts()
    let session = parts.session()
    session.output.closeSaying(RPCError(.closing, [.init("reason", "http")]))
    session.output.closeSaying(RPCError(.shuttingDown))
    #expect(session.output.isClosing && !session.output.hasRoom)
    let lines = try parts.said(to: session)
    #expect(lines.count == 1 && lines[0]["error"]?["data"]?["reason"] == "http")
    #expect(session.output.isFinished && session.output.lastRefusal == "http")
    session.output.close()
    session.output.notify("system.draining", [])
    #expect(session.output.queuedByteCount == 0 && !session.output.acceptsReplies)
  }
}
