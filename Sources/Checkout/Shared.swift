/// A value that is copied by counting: for what is large and seldom changes, in what is copied often.
struct Shared<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  /// The value; to set it leaves the copies as they are.
  var value: Value {
    get { box.value }
    set { box = Box(newValue) }
  }
}
