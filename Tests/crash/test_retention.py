"""After the end: everything personal is wiped, also from the files; a record stays, and then goes too."""

from __future__ import annotations

import signal

from crash.case import PERSON, DurableTest, eventually, pass_by
from support.checkout import Checkout
from support.lines import JsonObject
from support.sandbox import Session

TYPED = "Quisthoudt"
PUBLIC = {"checkoutId", "startKey", "state", "seq", "owner", "createdAt", "endedAt", "paymentHandling", "clientSession"}
PUBLIC |= {"components", "awaiting", "payment", "outcome", "error", "expiresAt"}


class RetentionTest(DurableTest):
    def archived(self, checkout: Checkout) -> JsonObject:
        """The snapshot once everything is wiped."""
        self.await_state("archived", checkout)
        return checkout.snapshot

    def paid_with_ach(self, **params: object) -> Checkout:
        """A checkout that knows a person, and has ended."""
        checkout = self.details(self.session(customer=PERSON), None, **params)
        checkout.update(lastName=TYPED)
        checkout.submit()
        info = checkout.await_event("info bankAccountCollector").params["info"]
        self.secrets = [*self.secrets_of(checkout.session), info["clientSecret"], TYPED]
        checkout.report_account()
        checkout.component_call("acceptMandate")
        checkout.await_end()
        return checkout

    def secrets_of(self, session: Session) -> list[str]:
        """All that the daemon was told in confidence."""
        tokens = {session.client_token, session.access_token}
        for request in self.sandbox.all_requests():
            tokens.add(request["headers"]["primer-client-token"])
            body = request["body"] or {}
            tokens |= {body[name] for name in ("paymentMethodToken", "resumeToken") if name in body}
        return [*tokens, *PERSON.values()]

    def found(self) -> list[tuple[str, str]]:
        """Which secrets stand in which files."""
        return self.daemon.holding(self.secrets)

    def assert_wiped(self) -> None:
        eventually(f"not a secret in any file: {self.found()}", lambda: not self.found())


class Wiping(RetentionTest):
    options = ("--retention", "200")

    def test_a_chosen_key_stays_taken(self) -> None:
        paid = self.chosen(self.approving(), None, decisions=["willCreatePayment"])
        paid.submit()
        decision = {"decision": "continue", "paymentIdempotencyKey": "order-77"}
        paid.call("checkout.decide", decisionId="d1", **decision)
        self.assert_completed(paid.await_end(), "success")
        self.archived(paid)
        for how in (None, signal.SIGTERM, signal.SIGKILL):
            if how:
                self.restart(how)
            other = self.chosen(self.approving(), None, decisions=["willCreatePayment"])
            other.submit()
            refused = {"checkoutId": other.id, "decisionId": "d1"} | decision
            self.assert_refused(1003, "idempotency-key-reused", None, "checkout.decide", **refused)
            other.call("checkout.decide", decisionId="d1", decision="abort")
            other.await_end()

    def test_archived(self) -> None:
        checkout = self.paid_with_ach(startKey="k")
        ended = checkout.snapshot
        snapshot = self.archived(checkout)
        for name in ("checkoutId", "seq", "owner", "createdAt", "payment", "outcome"):
            self.assertEqual(snapshot[name], ended[name], name)
        for name in ("orderId", "currencyCode", "totalAmount"):
            self.assertEqual(snapshot["clientSession"][name], ended["clientSession"][name], name)
        self.assertEqual((snapshot["paymentHandling"], set(snapshot) - PUBLIC), (ended["paymentHandling"], set()))
        self.assertEqual(self.client.call("checkout.get", checkoutId={"startKey": "k"}), snapshot)
        self.assertEqual((snapshot["components"], snapshot["awaiting"]), ([], []))
        for secret in self.secrets:
            self.assertNotIn(secret, str(snapshot))
        self.assert_wiped()
        for _ in range(2):
            listing = self.client.call("checkout.list")["checkouts"]
            self.assertEqual(len(listing), 1, listing)
            listed = listing[0]
            self.assertEqual((listed["checkoutId"], listed["state"]), (checkout.id, "archived"))
            self.assertEqual(self.client.call("checkout.list", states=["archived"])["checkouts"], [listed])
            self.assertEqual(self.client.call("checkout.list", states=["completed"])["checkouts"], [])
            self.assertEqual(checkout.snapshot, snapshot)
            read = checkout.call("events.read")
            self.assertEqual((read["events"], read["ended"]), ([], True))
            self.assert_refused(1003, "checkout-ended", None, "checkout.cancel", checkoutId=checkout.id)
            waited = checkout.call("checkout.wait", **{"for": ["terminal"], "waitMs": 10_000})
            self.assertEqual((waited["matched"], waited["snapshot"]), ("terminal", snapshot))
            self.restart(signal.SIGKILL, checkout)

    def test_start_with_the_key_returns_it(self) -> None:
        checkout = self.paid_with_ach(startKey="k")
        self.archived(checkout)
        params: JsonObject = {"clientToken": checkout.session.client_token, "startKey": "k"}
        settings = {"urlScheme": "kiosk://checkout"}
        settings_sent = {"stripe": {"publishableKey": "pk_test_example", "merchantName": "Example Shop"}}
        for _ in range(2):
            again = self.client.call("checkout.start", **params, settings=settings | settings_sent)
            self.assertEqual((again["checkoutId"], again["state"]), (checkout.id, "archived"))
            self.assert_refused(1003, "key-reused", None, "checkout.start", **params)
            self.restart(signal.SIGKILL, checkout)

    def test_secrets_were_there_before(self) -> None:
        """So that a search that finds nothing means something."""
        self.daemon.options[:] = []
        self.restart()
        self.paid_with_ach()
        kept = {secret for _, secret in self.found()}
        self.assertLessEqual({*PERSON.values()} - {PERSON["lastName"]} | {TYPED}, kept)

    def test_ideal(self) -> None:
        checkout = self.chosen(self.approving(), None, decisions=["willCreatePayment"])
        checkout.submit()
        checkout.decide(checkout.await_event("willCreatePayment").params["decisionId"], "continue")
        checkout.await_end()
        self.secrets = [*self.secrets_of(checkout.session), f"{self.sandbox.base}/bank/"]
        self.archived(checkout)
        self.assert_wiped()

    def test_manual_handling(self) -> None:
        checkout = self.chosen(None, None, settings={"paymentHandling": "manual"})
        checkout.submit()
        event = checkout.await_event("didTokenizePaymentMethod")
        token = event.params["paymentMethodTokenData"]["token"]
        checkout.decide(event.params["decisionId"], "abort", message="Sold out to Wilhelmientje")
        end = checkout.await_end()
        self.assertIn("Wilhelmientje", end.params["error"]["description"])
        self.secrets = [*self.secrets_of(checkout.session), token]
        snapshot = self.archived(checkout)
        self.assertEqual(snapshot["error"], {"errorId": "merchant-error"})
        self.assert_wiped()

    def test_refused_start(self) -> None:
        session = self.session(customer=PERSON)
        self.sandbox.fault("configuration", status=400)
        self.assert_refused(1006, "server-error", None, "checkout.start", clientToken=session.client_token)
        self.secrets = self.secrets_of(session)
        self.assert_wiped()

    def test_unknown_checkout_next_to_a_wiped_one_is_as_it_was(self) -> None:
        living = self.details(self.session(customer=PERSON))
        living.update(lastName=TYPED)
        before, events = living.snapshot, living.history()
        wiped = self.paid_with_ach()
        self.archived(wiped)
        for how in (signal.SIGTERM, signal.SIGKILL):
            self.assertEqual((living.snapshot["components"], living.history()), (before["components"], events))
            self.restart(how, living)


