import JSON
import ValueTree

/// The list of a result, with as many elements as a line has room for.
struct ResultPage {
  private let output = JSONOutput()
  private let room: Int
  /// How many elements there are.
  private(set) var count = 0

  /// Makes an empty page for a client.
  init(for client: ConnectionOutput) { room = client.pageByteCount }

  /// Adds an element.
  ///
  /// - Returns: Whether there was room for it, as there is for the first.
  mutating func add(_ element: Value) -> Bool {
    let end = output.count
    if count > 0 { output.append(byte: UInt8(ascii: ",")) }
    output.append(value: element)
    guard output.count <= room || count == 0 else {
      output.truncate(to: end)
      return false
    }
    count += 1
    return true
  }

  /// Writes the list.
  func write(to other: JSONOutput) {
    other.append("[")
    other.append(contentsOf: output)
    other.append("]")
  }

  /// Writes a result that is the list and where the next page begins, if there is one.
  func write(_ name: StaticString, next: UInt64?, to other: JSONOutput) {
    other.append("{\"")
    other.append(name)
    other.append("\":")
    write(to: other)
    if let next {
      other.append(#","next":"#)
      other.append(string: String(next))
    }
    other.append("}")
  }
}
