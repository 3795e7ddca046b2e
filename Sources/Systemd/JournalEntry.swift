import CSystemd
import Glibc

/// An entry on its way to the journal: `NAME=value` fields, whose values may hold any bytes.
struct JournalEntry {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// Adds a field.
  mutating func add(_ name: StaticString, _ value: String) {
    bytes += "\(name)=".utf8
    bytes += value.utf8
    ends.append(bytes.count)
  }

  /// Hands the entry to the journal.
  ///
  /// - Returns: Whether it went out.
  mutating func send() -> Bool {
    let ends = ends
    return unsafe bytes.withUnsafeMutableBytes { buffer in
      var vector: [iovec] = unsafe []
      var start = 0
      for end in ends {
        unsafe vector.append(
          iovec(iov_base: buffer.baseAddress?.advanced(by: start), iov_len: end - start))
        start = end
      }
      return unsafe sd_journal_sendv(vector, Int32(vector.count)) >= 0
    }
  }
}
