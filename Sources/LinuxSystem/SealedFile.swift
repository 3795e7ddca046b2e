import CLinux
import Glibc

/// Files in memory that nobody can change any more: what one process leaves to the next.
package enum SealedFile {
  /// Makes a file.
  ///
  /// - Parameters:
  ///   - name: What `/proc` shows it as.
  ///   - bytes: What it holds.
  /// - Returns: Its descriptor.
  /// - Throws: ``Errno`` of `memfd_create`, `write` or `fcntl`.
  package static func make(
    named name: StaticString, holding bytes: [UInt8]
  ) throws(Errno) -> FileDescriptor {
    let result = unsafe bytes.withUnsafeBytes { buffer in
      unsafe clinux_sealed_file("\(name)", buffer.baseAddress, buffer.count)
    }
    return FileDescriptor(owning: try checkNegated(result, "memfd_create"))
  }

  /// Reads a file from its beginning.
  ///
  /// - Parameter file: A descriptor from elsewhere.
  /// - Returns: What it holds; nil if it is not sealed or cannot be read.
  package static func read(_ file: borrowing FileDescriptor) -> [UInt8]? {
    var status = stat()
    guard clinux_is_sealed(file.rawValue) == 1, unsafe fstat(file.rawValue, &status) == 0 else {
      return nil
    }
    let size = Int(status.st_size)
    var isWhole = true
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size, isWhole {
        let part = unsafe pread(
          file.rawValue, buffer.baseAddress?.advanced(by: count), size - count, off_t(count))
        if part > 0 { count += part } else { isWhole = part < 0 && errno == EINTR }
      }
    }
    return isWhole ? bytes : nil
  }
}

extension FileDescriptor {
  /// Ends a connection both ways, for everyone who has a copy of it.
  package borrowing func shutDown() { _ = shutdown(rawValue, Int32(SHUT_RDWR)) }
}
