import Glibc
import LinuxSystem
import Testing

@Suite struct PeerCredentialsTests {
  @Test func `a peer in this process is this process`() throws {
    let directory = try TemporaryDirectory()
    let listener = try UnixSocket.listen(at: directory.file("socket"))
    let client = try UnixSocket.connect(to: directory.file("socket"))
    guard case .accepted(let server) = UnixSocket.acceptConnection(on: listener) else {
      Issue.record("nobody was accepted")
      return
    }
    let peer = try PeerCredentials(of: server)
    #expect(peer.userID == geteuid())
    #expect(peer.groupID == getegid())
    #expect(peer.processID == getpid())
    #expect(peer.supplementaryGroupIDs.sorted() == supplementaryGroups().sorted())
    #expect(peer.isOverflowUser == (geteuid() == PeerCredentials.overflowUserID))
    #expect(peer.commandName()?.isEmpty == false)
    _ = consume client
  }

  @Test func `what is not a socket has no peer`() throws {
    let file = FileDescriptor(owning: unsafe open("/dev/null", O_RDONLY | O_CLOEXEC))
    #expect(throws: Errno(code: ENOTSOCK, call: "getsockopt")) {
      _ = try PeerCredentials(of: file)
    }
  }

  @Test func `the overflow user is the kernel's`() {
    #expect(PeerCredentials.overflowUserID == 65534)
  }

  private func supplementaryGroups() -> [gid_t] {
    var groups = [gid_t](repeating: 0, count: 65536)
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return Array(groups[..<max(0, Int(count))])
  }
}
