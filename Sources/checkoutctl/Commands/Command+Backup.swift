import CheckoutClient
import Glibc
import LinuxSystem
import ValueTree

extension Command {
  static let backup = Command(
    "backup", "FILE", count: 1...1, options: [.json],
    summary: "copy the daemon's state to a new file; for administrators",
    details: """
      The daemon makes the copy while it serves, and it is moved to FILE, which is for your eyes alone
      and must not be there yet. It holds whatever was answered before the command ends: client tokens
      and personal data too, which are not wiped from it when their time is over.

      checkoutd --restore FILE makes a state of it.
      """
  ) { invocation throws(Failure) in
    let file = BackupFile(invocation.operands.first ?? "")
    try file.requireAbsent()
    let link = try Link(invocation)
    invocation.console.tellProgress("copying the state")
    let name = "checkoutctl-\(Clock.wallMilliseconds())-\(getpid())"
    let copy = try link.call("system.backup", ["name": .string(name)])
    guard let path = copy["path"]?.string, let byteCount = copy["bytes"]?.integer else {
      throw .client(.protocolViolation("a copy without path or size"))
    }
    try file.move(path, byteCount: byteCount)
    try invocation.console.print(["file": .string(file.path), "bytes": .integer(byteCount)]) { _ in
      "copied \(byteCount) bytes to \(file.path.printable)"
    }
  }
}

/// Where a copy of the state goes.
private struct BackupFile {
  let path: String

  init(_ path: String) { self.path = path }

  /// Refuses a file that is there.
  func requireAbsent() throws(Failure) {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return }
    throw .usage("\(path.printable) is there already")
  }

  /// Moves the daemon's copy here, from whatever file system: once all of it is on the disk the daemon's
  /// is removed.
  func move(_ source: String, byteCount: Int64) throws(Failure) {
    do throws(Errno) {
      try copy(source, byteCount: byteCount)
    } catch {
      throw .file("\(path.printable): \(error); the daemon's copy is \(source.printable)")
    }
    guard unsafe unlink(source) == 0 else {
      throw .file("\(source.printable) was copied, and cannot be removed: \(Errno.last("unlink"))")
    }
  }

  private func copy(_ source: String, byteCount: Int64) throws(Errno) {
    let from = try Self.open(source, O_RDONLY | O_NOFOLLOW)
    let to = try Self.open(path, O_WRONLY | O_CREAT | O_EXCL)
    do throws(Errno) {
      var left = byteCount
      while left > 0 {
        let count = sendfile(to.rawValue, from.rawValue, nil, Int(clamping: min(left, 1 << 20)))
        if count < 0, errno == EINTR { continue }
        if count < 0 { throw .last("sendfile") }
        // It is shorter than the daemon has said.
        guard count > 0 else { throw Errno(code: EIO, call: "sendfile") }
        left -= Int64(count)
      }
      try to.synchronize()
      try Self.open(directory, O_RDONLY | O_DIRECTORY).synchronize()
    } catch {
      unsafe unlink(path)
      throw error
    }
  }

  private var directory: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[...slash])
  }

  private static func open(_ path: String, _ flags: Int32) throws(Errno) -> FileDescriptor {
    let number = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .last("open") }
    return FileDescriptor(owning: number)
  }
}

extension Errno {
  /// Why the last call has failed.
  fileprivate static func last(_ call: StaticString) -> Errno { Errno(code: errno, call: call) }
}
