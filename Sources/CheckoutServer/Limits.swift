package import CheckoutStore
internal import JSONRPC

/// What the server allows; each is an option and a member of `system.hello`'s `limits`.
package struct Limits: Sendable, Equatable {
  /// Bytes of a line that comes in.
  package var line = 1024 * 1024
  /// Bytes of a line that goes out.
  package var lineOut = 1024 * 1024
  /// How deep a line may be nested.
  package var nesting = 64
  /// Members of a batch.
  package var batch = 64
  /// Calls in flight on one connection, beyond which it is not read.
  package var inFlight = 64
  /// Calls among them that wait for something to happen.
  package var waiting = 16
  /// Connections in all.
  package var connections = 4096
  /// Connections of one user.
  package var connectionsPerUser = 256
  /// Live checkouts of one user.
  package var checkoutsPerUser = 1000
  /// Live checkouts of all users; ended ones have their data as long as there is room beside them.
  package var checkouts = 20_000
  /// Ended checkouts of one user that have their data.
  package var endedPerUser = 256
  /// Records of one user's checkouts.
  package var recordsPerUser = 100_000
  /// Records of all users' checkouts.
  package var records = 200_000
  /// Shares of one checkout.
  package var shares = 64
  /// Bytes that wait to be read by one client.
  package var queue = 4 * 1024 * 1024
  /// Bytes of all queues and unfinished lines together; each connection may hold its share.
  package var memory = 256 * 1024 * 1024
  /// Connections that one user may make in a second; twice as many at once.
  package var connectionRate = 500
  /// Milliseconds after which a client that reads nothing, and is owed more than it may be, is let go.
  package var slowReader = 30_000
  /// Events kept for one checkout.
  package var events = EventLimits()

  /// Connections that are kept for administrators.
  var administratorConnections: Int { max(0, min(16, connections - 1)) }

  /// Members of a batch that is taken: no more than can be answered in a line that goes out.
  var answerableBatch: Int { min(batch, BatchReply.memberCount(fitting: lineOut)) }

  /// The memory that the process may come to need with all that these limits allow.
  var memoryNeed: Int {
    memory + connections * Self.connectionByteCount + checkouts * Self.checkoutByteCount
      + records * Self.recordByteCount + Self.fixedByteCount
  }

  /// What a connection takes that holds nothing.
  private static let connectionByteCount = 4096
  /// What a checkout takes, as measured with a usual configuration.
  private static let checkoutByteCount = 28 * 1024
  /// What is left of one that is over takes, as measured with a start key and a payment.
  private static let recordByteCount = 2 * 1024
  /// The process itself, with what a turn takes.
  private static let fixedByteCount = 64 * 1024 * 1024

  /// The defaults.
  package init() {}
}
