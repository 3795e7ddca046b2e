package import ValueTree

/// What happened to a checkout, or to the connection.
package struct ClientEvent: Sendable, Equatable {
  /// The event's name, as in `component.didReceiveStep`.
  package let method: String

  /// Its members, an object.
  package let params: Value

  /// Both in one object, as `events.read` gives them.
  package var value: Value { ["method": .string(method), "params": params] }
}
