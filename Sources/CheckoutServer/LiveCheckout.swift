import Checkout
import CheckoutProtocol
import CheckoutStore
import PrimerAPI
import ValueTree

/// A checkout in the server: its state, and who has to do with it at the moment.
final class LiveCheckout {
  /// The state, changed in place.
  var checkout: Checkout
  /// The checkout's number, at hand: it is asked for at every call.
  let id: CheckoutID
  /// Whose it is.
  let user: User
  /// The id's text form, as every event has it.
  let idText: String
  /// Its place in the order of starts.
  let ordinal: UInt64
  /// The key it was started with, and what it was started with.
  private(set) var start: StartRecord
  /// How many of its events have been written.
  private(set) var writtenSeq: Int64
  /// Who has asked for its events in particular.
  var subscriptions: [Subscription] { subscribed.all }
  private var subscribed = Roster<Subscription>()
  /// Calls that wait for something to happen to it.
  private(set) var waits: [Wait] = []
  /// Its requests under way.
  private var requests: [OperationID: PendingRequest] = [:]

  /// Whether it counts among its owner's that are over.
  ///
  /// The registry's to change; what is not in it counts nowhere.
  private(set) var isOver = true
  /// Whether this turn has touched it.
  private(set) var isTouched = false
  /// As it was before; apart, since few are touched at a time.
  private var before: CheckoutCopy?
  /// Whether only the record of its outcome is left.
  private(set) var isArchived: Bool
  /// The digest of the payment's key that stays with the record.
  private var keptKey: Fingerprint?

  /// What the store knows of it, looked for once; nothing, when it is a record alone.
  private var log: CheckoutLog?
  /// How many components there are at least; what there is stays until a turn is taken back.
  private var leastComponentCount = 0
  private var componentTexts: [String] = []

  init(
    _ checkout: Checkout, of user: User, ordinal: UInt64, start: StartRecord,
    keptKey: Fingerprint? = nil
  ) {
    self.checkout = checkout
    self.keptKey = keptKey
    self.user = user
    self.ordinal = ordinal
    self.start = start
    id = checkout.id
    idText = checkout.id.text
    writtenSeq = checkout.seq
    isArchived = checkout.state == .archived
  }

  /// The uid of its owner.
  var owner: UInt32 { user.id }

  /// A digest of the key of its payment, if one may have been created.
  var keyFingerprint: Fingerprint? {
    keptKey ?? checkout.paymentKey.map { Fingerprints(paymentKey: $0).current }
  }

  /// What somebody who may do so much is shown of it.
  func snapshot(for access: Access, wallOffset: Milliseconds) -> Value {
    shown(checkout.snapshot(wallOffset: wallOffset), for: access)
  }

  /// The same in short, for lists.
  func shortSnapshot(for access: Access, wallOffset: Milliseconds) -> Value {
    shown(checkout.shortSnapshot(wallOffset: wallOffset), for: access)
  }

  /// A start key is its owner's affair: with it a checkout is named instead of by its id.
  private func shown(_ snapshot: Value, for access: Access) -> Value {
    switch access {
    case .observe: return Redaction.redact(snapshot)
    case .drive: return snapshot
    case .own:
      guard let key = start.key, var members = snapshot.object else { return snapshot }
      members.insert(.init("startKey", .string(key)), at: min(1, members.count))
      return .object(members)
    }
  }

  /// Becomes what its record says, and nothing more.
  func archive(_ record: OutcomeRecord) {
    keptKey = keyFingerprint
    checkout = Checkout(id: id, owner: owner, record: record)
    log = nil
    leastComponentCount = 0
    isArchived = true
  }

  /// What the store knows of it.
  func log(in store: CheckoutStore) -> CheckoutLog {
    if let log { return log }
    let log = store.log(of: id)
    self.log = log
    return log
  }

  /// Whether there is a component of that number.
  ///
  /// To ask the checkout itself takes a copy of it.
  func hasComponent(_ index: Int) -> Bool {
    if index >= leastComponentCount { leastComponentCount = checkout.componentCount }
    return index < leastComponentCount
  }

  /// The text form of a component's id, as every event has it.
  func componentText(_ index: Int) -> String {
    while componentTexts.count <= index {
      let id = ComponentID(checkout: id, index: componentTexts.count)
      componentTexts.append(id.text)
    }
    return componentTexts[index]
  }

  /// Sets the digest of its client session.
  func setSession(_ fingerprint: Fingerprint?) { start.sessionFingerprint = fingerprint }

  /// Sets what came of the earlier checkout of its session, if it was started in spite of one.
  func setRepeats(_ earlier: Value?) { start.repeats = earlier }

  /// Sets whether it counts among its owner's that are over.
  func setOver(_ isOver: Bool) { self.isOver = isOver }

  // MARK: Turns

  /// Counts one more event.
  ///
  /// - Returns: Its number.
  func nextSeq() -> Int64 {
    writtenSeq += 1
    return writtenSeq
  }

  /// Writes the state as it is now, and hands out what else has changed.
  func writeChanges(at moment: StoredMoment, to row: CompactWriter) -> RareChanges {
    row.beginArray(count: 2)
    let (fixed, parts) = checkout.writeChanges(to: row)
    moment.write(to: row)
    guard let fixed else { return RareChanges(parts: parts) }
    return RareChanges(
      fixed: [start.stored, .integer(Int64(bitPattern: ordinal)), fixed], parts: parts)
  }

  /// What stays in the store of one that has ended: nothing personal, no token, no secret.
  func storedRecord(at moment: StoredMoment) -> Value? {
    guard let record = checkout.outcomeRecord else { return nil }
    return [
      start.stored, .integer(Int64(bitPattern: ordinal)), .integer(Int64(owner)), record.stored,
      moment.stored, keyFingerprint?.stored ?? .null,
    ]
  }

  /// Takes note that the state as it is now has been written.
  func markStored() {
    isTouched = false
    before = nil
  }

  /// Takes note that the turn changes the state.
  ///
  /// - Parameter keepsCopy: Whether that may have to be taken back.
  func touch(keepsCopy: Bool) {
    isTouched = true
    if keepsCopy { before = CheckoutCopy(checkout) }
  }

  /// Takes the turn's changes back.
  func takeBack() {
    isTouched = false
    guard let copy = before.take() else { return }
    checkout = copy.checkout
    leastComponentCount = 0
    writtenSeq = checkout.seq
  }

  // MARK: Followers

  func add(_ subscription: Subscription) { subscribed.insert(subscription) }

  func remove(_ subscription: Subscription) { subscribed.remove(subscription) }

  func add(_ wait: Wait) { waits = waits + [wait] }

  func remove(_ wait: Wait) { waits = waits.filter { $0 !== wait } }

  // MARK: Requests

  /// How many requests are under way.
  var requestCount: Int { requests.count }

  /// Takes note of a request that was sent.
  func add(_ request: PendingRequest, for operation: OperationID) { requests[operation] = request }

  /// Takes out a request that was answered, or is not wanted any more.
  func takeRequest(for operation: OperationID) -> PendingRequest? {
    requests.removeValue(forKey: operation)
  }
}

/// A checkout as it was.
final class CheckoutCopy {
  let checkout: Checkout

  init(_ checkout: Checkout) { self.checkout = checkout }
}
