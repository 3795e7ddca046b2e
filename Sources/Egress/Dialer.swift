import Glibc
import LinuxSystem
import Upstream

/// Why there is no connection.
enum DialFailure: Error, Equatable {
  /// None of the addresses may be connected to; the first of them.
  case notAllowed(NetworkAddress?)
  /// The name leads nowhere, for that reason.
  case noAddress(String)
  /// None of the addresses answered; what became of the last one that did fail.
  case failed(Errno)
  /// The one who asked has gone.
  case abandoned
  /// The thread is to stop; nothing has been said to the one who asked.
  case stopped
  /// The thread was to stop meanwhile, and the one who asked is somebody else's.
  case taken

  /// What the one who asked is told.
  var reply: SocksReply {
    switch self {
    case .notAllowed: .notAllowed
    case .noAddress: .hostUnreachable
    case .abandoned, .stopped, .taken: .generalFailure
    case .failed(let error):
      switch error.code {
      case ECONNREFUSED: .connectionRefused
      case ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT: .networkUnreachable
      case EPERM, EACCES: .notAllowed  // the service manager's own rules, or a firewall's
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: .generalFailure
      default: .hostUnreachable
      }
    }
  }
}

/// Connects to one of a host's addresses.
struct Dialer {
  let rules: Rules
  let host: Host
  let port: UInt16
  /// The connection of the one who asked; when that is cut, nobody waits any more.
  let client: Int32
  /// When it is too late, in microseconds since the machine started.
  let deadline: UInt64
  /// Where the one who asked is lent while the system is asked for a name, and as what.
  var lending: (desk: Desk, session: LeftSession)?

  /// How long an address is waited for alone, before the next is tried beside it.
  ///
  /// - Source: RFC 8305, section 5.
  private static let headStart: UInt64 = 250_000
  /// More of a name's addresses are not tried.
  private static let addressLimit = 16

  /// Connects; addresses are tried in the order in which the system prefers them.
  ///
  /// - Returns: A connection that does not block.
  func connect() throws(DialFailure) -> FileDescriptor {
    let found = try addresses()
    let allowed = found.filter { rules.permits($0, of: host, port: port) }
    guard !allowed.isEmpty else { throw .notAllowed(found.first) }
    return try race(allowed.prefix(Self.addressLimit))
  }

  private func addresses() throws(DialFailure) -> [NetworkAddress] {
    switch host {
    case .address(let address): return [address]
    case .name(let name):
      guard let (desk, session) = lending else { return try Self.lookUp(name) }
      guard desk.lend(session) else { throw .stopped }
      let found = Result { () throws(DialFailure) in try Self.lookUp(name) }
      guard desk.takeBack(session.client) else { throw .taken }
      return try found.get()
    }
  }

  /// Asks the system for a name's addresses; takes as long as the resolver's own limits let it.
  private static func lookUp(_ name: String) throws(DialFailure) -> [NetworkAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = unsafe getaddrinfo(name, nil, &hints, &list)
    guard result == 0 else { throw .noAddress(unsafe String(cString: gai_strerror(result))) }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [NetworkAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let pointer = unsafe entry.pointee.ai_addr,
        let (address, _) = unsafe NetworkAddress.endpoint(of: pointer)
      {
        addresses.append(address)
      }
      unsafe next = unsafe entry.pointee.ai_next
    }
    guard !addresses.isEmpty else { throw .noAddress("it has no address") }
    return addresses
  }

  /// A connection that is being made.
  private final class Attempt {
    let number: Int32
    private var descriptor: FileDescriptor?

    init(_ descriptor: consuming FileDescriptor) {
      number = descriptor.rawValue
      self.descriptor = consume descriptor
    }

    /// Gives the connection away.
    func take() -> FileDescriptor? { descriptor.take() }

    /// What became of it.
    var error: Int32 {
      var code: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
        return errno
      }
      return code
    }
  }

  /// Connects to the address that answers first.
  ///
  /// The next one is begun when one has failed, and when the one before has had its head start.
  func race(_ addresses: ArraySlice<NetworkAddress>) throws(DialFailure) -> FileDescriptor {
    var waiting = addresses
    var attempts: [Attempt] = []
    var failure = Errno(code: ETIMEDOUT, call: "connect")
    var nextAt: UInt64 = 0
    while true {
      let now = Clock.bootMicroseconds()
      guard now < deadline else { throw .failed(Errno(code: ETIMEDOUT, call: "connect")) }
      if attempts.isEmpty || now >= nextAt, let address = waiting.popFirst() {
        do throws(Errno) {
          attempts.append(Attempt(try TCPSocket.begin(to: address, port: port)))
          nextAt = now + Self.headStart
        } catch {
          failure = error
          nextAt = now
        }
        continue
      }
      guard !attempts.isEmpty else { throw .failed(failure) }
      let until = waiting.isEmpty ? deadline : min(deadline, nextAt)
      var watched = [
        pollfd(fd: client, events: 0, revents: 0),
        pollfd(fd: lending?.desk.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      watched += attempts.map { pollfd(fd: $0.number, events: Int16(POLLOUT), revents: 0) }
      Poll.wait(&watched, until: until)
      guard watched[1].revents == 0 else { throw .stopped }
      guard watched[0].revents == 0 else { throw .abandoned }
      for (attempt, entry) in zip(attempts, watched.dropFirst(2)) where entry.revents != 0 {
        let code = attempt.error
        if code == 0, let connection = attempt.take() { return connection }
        failure = Errno(code: code, call: "connect")
        attempts.removeAll { $0 === attempt }
        nextAt = 0
      }
    }
  }
}
