import Glibc
import LinuxSystem
import Upstream

/// Connections to the network.
enum TCPSocket {
  /// Begins to connect.
  ///
  /// - Returns: A connection that does not block; it stands when it can be written to and has no error.
  static func begin(to address: NetworkAddress, port: UInt16) throws(Errno) -> FileDescriptor {
    let isV4 = address.bytes.count == 4
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(isV4 ? AF_INET : AF_INET6, type, 0)
    guard number >= 0 else { throw Errno(code: errno, call: "socket") }
    let descriptor = FileDescriptor(owning: number)
    // What is small is not held back, and a peer that has vanished is found out.
    set(number, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(number, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(number, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
    set(number, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 60)
    let result = isV4 ? connectV4(number, address, port) : connectV6(number, address, port)
    guard result == 0 || errno == EINPROGRESS else { throw Errno(code: errno, call: "connect") }
    return descriptor
  }

  /// Has the end of a connection be a reset.
  static func resetWhenClosed(_ number: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(
      number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  private static func set(_ number: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func connectV4(_ number: Int32, _ to: NetworkAddress, _ port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: to.bytes) }
    return unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe bytes.withMemoryRebound(to: sockaddr.self) { address in
        unsafe connect(number, address.baseAddress, socklen_t(bytes.count))
      }
    }
  }

  private static func connectV6(_ number: Int32, _ to: NetworkAddress, _ port: UInt16) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: to.bytes) }
    return unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe bytes.withMemoryRebound(to: sockaddr.self) { address in
        unsafe connect(number, address.baseAddress, socklen_t(bytes.count))
      }
    }
  }
}

/// Waiting for descriptors.
enum Poll {
  /// Waits until something is to be told of one of them, or the time has come.
  ///
  /// - Parameters:
  ///   - entries: What to wait for; on return, what there is. A negative descriptor is passed over.
  ///   - time: When to come back at the latest, in microseconds since the machine started.
  static func wait(_ entries: inout [pollfd], until time: UInt64) {
    while true {
      let now = Clock.bootMicroseconds()
      // Rounded up: never back a little too early, to be called again at once.
      let remaining = time > now ? Int32(clamping: (time - now + 999) / 1000) : 0
      let count = unsafe poll(&entries, nfds_t(entries.count), remaining)
      if count >= 0 || errno != EINTR { return }
    }
  }
}
