/// The kinds of journal entries, for `journalctl MESSAGE_ID=…`; `systemd/catalog` explains them.
enum MessageID {
  /// The daemon accepts clients.
  static let started: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e801"
  /// The daemon has begun to stop.
  static let stopping: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e802"
  /// A client has started a checkout.
  static let checkoutStarted: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e803"
  /// A checkout is over.
  static let checkoutEnded: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e804"
  /// A client pays again for a session in which a payment was made, or may have been.
  static let repeatAllowed: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e805"
  /// The state cannot be written or read.
  static let storeFailed: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e806"
  /// The state can be written again.
  static let storeRecovered: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e807"
  /// A checkout's data has been wiped.
  static let checkoutArchived: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e808"
  /// A client has submitted what was collected for a payment.
  static let componentSubmitted: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e809"
  /// A new configuration is in force.
  static let reloaded: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e80a"
  /// The configuration is wrong; the old one stays in force.
  static let reloadFailed: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e80b"
  /// The daemon ends because it has nothing to do.
  static let idle: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e80c"
  /// Clients go on where an earlier run of the daemon left them.
  static let resumed: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e80d"
  /// Something that an earlier run left cannot be used.
  static let leftOver: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e80e"
  /// Clients cannot be accepted.
  static let accepting: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e80f"
  /// The process that makes the connections upstream cannot be reached, or can be again.
  static let egress: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e810"
  /// Commits of the state are missing.
  static let stateLost: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e813"
  /// Upstream does not treat idempotency keys as it should: a question has made a second payment.
  static let secondPayment: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e820"
  /// The state was copied, or could not be.
  static let backup: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e814"
  /// A user has nearly as many records as there may be.
  static let recordsNearLimit: StaticString = "2f0f5d3a9c1b4e57a1d1b0c4c7a6e812"
}
