import JSON
import Testing

@testable import JSONRPC

/// A framer that goes on where another was left delivers what that one would have.
@Suite struct HeldInputTests {
  private let text = "first\nsecond, rather long\n\nthird\nfour"

  @Test func `at every byte`() {
    for place in 0...text.utf8.count {
      let (before, after) = (Array(text.utf8.prefix(place)), Array(text.utf8.dropFirst(place)))
      #expect(deliver([before, after], changingFramer: true) == deliver([Array(text.utf8)]))
    }
  }

  @Test func `in a line that is too long`() {
    let line = [UInt8](repeating: 0x78, count: 50)
    let text = line + Array("\nshort\n".utf8)
    for place in 0...text.count {
      let pieces = [Array(text[..<place]), Array(text[place...])]
      #expect(deliver(pieces, changingFramer: true) == ["too long", "short"], "cut at \(place)")
    }
  }

  @Test func `with whole lines left because too much was under way`() {
    let framer = LineFramer(maximumLineByteCount: 30)
    var seen: [String] = []
    feed(Array("a\nb\nc\nd".utf8), to: framer) {
      seen.append($0)
      return false
    }
    #expect(seen == ["a"])
    let held = framer.held
    #expect(held == HeldInput(bytes: Array("b\nc\nd".utf8)))
    let next = LineFramer(continuing: held, maximumLineByteCount: 30)
    let isStopped = next.isStopped
    #expect(isStopped)
    next.resume { event in
      seen.append(name(of: event))
      return true
    }
    #expect(seen == ["a", "b", "c"])
    feed(Array("e\n".utf8), to: next) {
      seen.append($0)
      return true
    }
    #expect(seen == ["a", "b", "c", "de"])
  }

  private func deliver(_ pieces: [[UInt8]], changingFramer: Bool = false) -> [String] {
    var framer = LineFramer(maximumLineByteCount: 30)
    var seen: [String] = []
    for piece in pieces {
      feed(piece, to: framer) {
        seen.append($0)
        return true
      }
      guard changingFramer else { continue }
      framer = LineFramer(continuing: framer.held, maximumLineByteCount: 30)
      framer.resume { event in
        seen.append(name(of: event))
        return true
      }
    }
    framer.finish { event in
      seen.append(name(of: event))
      return true
    }
    return seen
  }

  @Test(arguments: [Int.min, -1, 0, 31, 480, 481, Int.max])
  func `whatever another process says it skipped, the end of the line is found`(skipped: Int) {
    let held = HeldInput(skipped: skipped)
    let framer = LineFramer(continuing: held, maximumLineByteCount: 30)
    var seen: [String] = []
    framer.resume { _ in true }
    feed(Array("abc\ndef\n".utf8), to: framer) {
      seen.append($0)
      return true
    }
    switch skipped {
    case ...0: #expect(seen == ["abc", "def"])
    case 31: #expect(seen == ["def"])
    default: #expect(seen == ["flood"])
    }
  }

  private func feed(
    _ bytes: [UInt8], to framer: LineFramer, _ deliver: (String) -> Bool
  ) {
    let padded = bytes + [UInt8](repeating: 0, count: PaddedBuffer.padding)
    unsafe padded.withUnsafeBytes { buffer in
      unsafe framer.feed(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])) {
        deliver(name(of: $0))
      }
    }
  }

  private func name(of event: LineEvent) -> String {
    switch event {
    case .line(let line): unsafe String(decoding: line, as: UTF8.self)
    case .tooLong: "too long"
    case .flood: "flood"
    }
  }
}
