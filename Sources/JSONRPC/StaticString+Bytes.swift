internal import Glibc

extension StaticString {
  /// Whether two literals are the same, by their bytes.
  func isSame(as other: StaticString) -> Bool {
    guard utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
    return unsafe memcmp(utf8Start, other.utf8Start, utf8CodeUnitCount) == 0
  }

  /// Whether this literal begins with another, by their bytes.
  func starts(with other: StaticString) -> Bool {
    guard utf8CodeUnitCount >= other.utf8CodeUnitCount else { return false }
    return unsafe memcmp(utf8Start, other.utf8Start, other.utf8CodeUnitCount) == 0
  }
}
