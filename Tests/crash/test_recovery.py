"""Each state that a checkout can be in outlives the daemon, whether that was stopped or killed, and goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crash.case import HOW, DurableTest
from support.checkout import ACH, ACH_SETTINGS, BANK, CLOSED_BANK, IDEAL, Checkout
from support.lines import Event, JsonObject

MANUAL: JsonObject = {"paymentHandling": "manual"}


def without_times(snapshot: JsonObject) -> JsonObject:
    """A snapshot without what is done by when."""
    times = ("deadline", "since")
    awaiting = [{name: value for name, value in entry.items() if name not in times} for entry in snapshot["awaiting"]]
    return snapshot | {"awaiting": awaiting, "expiresAt": None}


class EachState(DurableTest):
    options = ("--drain-timeout", "0", "--create-payment-timeout", "1000")

    def check(self, bring: Callable[[], Checkout], finish: Callable[[Checkout], Event]) -> None:
        """Brings a checkout to a state; restarts; nothing has changed, and it can be finished."""
        for how in HOW:
            with self.subTest(how.name):
                self.sandbox.reset()
                checkout = bring()
                before, events = checkout.snapshot, checkout.history()
                self.restart_and_follow(checkout, how)
                self.assertEqual(without_times(checkout.snapshot), without_times(before))
                self.assertEqual(checkout.history(), events)
                finish(checkout)
                self.assert_history(checkout, events)
                self.assertLessEqual(len(checkout.session.payments), 1)

    def test_ready_with_nothing_provided(self) -> None:
        def finish(checkout: Checkout) -> Event:
            checkout.provide(IDEAL)
            checkout.component_call("start")
            checkout.update(bankId=BANK)
            return self.pay(checkout, "success")

        self.check(lambda: self.start(self.approving()), finish)

    def test_ready_with_typed_data(self) -> None:
        def bring() -> Checkout:
            checkout = self.details()
            checkout.update(lastName="Zuiderduin")
            checkout.update(emailAddress="nobody")
            return checkout

        def finish(checkout: Checkout) -> Event:
            checkout.update(emailAddress="nobody@example.com")
            checkout.submit()
            info = checkout.await_event("info bankAccountCollector").params["info"]
            self.assertTrue(info["fullName"].endswith("Zuiderduin"), info)
            self.assertEqual(info["emailAddress"], "nobody@example.com")
            return self.accept(checkout)

        self.check(bring, finish)

    def test_typed_before_the_start(self) -> None:
        def bring() -> Checkout:
            checkout = self.start(settings=ACH_SETTINGS)
            checkout.provide(ACH)
            checkout.update(lastName="Zuiderduin")
            return checkout

        def finish(checkout: Checkout) -> Event:
            checkout.component_call("start")
            self.assertEqual(checkout.component_call("get")["data"]["lastName"], "Zuiderduin")
            checkout.submit()
            checkout.await_event("info bankAccountCollector")
            return self.accept(checkout)

        self.check(bring, finish)

    def test_banks_loaded(self) -> None:
        def bring() -> Checkout:
            checkout = self.banks(self.approving())
            checkout.update(bankFilterText="in")
            checkout.update(bankId=CLOSED_BANK)
            return checkout

        def finish(checkout: Checkout) -> Event:
            self.assert_refused(
                1004, "invalid-collected-data", None, "component.submit", componentId=checkout.component_id
            )
            checkout.update(bankId=BANK)
            return self.pay(checkout, "success")

        self.check(bring, finish)

    def test_bank_chosen(self) -> None:
        self.check(lambda: self.chosen(self.approving()), lambda checkout: self.pay(checkout, "success"))

    def test_failed_start_of_the_component(self) -> None:
        def bring() -> Checkout:
            checkout = self.start(self.approving())
            checkout.provide(IDEAL)
            self.sandbox.fault("banks", status=400)
            self.assert_refused(1006, "banks-fetch-failed", None, "component.start", componentId=checkout.component_id)
            checkout.await_event("didReceiveError")
            return checkout

        def finish(checkout: Checkout) -> Event:
            checkout.component_call("start")
            checkout.update(bankId=BANK)
            return self.pay(checkout, "success")

        self.check(bring, finish)

    def test_deciding_before_the_payment(self) -> None:
        def bring() -> Checkout:
            checkout = self.chosen(self.approving(), None, decisions=["willCreatePayment"])
            checkout.submit()
            checkout.await_event("willCreatePayment")
            return checkout

        def finish(checkout: Checkout) -> Event:
            key = f"order-of-{checkout.id}"
            checkout.decide("d1", "continue", paymentIdempotencyKey=key)
            end = self.completed(checkout, "success")
            self.assertEqual(checkout.session.payment["idempotencyKey"], key)
            return end

        self.check(bring, finish)

    def test_deciding_after_tokenization(self) -> None:
        def bring() -> Checkout:
            checkout = self.chosen(None, None, settings=MANUAL)
            checkout.submit()
            checkout.await_event("didTokenizePaymentMethod")
            return checkout

        def finish(checkout: Checkout) -> Event:
            checkout.decide("d1", "complete")
            return self.completed(checkout, "handledByClient")

        self.check(bring, finish)

    def test_deciding_after_the_redirect(self) -> None:
        def bring() -> Checkout:
            checkout = self.manual_redirect()
            checkout.session.approve()
            checkout.await_event("didResumeWith")
            return checkout

        def finish(checkout: Checkout) -> Event:
            (awaited,) = checkout.snapshot["awaiting"]
            payment = self.sandbox.resume_payment(checkout.session.payment["id"], awaited["resumeToken"])
            told = {name: payment[name] for name in ("id", "orderId", "status")}
            checkout.decide(awaited["decisionId"], "complete", payment=told)
            end = self.completed(checkout, "handledByClient")
            self.assertEqual(end.params["payment"], told)
            return end

        self.check(bring, finish)

    def test_redirect(self) -> None:
        def finish(checkout: Checkout) -> Event:
            checkout.session.approve()
            return self.completed(checkout, "success")

        self.check(self.redirected, finish)

    def test_redirect_of_manual_handling(self) -> None:
        def finish(checkout: Checkout) -> Event:
            checkout.session.approve()
            event = checkout.await_event("didResumeWith")
            checkout.decide(event.params["decisionId"], "abort")
            return checkout.await_end()

        self.check(self.manual_redirect, finish)

    def test_redirect_reported(self) -> None:
        def bring() -> Checkout:
            checkout = self.redirected()
            checkout.component_call("reportRedirect", outcome="dismissed")
            return checkout

        def finish(checkout: Checkout) -> Event:
            checkout.session.decline()
            end = checkout.await_end()
            self.assert_failed(end, "failed-to-resume-payment", "failed")
            return end

        self.check(bring, finish)

    def test_collecting(self) -> None:
        self.check(self.collecting, self.accept)

    def test_mandate(self) -> None:
        def bring() -> Checkout:
            checkout = self.collecting()
            checkout.report_account()
            checkout.await_event("info mandate")
            return checkout

        def finish(checkout: Checkout) -> Event:
            checkout.component_call("acceptMandate")
            return self.completed(checkout, "pending")

        self.check(bring, finish)

    def test_ended(self) -> None:
        def completed() -> Checkout:
            checkout = self.chosen(self.approving())
            self.pay(checkout, "success")
            return checkout

        def cancelled() -> Checkout:
            checkout = self.chosen()
            checkout.call("checkout.cancel", reason="Changed my mind")
            return checkout

        def nothing(checkout: Checkout) -> Event:
            self.assert_refused(1003, "checkout-ended", None, "checkout.cancel", checkoutId=checkout.id)
            return checkout.history()[-1]

        self.check(completed, nothing)
        self.check(cancelled, nothing)

    def test_shares_and_owner(self) -> None:
        checkout = self.chosen(self.approving(), self.daemon.connect_as(1001, 1001))
        checkout.call("checkout.share", uid=1002, role="observe")
        self.restart()
        self.assertEqual(self.client.call("checkout.get", checkoutId=checkout.id)["owner"], {"uid": 1001})
        observer, stranger = self.daemon.connect_as(1002, 1002), self.daemon.connect_as(1003, 1003)
        self.assertTrue(observer.call("checkout.get", checkoutId=checkout.id)["redacted"])
        self.assert_refused(1001, "unknown-checkout", stranger, "checkout.get", checkoutId=checkout.id)
        checkout.client = self.daemon.connect_as(1001, 1001)
        checkout.call("checkout.unshare", uid=1002)
        self.restart()
        observer = self.daemon.connect_as(1002, 1002)
        self.assert_refused(1001, "unknown-checkout", observer, "checkout.get", checkoutId=checkout.id)

    def test_times_do_not_move(self) -> None:
        checkout = self.collecting()
        before = checkout.snapshot
        for _ in range(6):
            self.restart(HOW[1], checkout)
        after = checkout.snapshot
        self.assertEqual((after["expiresAt"], after["awaiting"]), (before["expiresAt"], before["awaiting"]))

    # Ways

    def pay(self, checkout: Checkout, outcome: str) -> Event:
        checkout.submit()
        return self.completed(checkout, outcome)

    def accept(self, checkout: Checkout) -> Event:
        checkout.report_account()
        checkout.component_call("acceptMandate")
        return self.completed(checkout, "pending")

    def completed(self, checkout: Checkout, outcome: str) -> Event:
        end = checkout.await_end()
        self.assert_completed(end, outcome)
        return end

    def manual_redirect(self, **session: Any) -> Checkout:
        checkout = self.chosen(self.session(**session), None, settings=MANUAL)
        checkout.submit()
        event = checkout.await_event("didTokenizePaymentMethod")
        payment = self.sandbox.create_payment(event.params["paymentMethodTokenData"]["token"])
        token = payment["requiredAction"]["clientToken"]
        checkout.decide(event.params["decisionId"], "continueWithNewClientToken", clientToken=token)
        checkout.await_event("step webRedirect loaded")
        return checkout
