"""What was under way when the daemon ended: starts, loads, requests, polls and decisions are taken up again."""

from __future__ import annotations

import signal
from datetime import datetime
from typing import Any

from crash.case import HOW, DurableTest, pass_by
from support.checkout import ACH, ACH_SETTINGS, BANK, IDEAL, Checkout
from support.lines import Event, JsonObject
from support.sandbox import APPROVING

MADE: JsonObject = {"createResponse": {"status": "SUCCESS", "requiredAction": None}}
MANUAL: JsonObject = {"paymentHandling": "manual"}


class Start(DurableTest):
    options = ("--drain-timeout", "0")

    def test_waiting_start_is_answered_by_its_key(self) -> None:
        for how in HOW:
            with self.subTest(how.name):
                self.sandbox.reset()
                params = {"clientToken": self.session().client_token, "startKey": f"key-{how.name}"}
                self.sandbox.hold("configuration")
                self.client.send("checkout.start", **params)
                self.sandbox.requests("configuration", count=1)
                id = self.client.call("checkout.get", checkoutId={"startKey": params["startKey"]})["checkoutId"]
                self.restart(how)
                self.assertEqual(self.client.call("checkout.get", checkoutId=id)["state"], "starting")
                waiting = self.client.send("checkout.start", **params)
                self.client.call("system.ping")
                self.sandbox.release("configuration")
                snapshot = self.client.result(waiting)
                self.assertEqual((snapshot["checkoutId"], snapshot["state"], snapshot["seq"]), (id, "ready", 1))

    def test_start_goes_on_by_itself(self) -> None:
        self.sandbox.hold("configuration")
        session = self.approving()
        self.client.send("checkout.start", clientToken=session.client_token, startKey="k")
        self.sandbox.requests("configuration", count=1)
        self.client.call("system.ping")
        self.restart()
        self.sandbox.release("configuration")
        id = self.client.call("checkout.get", checkoutId={"startKey": "k"})["checkoutId"]
        checkout = Checkout(self.client, session, id)
        checkout.subscribe()
        checkout.await_event("didLoadAvailablePaymentMethods")

    def test_refused_start_frees_its_key_after_a_restart(self) -> None:
        self.sandbox.hold("configuration", before_effect=True)
        params = {"clientToken": self.session().client_token, "startKey": "k"}
        self.client.send("checkout.start", **params)
        self.sandbox.requests("configuration", count=1)
        self.sandbox.fault("configuration", times=-1, status=400)
        self.restart()
        waiting = self.client.send("checkout.start", **params)
        self.client.call("system.ping")
        self.sandbox.release("configuration")
        self.assertIn("error", self.client.reply(waiting))
        self.assert_refused(1001, "unknown-checkout", None, "checkout.get", checkoutId={"startKey": "k"})
        self.restart()
        self.assert_refused(1001, "unknown-checkout", None, "checkout.get", checkoutId={"startKey": "k"})
        self.assertEqual(self.client.call("checkout.list")["checkouts"], [])

    def test_keys_survive(self) -> None:
        session = self.session()
        params = {"clientToken": session.client_token, "startKey": "k", "decisionTimeoutMs": 5000}
        id = self.client.call("checkout.start", **params)["checkoutId"]
        for how in HOW:
            self.restart(how)
            self.assertEqual(self.client.call("checkout.start", **params)["checkoutId"], id)
            error = self.assert_refused(
                1003, "key-reused", None, "checkout.start", **params | {"decisionTimeoutMs": 6000}
            )
            self.assertEqual(error.data["checkoutId"], id)
        stranger = self.daemon.connect_as(1001, 1001)
        self.assert_refused(1001, "unknown-checkout", stranger, "checkout.get", checkoutId={"startKey": "k"})
        self.assertEqual(len(self.sandbox.requests("configuration")), 1)

    def test_session_in_use_survives(self) -> None:
        session = self.session()
        id = self.start(session).id
        for how in HOW:
            self.restart(how)
            error = self.assert_refused(
                1003, "session-in-use", None, "checkout.start", clientToken=session.client_token
            )
            self.assertEqual(error.data["checkoutId"], id)
        self.client.call("checkout.cancel", checkoutId=id)
        self.restart()
        self.assertEqual(self.client.call("checkout.start", clientToken=session.client_token)["state"], "ready")


