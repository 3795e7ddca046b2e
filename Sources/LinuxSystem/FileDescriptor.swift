import Glibc

/// A file descriptor with one owner.
///
/// It is closed when its owner lets go of it. A copy cannot be made, so nothing is closed twice and
/// no number is used after it was closed.
package struct FileDescriptor: ~Copyable {
  /// The number, for calls that borrow it; not negative.
  package let rawValue: Int32

  /// Takes over a descriptor that nobody else will close.
  ///
  /// - Parameter rawValue: An open descriptor.
  package init(owning rawValue: Int32) {
    precondition(rawValue >= 0, "a descriptor is not negative")
    self.rawValue = rawValue
  }

  deinit { _ = Glibc.close(rawValue) }

  /// Closes the descriptor and says how that went.
  ///
  /// Linux has given the number back even if this fails; it must not be tried again.
  ///
  /// - Throws: ``Errno`` if the kernel reports a failed write.
  package consuming func close() throws(Errno) {
    let number = rawValue
    discard self
    _ = try check(Glibc.close(number), "close")
  }

  /// Waits until what was written to the file, or entered into the directory, is on the disk.
  ///
  /// - Throws: ``Errno`` of `fsync`.
  package borrowing func synchronize() throws(Errno) { _ = try check(fsync(rawValue), "fsync") }

  /// Gives the descriptor away without closing it.
  ///
  /// - Returns: The number, which the caller now owns.
  package consuming func release() -> Int32 {
    let number = rawValue
    discard self
    return number
  }

  /// Makes calls on a descriptor return instead of waiting, and exec close it.
  ///
  /// The first is a property of the open file, which others may share and change; a descriptor from
  /// elsewhere must be set again.
  ///
  /// - Parameter rawValue: An open descriptor.
  /// - Throws: ``Errno`` of `fcntl`.
  package static func setNonBlockingAndCloseOnExec(_ rawValue: Int32) throws(Errno) {
    let flags = try check(fcntl(rawValue, F_GETFL), "fcntl")
    _ = try check(fcntl(rawValue, F_SETFL, flags | O_NONBLOCK), "fcntl")
    _ = try check(fcntl(rawValue, F_SETFD, FD_CLOEXEC), "fcntl")
  }
}

/// Reads a small file of the kernel's, such as those in `/proc`.
///
/// - Parameters:
///   - path: Where it is.
///   - limit: How many bytes are read at most.
/// - Returns: Its bytes; nil if it cannot be read.
func readSmallFile(_ path: String, limit: Int = 256) -> [UInt8]? {
  let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard number >= 0 else { return nil }
  let file = FileDescriptor(owning: number)
  var count = -1
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
    unsafe count = read(file.rawValue, buffer.baseAddress, limit)
    initialized = max(0, count)
  }
  return count >= 0 ? bytes : nil
}
