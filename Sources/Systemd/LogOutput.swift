import Glibc
import LinuxSystem

/// Where entries go; nothing here ever waits.
struct LogOutput: ~Copyable {
  /// What became of an entry.
  enum Result {
    /// It was taken, or as many bytes of it as that.
    case taken(Int)
    /// There is no room now.
    case full
    /// It will never be taken.
    case refused
  }

  private enum Way {
    /// A datagram each, over a socket that is connected to the journal's.
    case journal(path: String)
    /// Standard error that is a socket.
    case socket
    /// Standard error that is a file of another kind.
    case file
  }

  /// A descriptor of our own, if that can be had: see ``reopened(_:)``.
  private let own: FileDescriptor?
  private let number: Int32
  private let way: Way

  /// Makes an output to the journal.
  ///
  /// - Returns: Nothing if the journal is not there.
  static func toJournal(at path: String) -> LogOutput? {
    guard let own = try? UnixSocket.datagramSocket() else { return nil }
    let number = own.rawValue
    guard UnixSocket.connectDatagrams(of: number, to: path) else { return nil }
    return LogOutput(own: own, number: number, way: .journal(path: path))
  }

  /// Makes an output to a descriptor of the caller's, for lines.
  static func lines(to descriptor: Int32) -> LogOutput {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      return LogOutput(own: nil, number: descriptor, way: .file)
    }
    switch status.st_mode & S_IFMT {
    case S_IFSOCK: return LogOutput(own: nil, number: descriptor, way: .socket)
    case S_IFIFO, S_IFCHR:
      guard let own = reopened(descriptor) else { fallthrough }
      let number = own.rawValue
      return LogOutput(own: own, number: number, way: .file)
    default: return LogOutput(own: nil, number: descriptor, way: .file)
    }
  }

  private init(own: consuming FileDescriptor?, number: Int32, way: Way) {
    self.own = own
    self.number = number
    self.way = way
  }

  /// Opens a pipe or a terminal once more, so as not to wait for it.
  ///
  /// `O_NONBLOCK` is of the open file, which others have too: set on the descriptor that was inherited
  /// it would change the terminal of whoever started the program.
  private static func reopened(_ descriptor: Int32) -> FileDescriptor? {
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let number = unsafe open("/proc/self/fd/\(descriptor)", flags)
    return number < 0 ? nil : FileDescriptor(owning: number)
  }

  /// The descriptor that can be watched until there is room.
  var rawValue: Int32 { number }

  /// Whether an entry goes as a whole or not at all.
  var isWhole: Bool { if case .journal = way { true } else { false } }

  /// Writes bytes.
  borrowing func write(_ bytes: [UInt8], from start: Int = 0) -> Result {
    switch way {
    case .journal(let path):
      let result = send(bytes, start)
      guard case .refused = result else { return result }
      // It may have been started anew, with another socket.
      guard UnixSocket.connectDatagrams(of: number, to: path) else { return .full }
      return send(bytes, start)
    case .socket: return send(bytes, start)
    case .file:
      guard isReady else { return .full }
      return unsafe Self.attempt(bytes, start) { buffer in
        unsafe Glibc.write(number, buffer.baseAddress, min(buffer.count, EncodedEntry.lineLimit))
      }
    }
  }

  private borrowing func send(_ bytes: [UInt8], _ start: Int) -> Result {
    unsafe Self.attempt(bytes, start) { buffer in
      unsafe Glibc.send(
        number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
  }

  private static func attempt(
    _ bytes: [UInt8], _ start: Int, _ call: (UnsafeRawBufferPointer) -> Int
  ) -> Result {
    unsafe bytes.withUnsafeBytes { buffer in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[min(start, buffer.count)...])
      while true {
        let count = unsafe call(rest)
        if count >= 0 { return .taken(count) }
        switch errno {
        case EINTR: continue
        case EAGAIN, ENOBUFS, ENOMEM: return .full
        default: return .refused
        }
      }
    }
  }

  private var isReady: Bool {
    var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
  }
}
