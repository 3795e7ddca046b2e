import Glibc

/// Random numbers fit for secrets, from the kernel.
package enum Random {
  /// A random 64-bit number.
  package static func uint64() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// Thirty-two random numbers by one system call, which never gives fewer.
  package static func words() -> [UInt64] {
    var words = [UInt64](repeating: 0, count: 32)
    let code = unsafe words.withUnsafeMutableBytes { buffer in
      unsafe getentropy(buffer.baseAddress, buffer.count)
    }
    precondition(code == 0, "the kernel gives 256 bytes at a time")
    return words
  }
}
