import Dispatch
import Glibc
import ValueTree

/// What a ``Link`` does: one thread that goes on with a ``PatientClient``.
final class LinkEngine: Sendable {
  typealias Completion = @Sendable (Result<Value, CheckoutClientError>) -> Void
  typealias Sink = @Sendable (Link.Item) -> Void

  /// What the thread is to do.
  enum Order: Sendable {
    case call(method: String, params: Value, settledBy: [String], Completion)
    case follow(checkoutID: String, after: Int64, Sink)
  }

  private struct State {
    var isClosed = false
    var isRunning = false
    var orders: [Order] = []
  }

  private let path: String
  private let patience: Int64
  private let isKnown: Bool
  private let wake = WakeSignal()
  private let state = Guarded(State())

  init(path: String, patience: Int64, isKnown: Bool) {
    self.path = path
    self.patience = patience
    self.isKnown = isKnown
  }

  /// How often the thread looks for orders if it cannot be woken, in milliseconds.
  private static let pause: Int32 = 250

  /// Has the thread do something; it begins with the first order.
  func order(_ order: Order) {
    let starts = state.withLock { state in
      state.orders.append(order)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts {
      DispatchQueue(label: "checkoutd.link").async { self.run() }
    } else {
      wake?.send()
    }
  }

  /// Ends the thread; nobody is told anything any more.
  func close() {
    state.withLock { $0.isClosed = true }
    wake?.send()
  }

  // MARK: The thread

  private func run() {
    let client = PatientClient(path: path, patience: patience, isKnown: isKnown)
    var completions: [Int64: Completion] = [:]
    var sinks: [String: Sink] = [:]
    while let orders = takeOrders() {
      for order in orders {
        switch order {
        case .call(let method, let params, let settledBy, let completion):
          let number = client.call(method, params, .settled(by: settledBy))
          completions[number] = completion
        case .follow(let checkoutID, let seq, let sink):
          sinks[checkoutID] = sink
          client.follow(checkoutID, after: seq)
        }
      }
      let news = client.goOn()
      for piece in news {
        switch piece {
        case .answer(let number, let result):
          completions.removeValue(forKey: number)?(result.mapError(CheckoutClientError.init))
        case .told(let follower, let told):
          if let event = told.event { sinks[follower]?(.event(event)) }
        case .ended(let follower, let reason):
          sinks.removeValue(forKey: follower)?(.end(reason.map(CheckoutClientError.init)))
        }
      }
      if news.isEmpty { wait(for: client) }
    }
  }

  /// What to do next; nil at the end.
  private func takeOrders() -> [Order]? {
    state.withLock { state in
      defer { state.orders = [] }
      return state.isClosed ? nil : state.orders
    }
  }

  private func wait(for client: PatientClient) {
    var entries = [
      pollfd(fd: client.descriptor, events: client.pollEvents, revents: 0),
      pollfd(fd: wake?.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let timeout = client.pollTimeout
    // Without a signal, for want of descriptors, looking now and then must do.
    let isBlind = wake == nil && (timeout < 0 || timeout > Self.pause)
    _ = unsafe poll(&entries, nfds_t(entries.count), isBlind ? Self.pause : timeout)
    if entries[1].revents != 0 { wake?.clear() }
  }
}

extension Told {
  /// It as an event, as the daemon tells of lost ones too.
  fileprivate var event: ClientEvent? {
    switch self {
    case .event(let event): event
    case .lost(let checkoutID, let seqs):
      ClientEvent(
        method: "events.lost",
        params: [
          "checkoutId": .string(checkoutID), "from": .integer(seqs.lowerBound),
          "to": .integer(seqs.upperBound),
        ])
    case .reset: nil
    }
  }
}
