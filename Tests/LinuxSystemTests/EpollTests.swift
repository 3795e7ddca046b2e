import Glibc
import LinuxSystem
import Testing

@Suite struct EpollTests {
  @Test func `what is ready is found with its tag until it is read`() throws {
    let pair = try SocketPair()
    let set = try Epoll()
    try set.add(pair.near.rawValue, .readable, tag: .max)
    #expect(try set.wait() == 0)
    #expect(pair.far.sendText("x") == .bytes(1))
    for _ in 0..<2 {
      #expect(try set.wait() == 1)
      #expect(set.ready(0).tag == .max && set.ready(0).events == .readable)
    }
    #expect(pair.near.receiveText().text == "x")
    #expect(try set.wait() == 0)
  }

  @Test func `what is watched for can be changed and ended`() throws {
    let pair = try SocketPair()
    let set = try Epoll()
    try set.add(pair.near.rawValue, .readable, tag: 1)
    try set.modify(pair.near.rawValue, [.readable, .writable], tag: 2)
    #expect(try set.wait() == 1)
    #expect(set.ready(0).tag == 2 && set.ready(0).events == .writable)
    try set.remove(pair.near.rawValue)
    #expect(try set.wait() == 0)
    #expect(throws: Errno(code: ENOENT, call: "epoll_ctl")) {
      try set.remove(pair.near.rawValue)
    }
  }

  @Test func `a set inside a set is readable when one of its own is ready`() throws {
    let pair = try SocketPair()
    let outer = try Epoll()
    let inner = try Epoll()
    try inner.add(pair.near.rawValue, [.readable, .peerClosed], tag: 1)
    try outer.add(inner.rawValue, .readable, tag: 7)
    #expect(try outer.wait() == 0)
    #expect(pair.far.sendText("x") == .bytes(1))
    #expect(try outer.wait() == 1)
    #expect(outer.ready(0).tag == 7)
  }

  @Test func `a batch holds at most 256`() throws {
    let pair = try SocketPair()
    let set = try Epoll()
    var copies: [Int32] = []
    for tag in 0..<300 {
      copies.append(dup(pair.near.rawValue))
      try set.add(copies[tag], .writable, tag: UInt64(tag))
    }
    #expect(try set.wait() == Epoll.batchSize)
    for copy in copies { _ = FileDescriptor(owning: copy) }
  }
}