class Loading(DurableTest):
    options = ("--drain-timeout", "0")

    def interrupted(self, how: signal.Signals, method: str, endpoint: str, count: int, **params: Any) -> Checkout:
        """A checkout whose component was being started when the daemon ended."""
        self.sandbox.reset()
        checkout = self.start(self.approving(), None, **params)
        checkout.provide(method)
        self.sandbox.hold(endpoint)
        self.client.send("component.start", componentId=checkout.component_id)
        self.sandbox.requests(endpoint, count=count)
        self.restart_and_follow(checkout, how)
        self.assert_refused(1003, "already-started", None, "component.start", componentId=checkout.component_id)
        self.sandbox.release(endpoint)
        return checkout

    def test_banks(self) -> None:
        for how in HOW:
            with self.subTest(how.name):
                checkout = self.interrupted(how, IDEAL, "banks", 1)
                self.assertEqual(checkout.next_event().label, "step banksRetrieved")
                checkout.update(bankId=BANK)
                checkout.submit()
                self.assert_completed(checkout.await_end(), "success")
                self.assert_history(checkout)

    def test_details(self) -> None:
        for how in HOW:
            with self.subTest(how.name):
                checkout = self.interrupted(how, ACH, "actions", 1, settings=ACH_SETTINGS)
                checkout.await_event("step retrievedUserDetails")
                self.assertTrue(checkout.component_call("get")["submittable"])
                self.assert_history(checkout)

    def test_change_of_the_session(self) -> None:
        for how in HOW:
            with self.subTest(how.name):
                self.sandbox.reset()
                checkout = self.details()
                checkout.update(lastName="Zuiderduin")
                self.sandbox.hold("actions")
                checkout.submit()
                self.sandbox.requests("actions", count=2)
                self.restart_and_follow(checkout, how)
                self.sandbox.release("actions")
                info = checkout.await_event("info bankAccountCollector").params["info"]
                self.assertTrue(info["fullName"].endswith("Zuiderduin"), info)
                self.assert_history(checkout)

    def test_tokenization(self) -> None:
        checkout = self.chosen(self.approving())
        self.sandbox.hold("payment-instruments")
        checkout.submit()
        self.sandbox.requests("payment-instruments", count=1)
        self.restart_and_follow(checkout)
        self.sandbox.release("payment-instruments")
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(self.sandbox.requests("payments")), 1)
        self.assert_history(checkout)


class Payment(DurableTest):
    options = ("--drain-timeout", "0", "--create-payment-timeout", "1000")

    def creating(self, how: signal.Signals, cancels: bool, **options: Any) -> tuple[Checkout, Event]:
        """The end of a checkout whose payment was being created when the daemon ended."""
        self.sandbox.reset()
        checkout = self.chosen(self.session(**options))
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", count=1, until="effect")
        if cancels:
            self.assertEqual(checkout.call("checkout.cancel"), {"state": "cancelling"})
        state = checkout.state
        self.restart_and_follow(checkout, how)
        self.assertEqual(checkout.state, state)
        if cancels:
            self.assertEqual(checkout.call("checkout.cancel"), {"state": "cancelling"})
        self.sandbox.release("payments")
        end = checkout.await_end()
        first, second = self.sandbox.requests("payments")
        self.assertGreaterEqual(second["elapsedMs"] - first["elapsedMs"], 900)
        for name in ("x-idempotency-key", "x-request-id"):
            self.assertEqual(first["headers"].get(name), second["headers"].get(name))
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assert_history(checkout)
        return checkout, end

    def test_creation_that_needs_its_answer(self) -> None:
        for how in HOW:
            for cancels in (False, True):
                with self.subTest(how.name, cancels=cancels):
                    _, end = self.creating(how, cancels, **APPROVING)
                    self.assert_failed(end, "outcome-unknown", "unknown")

    def test_creation_that_was_all(self) -> None:
        for how in HOW:
            for cancels in (False, True):
                with self.subTest(how.name, cancels=cancels):
                    _, end = self.creating(how, cancels, **MADE)
                    self.assert_completed(end, "success")

    def test_creation_that_never_arrived(self) -> None:
        checkout = self.chosen(self.approving())
        self.sandbox.fault("payments", reset=True)
        checkout.submit()
        self.sandbox.requests("payments", count=1, until="answered")
        self.restart_and_follow(checkout)
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(checkout.session.payments), 1)

    def lost(self, endpoint: str) -> tuple[Checkout, Event]:
        """The end of a checkout that lost an answer to the end of the daemon."""
        self.sandbox.hold(endpoint)
        if endpoint == "resume":
            checkout = self.chosen(self.approving())
            checkout.submit()
        else:
            checkout = self.collecting()
            checkout.report_account()
            checkout.component_call("acceptMandate")
        self.sandbox.requests(endpoint, count=1, until="effect")
        self.restart_and_follow(checkout)
        self.sandbox.release(endpoint)
        end = checkout.await_end()
        first, second = self.sandbox.requests(endpoint)
        self.assertEqual(first["body"], second["body"])
        self.assert_history(checkout)
        return checkout, end

    def test_answer_to_resumption_and_completion_is_lost(self) -> None:
        for endpoint in ("resume", "complete"):
            with self.subTest(endpoint):
                checkout, end = self.lost(endpoint)
                if endpoint == "resume":
                    # The creation's request, sent again, tells what became of its payment.
                    self.assert_completed(end, "success")
                else:
                    self.assert_failed(end, "outcome-unknown", "unknown")
                self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])

    def test_cancelled_while_polling(self) -> None:
        checkout = self.redirected()
        self.sandbox.hold("status")
        self.assertEqual(checkout.call("checkout.cancel"), {"state": "cancelling"})
        self.restart_and_follow(checkout)
        self.assertEqual(checkout.state, "cancelling")
        self.sandbox.release("status")
        end = checkout.await_end()
        self.assert_failed(end, "payment-cancelled", "unknown")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])


