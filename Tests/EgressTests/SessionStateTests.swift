import Testing
import Upstream

@testable import Egress

@Suite struct SessionStateTests {
  private static let states = [
    SessionState(), SessionState(message: [5, 1]),
    SessionState(stage: .request, message: [5, 1, 0, 3, 11] + Array("example.com".utf8)),
    SessionState(
      stage: .relay,
      out: SessionState.Flow(held: [UInt8](repeating: 7, count: 16_384), hasEnded: true),
      back: SessionState.Flow(hasEnded: true, isOver: true), isTLS: true),
    SessionState(stage: .relay),
  ]

  @Test func `what is left is read as it was written`() {
    for count in 0...Self.states.count {
      let states = Array(Self.states.prefix(count))
      #expect(SessionState.decode(SessionState.encode(states)) == states)
    }
  }

  @Test func `what is cut, or of another version, is not read`() {
    let state = Self.states[2]
    let bytes = SessionState.encode([state])
    for count in [0] + Array(2..<bytes.count) {
      #expect(SessionState.decode(Array(bytes.prefix(count))) == nil)
    }
    #expect(SessionState.decode([2] + bytes.dropFirst()) == nil)
    // An empty list is one.
    #expect(SessionState.decode([1]) == [])
  }

  @Test(arguments: [(1, 3), (2, 2), (7, 4), (12, 9)])
  func `a number that means nothing is not read`(place: Int, byte: UInt8) {
    var bytes = SessionState.encode([SessionState()])
    bytes[place] = byte
    #expect(SessionState.decode(bytes) == nil)
  }

  @Test func `a message that has come goes on where it was`() {
    var state = SessionState()
    #expect(state.progress == .needs(2))
    state.message = [5, 1, 0]
    #expect(state.progress == .chosen)
    state = SessionState(stage: .request, message: [5, 1, 0, 1, 192, 0, 2, 1, 1])
    #expect(state.progress == .needs(1))
    state.message.append(187)
    guard case .whole(let request) = state.progress else {
      Issue.record("not whole")
      return
    }
    #expect(request.text == "192.0.2.1:443")
    state.message[1] = 2
    #expect(state.progress == .refused(SocksReply.commandNotSupported.bytes))
  }
}
