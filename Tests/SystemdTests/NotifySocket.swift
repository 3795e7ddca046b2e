import Glibc
import LinuxSystem

/// The datagram socket that a service manager would read.
final class NotifySocket {
  /// As `NOTIFY_SOCKET` has it.
  let address: String

  /// Where it is, unless it is in the abstract namespace.
  let path: String

  private var descriptor: FileDescriptor?

  init(isAbstract: Bool) throws {
    let name = "/tmp/checkoutd-notify-\(Random.uint64())"
    path = name
    address = isAbstract ? "@" + name.dropFirst() : name
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(AF_UNIX, type, 0)
    descriptor = FileDescriptor(owning: number)
    var bytes = Array(address.utf8)
    if isAbstract { bytes[0] = 0 }
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &place.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
    let result = unsafe withUnsafePointer(to: &place) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, length)
      }
    }
    guard result == 0 else { throw Errno(code: errno, call: "bind") }
  }

  deinit { _ = unsafe unlink(path) }

  var rawValue: Int32 { descriptor?.rawValue ?? -1 }

  /// The next datagram; empty when there is none.
  func read() -> String { readText(from: rawValue) }

  func close() { descriptor = nil }
}
