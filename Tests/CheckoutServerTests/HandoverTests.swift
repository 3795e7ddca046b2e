import Checkout
import CheckoutProtocol
import JSONRPC
import Testing

@testable import CheckoutServer

@Suite struct HandoverTests {
  private let bootID: Int64 = 4711

  private var state: ConnectionState {
    var state = ConnectionState()
    // Neither begins nor ends where a character does.
    state.output = Array("é\"}\n{\"jsonrpc\"".utf8.dropFirst())
    state.input = HeldInput(bytes: [0x7B, 0xC3], skipped: 12)
    state.saidHello = true
    state.clientName = "till \"7\""
    state.subscriptionCount = 3
    state.lost = [.init(checkout: CheckoutID(7), seqs: 4...9)]
    state.lostCount = 6
    state.subscriptions = [
      .init(id: "s1", checkout: CheckoutID(.max), filter: .all, after: 12),
      .init(
        id: "s2", checkout: CheckoutID(1),
        filter: EventFilter(names: ["checkout.didFail", "component.didReceiveStep"]), after: 0),
    ]
    state.wide = .init(id: "s3", filter: EventFilter(names: []), reach: .shared)
    return state
  }

  @Test func `what is left is what is found`() throws {
    let bytes = Handover.write([state, ConnectionState()], generation: .max - 1, bootID: bootID)
    let read = try #require(Handover.read(bytes, bootID: bootID))
    #expect(read.generation == UInt64.max - 1)
    #expect(read.states.count == 2)
    let found = read.states[0]
    #expect(found.output == state.output)
    #expect(found.input == state.input)
    #expect(found.stored == state.stored)
    #expect(found.subscriptions.map(\.filter) == state.subscriptions.map(\.filter))
    #expect(found.wide?.filter.names == [])
    #expect(read.states[1].stored == ConnectionState().stored)
    #expect(read.states[1].wide == nil)
  }

  @Test func `what another start of the machine left is not used`() {
    let bytes = Handover.write([], generation: 1, bootID: bootID)
    #expect(Handover.read(bytes, bootID: bootID) != nil)
    #expect(Handover.read(bytes, bootID: bootID + 1) == nil)
  }

  @Test func `members that a later version has added are passed over`() throws {
    let bytes = Handover.write([state], generation: 1, bootID: bootID)
    let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
    let count = try #require(Int(String(decoding: bytes[..<end], as: UTF8.self)))
    let text = String(decoding: bytes[(end + 1)...].prefix(count), as: UTF8.self)
    var later = ""
    for character in text {
      later.append(character)
      if character == "{" { later += "\"later\":[{}]," }
    }
    let rest = bytes[(end + 1 + count)...]
    let read = try #require(
      Handover.read(Array("\(later.utf8.count)\n\(later)".utf8) + rest, bootID: bootID))
    #expect(read.states.map(\.stored) == [state.stored])
    #expect(read.states[0].output == state.output)
  }

  @Test func `what is of a later version is not used`() {
    let bytes = Handover.write([], generation: 1, bootID: bootID)
    let text = String(decoding: bytes, as: UTF8.self)
    let later = text.split(separator: "\"version\":2").joined(separator: "\"version\":3")
    #expect(later.utf8.count == bytes.count)
    #expect(Handover.read(Array(later.utf8), bootID: bootID) == nil)
  }

  @Test func `what is damaged is not used and does no harm`() {
    let bytes = Handover.write([state], generation: 1, bootID: bootID)
    for count in 0..<bytes.count {
      #expect(Handover.read(Array(bytes[..<count]), bootID: bootID) == nil)
    }
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x11
      _ = Handover.read(damaged, bootID: bootID)
    }
  }

  @Test func `only those who asked for it hear of restarts`() {
    #expect(!ConnectionState().wantsNews)
    #expect(state.wantsNews)
  }
}
