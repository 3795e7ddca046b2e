import LinuxSystem

/// Random numbers from the kernel, fetched many at a time.
///
/// One system call for each would cost more than all else that a keystroke needs. What has been
/// handed out is wiped.
struct EntropyPool {
  private var words: [UInt64] = []

  /// The next 64 unpredictable bits.
  mutating func next() -> UInt64 {
    if words.isEmpty { words = Random.words() }
    let word = words[words.count - 1]
    words[words.count - 1] = 0
    words.removeLast()
    return word
  }
}
