/// The kinds of journal entries, for `journalctl MESSAGE_ID=…`; `systemd/catalog` explains them.
enum MessageID {
  /// Entries were dropped.
  static let dropped: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e8f0"
}
