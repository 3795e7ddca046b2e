/// One step from a state to the next: what happens, to whom, and how.
struct Move: Hashable {
  /// What happens.
  enum Kind: UInt8 {
    // A client calls.
    case begin, provide, start, enter, submit, cancel, decide
    case reportRedirect, reportBankAccount, decideMandate, want
    // A request reaches upstream, an answer reaches the checkout, a timer runs out.
    case arrive, answer, fire
    // The process ends, and another takes up what it finds.
    case kill, powerCut, backUp, restore, copy
    // The shopper and upstream, by themselves.
    case approve, decline, settle, arriveLate, payElsewhere
  }

  let kind: Kind
  /// Whose: 0 and 1 are the checkouts of this machine, 2 and 3 their copies on another.
  var slot: UInt8 = 0
  /// Which of several, by kind.
  var choice: UInt8 = 0
  /// How it is answered.
  var reply: Reply = .ok
  /// What upstream has done before an answer was lost.
  var effect: Effect = .none

  /// What a creation or a resumption comes to upstream.
  enum Effect: UInt8, CaseIterable { case none, action, success, failed }

  init(
    _ kind: Kind, slot: Int = 0, choice: Int = 0, reply: Reply = .ok, effect: Effect = .none
  ) {
    self.kind = kind
    self.slot = UInt8(slot)
    self.choice = UInt8(choice)
    self.reply = reply
    self.effect = effect
  }

  /// The same as a number.
  var code: UInt32 {
    UInt32(kind.rawValue) << 24 | UInt32(slot) << 20 | UInt32(choice) << 12
      | UInt32(reply.rawValue) << 4 | UInt32(effect.rawValue)
  }

  init(code: UInt32) {
    kind = Kind(rawValue: UInt8(code >> 24)) ?? .begin
    slot = UInt8(code >> 20 & 15)
    choice = UInt8(code >> 12 & 255)
    reply = Reply(rawValue: UInt8(code >> 4 & 255)) ?? .ok
    effect = Effect(rawValue: UInt8(code & 15)) ?? .none
  }

  /// What it does to a checkout, whichever that is.
  var local: UInt32 { code & ~(15 << 20) }
}
