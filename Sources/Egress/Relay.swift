import Glibc
import LinuxSystem

/// Carries bytes between a client and upstream, both ways, until both have said everything.
///
/// An end is passed on as an end, in each direction by itself. A reset of the client's becomes one of
/// the connection upstream. The other way round there is no such thing on a Unix socket: what came
/// before it is passed on, and then the end; TLS tells that from an end in good order.
struct Relay {
  /// How long there may be silence: longer than any time-out that the daemon can be given.
  var patience: UInt64 = 660_000_000
  /// How long there may be silence once upstream has ended: then a kept connection is of no more use,
  /// and the daemon finds that out only when it needs one.
  var patienceAfterEnd: UInt64 = 30_000_000

  /// How long a client may say nothing at all.
  var patienceAtFirst: UInt64 = 10_000_000
  /// How long a relay may last whose client does not speak TLS; plain HTTP is for sandboxes.
  var spanWithoutTLS: UInt64 = 900_000_000
  /// Becomes readable when the thread is to stop.
  var bell: Int32 = -1

  /// Carries until the end.
  ///
  /// - Parameters:
  ///   - client: Does not block.
  ///   - upstream: Does not block.
  ///   - state: How far it has got already.
  /// - Returns: How far it has got when the thread is to stop; nil when it is over.
  func run(
    between client: borrowing FileDescriptor, and upstream: borrowing FileDescriptor,
    from state: SessionState = SessionState(stage: .relay)
  ) -> SessionState? {
    var out = Flow(state.out)
    var back = Flow(state.back)
    var isTLS = state.isTLS
    let start = Clock.bootMicroseconds()
    var hasSpoken = !state.out.held.isEmpty || isTLS
    while !out.isOver || !back.isOver {
      var entries = [
        Self.entry(client, reads: out.wantsInput, writes: back.wantsOutput, always: !back.isOver),
        Self.entry(upstream, reads: back.wantsInput, writes: out.wantsOutput, always: false),
        pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
      ]
      let now = Clock.bootMicroseconds()
      var end = now + (back.isOver ? patienceAfterEnd : patience)
      if !hasSpoken { end = min(end, start + patienceAtFirst) }
      if !isTLS { end = min(end, start + spanWithoutTLS) }
      guard now < end else { break }
      Poll.wait(&entries, until: end)
      if entries[2].revents != 0 {
        return SessionState(stage: .relay, out: out.left, back: back.left, isTLS: isTLS)
      }
      let (ofClient, ofUpstream) = (entries[0].revents, entries[1].revents)
      // A client that has closed, not merely ended, reads nothing any more.
      if ofClient & Int16(POLLHUP) != 0 { back.stop() }
      if ofUpstream != 0 { back.take(from: upstream) }
      back.give(to: client)
      if ofClient != 0 { out.take(from: client) }
      if !hasSpoken, out.wantsOutput {
        hasSpoken = true
        isTLS = out.beginsTLS
      }
      out.give(to: upstream)
      // What came before it has been given: nothing is read while anything is held.
      if out.isReset || back.isReset { break }
      if ofClient == 0, ofUpstream == 0 { break }  // silence
    }
    if out.isReset { TCPSocket.resetWhenClosed(upstream.rawValue) }
    return nil
  }

  private static func entry(
    _ descriptor: borrowing FileDescriptor, reads: Bool, writes: Bool, always: Bool
  ) -> pollfd {
    let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
    // A hang-up is told of even if nobody asks, again and again.
    let number = events == 0 && !always ? -1 : descriptor.rawValue
    return pollfd(fd: number, events: Int16(events), revents: 0)
  }
}

/// One direction: what was read and is still to be written.
private struct Flow {
  private var buffer: [UInt8]
  private var held: Range<Int>
  private var hasEnded: Bool
  /// Whether the source was cut.
  private(set) var isReset = false
  /// Whether nothing is to be done any more.
  private(set) var isOver: Bool

  private static let bufferSize = 16_384

  init(_ state: SessionState.Flow) {
    held = 0..<state.held.count
    buffer = state.held + [UInt8](repeating: 0, count: max(0, Self.bufferSize - held.count))
    hasEnded = state.hasEnded
    isOver = state.isOver
  }

  /// How far it has got.
  var left: SessionState.Flow {
    SessionState.Flow(held: Array(buffer[held]), hasEnded: hasEnded, isOver: isOver)
  }

  /// Whether what is held is how TLS begins, or the request to a proxy that comes before it.
  var beginsTLS: Bool {
    let first = buffer[held]
    return first.starts(with: [0x16, 0x03]) || first.starts(with: "CONNECT ".utf8)
  }

  var wantsInput: Bool { !hasEnded && held.isEmpty }
  var wantsOutput: Bool { !held.isEmpty }

  /// Drops what is held, and reads no more: nobody is there to take it.
  mutating func stop() {
    held = 0..<0
    hasEnded = true
    isOver = true
  }

  /// Reads what there is, if there is room.
  mutating func take(from source: borrowing FileDescriptor) {
    guard wantsInput else { return }
    switch unsafe buffer.withUnsafeMutableBytes({ unsafe source.receive(into: $0) }) {
    case .bytes(let count): held = 0..<count
    case .wouldBlock: break
    case .endOfInput: hasEnded = true
    case .peerGone, .failed:
      hasEnded = true
      isReset = true
    }
  }

  /// Writes what is held; when that was all, passes on the end.
  mutating func give(to sink: borrowing FileDescriptor) {
    if !held.isEmpty {
      let range = held
      let result = unsafe buffer.withUnsafeBytes { bytes in
        unsafe sink.send(UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
      switch result {
      case .bytes(let count): held = held.lowerBound + count..<held.upperBound
      case .wouldBlock: break
      case .peerGone, .failed: stop()
      }
    }
    if hasEnded, held.isEmpty, !isOver {
      if !isReset { _ = shutdown(sink.rawValue, Int32(SHUT_WR)) }
      isOver = true
    }
  }
}