class ManualToken(DurableTest):
    options = ("--drain-timeout", "0")

    def validating(self, how: signal.Signals, is_good: bool) -> Checkout:
        """A checkout whose new token was being validated when the daemon ended."""
        self.sandbox.reset()
        checkout = self.chosen(None, None, settings=MANUAL)
        checkout.submit()
        event = checkout.await_event("didTokenizePaymentMethod")
        payment = self.sandbox.create_payment(event.params["paymentMethodTokenData"]["token"])
        token = payment["requiredAction"]["clientToken"]
        self.sandbox.hold("validate", before_effect=True)
        checkout.client.send(
            "checkout.decide",
            checkoutId=checkout.id,
            decisionId=event.params["decisionId"],
            decision="continueWithNewClientToken",
            clientToken=token,
        )
        self.sandbox.requests("validate", count=1)
        if not is_good:
            self.sandbox.fault("validate", times=-1, status=401)
        self.restart_and_follow(checkout, how)
        self.sandbox.release("validate")
        return checkout

    def test_good_one_goes_on(self) -> None:
        for how in HOW:
            with self.subTest(how.name):
                checkout = self.validating(how, is_good=True)
                checkout.await_event("step webRedirect loaded")
                checkout.session.approve()
                event = checkout.await_event("didResumeWith")
                checkout.decide(event.params["decisionId"], "complete")
                self.assert_completed(checkout.await_end(), "handledByClient")
                self.assert_history(checkout)

    def test_bad_one_leaves_the_decision_open(self) -> None:
        checkout = self.validating(signal.SIGKILL, is_good=False)
        waited = checkout.call("checkout.wait", **{"for": ["awaiting"], "waitMs": 10_000})
        (awaited,) = waited["snapshot"]["awaiting"]
        self.assertEqual(awaited["decisionId"], "d1")
        checkout.decide("d1", "abort")
        self.assert_failed(checkout.await_end(), "merchant-error", "failed")


class Deadlines(DurableTest):
    options = ("--poll-span", "1000")

    def test_decisions_have_a_minute_from_the_restart(self) -> None:
        checkout = self.chosen(None, None, decisions=["willCreatePayment"], decisionTimeoutMs=1000)
        checkout.submit()
        event = checkout.await_event("willCreatePayment")
        self.restart(signal.SIGKILL, checkout)
        (awaited,) = checkout.snapshot["awaiting"]
        asked, deadline = (datetime.fromisoformat(text) for text in (event.params["time"], awaited["deadline"]))
        self.assertGreaterEqual((deadline - asked).total_seconds(), 60)
        self.assertLess((deadline - asked).total_seconds(), 120)
        self.leave_alone(checkout, 1200)
        checkout.decide("d1", "abort")

    def test_decisions_that_had_longer_keep_it(self) -> None:
        checkout = self.chosen(None, None, settings=MANUAL)
        checkout.submit()
        event = checkout.await_event("didTokenizePaymentMethod")
        self.restart(signal.SIGKILL, checkout)
        (awaited,) = checkout.snapshot["awaiting"]
        before, after = (datetime.fromisoformat(text) for text in (event.params["deadline"], awaited["deadline"]))
        self.assertLess(abs((after - before).total_seconds()), 1)

    def test_poll_past_its_deadline_is_asked_once_more(self) -> None:
        for outcome, label in (("approve", "didCompleteCheckout"), (None, "didFail")):
            with self.subTest(outcome):
                self.sandbox.reset()
                checkout = self.redirected()
                seq = checkout.snapshot["seq"]
                self.daemon.kill()
                if outcome:
                    self.sandbox.decide(checkout.session.payment["id"], outcome)
                pass_by(1100)
                polls = len(self.sandbox.requests("status"))
                self.daemon.start()
                self.client = checkout.client = self.daemon.connect()
                checkout.subscribe(after=seq)
                end = checkout.await_end()
                self.assertEqual(end.label, label)
                self.assertEqual(len(self.sandbox.requests("status")), polls + 1)
                if outcome is None:
                    self.assert_failed(end, "status-poll-timeout", "unknown")
                    self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
