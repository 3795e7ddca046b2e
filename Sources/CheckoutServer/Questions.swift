import Checkout
import CheckoutStore
import JSONRPC
import Systemd
import ValueTree

/// Whether upstream may be asked what became of a payment: unless the administrator does not want it, or
/// a question has made a second payment.
///
/// The second is kept over restarts, until an administrator has looked into it.
final class Questions {
  private let store: CheckoutStore
  private let turn: Turn
  private let report: ServiceReport
  private let journal: Journal
  private var isWanted: Bool
  /// The checkout whose question made a second payment.
  private var stopper: CheckoutID?

  init(
    _ store: CheckoutStore, _ turn: Turn, _ report: ServiceReport, _ journal: Journal,
    isWanted: Bool
  ) {
    self.store = store
    self.turn = turn
    self.report = report
    self.journal = journal
    self.isWanted = isWanted
  }

  /// Whether questions are asked.
  var areAsked: Bool { isWanted && stopper == nil }

  /// The same for administrators, and why not.
  var status: Value {
    .object(
      [.init("asked", .bool(areAsked))]
        + (stopper.map { [.init("stoppedBy", .string($0.text))] } ?? []))
  }

  /// Sets whether they are wanted.
  func setWanted(_ isWanted: Bool) { self.isWanted = isWanted }

  /// Goes on as the last run of the daemon has left it.
  func takeUp(stoppedBy checkout: CheckoutID?) {
    guard let checkout else { return }
    set(checkout)
    journal.error(
      "upstream is not asked what became of payments, since that has made a second one",
      id: MessageID.secondPayment, fields: [("CHECKOUT_ID", checkout.text)])
  }

  /// Takes note that a question of this checkout has made a second payment: upstream does not treat keys
  /// as it should.
  ///
  /// That is a fact, whether it can be written now or later.
  func stop(by live: LiveCheckout) {
    set(live.id)
    turn.alsoWrite { [store] () throws(StoreError) in try store.stopQuestions(by: live.id) }
    turn.tell(
      LogEntry(
        .critical, "a question has made a second payment", id: MessageID.secondPayment,
        fields: [("CHECKOUT_ID", live.idText)], isKept: true))
  }

  /// Has them asked again.
  func allow() throws(RPCError) {
    try turn.requireStore()
    guard let before = stopper else { return }
    set(nil)
    turn.undo { [unowned self] in set(before) }
    turn.alsoWrite { [store] () throws(StoreError) in try store.stopQuestions(by: nil) }
    turn.tell(
      LogEntry(
        .notice, "upstream may be asked again what became of payments", id: MessageID.secondPayment,
        fields: [("CHECKOUT_ID", before.text)]))
  }

  private func set(_ checkout: CheckoutID?) {
    stopper = checkout
    report.set(
      checkout.map { "a question of \($0.text) has made a second payment" }, as: .questions)
  }
}
