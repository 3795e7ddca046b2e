import ValueTree

extension Checkout {
  /// The checkouts of this user, in the order they were started.
  ///
  /// - Parameters:
  ///   - states: Only those in one of these states; nil for all.
  ///   - socketPath: Where the daemon listens; nil for ``defaultSocketPath``.
  /// - Returns: Each as it is, in short: without bank lists, line items and collected data.
  /// - Throws: ``CheckoutClientError``.
  public static func list(
    in states: [CheckoutState]? = nil, socketPath: String? = nil
  ) async throws(CheckoutClientError) -> [CheckoutSnapshot] {
    let link = Link.shared(path: socketPath ?? defaultSocketPath)
    let filter = states.map {
      [Value.Member("states", .array($0.map { .string($0.rawValue) }))]
    }
    var found: [CheckoutSnapshot] = []
    var cursor: [Value.Member] = []
    while true {
      let page = try await link.call("checkout.list", .object((filter ?? []) + cursor))
      for checkout in page["checkouts"]?.array ?? [] {
        found.append(try CheckoutSnapshot(checkout))
      }
      guard let next = page["next"]?.string else { return found }
      cursor = [.init("cursor", .string(next))]
    }
  }
}
