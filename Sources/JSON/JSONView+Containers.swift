extension JSONView {
  /// The elements of an array, in order.
  package struct Elements: Sequence, IteratorProtocol {
    private var upcoming: JSONView
    private let end: Int

    @inline(__always)
    fileprivate init(of array: JSONView) {
      let isArray = array.word.tag == .array
      upcoming = array.at(array.index + 1)
      end = isArray ? array.word.target - 1 : array.index + 1
    }

    /// The next element, or nil after the last.
    @inline(__always)
    package mutating func next() -> JSONView? {
      guard upcoming.index < end else { return nil }
      let element = upcoming
      upcoming = element.at(element.endIndex)
      return element
    }
  }

  /// The members of an object, in order.
  package struct Members: Sequence, IteratorProtocol {
    private var upcoming: JSONView
    private let end: Int

    @inline(__always)
    fileprivate init(of object: JSONView) {
      let isObject = object.word.tag == .object
      upcoming = object.at(object.index + 1)
      end = isObject ? object.word.target - 1 : object.index + 1
    }

    /// The next member, or nil after the last; the name is always a string.
    @inline(__always)
    package mutating func next() -> (name: JSONView, value: JSONView)? {
      guard upcoming.index < end else { return nil }
      let name = upcoming
      let value = name.at(name.index + 1)
      upcoming = name.at(value.endIndex)
      return (name, value)
    }
  }

  /// The elements of an array; none if this is no array.
  package var elements: Elements { Elements(of: self) }

  /// The members of an object; none if this is no object.
  package var members: Members { Members(of: self) }

  /// The number of elements or members; zero for what is neither.
  package var count: Int {
    switch word.tag {
    case .array, .object:
      if word.count < TapeWord.saturatedCount { return word.count }
      return elements.reduce(0) { count, _ in count + 1 }
        + members.reduce(0) { count, _ in count + 1 }
    default: return 0
    }
  }

  /// The first member with that name, if this is an object that has one.
  package subscript(name: StaticString) -> JSONView? {
    for member in members where member.name.equals(name) { return member.value }
    return nil
  }
}
