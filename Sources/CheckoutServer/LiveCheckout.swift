import Checkout
import PrimerAPI

/// A checkout in the server: its state, and who has to do with it at the moment.
final class LiveCheckout {
  /// The state, changed in place.
  var checkout: Checkout
  /// The id's text form, as every event has it.
  let idText: String
  /// Its place in the order of starts.
  let ordinal: UInt64
  /// The key it was started with, and what it was started with.
  let start: StartRecord
  /// How many of its events have been written.
  var writtenSeq: Int64 = 0
  /// Who has asked for its events in particular.
  var subscriptions: [Subscription] = []
  /// Calls that wait for something to happen to it.
  var waits: [Wait] = []
  /// Its requests under way.
  var requests: [OperationID: PendingRequest] = [:]

  init(_ checkout: Checkout, ordinal: UInt64, start: StartRecord) {
    self.checkout = checkout
    self.ordinal = ordinal
    self.start = start
    idText = checkout.id.text
  }

  var id: CheckoutID { checkout.id }
}

/// What a start was, to recognise its repetition.
struct StartRecord {
  /// The client's key, if it gave one.
  let key: String?
  /// A digest of everything the start was asked with.
  let fingerprint: Fingerprint
  /// A digest of the client token's access token.
  let tokenFingerprint: Fingerprint
  /// Whether it may begin although an earlier one of its session ended with an unknown outcome.
  let allowsRepeat: Bool
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
