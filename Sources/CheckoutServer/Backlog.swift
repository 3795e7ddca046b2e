import LinuxSystem

/// Bytes that a slow reader has not taken yet.
final class Backlog {
  private var bytes: [UInt8] = []
  private var start = 0
  private var taken = 0

  /// Makes one that holds these bytes.
  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// How many bytes the reader has taken from here in all.
  var takenByteCount: Int { taken }

  /// How many bytes wait.
  var count: Int { bytes.count - start }

  /// What waits.
  var rest: [UInt8] { Array(bytes[start...]) }

  /// Adds what the reader did not take.
  func append(_ more: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: more) }

  /// Sends what the descriptor takes.
  ///
  /// - Returns: `false` if the peer is gone.
  func flush(to descriptor: borrowing FileDescriptor) -> Bool {
    while start < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { all in
        unsafe descriptor.send(UnsafeRawBufferPointer(rebasing: all[start...]))
      }
      switch result {
      case .bytes(let count):
        start += count
        taken += count
      case .wouldBlock:
        // What was sent is dropped once it is the larger part, so each byte moves at most once more.
        if start > bytes.count / 2 {
          bytes.removeFirst(start)
          start = 0
        }
        return true
      case .peerGone, .failed: return false
      }
    }
    bytes = []
    start = 0
    return true
  }
}
