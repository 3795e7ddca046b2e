import ValueTree

/// What a checkout can be waited for.
public struct CheckoutCondition: RawRepresentable, Sendable, Hashable {
  /// The word of the protocol.
  public let rawValue: String

  /// Takes any word: a daemon may know conditions that this library does not.
  ///
  /// - Parameter rawValue: The word of the protocol.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It has ended.
  public static let ended = Self(rawValue: "terminal")

  /// It waits for something from outside; ``CheckoutSnapshot/awaiting`` tells for what.
  public static let awaiting = Self(rawValue: "awaiting")

  /// An event of that name happens, from now on.
  ///
  /// - Parameter name: As in `component.didReceiveStep`.
  /// - Returns: The condition.
  public static func event(_ name: String) -> Self { Self(rawValue: name) }
}

/// How waiting for a checkout has ended.
public struct CheckoutWait: Sendable {
  /// What is so; nil if the time is over, or the checkout has ended otherwise.
  public let matched: CheckoutCondition?

  /// The checkout as it is then.
  public let snapshot: CheckoutSnapshot

  init(_ value: Value) throws(CheckoutClientError) {
    matched = value["matched"]?.string.map(CheckoutCondition.init(rawValue:))
    guard let snapshot = value["snapshot"] else { throw .missing("snapshot") }
    self.snapshot = try CheckoutSnapshot(snapshot)
  }
}

extension Checkout {
  /// The longest time that the daemon lets a call wait.
  private static let longestWait: Duration = .seconds(300)

  /// Waits until one of some things is so, or the checkout has ended; returns at once if it is.
  ///
  /// - Parameters:
  ///   - conditions: The things, of which one is enough.
  ///   - span: How long to wait at most; nil for as long as it takes.
  /// - Returns: Which was so, and the checkout as it was then.
  /// - Throws: ``CheckoutClientError``.
  public func wait(
    for conditions: [CheckoutCondition], atMost span: Duration? = nil
  ) async throws(CheckoutClientError) -> CheckoutWait {
    let end = span.map { ContinuousClock.now + $0 }
    while true {
      let left = end.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
      let wait = min(left ?? Self.longestWait, Self.longestWait)
      let result = try CheckoutWait(
        try await call(
          "checkout.wait",
          [
            .init("for", .array(conditions.map { .string($0.rawValue) })),
            .init("waitMs", .integer(wait.wholeMilliseconds)),
          ]))
      if result.matched != nil || result.snapshot.isEnded || wait == left { return result }
    }
  }
}
