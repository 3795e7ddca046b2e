import Glibc
import LinuxSystem
import Testing

@Suite struct DescriptorCarrierTests {
  // So many may be more than a process that runs other tests beside has left.
  @Test(arguments: [1, 253, 254, 700]) func `all arrive, in order`(count: Int) async {
    await #expect(processExitsWith: .success) { [count] in try Self.carry(count) }
  }

  private static func carry(_ count: Int) throws {
    let files = try (0..<count).map { number in
      try SealedFile.make(named: "test", holding: Array("\(number)".utf8)).release()
    }
    let carrier = try DescriptorCarrier.pack(files, label: .max)
    for file in files { try FileDescriptor(owning: file).close() }
    let unpacked = DescriptorCarrier.unpack(carrier)
    #expect(unpacked?.label == .max)
    let found = (unpacked?.descriptors ?? []).map { number in
      let file = FileDescriptor(owning: number)
      #expect(fcntl(file.rawValue, F_GETFD) & FD_CLOEXEC != 0)
      return String(decoding: SealedFile.read(file) ?? [], as: UTF8.self)
    }
    #expect(found == (0..<count).map { "\($0)" })
    let again = DescriptorCarrier.unpack(carrier)
    #expect(again == nil)
  }

  @Test func `what nobody unpacks is closed`() throws {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #expect(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
    let peer = FileDescriptor(owning: ends[1])
    do {
      let end = FileDescriptor(owning: ends[0])
      _ = try DescriptorCarrier.pack([end.rawValue], label: 0)
    }
    #expect(unsafe recv(peer.rawValue, &ends, 1, Int32(MSG_DONTWAIT)) == 0)
  }

  @Test func `what carries nothing is not unpacked`() throws {
    let file = try SealedFile.make(named: "test", holding: [1])
    let found = DescriptorCarrier.unpack(file)
    #expect(found == nil)
  }
}
