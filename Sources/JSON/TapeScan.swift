/// What one pass over a value's words finds: how deep it is nested, and whether an object in it
/// names a member twice.
struct TapeScan {
  /// The number of nested arrays and objects, the value itself included.
  private(set) var depth = 0

  /// Whether an object names a member twice, compared as unescaped bytes.
  private(set) var hasDuplicateMember = false

  /// Up to so many members are compared in pairs; more go into a hash table.
  private static let pairwiseLimit = 16

  /// Scans a value and all it holds.
  ///
  /// - Complexity: Linear in the size of the value, whatever a sender thought of: the hash is
  ///   seeded per process.
  init(_ view: JSONView) {
    var level = 0
    var index = view.index
    let end = view.endIndex
    while index < end {
      let word = view.at(index).word
      switch word.tag {
      case .object:
        level += 1
        depth = max(depth, level)
        if !hasDuplicateMember, word.count > 1 {
          hasDuplicateMember = Self.hasDuplicateName(view.at(index), count: word.count)
        }
        index += 1
      case .array:
        level += 1
        depth = max(depth, level)
        index += 1
      case .objectEnd, .arrayEnd:
        level -= 1
        index += 1
      case .integer, .unsigned, .number: index += 2
      default: index += 1
      }
    }
  }

  fileprivate static func hasDuplicateName(_ object: JSONView, count: Int) -> Bool {
    guard mayHaveDuplicateName(object) else { return false }
    return count <= pairwiseLimit ? comparePairs(object) : hashNames(object)
  }

  /// Whether two names share one of 64 bits, which length and first four bytes give each.
  ///
  /// Where none do, no two names are the same, and that is all there is to find out of most objects.
  @inline(__always)
  private static func mayHaveDuplicateName(_ object: JSONView) -> Bool {
    var seen: UInt64 = 0
    for (name, _) in object.members {
      let bit = (1 as UInt64) << ((head(of: name) &* 0x9E37_79B9_7F4A_7C15) >> 58)
      if seen & bit != 0 { return true }
      seen |= bit
    }
    return false
  }

  /// A string's length and first four bytes.
  @inline(__always)
  private static func head(of name: JSONView) -> UInt64 {
    let record = unsafe UnsafeRawPointer(name.strings + name.word.payload)
    // The length comes before the bytes, and whatever follows them is readable: the buffer is padded.
    let both = unsafe record.loadUnaligned(as: UInt64.self)
    let count = both & 0xFFFF_FFFF
    return count >= 4 ? both : both & ((1 << (32 + 8 * count)) - 1)
  }

  /// Compares each name with those before it, by length and first four bytes at once.
  private static func comparePairs(_ object: JSONView) -> Bool {
    // As many as `pairwiseLimit` says: an inline array wants the number itself.
    var keys = [16 of UInt64](repeating: 0)
    var places = [16 of Int32](repeating: 0)
    var count = 0
    for (name, _) in object.members {
      let bytes = unsafe name.utf8
      let key = head(of: name)
      for earlier in 0..<count where keys[earlier] == key {
        let other = unsafe object.at(Int(places[earlier])).utf8
        if unsafe equalBytes(bytes.baseAddress, other.baseAddress, bytes.count) { return true }
      }
      keys[count] = key
      places[count] = Int32(truncatingIfNeeded: name.index)
      count += 1
    }
    return false
  }

  /// Puts each name into an open-addressing table, with as many free places as names at least.
  private static func hashNames(_ object: JSONView) -> Bool {
    let count = object.count
    var size = 64
    while size < 2 * count { size *= 2 }
    var table = [Int32](repeating: 0, count: size)
    for (name, _) in object.members {
      let bytes = unsafe name.utf8
      var hasher = Hasher()
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
      var slot = hasher.finalize() & (size - 1)
      while table[slot] != 0 {
        let other = unsafe object.at(Int(table[slot])).utf8
        if other.count == bytes.count,
          unsafe equalBytes(bytes.baseAddress, other.baseAddress, bytes.count)
        {
          return true
        }
        slot = (slot + 1) & (size - 1)
      }
      table[slot] = Int32(truncatingIfNeeded: name.index)
    }
    return false
  }
}

extension JSONView {
  /// Whether an object in this value, itself included, names a member twice.
  ///
  /// - Complexity: Linear in the size of the value.
  package var containsDuplicateMember: Bool { TapeScan(self).hasDuplicateMember }

  /// Whether this is an object that names a member twice, whatever its members hold.
  ///
  /// - Complexity: Linear in the size of the value.
  package var namesMemberTwice: Bool {
    kind == .object && TapeScan.hasDuplicateName(self, count: word.count)
  }
}
