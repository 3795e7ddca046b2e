import Glibc
import LinuxSystem
import Testing

@testable import Systemd

@Suite struct LeftDescriptorsTests {
  /// What a service manager hands back.
  private struct Kept {
    var stored: [StoredDescriptor] = []
  }

  private static func kept(_ numbers: [Int32], label: UInt64, file: [UInt8]?) throws -> Kept {
    var kept = Kept()
    let carrier = try DescriptorCarrier.pack(numbers, label: label)
    kept.stored.append(StoredDescriptor(name: "connections", rawValue: carrier.release()))
    if let file {
      let sealed = try SealedFile.make(named: "handover", holding: file)
      kept.stored.append(StoredDescriptor(name: "handover", rawValue: sealed.release()))
    }
    return kept
  }

  private static func bytes(of label: UInt64) -> [UInt8] {
    unsafe withUnsafeBytes(of: label) { unsafe Array($0) }
  }

  /// A connection's two ends.
  private static func pair() throws -> [Int32] {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
    return ends
  }

  @Test func `what was left is handed out with its description`() throws {
    let ends = try Self.pair()
    let kept = try Self.kept(ends, label: 7, file: Self.bytes(of: 7) + [1, 2, 3])
    let left = try #require(ServiceManager().takeLeft(kept.stored))
    #expect(left.numbers.count == 2 && left.description == [1, 2, 3])
    for number in ends { close(number) }
    #expect(unsafe write(left.numbers[0], "x", 1) == 1)
    #expect(readText(from: left.numbers[1]) == "x")
    for number in left.numbers { close(number) }
  }

  @Test(arguments: [nil, [], [1, 2, 3], bytes(of: 8) + [1]] as [[UInt8]?])
  func `what does not belong together is let go`(file: [UInt8]?) throws {
    let ends = try Self.pair()
    let kept = try Self.kept([ends[0]], label: 7, file: file)
    #expect(ServiceManager().takeLeft(kept.stored) == nil)
    // Its peer sees the end.
    #expect(readText(from: ends[1]).isEmpty)
    for number in ends { close(number) }
  }

  @Test func `without a service manager nothing is left, and nothing was`() {
    let service = ServiceManager()
    #expect(!service.leave([0], describedBy: []))
    #expect(service.takeLeft([]) == nil)
  }
}
