/// The name that was meant, if one is spelled nearly like it.
///
/// - Parameters:
///   - word: What was written.
///   - names: What there is.
/// - Returns: The nearest name that at most a third of its letters tell apart.
func closest(to word: String, of names: [String]) -> String? {
  let word = Array(word.lowercased().utf8.prefix(64))
  let near = names.map { (name: $0, distance: distance(word, Array($0.utf8))) }
    .min { $0.distance < $1.distance }
  guard let near, near.distance <= max(1, min(3, near.name.utf8.count / 3)) else { return nil }
  return near.name
}

/// How many letters have to be put in, left out or replaced to make one word of another.
private func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var row = Array(0...right.count)
  for (place, byte) in left.enumerated() {
    var diagonal = row[0]
    row[0] = place + 1
    for (column, other) in right.enumerated() {
      let replaced = diagonal + (byte == other ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
    }
  }
  return row[right.count]
}
