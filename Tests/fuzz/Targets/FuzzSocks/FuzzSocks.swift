import FuzzSupport
import Upstream

@testable import Egress

/// What clients of the egress say, in pieces of any size, and what one run leaves to the next.
///
/// A conversation is read as a session reads it, and once more by a reader that has the whole of it
/// before its eyes: both must come to the same, and neither may take a byte that is upstream's.
@main enum FuzzSocks {
  static func main() {
    Fuzzer.run { bytes in
      var input = FuzzInput(bytes)
      if input.chance(oneIn: 3) {
        left(input.remainder())
      } else {
        let sizes = (0..<4).map { _ in 1 + input.number(below: 9) }
        converse(input.remainder(), sizes)
      }
    }
  }

  // MARK: Conversations

  /// What a conversation comes to.
  enum Outcome: Equatable {
    /// It goes on after all its bytes.
    case unfinished
    /// It is refused, with that answer.
    case refused([UInt8])
    /// It has asked for a connection with so many bytes, to an address of so many or a name, and a port.
    case asked(after: Int, addressCount: Int?, port: UInt16)
  }

  private static func converse(_ bytes: [UInt8], _ sizes: [Int]) {
    let expected = plainly(bytes)
    for sizes in [[Int.max], [1], sizes] {
      let outcome = inPieces(bytes, sizes)
      require(outcome == expected, "\(outcome) is \(expected)")
    }
  }

  /// Reads as a session does: never more at a time than is missing, nor than there is.
  private static func inPieces(_ bytes: [UInt8], _ sizes: [Int]) -> Outcome {
    var state = SessionState()
    var place = 0
    var round = 0
    while true {
      switch state.progress {
      case .needs(let count):
        require((1...262).contains(count), "what is missing is a part of a message: \(count)")
        let piece = bytes[place...].prefix(min(count, sizes[round % sizes.count]))
        guard !piece.isEmpty else { return .unfinished }
        state.message += piece
        place += piece.count
        round += 1
        // Whoever is told to stop here goes on like this.
        require(SessionState.decode(SessionState.encode([state])) == [state], "a state is kept")
      case .chosen: state = SessionState(stage: .request)
      case .whole(let request):
        var count: Int?
        if state.message[3] != 3, case .address(let address) = request.host {
          count = address.isV6 ? 16 : 4
        }
        return .asked(after: place, addressCount: count, port: request.port)
      case .refused(let answer): return .refused(answer)
      }
    }
  }

  /// Reads as RFC 1928 has it, with all bytes at hand.
  private static func plainly(_ bytes: [UInt8]) -> Outcome {
    func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }
    func refusal(_ code: UInt8) -> Outcome { .refused([5, code, 0, 1, 0, 0, 0, 0, 0, 0]) }
    // The first message: the version, how many methods, the methods.
    guard let version = byte(0) else { return .unfinished }
    guard version == 5 else { return .refused([]) }
    guard let methodCount = byte(1) else { return .unfinished }
    let start = 2 + Int(methodCount)
    guard bytes.count >= start else { return .unfinished }
    guard bytes[2..<start].contains(0) else { return .refused([5, 0xFF]) }
    // The second: the version, the command, a zero, the kind, the address, the port.
    guard let again = byte(start) else { return .unfinished }
    guard again == 5 else { return refusal(1) }
    guard bytes.count >= start + 5 else { return .unfinished }
    guard bytes[start + 1] == 1 else { return refusal(7) }
    guard bytes[start + 2] == 0 else { return refusal(1) }
    let begin: Int
    let count: Int
    switch bytes[start + 3] {
    case 1: (begin, count) = (start + 4, 4)
    case 3: (begin, count) = (start + 5, Int(bytes[start + 4]))
    case 4: (begin, count) = (start + 4, 16)
    default: return refusal(8)
    }
    let end = begin + count + 2
    guard bytes.count >= end else { return .unfinished }
    let port = UInt16(bytes[end - 2]) * 256 + UInt16(bytes[end - 1])
    let address = Array(bytes[begin..<(end - 2)])
    guard port > 0 else { return refusal(2) }
    guard bytes[start + 3] == 3 else {
      let isMapped =
        count == 16 && address.starts(with: [UInt8](repeating: 0, count: 10) + [255, 255])
      return .asked(after: end, addressCount: isMapped ? 4 : count, port: port)
    }
    // Which names are names is not decided here; one that holds these is none.
    guard let text = String(validating: address, as: UTF8.self), !text.isEmpty,
      !text.utf8.contains(0),
      Host(text.contains(":") && !text.hasPrefix("[") ? "[\(text)]" : text) != nil
    else { return refusal(2) }
    return .asked(after: end, addressCount: nil, port: port)
  }

  // MARK: What is left

  /// Whatever a file holds: it is refused, or it means what it is written as again.
  private static func left(_ bytes: [UInt8]) {
    guard let states = SessionState.decode(bytes) else { return }
    require(SessionState.encode(states) == bytes, "what is read is written as it was")
    for state in states { _ = state.progress }
  }
}
