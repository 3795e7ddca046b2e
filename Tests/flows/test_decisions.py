"""Decisions: before the payment is created, and those of manual handling."""

from __future__ import annotations

from typing import Any

from support.case import TIMESTAMP, DaemonTest
from support.checkout import Checkout
from support.lines import Event
from support.sandbox import Session, token_of


class BeforeThePayment(DaemonTest):
    def asked(self, session: Session | None = None, **params: Any) -> Checkout:
        checkout = self.chosen(session or self.approving(), None, decisions=["willCreatePayment"], **params)
        checkout.submit()
        event = checkout.await_event("willCreatePayment")
        self.assertEqual((event.params["paymentMethodType"], event.params["decisionId"]), ("ADYEN_IDEAL", "d1"))
        self.assertRegex(event.params["deadline"], f"^{TIMESTAMP}$")
        return checkout

    def test_asked_in_the_snapshot_too(self) -> None:
        checkout = self.asked()
        snapshot = checkout.snapshot
        self.assertEqual(snapshot["state"], "awaitingDecision")
        (awaited,) = snapshot["awaiting"]
        self.assertEqual((awaited["kind"], awaited["decisionId"]), ("decision", "d1"))
        self.assertEqual(awaited["paymentMethodType"], "ADYEN_IDEAL")
        self.assertEqual(self.sandbox.requests("payment-instruments"), [])

    def test_continue(self) -> None:
        checkout = self.asked()
        self.assertEqual(checkout.decide("d1", "continue"), {})
        self.assert_completed(checkout.await_end(), "success")
        (created,) = self.sandbox.requests("payments")
        self.assertTrue(created["headers"]["x-idempotency-key"])

    def test_continue_with_a_key(self) -> None:
        checkout = self.asked()
        checkout.decide("d1", "continue", paymentIdempotencyKey="order-7-try-1")
        self.assert_completed(checkout.await_end(), "success")
        (created,) = self.sandbox.requests("payments")
        self.assertEqual(created["headers"]["x-idempotency-key"], "order-7-try-1")
        self.assertEqual(checkout.session.payment["idempotencyKey"], "order-7-try-1")

    def test_abort(self) -> None:
        checkout = self.asked()
        self.assertEqual(checkout.decide("d1", "abort", message="Out of stock"), {})
        end = checkout.await_end()
        self.assert_failed(end, "merchant-error", "failed")
        self.assertIn("Out of stock", end.params["error"]["description"])
        self.assertEqual(self.sandbox.requests("payment-instruments"), [])

    def test_deadline(self) -> None:
        checkout = self.asked(decisionTimeoutMs=1000)
        self.assert_failed(checkout.await_end(), "decision-timeout", "failed")
        self.assertEqual(self.sandbox.requests("payment-instruments"), [])

    def test_once(self) -> None:
        checkout = self.asked(self.session())
        ids = self.client.send_all(
            [("checkout.decide", {"checkoutId": checkout.id, "decisionId": "d1", "decision": "continue"})] * 2
        )
        self.assertEqual(self.client.result(ids[0]), {})
        self.assertEqual(self.client.reply(ids[1])["error"]["data"]["errorId"], "not-awaited")

    def test_unknown_and_unfitting_decisions(self) -> None:
        checkout = self.asked()
        refuse = self.assert_refused
        for id in ("d0", "d2", "d01", "x"):
            with self.subTest(id):
                refuse(
                    1001,
                    "unknown-decision",
                    None,
                    "checkout.decide",
                    checkoutId=checkout.id,
                    decisionId=id,
                    decision="abort",
                )
        for decision in ("complete", "continueWithNewClientToken", "sleep"):
            with self.subTest(decision):
                call = self.client.send(
                    "checkout.decide", checkoutId=checkout.id, decisionId="d1", decision=decision, clientToken="a.b.c"
                )
                self.assertIn(self.client.reply(call)["error"]["code"], (-32602, 1005))
        self.assertEqual(checkout.state, "awaitingDecision")
        checkout.decide("d1", "abort")

    def test_nobody_asked(self) -> None:
        checkout = self.start()
        self.assert_refused(
            1001,
            "unknown-decision",
            None,
            "checkout.decide",
            checkoutId=checkout.id,
            decisionId="d1",
            decision="continue",
        )

    def test_ach(self) -> None:
        checkout = self.details(None, None, decisions=["willCreatePayment"])
        checkout.submit()
        event = checkout.await_event("willCreatePayment")
        self.assertEqual(event.params["paymentMethodType"], "STRIPE_ACH")
        checkout.decide(event.params["decisionId"], "continue")
        checkout.await_event("info bankAccountCollector")


