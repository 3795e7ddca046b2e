import Glibc
import LinuxSystem
import Testing

@Suite struct SealedFileTests {
  @Test(arguments: [0, 1, 300_000]) func `what went in comes out, as often as asked`(count: Int)
    throws
  {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let file = try SealedFile.make(named: "test", holding: bytes)
    #expect(SealedFile.read(file) == bytes)
    #expect(SealedFile.read(file) == bytes)
  }

  @Test func `nobody can change it`() throws {
    let file = try SealedFile.make(named: "test", holding: [1, 2, 3])
    #expect(unsafe pwrite(file.rawValue, "x", 1, 0) == -1)
    #expect(ftruncate(file.rawValue, 0) == -1)
    #expect(fcntl(file.rawValue, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func `a file that can be changed is not read`() throws {
    let number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    #expect(SealedFile.read(FileDescriptor(owning: number)) == nil)
  }
}
