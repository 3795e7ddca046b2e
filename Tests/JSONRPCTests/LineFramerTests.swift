import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct LineFramerTests {
  static let call = #"{"jsonrpc":"2.0","id":1,"method":"conf.snapshot"}"#
  static let reply = #"{"jsonrpc":"2.0","id":1,"result":["ready",5]}"#

  private func texts(_ server: ConformanceServer) -> [String] {
    server.takeLines().map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `S-01 a call sent byte by byte is answered once`() {
    let server = ConformanceServer()
    for byte in Self.call.utf8 { server.send([byte]) }
    #expect(texts(server).isEmpty && server.heldByteCount > 0)
    server.send([0x0A])
    #expect(texts(server) == [Self.reply] && server.heldByteCount == 0)
  }

  @Test(arguments: 0..<20)
  func `S-02 a thousand calls cut at random places are all answered`(seed: UInt64) {
    let server = ConformanceServer()
    var bytes: [UInt8] = []
    for id in 0..<1000 {
      bytes += Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"conf.gap","params":[9,4]}"#.utf8)
      bytes.append(0x0A)
    }
    var generator = Generator(state: seed)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...(seed % 2 == 0 ? 20_000 : 200), using: &generator)
      server.send(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    let expected = (0..<1000).map { #"{"jsonrpc":"2.0","id":\#($0),"result":5}"# }
    #expect(texts(server) == expected && server.heldByteCount == 0)
  }

  @Test(arguments: [1, 7, 1000, 100_000])
  func `S-04 a line beyond the limit is told once and skipped`(cut: Int) throws {
    let server = ConformanceServer(maximumLineByteCount: 2000)
    let bytes = Array((String(repeating: "x", count: 2001) + "\n" + Self.call + "\n").utf8)
    for start in stride(from: 0, to: bytes.count, by: cut) {
      server.send(bytes[start..<min(start + cut, bytes.count)])
    }
    let lines = server.takeLines()
    #expect(lines.count == 2)
    let error = try JSONReader().value(of: lines[0])
    #expect(error["id"] == .null && error["error"]?["code"] == -32001)
    #expect(error["error"]?["data"]?["limit"] == 2000)
    #expect(String(decoding: lines[1], as: UTF8.self) == Self.reply)
  }

  @Test func `a line of exactly the limit is taken`() {
    let server = ConformanceServer(maximumLineByteCount: Self.call.utf8.count)
    server.send((Self.call + "\n").utf8)
    server.send(Self.call.utf8)
    server.send([0x0A])
    #expect(texts(server) == [Self.reply, Self.reply])
    server.send((Self.call + " \n").utf8)
    #expect(texts(server).first?.contains("-32001") == true)
  }

  @Test(arguments: [1, 100, 5000])
  func `sixteen times the limit without LF is a flood, told once`(cut: Int) {
    let server = ConformanceServer(maximumLineByteCount: 100)
    for _ in 0..<(4000 / cut + 1) { server.send(Array(repeating: UInt8(ascii: "x"), count: cut)) }
    server.send((Self.call + "\n").utf8)
    #expect(server.floods == 1 && server.heldByteCount == 0)
    #expect(texts(server).count == 1)
  }

  @Test(arguments: ["", " \t\r\n\n"])
  func `S-06 a text without LF at end of input counts`(before: String) {
    let server = ConformanceServer()
    server.send((before + Self.call).utf8)
    #expect(texts(server).isEmpty)
    server.finish()
    #expect(texts(server) == [Self.reply] && server.heldByteCount == 0)
  }

  @Test(arguments: [1, 3, 1000])
  func `delivery stops and goes on where it stopped`(cut: Int) {
    let server = ConformanceServer()
    server.stopAt = 1
    let line = #"{"jsonrpc":"2.0","id":0,"method":"conf.later"}"# + "\n"
    let bytes = Array((String(repeating: line, count: 5) + Self.call).utf8)
    for start in stride(from: 0, to: bytes.count, by: cut) {
      server.send(bytes[start..<min(start + cut, bytes.count)])
    }
    server.finish()
    for _ in 0..<5 {
      #expect(server.isStopped && server.callsInFlight == 1 && server.pending.count == 1)
      server.pending.removeFirst().succeed(7)
      server.resume()
    }
    #expect(!server.isStopped && server.heldByteCount == 0)
    let later = #"{"jsonrpc":"2.0","id":0,"result":7}"#
    #expect(texts(server) == Array(repeating: later, count: 5) + [Self.reply])
  }

  @Test func `a long line in small pieces costs linear time`() {
    let server = ConformanceServer()
    let piece = Array(repeating: UInt8(ascii: " "), count: 16)
    let time = ContinuousClock().measure {
      for _ in 0..<60_000 { server.send(piece) }
      server.send((Self.call + "\n").utf8)
    }
    #expect(time < .seconds(5))
    #expect(texts(server) == [Self.reply])
  }

  /// A fixed sequence for each seed.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }
}
