import CheckoutClient
import Glibc
import ValueTree

/// Calls and events over a connection to the daemon that comes back by itself, until the command's time
/// is over.
final class Link {
  private let client: PatientClient
  private let deadline: Deadline
  private let console: Console
  /// What has come, and was not what was waited for.
  private var arrived: [PatientClient.News] = []

  /// Takes from the command line how to connect.
  ///
  /// - Throws: What is wrong with `--retry`.
  init(_ invocation: Invocation) throws(Failure) {
    client = PatientClient(path: invocation.socket, patience: try Self.patience(invocation.given))
    deadline = invocation.deadline
    console = invocation.console
  }

  /// How long a daemon that has gone away is sought, in milliseconds.
  static func patience(_ given: GivenOptions) throws(Failure) -> Int64 {
    try given.number(.retry, in: 0...Deadline.maximumMilliseconds, unit: "milliseconds") ?? 60_000
  }

  /// Makes a call, once.
  func call(_ method: String, _ params: Value? = nil) throws(Failure) -> Value {
    try answer(to: client.call(method, params, .never))
  }

  /// Makes a call that may be made twice, until it is answered.
  func ask(_ method: String, _ params: Value? = nil) throws(Failure) -> Value {
    try answer(to: client.call(method, params, .always))
  }

  /// Hands out the events of a checkout.
  ///
  /// - Parameters:
  ///   - checkout: Which.
  ///   - seq: The event to begin after.
  ///   - body: Gets what there is to tell, and says whether that is enough.
  /// - Returns: Whether it was enough before the events ended.
  /// - Throws: Why they cannot be had, or what the body throws.
  func follow(
    _ checkout: Reference, after seq: Int64, _ body: (Told) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let id = try id(of: checkout)
    client.follow(id, after: seq)
    return try listen(to: id, body)
  }

  /// Hands out the events of many checkouts from now on, until that is enough.
  ///
  /// - Parameters:
  ///   - reach: Whose.
  ///   - body: As with one checkout.
  /// - Throws: As with one checkout.
  func followAll(
    _ reach: [Value.Member], _ body: (Told) throws(Failure) -> Bool
  ) throws(Failure) {
    client.followAll(reach, client: "checkoutctl follow")
    _ = try listen(to: "", body)
  }

  private func id(of checkout: Reference) throws(Failure) -> String {
    if let id = checkout.value.string { return id }
    let snapshot = try ask("checkout.get", ["checkoutId": checkout.value])
    guard let id = snapshot["checkoutId"]?.string else {
      throw .client(.protocolViolation("a snapshot without an id"))
    }
    return id
  }

  private func listen(
    to follower: String, _ body: (Told) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    defer { client.leave(follower) }
    let progress = console.progress
    while true {
      if arrived.isEmpty {
        console.tellProgress(progress)
        arrived = try next()
      }
      switch arrived.removeFirst() {
      case .told(follower, let told): if try body(told) { return true }
      case .ended(follower, nil): return false
      case .ended(follower, let error?): throw .client(error)
      default: continue
      }
    }
  }

  private func answer(to number: Int64) throws(Failure) -> Value {
    while true {
      var result: Result<Value, ClientError>?
      for piece in try next() {
        if case .answer(number, let answered) = piece {
          result = answered
        } else {
          arrived.append(piece)
        }
      }
      guard let result else { continue }
      do throws(ClientError) { return try result.get() } catch { throw .client(error) }
    }
  }

  /// Waits for news.
  private func next() throws(Failure) -> [PatientClient.News] {
    let progress = console.progress
    defer { console.tellProgress(progress) }
    do throws(ClientError) {
      while true {
        let news = client.goOn()
        if !news.isEmpty { return news }
        if client.isSeeking {
          console.tellProgress("checkoutd has gone away; trying to reach it again")
        }
        try client.wait(until: deadline, watching: ProcessStreams.output)
      }
    } catch { throw .client(error) }
  }
}

extension Link {
  /// All elements of a list that comes in pages.
  ///
  /// - Parameters:
  ///   - name: The member that has them.
  ///   - method: What is called.
  ///   - params: The parameters beside those that name the page.
  /// - Returns: The elements, in their order.
  /// - Throws: Why they cannot be had.
  func pages(
    of name: String, _ method: String, _ params: [Value.Member]
  ) throws(Failure) -> [Value] {
    var all: [Value] = []
    var cursor: [Value.Member] = []
    while true {
      let page = try ask(method, .object(params + [.init("limit", 1000)] + cursor))
      all += page[name]?.array ?? []
      guard let next = page["next"] else { return all }
      cursor = [.init("cursor", next)]
    }
  }
}
