import CLinux
import Glibc

/// Why a socket at a path cannot be listened on or connected to.
package enum UnixSocketError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The path has more bytes than a socket's address holds.
  case pathTooLong(String, limit: Int)

  /// Somebody listens there already.
  case addressInUse(String)

  /// There is something else at the path; it is left alone.
  case notASocket(String)

  /// A system call failed.
  case failed(Errno, path: String)

  /// A line for people.
  package var description: String {
    switch self {
    case .pathTooLong(let path, let limit):
      "\(path): the path of a socket has at most \(limit) bytes, this one has \(path.utf8.count)"
    case .addressInUse(let path): "\(path): another process listens there"
    case .notASocket(let path): "\(path): exists and is not a socket"
    case .failed(let error, let path): "\(path): \(error)"
    }
  }
}

/// What became of taking a connection from a listener.
package enum AcceptResult: ~Copyable {
  /// A connection that does not block.
  case accepted(FileDescriptor)

  /// Nobody waits.
  case wouldBlock

  /// The one who waited has gone; there may be others.
  case peerGone

  /// The process or the system has no descriptor left; those who wait go on waiting.
  case outOfDescriptors

  /// The kernel has no memory left; those who wait go on waiting.
  case outOfMemory

  /// The listener is of no use.
  case failed(Errno)
}

/// Stream sockets at paths.
package enum UnixSocket {
  /// Listens at a path.
  ///
  /// A socket that nobody listens on any more is replaced; anything else at the path is left alone.
  /// Two daemons that find the same stale socket in the same moment are not told apart here: what
  /// else they share, such as a database, must do that.
  ///
  /// - Parameters:
  ///   - path: Where the socket appears, with mode 0660 from the first connection on.
  ///   - createsParent: Whether to make the directory around it if it is missing: for everybody if
  ///     the user is root, else for that user.
  /// - Returns: A listener that does not block.
  /// - Throws: ``UnixSocketError``.
  package static func listen(
    at path: String, createsParent: Bool = false
  ) throws(UnixSocketError) -> FileDescriptor {
    let socket = try makeSocket(for: path, flags: SOCK_NONBLOCK.rawValue)
    do throws(Errno) {
      if createsParent { try createParent(of: path) }
      // The socket's own mode and the umask bound the mode that the file is made with. Nobody can
      // connect before `listen`, so that widening it after `bind` races with nobody.
      _ = try check(fchmod(socket.rawValue, mode), "fchmod")
    } catch { throw .failed(error, path: path) }
    var bound = unsafe clinux_unix_bind(socket.rawValue, path)
    if bound == -EADDRINUSE {
      try removeStaleSocket(at: path)
      bound = unsafe clinux_unix_bind(socket.rawValue, path)
    }
    do throws(Errno) {
      _ = try checkNegated(bound, "bind")
      _ = try check(unsafe chmod(path, mode), "chmod")
      _ = try check(Glibc.listen(socket.rawValue, SOMAXCONN), "listen")
    } catch { throw .failed(error, path: path) }
    return socket
  }

  /// Connects to a listener; for clients.
  ///
  /// - Parameter path: Where it listens.
  /// - Returns: A connection that waits for its peer. So does this call while the listener's queue
  ///   is full.
  /// - Throws: ``UnixSocketError``. ``Errno/noEntry``, ``Errno/connectionRefused`` and
  ///   ``Errno/permissionDenied`` are what a caller may want to explain.
  package static func connect(to path: String) throws(UnixSocketError) -> FileDescriptor {
    let socket = try makeSocket(for: path, flags: 0)
    do throws(Errno) {
      _ = try checkNegated(unsafe clinux_unix_connect(socket.rawValue, path), "connect")
    } catch { throw .failed(error, path: path) }
    return socket
  }

  /// Makes a datagram socket that sends to nobody yet.
  ///
  /// - Throws: ``Errno`` of `socket`.
  package static func datagramSocket() throws(Errno) -> FileDescriptor {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    return FileDescriptor(owning: try check(socket(AF_UNIX, type, 0), "socket"))
  }

  /// Has a datagram socket send to a receiver at a path; again, if it had another.
  ///
  /// - Returns: Whether somebody receives there.
  package static func connectDatagrams(of descriptor: Int32, to path: String) -> Bool {
    unsafe clinux_unix_connect(descriptor, path) >= 0
  }

  /// Takes the next connection that waits at a listener.
  ///
  /// - Parameter listener: A listener that does not block.
  /// - Returns: The connection, or why there is none.
  package static func acceptConnection(
    on listener: borrowing FileDescriptor
  ) -> AcceptResult {
    let result = clinux_accept(listener.rawValue)
    guard result < 0 else { return .accepted(FileDescriptor(owning: result)) }
    switch -result {
    case EAGAIN: return .wouldBlock
    case ECONNABORTED, EPROTO: return .peerGone
    case EMFILE, ENFILE: return .outOfDescriptors
    case ENOMEM, ENOBUFS: return .outOfMemory
    default: return .failed(Errno(code: -result, call: "accept4"))
    }
  }

  /// How many bytes the path of a socket may have.
  package static var pathLimit: Int { clinux_unix_path_limit() }

  private static let mode: mode_t = 0o660

  private static func makeSocket(
    for path: String, flags: UInt32
  ) throws(UnixSocketError) -> FileDescriptor {
    guard path.utf8.count <= pathLimit else { throw .pathTooLong(path, limit: pathLimit) }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | flags)
    do throws(Errno) {
      return FileDescriptor(owning: try check(socket(AF_UNIX, type, 0), "socket"))
    } catch { throw .failed(error, path: path) }
  }

  private static func createParent(of path: String) throws(Errno) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let parent = String(path[..<slash])
    let mode: mode_t = geteuid() == 0 ? 0o755 : 0o700
    guard unsafe mkdir(parent, mode) != 0 else {
      // A umask made for secrets would shut the clients out.
      _ = try check(unsafe chmod(parent, mode), "chmod")
      return
    }
    guard errno == EEXIST else { throw Errno(code: errno, call: "mkdir") }
  }

  /// Removes what is at the path if it is a socket that nobody listens on.
  private static func removeStaleSocket(at path: String) throws(UnixSocketError) {
    var status = stat()
    // Whoever removed it in the meantime has done our work.
    guard unsafe lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
    let probe = try makeSocket(for: path, flags: SOCK_NONBLOCK.rawValue)
    // Every other answer means that somebody is there, be it with a full queue (EAGAIN), be it with
    // another type of socket (EPROTOTYPE), or that we may not know (EACCES).
    guard unsafe clinux_unix_connect(probe.rawValue, path) == -ECONNREFUSED else {
      throw .addressInUse(path)
    }
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw .failed(Errno(code: errno, call: "unlink"), path: path)
    }
  }
}
