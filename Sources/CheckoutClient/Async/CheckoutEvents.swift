/// The events of a checkout, in order, each once, up to the one that ends it.
///
/// Each iteration begins after the event that the sequence was asked to begin after, and has a
/// connection of its own. It outlives connections and the daemon's restarts, and asks again for
/// what a slow reader was not sent. Events that the daemon keeps no longer are told of by one whose
/// kind is `.other(name: "events.lost")`. It ends after the event that ends the checkout, or with what
/// is left of it; and with an error if the daemon cannot be reached for a minute or does not know the
/// checkout any more.
public struct CheckoutEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = CheckoutEvent

  /// Why there are no more.
  public typealias Failure = CheckoutClientError

  let path: String
  let checkoutID: String
  let after: Int64
  var patience = Link.patience

  /// Gives the events out one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var items: AsyncStream<Link.Item>.Iterator
    /// Keeps the connection for as long as somebody iterates.
    private let link: Link

    fileprivate init(_ items: AsyncStream<Link.Item>, over link: Link) {
      self.items = items.makeAsyncIterator()
      self.link = link
    }

    /// Waits for the next event.
    ///
    /// - Returns: The event; nil after the last, and when the task is cancelled.
    /// - Throws: ``CheckoutClientError``.
    public mutating func next() async throws(CheckoutClientError) -> CheckoutEvent? {
      try await next(isolation: #isolation)
    }

    /// Waits for the next event.
    ///
    /// - Parameter actor: Where the caller is.
    /// - Returns: The event; nil after the last, and when the task is cancelled.
    /// - Throws: ``CheckoutClientError``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(CheckoutClientError) -> CheckoutEvent? {
      let item = await items.next(isolation: actor)
      switch withExtendedLifetime(link, { item }) {
      case .event(let event): return CheckoutEvent(event)
      case .end(let error?): throw error
      case .end(nil), nil: return nil
      }
    }
  }

  /// Begins to follow the checkout.
  public func makeAsyncIterator() -> AsyncIterator {
    let (items, sink) = AsyncStream.makeStream(of: Link.Item.self)
    // Whoever has a checkout to follow has heard of it from the daemon.
    let link = Link(path: path, patience: patience, isKnown: true)
    link.follow(checkoutID, after: after) { item in
      sink.yield(item)
      if case .end = item { sink.finish() }
    }
    return AsyncIterator(items, over: link)
  }
}
