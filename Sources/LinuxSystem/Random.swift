/// Random numbers fit for secrets.
///
/// The standard library's generator asks the kernel (`getrandom`) for each number and keeps no state
/// that could be copied or guessed.
package enum Random {
  /// A random 64-bit number.
  package static func uint64() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// Random bytes.
  ///
  /// - Parameter count: How many.
  /// - Returns: That many bytes.
  package static func bytes(count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}
