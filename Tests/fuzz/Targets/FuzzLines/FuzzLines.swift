import CheckoutProtocol
import FuzzSupport
import JSON
import JSONRPC
import ValueTree

/// Framer, parser and dispatcher.
///
/// Whatever comes in, cut however, every line out is a reply, and the cuts make no difference.
@main enum FuzzLines {
  /// Short enough for a flood, and long enough for the longest call.
  private static let limits = [256, 6000]

  static func main() {
    let servers = limits.map { limit in
      (limit, LineServer.dispatcher(for: Methods.keys, maximumLineByteCount: limit))
    }
    Fuzzer.run { bytes in
      var input = FuzzInput(bytes)
      let server = input.one(of: servers)
      let cuts = input.chunk()
      let stream = input.remainder()
      let whole = replies(to: stream, cutAt: [], server)
      require(replies(to: stream, cutAt: cuts, server) == whole, "cuts make no difference")
      for line in whole { check(line) }
    }
  }

  /// What the server answers to a stream that comes in pieces: each byte says how long one is, and
  /// every fourth piece stops the delivery after each line.
  private static func replies(
    to stream: [UInt8], cutAt cuts: [UInt8],
    _ parts: (limit: Int, methods: Dispatcher<LineServer>)
  ) -> [[UInt8]] {
    let server = LineServer(parts.methods, maximumLineByteCount: parts.limit)
    var rest = stream[...]
    for cut in cuts where !rest.isEmpty {
      let piece = rest.prefix(Int(cut) / 4 + 1)
      rest = rest.dropFirst(piece.count)
      server.receive(piece) { cut % 4 == 3 }
      if cut % 8 == 3 { server.resume() }
      require(
        server.heldByteCount <= max(192, server.isStopped ? 2 * stream.count : 4 * parts.limit),
        "an unfinished line takes no more than it may")
    }
    while server.isStopped { server.resume() }
    server.receive(rest) { false }
    server.finish()
    return server.takeLines()
  }

  private static func check(_ line: [UInt8]) {
    guard let reply = try? JSONReader(maximumByteCount: 1 << 20).value(of: line) else {
      return require(false, "a reply is JSON: \(String(decoding: line, as: UTF8.self))")
    }
    for member in reply.array ?? [reply] {
      require(member["jsonrpc"] == "2.0" && member["id"] != nil, "a reply has an id")
      require(
        (member["result"] != nil) != (member["error"] != nil), "a reply has a result or an error")
    }
  }
}
