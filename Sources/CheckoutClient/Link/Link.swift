import Dispatch
import LinuxSystem
import ValueTree

/// A connection to the daemon that comes back by itself.
///
/// Calls and subscriptions outlive any one connection: what has no answer when it is lost is sent
/// again over the next, and events go on after the last that arrived. Letting go of a link closes
/// the connection, and changes nothing at the daemon.
final class Link: Sendable {
  private let engine: LinkEngine

  /// Makes a link, which connects with its first call.
  ///
  /// - Parameters:
  ///   - path: Where the daemon listens.
  ///   - patience: How long a daemon that was there may be away before calls fail, in milliseconds.
  ///   - isKnown: Whether it was there, as another link has found.
  init(path: String, patience: Int64 = Link.patience, isKnown: Bool = false) {
    engine = LinkEngine(path: path, patience: patience, isKnown: isKnown)
  }

  deinit { engine.close() }

  /// What those who follow a checkout are told.
  enum Item: Sendable {
    case event(ClientEvent)
    /// No more come: the last has been, or there is none any more.
    case end(CheckoutClientError?)
  }

  /// As long as a restart may take, and a little.
  static let patience: Int64 = 60_000

  private struct Known {
    weak let link: Link?
  }

  private static let known = Guarded<[String: Known]>([:])

  /// The link that everything in this process shares that talks to a path.
  static func shared(path: String) -> Link {
    known.withLock { known in
      if let link = known[path]?.link { return link }
      let link = Link(path: path)
      known[path] = Known(link: link)
      return link
    }
  }

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: Its parameters, by name.
  ///   - settledBy: The errors that mean success if the answer to an earlier try was lost.
  ///   - completion: Gets the result, on the link's own thread.
  func call(
    _ method: String, _ params: Value, settledBy: [String] = [],
    then completion: @escaping @Sendable (Result<Value, CheckoutClientError>) -> Void
  ) {
    engine.order(.call(method: method, params: params, settledBy: settledBy, completion))
  }

  /// Makes a call, and blocks the thread until it is answered.
  func callAndWait(_ method: String, _ params: Value) throws(CheckoutClientError) -> Value {
    let answer = Answer()
    let isThere = DispatchSemaphore(value: 0)
    call(method, params) { result in
      answer.set(result)
      isThere.signal()
    }
    isThere.wait()
    return try answer.take().get()
  }

  /// Makes a call; cancelling the task ends the waiting, not the call.
  func call(
    _ method: String, _ params: Value, settledBy: [String] = []
  ) async throws(CheckoutClientError) -> Value {
    let answer = Answer()
    call(method, params, settledBy: settledBy) { answer.set($0) }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { answer.wait($0) }
    } onCancel: {
      answer.set(.failure(.cancelled))
    }
    return try result.get()
  }

  /// Follows a checkout's events, in place of whoever followed it over this link before.
  ///
  /// - Parameters:
  ///   - checkoutID: Whose events.
  ///   - seq: The event to begin after.
  ///   - sink: Gets them in order, on the link's own thread, and at last that no more come.
  func follow(
    _ checkoutID: String, after seq: Int64, sink: @escaping @Sendable (Item) -> Void
  ) {
    engine.order(.follow(checkoutID: checkoutID, after: seq, sink))
  }
}

/// The one result of a call, whoever comes first: it, or the one who waits for it.
private final class Answer: Sendable {
  typealias Outcome = Result<Value, CheckoutClientError>

  private enum State {
    case empty
    case awaited(CheckedContinuation<Outcome, Never>)
    case there(Outcome)
    case taken
  }

  private let state = Guarded(State.empty)

  /// Puts the result there; the first counts.
  func set(_ outcome: Outcome) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      switch state {
      case .empty: state = .there(outcome)
      case .awaited(let continuation):
        state = .taken
        return continuation
      case .there, .taken: break
      }
      return nil
    }
    waiting?.resume(returning: outcome)
  }

  /// Resumes once the result is there.
  func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
    let outcome = state.withLock { state -> Outcome? in
      if case .there(let outcome) = state {
        state = .taken
        return outcome
      }
      state = .awaited(continuation)
      return nil
    }
    if let outcome { continuation.resume(returning: outcome) }
  }

  /// The result, which must be there.
  func take() -> Outcome {
    state.withLock { state in
      guard case .there(let outcome) = state else { return .failure(.cancelled) }
      return outcome
    }
  }
}
