import Glibc
import LinuxSystem

/// Wakes the thread that waits for a connection.
final class WakeSignal: Sendable {
  private let sender: FileDescriptor
  private let receiver: FileDescriptor

  /// Makes one; nil if the process or the system has no descriptor left.
  init?() {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
    sender = FileDescriptor(owning: ends[0])
    receiver = FileDescriptor(owning: ends[1])
  }

  /// What to wait for input on.
  var rawValue: Int32 { receiver.rawValue }

  /// Wakes; a second time before the thread has woken changes nothing.
  func send() {
    let byte: [UInt8] = [0]
    _ = unsafe byte.withUnsafeBytes { unsafe sender.send($0) }
  }

  /// Forgets that it was woken.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while case .bytes = unsafe bytes.withUnsafeMutableBytes({ unsafe receiver.receive(into: $0) }) {
    }
  }
}
