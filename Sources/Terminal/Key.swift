/// A key of a terminal's keyboard.
package enum Key: Sendable, Equatable {
  /// One that writes something.
  case character(Unicode.Scalar)
  /// A letter held together with Control, lower case.
  case control(Unicode.Scalar)
  /// Enter or Return.
  case enter
  /// The key that removes what is before the cursor.
  case backspace
  /// The key that removes what is at the cursor.
  case delete
  /// Tab.
  case tab
  /// Tab held together with Shift.
  case backTab
  /// Escape by itself.
  case escape
  /// The arrow upwards.
  case up
  /// The arrow downwards.
  case down
  /// The arrow to the left.
  case left
  /// The arrow to the right.
  case right
  /// Home.
  case home
  /// End.
  case end
  /// Page up.
  case pageUp
  /// Page down.
  case pageDown
}
