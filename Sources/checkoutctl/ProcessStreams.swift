import Glibc
import JSON
import LinuxSystem
import ValueTree

/// The standard streams and files, read and written without a buffer in between.
enum ProcessStreams {
  static let input: Int32 = 0
  static let output: Int32 = 1
  static let error: Int32 = 2

  /// The longest input taken: as long as the daemon's longest line.
  static let maximumInputByteCount = 16 * 1024 * 1024

  /// Makes sure that the standard streams are what they are meant to be, whoever started us how.
  static func prepare() {
    ProcessHardening.ignoreBrokenPipes()
    // A socket or a file must not get the number of a stream that is closed.
    for number in input...error where fcntl(number, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDWR)
    }
  }

  /// Writes a line to the standard output.
  static func write(_ text: String) throws(Failure) {
    do throws(Errno) {
      try write(text + "\n", to: output)
    } catch { throw .output(error) }
  }

  /// Writes a line to the standard error.
  static func complain(_ text: String) { tell(text + "\n") }

  /// Writes to the standard error.
  static func tell(_ text: String) {
    // There is no one left to tell that this failed.
    try? write(text, to: error)
  }

  private static func write(_ text: String, to descriptor: Int32) throws(Errno) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
      }
      if count >= 0 { written += count } else { try retry(descriptor, POLLOUT, "write") }
    }
  }

  /// Reads a file, or the standard input for `-`, to its end.
  ///
  /// - Parameter path: Where it is.
  /// - Returns: The text, in UTF-8.
  /// - Throws: A usage failure that names the path.
  static func read(_ path: String) throws(Failure) -> String {
    let name = path == "-" ? "standard input" : path
    let bytes: [UInt8]
    do throws(Errno) {
      if path == "-" {
        bytes = try readAll(input)
      } else {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw Errno(code: errno, call: "open") }
        let file = FileDescriptor(owning: number)
        bytes = try readAll(file.rawValue)
      }
    } catch { throw .usage("\(name): \(error)") }
    guard bytes.count <= maximumInputByteCount else { throw .usage("\(name): too long") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("\(name): not UTF-8")
    }
    return text
  }

  /// Reads what the standard input has now, once it has something; nothing at its end.
  static func readSome() throws(Failure) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: 65_536)
    do throws(Errno) {
      while true {
        let count = unsafe piece.withUnsafeMutableBytes { buffer in
          unsafe Glibc.read(input, buffer.baseAddress, buffer.count)
        }
        if count >= 0 { return Array(piece[..<count]) }
        try retry(input, POLLIN, "read")
      }
    } catch { throw .usage("standard input: \(error)") }
  }

  private static func readAll(_ descriptor: Int32) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= maximumInputByteCount {
      let count = unsafe piece.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count > 0 {
        bytes += piece[..<count]
      } else if count == 0 {
        break
      } else {
        try retry(descriptor, POLLIN, "read")
      }
    }
    return bytes
  }

  /// After a call that failed: waits, if all it said was that it would have had to.
  private static func retry(
    _ descriptor: Int32, _ events: Int32, _ call: StaticString
  ) throws(Errno) {
    switch errno {
    case EINTR: return
    case EAGAIN:
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      _ = unsafe poll(&entry, 1, -1)
    case let code: throw Errno(code: code, call: call)
    }
  }
}

extension Errno {
  /// Nobody reads the pipe any more.
  static let brokenPipe = Errno(code: EPIPE, call: "write")
}

/// Matches errors by what they are.
func ~= (pattern: Errno, error: Errno) -> Bool { pattern == error }

func exitProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }
