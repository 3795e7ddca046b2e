"""Cancelling, in every state that a checkout can be in."""

from __future__ import annotations

from typing import Any

from support.case import DaemonTest
from support.checkout import Checkout
from support.lines import Event
from support.sandbox import APPROVING, DECLINING


class CancelTest(DaemonTest):
    def cancel(self, checkout: Checkout, state: str) -> None:
        self.assertEqual(checkout.call("checkout.cancel"), {"state": state})

    def assert_cancelled(self, checkout: Checkout, outcome: str = "cancelled") -> Event:
        end = checkout.await_end()
        self.assert_failed(end, "payment-cancelled", outcome)
        self.assertEqual(checkout.state, "failed")
        self.assert_refused(1003, "checkout-ended", None, "checkout.cancel", checkoutId=checkout.id)
        self.assertEqual(len([event for event in checkout.history() if event.is_terminal]), 1)
        return end


class BeforeThePayment(CancelTest):
    def test_while_starting(self) -> None:
        self.sandbox.hold("configuration")
        self.client.call("events.subscribe")
        starting = self.client.send("checkout.start", clientToken=self.session().client_token, startKey="k")
        self.sandbox.requests("configuration", count=1)
        reply = self.client.call("checkout.cancel", checkoutId={"startKey": "k"})
        self.assertEqual(reply, {"state": "failed"})
        self.assert_failed(self.client.next_event(), "payment-cancelled", "cancelled")
        self.client.reply(starting)
        self.sandbox.release("configuration")
        self.assertEqual(self.client.arrived_events(), [])

    def test_when_ready(self) -> None:
        checkout = self.start()
        self.cancel(checkout, "failed")
        end = self.assert_cancelled(checkout)
        self.assertNotIn("payment", end.params)

    def test_with_a_reason(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel", reason="Changed my mind")
        self.assertIn("Changed my mind", str(checkout.await_end().params["error"]))

    def test_while_banks_are_loading(self) -> None:
        self.sandbox.hold("banks")
        checkout = self.start()
        checkout.provide("ADYEN_IDEAL")
        loading = self.client.send("component.start", componentId=checkout.component_id)
        self.sandbox.requests("banks", count=1)
        self.cancel(checkout, "failed")
        self.assert_cancelled(checkout)
        self.assertEqual(self.client.reply(loading)["error"]["code"], 1003)

    def test_while_patching(self) -> None:
        checkout = self.details()
        checkout.update(lastName="Zuiderduin")
        self.sandbox.hold("actions")
        checkout.submit()
        self.sandbox.requests("actions", count=2)
        self.cancel(checkout, "failed")
        self.assert_cancelled(checkout)
        self.sandbox.release("actions")
        self.assertEqual(self.sandbox.requests("payment-instruments"), [])

    def test_while_deciding(self) -> None:
        checkout = self.chosen(decisions=["willCreatePayment"])
        checkout.submit()
        checkout.await_event("willCreatePayment")
        self.cancel(checkout, "failed")
        self.assert_cancelled(checkout)
        self.assert_refused(
            1003,
            "not-awaited",
            None,
            "checkout.decide",
            checkoutId=checkout.id,
            decisionId="d1",
            decision="continue",
        )
        self.assertEqual(self.sandbox.requests("payment-instruments"), [])

    def test_while_tokenizing(self) -> None:
        checkout = self.chosen(self.approving())
        self.sandbox.hold("payment-instruments")
        checkout.submit()
        self.sandbox.requests("payment-instruments", count=1)
        self.assertEqual(checkout.state, "submitted")
        self.cancel(checkout, "failed")
        self.assert_cancelled(checkout)
        self.sandbox.release("payment-instruments")
        self.client.call("system.ping")
        self.assertEqual(checkout.session.payments, [])

    def test_surcharge_is_taken_back(self) -> None:
        session = self.session(paymentMethods=[{"type": "ADYEN_IDEAL", "surcharge": 50}])
        checkout = self.chosen(session, None, decisions=["willCreatePayment"])
        checkout.submit()
        checkout.await_event("willCreatePayment")
        checkout.call("checkout.cancel")
        events = checkout.events_until("didFail")
        self.assertEqual(
            [event.label for event in events],
            ["willUpdateClientSession", "didUpdateClientSession", "step webRedirect failure", "didFail"],
        )


class WhileAnAnswerIsUnderWay(CancelTest):
    """The answer decides."""

    def submitted(self, held: str, **options: Any) -> Checkout:
        checkout = self.chosen(self.session(**options))
        self.sandbox.hold(held)
        checkout.submit()
        self.sandbox.requests(held, count=1, until="effect")
        self.assertEqual(checkout.state, "awaitingRedirect" if held == "status" else "processing")
        return checkout

    def cancel_twice(self, checkout: Checkout, released: str) -> None:
        self.cancel(checkout, "cancelling")
        self.cancel(checkout, "cancelling")
        snapshot = checkout.snapshot
        self.assertEqual((snapshot["state"], snapshot["awaiting"]), ("cancelling", []))
        self.sandbox.release(released)

    def test_creation_that_succeeds(self) -> None:
        checkout = self.submitted("payments", createResponse={"status": "SUCCESS", "requiredAction": None})
        self.cancel_twice(checkout, "payments")
        self.assert_completed(checkout.await_end(), "success")

    def test_creation_that_fails(self) -> None:
        checkout = self.submitted("payments", createResponse={"status": "FAILED", "requiredAction": None})
        self.cancel_twice(checkout, "payments")
        self.assert_failed(checkout.await_end(), "payment-failed", "failed")

    def test_creation_that_asks_for_a_redirect(self) -> None:
        checkout = self.submitted("payments")
        self.cancel_twice(checkout, "payments")
        end = self.assert_cancelled(checkout)
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assertNotIn("step webRedirect loaded", [event.label for event in checkout.history()])

    def test_resumption_that_succeeds(self) -> None:
        checkout = self.submitted("resume", **APPROVING)
        self.cancel_twice(checkout, "resume")
        self.assert_completed(checkout.await_end(), "success")

    def test_resumption_that_fails(self) -> None:
        checkout = self.submitted("resume", **DECLINING)
        self.cancel_twice(checkout, "resume")
        self.assert_failed(checkout.await_end(), "failed-to-resume-payment", "failed")

    def test_last_poll_says_pending(self) -> None:
        checkout = self.submitted("status")
        self.cancel_twice(checkout, "status")
        end = self.assert_cancelled(checkout, "unknown")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assert_refused(
            1003, "session-in-use", None, "checkout.start", clientToken=checkout.session.another_token()
        )

    def test_last_poll_says_complete(self) -> None:
        checkout = self.submitted("status", **APPROVING)
        self.cancel_twice(checkout, "status")
        self.assert_completed(checkout.await_end(), "success")

    def test_between_two_polls(self) -> None:
        checkout = self.redirected()
        self.sandbox.requests("status", count=1, until="answered")
        self.cancel(checkout, "cancelling")
        self.assert_cancelled(checkout, "unknown")
        self.assertIn(len(self.sandbox.requests("status")), (1, 2))

    def test_completion(self) -> None:
        checkout = self.collecting()
        checkout.report_account()
        self.sandbox.hold("complete")
        checkout.component_call("acceptMandate")
        self.sandbox.requests("complete", count=1, until="effect")
        self.cancel_twice(checkout, "complete")
        self.assert_completed(checkout.await_end(), "pending")


class WhileTheShopperIsAsked(CancelTest):
    def test_bank_account(self) -> None:
        checkout = self.collecting()
        self.cancel(checkout, "failed")
        end = self.assert_cancelled(checkout)
        self.assertEqual(end.params["payment"]["status"], "PENDING")
        self.assert_refused(
            1003,
            "checkout-ended",
            None,
            "component.reportBankAccount",
            componentId=checkout.component_id,
            outcome="cancelled",
        )

    def test_mandate(self) -> None:
        checkout = self.collecting()
        checkout.report_account()
        self.cancel(checkout, "failed")
        self.assert_cancelled(checkout)
        self.assertEqual(self.sandbox.requests("complete"), [])


class AfterTheEnd(CancelTest):
    def test_completed(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        checkout.await_end()
        self.assert_refused(1003, "checkout-ended", None, "checkout.cancel", checkoutId=checkout.id)
        self.assertEqual(checkout.state, "completed")