class WipingAfterAStop(RetentionTest):
    options = ("--retention", "1000")

    def test_wiped_before_it_is_ready(self) -> None:
        for how in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(how.name):
                self.sandbox.reset()
                checkout = self.paid_with_ach()
                self.daemon.end(how)
                self.assertTrue(self.found())
                pass_by(1100)
                self.daemon.start()
                self.assertEqual(self.found(), [])
                self.client = checkout.client = self.daemon.connect()
                self.assertEqual(checkout.state, "archived")

    def test_not_before_its_time(self) -> None:
        checkout = self.paid_with_ach()
        self.restart(signal.SIGKILL, checkout)
        self.assertEqual(checkout.state, "completed")
        self.archived(checkout)
        self.assert_wiped()


class Records(RetentionTest):
    options = ("--retention", "100", "--outcome-retention", "1500", "--create-payment-timeout", "300")

    def is_forgotten(self, checkout: Checkout) -> bool:
        return checkout.id not in [short["checkoutId"] for short in self.client.call("checkout.list")["checkouts"]]

    def test_forgotten(self) -> None:
        checkout = self.start(self.session(), None, startKey="k")
        checkout.call("checkout.cancel")
        self.archived(checkout)
        eventually("forgotten", lambda: self.is_forgotten(checkout))
        for _ in range(2):
            self.assert_refused(1001, "unknown-checkout", None, "checkout.get", checkoutId=checkout.id)
            self.assert_refused(1001, "unknown-checkout", None, "checkout.get", checkoutId={"startKey": "k"})
            self.restart()
        self.assertNotEqual(self.start(self.session(), None, startKey="k").id, checkout.id)

    def test_forgotten_while_it_was_down(self) -> None:
        checkout = self.start(self.session(), None, startKey="k")
        checkout.call("checkout.cancel")
        self.restart(signal.SIGTERM, meanwhile=lambda: pass_by(1600))
        eventually("forgotten", lambda: self.is_forgotten(checkout))

    def test_session_stays_closed_after_an_unknown_outcome(self) -> None:
        self.daemon.options[:] = ["--retention", "100", "--create-payment-timeout", "300"]
        self.restart()
        checkout = self.chosen(self.approving())
        self.sandbox.fault("payments", reset=True, afterEffect=True)
        checkout.submit()
        self.assert_failed(checkout.await_end(), "outcome-unknown", "unknown")
        token = {"clientToken": checkout.session.client_token}
        for _ in range(2):
            error = self.assert_refused(1003, "session-in-use", None, "checkout.start", **token)
            self.assertEqual(error.data["checkoutId"], checkout.id)
            self.restart(signal.SIGKILL, checkout)
            self.archived(checkout)
        again = self.client.call("checkout.start", **token, allowRepeat=True)
        self.assertEqual(again["state"], "ready")

    def test_session_is_open_again_when_the_record_has_gone(self) -> None:
        checkout = self.chosen(self.approving())
        self.sandbox.fault("payments", reset=True, afterEffect=True)
        checkout.submit()
        checkout.await_end()
        self.archived(checkout)
        self.restart(signal.SIGKILL, checkout)
        token = {"clientToken": checkout.session.client_token}
        self.assert_refused(1003, "session-in-use", None, "checkout.start", **token)
        eventually("forgotten", lambda: self.is_forgotten(checkout))
        self.assertEqual(self.client.call("checkout.start", **token)["state"], "ready")
