/// The kinds of journal entries, for `journalctl MESSAGE_ID=…`; `systemd/catalog` explains them.
enum MessageID {
  /// A connection was not made.
  static let notConnected: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e811"
}
