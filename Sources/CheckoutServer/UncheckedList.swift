/// A list that an object keeps and that is looked at several times for each call.
///
/// An array in a property of a class costs some 80 instructions at each look, for the check that no
/// change is under way: 34 looks were a fifth of a ping. Here no check is needed, for nothing that
/// this type does comes back to it.
@safe  // no access meets another: no method runs code that is not its own
final class UncheckedList<Element> {
  @exclusivity(unchecked) private var elements: [Element] = []

  var count: Int { unsafe elements.count }
  var isEmpty: Bool { unsafe elements.isEmpty }

  /// The elements as they are now.
  var all: [Element] { unsafe elements }

  subscript(place: Int) -> Element {
    get { unsafe elements[place] }
    set { unsafe elements[place] = newValue }
  }

  func append(_ element: Element) { unsafe elements.append(element) }

  func popLast() -> Element? { unsafe elements.popLast() }

  /// Forgets everything, but not the room for it.
  func removeAll() {
    if unsafe !elements.isEmpty { unsafe elements.removeAll(keepingCapacity: true) }
  }

  /// Puts other elements in the place of these.
  func replaceAll(_ others: [Element]) { unsafe elements = others }
}
