import Glibc
package import LinuxSystem

/// The terminal that somebody sits at.
///
/// Between ``enter()`` and ``leave()`` it is a screen: every key comes at once, nothing is echoed,
/// and what was there before is back afterwards. Keys that send signals still do.
package final class TerminalDevice {
  private let device: FileDescriptor
  private let original: termios
  private let isColored: Bool
  private var isEntered = false

  /// Opens the terminal that controls the process.
  ///
  /// - Throws: ``Errno`` of `open` or `tcgetattr`: `ENXIO` if there is none, `ENOTSUP` if it cannot
  ///   move its cursor.
  package init() throws(Errno) {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { throw Errno(code: errno, call: "open") }
    device = FileDescriptor(owning: number)
    var settings = termios()
    guard unsafe tcgetattr(number, &settings) == 0 else {
      throw Errno(code: errno, call: "tcgetattr")
    }
    original = settings
    let kind = Self.variable("TERM")
    guard kind != nil, kind != "dumb" else { throw Errno(code: ENOTSUP, call: "open") }
    isColored = (Self.variable("NO_COLOR") ?? "").isEmpty
  }

  deinit { leave() }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The device's number, for those who wait until there is something to read.
  package var descriptor: Int32 { device.rawValue }

  /// How large it is now.
  package var size: ScreenSize {
    var size = winsize()
    let result = unsafe ioctl(device.rawValue, UInt(TIOCGWINSZ), &size)
    guard result == 0, size.ws_col > 0, size.ws_row > 0 else {
      return ScreenSize(columns: 80, rows: 24)
    }
    return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Makes it a screen.
  ///
  /// - Throws: ``Errno`` of `tcsetattr`.
  package func enter() throws(Errno) {
    var settings = original
    unsafe cfmakeraw(&settings)
    settings.c_lflag |= tcflag_t(ISIG)
    guard unsafe tcsetattr(device.rawValue, TCSADRAIN, &settings) == 0 else {
      throw Errno(code: errno, call: "tcsetattr")
    }
    isEntered = true
    // The other screen, and marks around what is pasted.
    write("\u{1B}[?1049h\u{1B}[?2004h")
  }

  /// Makes it what it was.
  package func leave() {
    guard isEntered else { return }
    isEntered = false
    write("\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l")
    var settings = original
    // What is typed and not yet read was meant for the screen that is gone.
    _ = unsafe tcsetattr(device.rawValue, TCSAFLUSH, &settings)
  }

  /// Shows something, while it is a screen.
  ///
  /// - Parameter screen: What to show.
  package func show(_ screen: Screen) {
    guard isEntered else { return }
    write(screen.rendered(size: size, isColored: isColored))
  }

  /// Reads what has been typed; waits if nothing has.
  ///
  /// - Returns: The bytes; nil if the terminal is gone.
  package func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe Glibc.read(device.rawValue, &bytes, bytes.count)
    guard count <= 0 else { return Array(bytes[..<count]) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
  }

  /// A terminal that is gone is found out by reading.
  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(device.rawValue, buffer.baseAddress, buffer.count)
      }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno != EINTR {
        return
      }
    }
  }
}
