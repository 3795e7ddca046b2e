import Checkout
import CheckoutStore
import PrimerAPI
import ValueTree

/// A checkout in the server: its state, and who has to do with it at the moment.
final class LiveCheckout {
  /// The state, changed in place.
  var checkout: Checkout
  /// The checkout's number and owner, at hand: they are asked for at every call.
  let id: CheckoutID
  let owner: UInt32
  /// What the store knows of it, looked for once; nothing, when it is a record alone.
  var log: CheckoutLog?
  /// The id's text form, as every event has it.
  let idText: String
  /// Its place in the order of starts.
  let ordinal: UInt64
  /// The key it was started with, and what it was started with.
  var start: StartRecord
  /// How many of its events have been written.
  var writtenSeq: Int64
  /// Who has asked for its events in particular.
  ///
  /// It and ``waits`` are replaced, never changed in place: then looking at them, as each event
  /// does, need not be checked for a change under way.
  var subscriptions: [Subscription] = []
  /// Calls that wait for something to happen to it.
  var waits: [Wait] = []
  /// Its requests under way.
  var requests: [OperationID: PendingRequest] = [:]

  /// Whether it counts among its owner's that are over.
  ///
  /// The registry's to change; what is not in it counts nowhere.
  var isOver = true
  /// Whether this turn has touched it.
  private(set) var isTouched = false
  /// As it was before; apart, since few are touched at a time.
  private var before: CheckoutCopy?
  /// Whether no commit has written it yet.
  var isNew = true
  /// Whether only the record of its outcome is left.
  private(set) var isArchived: Bool

  init(_ checkout: Checkout, ordinal: UInt64, start: StartRecord) {
    self.checkout = checkout
    self.ordinal = ordinal
    self.start = start
    id = checkout.id
    owner = checkout.owner
    idText = checkout.id.text
    writtenSeq = checkout.seq
    isArchived = checkout.state == .archived
  }

  /// Becomes what its record says, and nothing more.
  func archive(_ record: OutcomeRecord) {
    checkout = Checkout(id: id, owner: owner, record: record)
    log = nil
    leastComponentCount = 0
    isArchived = true
  }

  /// How many components there are at least; what there is stays until a turn is taken back.
  private var leastComponentCount = 0

  /// Whether there is a component of that number.
  ///
  /// To ask the checkout itself takes a copy of it.
  func hasComponent(_ index: Int) -> Bool {
    if index >= leastComponentCount { leastComponentCount = checkout.componentCount }
    return index < leastComponentCount
  }

  private var componentTexts: [String] = []

  /// The text form of a component's id, as every event has it.
  func componentText(_ index: Int) -> String {
    while componentTexts.count <= index {
      let id = ComponentID(checkout: id, index: componentTexts.count)
      componentTexts.append(id.text)
    }
    return componentTexts[index]
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

  /// Takes note that the state as it is now has been written.
  func markStored() {
    isTouched = false
    before = nil
    isNew = false
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
}

/// A checkout as it was.
final class CheckoutCopy {
  let checkout: Checkout

  init(_ checkout: Checkout) { self.checkout = checkout }
}

/// When a state was written, by two clocks: the wall clock, which may be set, and the one that
/// counts from the start of the machine, which may not.
struct StoredMoment {
  /// The server's steady wall clock.
  let now: WallTime
  /// Milliseconds since the machine started.
  let boot: Milliseconds
  /// Tells one start of the machine from another.
  let bootID: Int64

  var stored: Value { [.integer(now), .integer(boot), .integer(bootID)] }

  /// Appends what ``stored`` is.
  func write(to row: CompactWriter) {
    row.beginArray(count: 3)
    row.append(now)
    row.append(boot)
    row.append(bootID)
  }

  init(now: WallTime, boot: Milliseconds, bootID: Int64) {
    self.now = now
    self.boot = boot
    self.bootID = bootID
  }

  init?(_ value: Value) {
    guard let parts = value.array, parts.count == 3, let now = parts[0].integer,
      let boot = parts[1].integer, let bootID = parts[2].integer,
      // Beyond any clock; differences of what is within cannot overflow.
      now.magnitude < 1 << 60, boot.magnitude < 1 << 60
    else { return nil }
    self.init(now: now, boot: boot, bootID: bootID)
  }

  /// How long ago it was, at most: of the two clocks the one that says less, so that a clock that is
  /// set by years does not end what is waiting.
  func elapsed(until later: StoredMoment) -> Milliseconds {
    var elapsed = later.now - now
    if bootID == later.bootID { elapsed = min(elapsed, later.boot - boot) }
    return max(0, elapsed)
  }
}

/// What a start was, to recognise its repetition.
struct StartRecord {
  /// The client's key, if it gave one.
  var key: String?
  /// A digest of everything the start was asked with.
  var fingerprint: Fingerprint
  /// A digest of the client token's access token.
  var tokenFingerprint: Fingerprint
  /// A digest of the client session's id, once it is known.
  var sessionFingerprint: Fingerprint?
  /// Whether it may begin although an earlier one of its session ended with an unknown outcome.
  var allowsRepeat = false

  var stored: Value {
    [
      Value(key), fingerprint.stored, tokenFingerprint.stored,
      sessionFingerprint?.stored ?? .null, .bool(allowsRepeat),
    ]
  }
}

extension StartRecord {
  init?(_ value: Value) {
    guard let parts = value.array, parts.count == 5, let fingerprint = Fingerprint(parts[1]),
      let token = Fingerprint(parts[2]), let allowsRepeat = parts[4].bool
    else { return nil }
    self.init(
      key: parts[0].string, fingerprint: fingerprint, tokenFingerprint: token,
      sessionFingerprint: Fingerprint(parts[3]), allowsRepeat: allowsRepeat)
  }
}

/// A 128-bit FNV-1a digest: enough to tell requests of one user apart.
///
/// - Source: the FNV specification, draft-eastlake-fnv.
struct Fingerprint: Hashable {
  private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  init(_ parts: String?...) {
    for part in parts {
      for byte in (part ?? "").utf8 { mix(byte) }
      mix(part == nil ? 0xFE : 0xFF)  // Neither occurs in UTF-8, so parts cannot run together.
    }
  }

  private mutating func mix(_ byte: UInt8) {
    state = (state ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
  }
}

extension Fingerprint {
  var stored: Value {
    [
      .integer(Int64(truncatingIfNeeded: state >> 64)), .integer(Int64(truncatingIfNeeded: state)),
    ]
  }

  init?(_ value: Value) {
    guard let parts = value.array, parts.count == 2, let high = parts[0].integer,
      let low = parts[1].integer
    else { return nil }
    state =
      UInt128(UInt64(bitPattern: high)) << 64 | UInt128(UInt64(bitPattern: low))
  }
}