class ManualHandling(DaemonTest):
    settings = {"paymentHandling": "manual"}

    def tokenized(self, **params: Any) -> tuple[Checkout, Event]:
        checkout = self.chosen(None, None, settings=self.settings, **params)
        checkout.submit()
        return checkout, self.tokenization(checkout)

    def tokenization(self, checkout: Checkout) -> Event:
        event = checkout.await_event("didTokenizePaymentMethod")
        self.assertRegex(event.params["decisionId"], r"^d\d+$")
        self.assertRegex(event.params["deadline"], f"^{TIMESTAMP}$")
        self.assertTrue(event.params["paymentMethodTokenData"]["token"])
        return event

    def action_token(self, event: Event) -> str:
        """The token of the payment that the merchant's server now creates."""
        payment = self.sandbox.create_payment(event.params["paymentMethodTokenData"]["token"])
        return str(payment["requiredAction"]["clientToken"])

    def redirected_with(self, checkout: Checkout, event: Event) -> None:
        checkout.decide(event.params["decisionId"], "continueWithNewClientToken", clientToken=self.action_token(event))
        self.assertIn("/bank/", checkout.await_event("step webRedirect loaded").params["step"]["url"])

    def test_ideal_to_the_end(self) -> None:
        checkout, event = self.tokenized()
        self.redirected_with(checkout, event)
        (validated,) = self.sandbox.requests("validate")
        self.assertEqual(list(validated["body"]), ["clientToken"])
        checkout.session.approve()
        resumed = checkout.await_event("didResumeWith")
        self.assertEqual(checkout.state, "awaitingDecision")
        answer = self.sandbox.resume_payment(checkout.session.payment["id"], resumed.params["resumeToken"])
        self.assertEqual(answer["status"], "SUCCESS")
        payment = {"id": answer["id"], "orderId": answer["orderId"], "status": "SUCCESS"}
        checkout.decide(resumed.params["decisionId"], "complete", payment=payment)
        end = checkout.await_end()
        self.assert_completed(end, "handledByClient")
        self.assertEqual(end.params["payment"], payment)
        self.assertEqual((self.sandbox.requests("payments"), self.sandbox.requests("resume")), ([], []))

    def test_complete_after_tokenization(self) -> None:
        checkout, event = self.tokenized()
        self.assertEqual(checkout.decide(event.params["decisionId"], "complete"), {})
        end = checkout.await_end()
        self.assert_completed(end, "handledByClient")
        self.assertNotIn("payment", end.params)

    def test_abort_after_tokenization(self) -> None:
        checkout, event = self.tokenized()
        checkout.decide(event.params["decisionId"], "abort")
        self.assert_failed(checkout.await_end(), "merchant-error", "failed")

    def test_abort_after_the_redirect(self) -> None:
        checkout, event = self.tokenized()
        self.redirected_with(checkout, event)
        checkout.session.approve()
        resumed = checkout.await_event("didResumeWith")
        checkout.decide(resumed.params["decisionId"], "abort", message="No")
        end = checkout.await_end()
        self.assertEqual((end.label, end.error_id), ("didFail", "merchant-error"))

    def test_one_more_action_after_the_redirect(self) -> None:
        session = self.session(furtherActions=1)
        checkout = self.chosen(session, None, settings=self.settings)
        checkout.submit()
        self.redirected_with(checkout, self.tokenization(checkout))
        session.approve()
        resumed = checkout.await_event("didResumeWith")
        answer = self.sandbox.resume_payment(session.payment["id"], resumed.params["resumeToken"])
        checkout.decide(
            resumed.params["decisionId"],
            "continueWithNewClientToken",
            clientToken=answer["requiredAction"]["clientToken"],
        )
        checkout.await_event("step webRedirect loaded")
        session.approve()
        again = checkout.await_event("didResumeWith")
        self.assertNotEqual(again.params["decisionId"], resumed.params["decisionId"])
        checkout.decide(again.params["decisionId"], "complete")
        self.assert_completed(checkout.await_end(), "handledByClient")

    def test_bad_token_leaves_the_decision_open(self) -> None:
        checkout, event = self.tokenized()
        good = self.action_token(event)
        id = event.params["decisionId"]
        bad = {
            "forged": ("a.b.c", "invalid-client-token"),
            "expired": (token_of(self.claims(exp=1)), "invalid-client-token"),
            "host": (token_of(self.claims(statusUrl="https://example.com/")), "upstream-not-allowed"),
            "unknown to Primer": (
                token_of(
                    self.claims(
                        accessToken="nobody",
                        intent="ADYEN_IDEAL_REDIRECTION",
                        redirectUrl=f"{self.sandbox.base}/bank/x",
                        statusUrl=f"{self.sandbox.base}/status/x",
                    )
                ),
                "invalid-client-token",
            ),
        }
        for name, (token, error_id) in bad.items():
            with self.subTest(name):
                self.assert_refused(
                    1005,
                    error_id,
                    None,
                    "checkout.decide",
                    checkoutId=checkout.id,
                    decisionId=id,
                    decision="continueWithNewClientToken",
                    clientToken=token,
                )
                self.assertEqual(checkout.state, "awaitingDecision")
        checkout.decide(id, "continueWithNewClientToken", clientToken=good)
        checkout.await_event("step webRedirect loaded")

    def test_deadline_after_tokenization(self) -> None:
        checkout, _ = self.tokenized(decisionTimeoutMs=1000)
        self.assert_failed(checkout.await_end(), "decision-timeout", "unknown")

    def test_decision_before_creation_is_told_too(self) -> None:
        checkout = self.chosen(None, None, settings=self.settings)
        checkout.submit()
        labels = [event.label for event in checkout.events_until("didTokenizePaymentMethod")]
        self.assertEqual(
            labels,
            ["step webRedirect loading", "willCreatePayment", "didStartTokenization", "didTokenizePaymentMethod"],
        )

    def test_ach_to_the_end(self) -> None:
        checkout = self.details(None, None, settings=self.settings)
        checkout.submit()
        event = self.tokenization(checkout)
        checkout.decide(event.params["decisionId"], "continueWithNewClientToken", clientToken=self.action_token(event))
        checkout.await_event("info bankAccountCollector")
        checkout.report_account()
        checkout.component_call("acceptMandate")
        self.assert_completed(checkout.await_end(), "handledByClient")
        self.assertTrue(checkout.session.payment["completed"])
