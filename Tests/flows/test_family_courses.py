"""What may happen to a payment of each family: decided either way, let pass, cancelled, handled by a backend, watched."""

from __future__ import annotations

import base64
import time
from typing import Any

from flows.test_access import OTHER, AccessTest
from support.case import DaemonTest
from support.checkout import Checkout
from support.families import AWAITED, CODE, FAMILIES, ONE_TIME_CODE, PHONE, REDIRECT, VOUCHER, Family
from support.lines import Event
from support.sandbox import Session

URL_SCHEME = "kiosk://checkout"


class FamilyTest(DaemonTest):
    def offering(self, family: Family, surcharge: int | None = None, /, **options: Any) -> Session:
        """A client session that offers the family's method."""
        more = {} if surcharge is None else {"surcharge": surcharge}
        return self.session(paymentMethods=[family.entry | more], **options)

    def assert_poll_decides(self, checkout: Checkout, outcome: str) -> Event:
        """The checkout ends like that, and names its payment as upstream has it."""
        end = checkout.await_end()
        payment = checkout.session.payment
        self.assertEqual(end.params["outcome"], outcome, end)
        named = end.params["payment"]
        self.assertEqual((named["id"], named["status"]), (payment["id"], payment["status"]))
        return end


class Endings(FamilyTest):
    def test_events_up_to_the_end(self) -> None:
        paying = ["willCreatePayment", "didStartTokenization", "didTokenizePaymentMethod"]
        told = {
            REDIRECT: ["step webRedirect loading", *paying, "step webRedirect loaded", "step webRedirect success"],
            CODE: [*paying, "info qrCode", "step awaitingCode"],
            VOUCHER: [*paying, "info voucher"],
            ONE_TIME_CODE: [*paying, "step awaitingConfirmation"],
            PHONE: [*paying, "step awaitingConfirmation"],
        }
        for family, labels in told.items():
            with self.subTest(family.name):
                checkout = self.filled_in(family, self.offering(family, outcome="approve"))
                checkout.submit()
                self.assert_completed(checkout.await_end(), "pending" if family is VOUCHER else "success")
                history = [event.label for event in checkout.history()]
                started = [label for label in history if not label.startswith("validation")]
                expected = ["didLoadAvailablePaymentMethods", "step ready", *labels, "didCompleteCheckout"]
                self.assertEqual(started, expected)

    def test_decided(self) -> None:
        for family in AWAITED:
            for decide, outcome in (
                (Session.approve, "success"),
                (Session.decline, "failed"),
                (Session.let_expire, "failed"),
            ):
                with self.subTest(family.name, decided=decide.__name__):
                    checkout = self.awaiting(family)
                    (awaited,) = checkout.snapshot["awaiting"]
                    self.assertEqual(awaited["kind"], family.kind)
                    self.assertIn("since", awaited)
                    decide(checkout.session)
                    self.assert_poll_decides(checkout, outcome)
                    self.assertEqual(checkout.snapshot["awaiting"], [])

    def test_it_lapses_by_itself(self) -> None:
        for family in AWAITED:
            with self.subTest(family.name):
                # A code must not have expired before it is shown.
                checkout = self.filled_in(family, self.offering(family, lapsesIn=2 if family is CODE else 0))
                checkout.submit()
                self.assert_poll_decides(checkout, "failed")

    def test_what_is_sent(self) -> None:
        """Language, platform and the way back, and what the shopper typed; a surcharge is selected before."""
        names = {"otp": "blikCode", "phoneNumber": "phoneNumber"}
        for family in FAMILIES:
            with self.subTest(family.name):
                self.sandbox.reset()
                settings = {"locale": "nl-NL", "urlScheme": URL_SCHEME}
                checkout = self.filled_in(family, self.offering(family, 50, outcome="approve"), settings=settings)
                checkout.submit()
                end = checkout.await_end()
                (tokenized,) = self.sandbox.requests("payment-instruments")
                sent = {names[name]: value for name, value in family.data.items()}
                self.assertEqual(
                    tokenized["body"]["paymentInstrument"]["sessionInfo"],
                    sent | {"locale": "nl-NL", "platform": "WEB", "redirectionUrl": URL_SCHEME},
                )
                actions = [request["body"]["actions"] for request in self.sandbox.requests("actions")]
                selected = {"type": "SELECT_PAYMENT_METHOD", "params": {"paymentMethodType": family.type}}
                self.assertEqual(actions, [[selected]])
                self.assertEqual(checkout.session.payment["amount"], 1349)
                self.assertIn(end.params["outcome"], ("success", "pending"))

    def test_declined_at_once(self) -> None:
        for family in FAMILIES:
            with self.subTest(family.name):
                made = {"createResponse": {"status": "DECLINED", "requiredAction": None}}
                checkout = self.filled_in(family, self.offering(family, **made))
                checkout.submit()
                self.assert_poll_decides(checkout, "failed")

    def test_cancelled_while_the_shopper_is_waited_for(self) -> None:
        for family in AWAITED:
            with self.subTest(family.name):
                checkout = self.awaiting(family)
                self.assertEqual(checkout.call("checkout.cancel"), {"state": "cancelling"})
                end = checkout.await_end()
                self.assert_failed(end, "payment-cancelled", "unknown")
                self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])

    def test_cancelled_after_the_shopper_has_approved(self) -> None:
        for family in AWAITED:
            with self.subTest(family.name):
                checkout = self.awaiting(family)
                self.sandbox.hold("status", before_effect=True)
                checkout.session.approve()
                checkout.call("checkout.cancel")
                self.sandbox.release("status")
                self.assert_completed(checkout.await_end(), "success")


class Plans(FamilyTest):
    """What upstream asks for decides what is done, whatever component began."""

    def test_each_familys_action_after_a_redirect(self) -> None:
        for action, family in (("code", CODE), ("confirmation", PHONE)):
            with self.subTest(action):
                checkout = self.filled_in(REDIRECT, self.offering(REDIRECT, requiredAction=action))
                checkout.submit()
                checkout.await_event(f"step awaiting{family.kind.capitalize()}")
                self.assertEqual(checkout.state, family.state)
                checkout.session.approve()
                self.assert_completed(checkout.await_end(), "success")
        checkout = self.filled_in(REDIRECT, self.offering(REDIRECT, requiredAction="voucher"))
        checkout.submit()
        self.assert_completed(checkout.await_end(), "pending")
        self.assertEqual(checkout.snapshot["additionalInfo"]["kind"], "voucher")

    def test_a_page_after_a_one_time_code(self) -> None:
        checkout = self.filled_in(ONE_TIME_CODE, self.offering(ONE_TIME_CODE, requiredAction="redirect"))
        checkout.submit()
        self.assertRegex(checkout.await_event("step webRedirect loaded").params["step"]["url"], "/bank/")
        checkout.session.approve()
        self.assert_completed(checkout.await_end(), "success")

    def test_further_actions(self) -> None:
        for family in AWAITED:
            with self.subTest(family.name):
                session = self.offering(family, outcome="approve", pendingPolls=0, furtherActions=1)
                checkout = self.filled_in(family, session)
                checkout.submit()
                self.assert_poll_decides(checkout, "success")
                self.assertEqual(len(session.payments), 1)

    def test_an_image_that_is_none(self) -> None:
        for text in ("bm8=", "§"):
            with self.subTest(text):
                session = self.offering(CODE, actionTokenOverrides={"qrCode": text})
                checkout = self.filled_in(CODE, session)
                checkout.submit()
                end = checkout.await_end()
                self.assert_failed(end, "invalid-value", "unknown")
                self.assertEqual(end.params["payment"]["id"], session.payment["id"])

    def test_a_voucher_without_a_reference(self) -> None:
        session = self.offering(VOUCHER, actionTokenOverrides={"reference": None})
        checkout = self.filled_in(VOUCHER, session)
        checkout.submit()
        end = checkout.await_end()
        self.assert_failed(end, "invalid-value", "unknown")
        self.assertEqual(end.params["payment"]["id"], session.payment["id"])

    def test_a_voucher_with_a_reference_alone(self) -> None:
        session = self.offering(VOUCHER, actionTokenOverrides={"entity": None, "expiresAt": None})
        checkout = self.filled_in(VOUCHER, session)
        checkout.submit()
        self.assert_completed(checkout.await_end(), "pending")
        info = checkout.snapshot["additionalInfo"]
        self.assertEqual(set(info), {"kind", "reference", "amount", "currencyCode"})

    def test_a_code_that_has_expired(self) -> None:
        session = self.offering(CODE, actionTokenOverrides={"expiration": int(time.time()) - 60})
        checkout = self.filled_in(CODE, session)
        checkout.submit()
        end = checkout.await_end()
        self.assertEqual(end.params["outcome"], "unknown", end)
        self.assertEqual(end.params["payment"]["id"], session.payment["id"])


class Secrets(FamilyTest):
    def test_a_one_time_code_is_told_nobody(self) -> None:
        checkout = self.filled_in(ONE_TIME_CODE)
        (code,) = ONE_TIME_CODE.data.values()
        (component,) = checkout.snapshot["components"]
        self.assertEqual(component["data"], {"otp": True})
        (shown,) = component["fields"]
        self.assertTrue(shown["isSecret"])
        checkout.submit()
        checkout.await_event("step awaitingConfirmation")
        # It has been used, and is kept no longer.
        self.assertEqual(checkout.snapshot["components"][0]["data"], {})
        checkout.history()
        self.assertNotIn(code, str(self.client.transcript))
        self.daemon.must_not_log(code)
        checkout.session.approve()
        self.assert_completed(checkout.await_end(), "success")

    def test_an_invalid_one_time_code_is_told_nobody_either(self) -> None:
        checkout = self.filled_in(ONE_TIME_CODE)
        self.assertEqual(checkout.update(otp="9184730")["status"], "invalid")
        self.assertNotIn("otp", checkout.snapshot["components"][0]["data"])
        checkout.history()
        self.assertNotIn("9184730", str(self.client.transcript))
        self.daemon.must_not_log("9184730")


class Manual(FamilyTest):
    """The merchant's backend creates the payment and resumes it."""

    def handed_over(self, family: Family) -> tuple[Checkout, str]:
        """A checkout whose backend has created the payment; and the payment's id."""
        checkout = self.filled_in(family, self.offering(family), settings={"paymentHandling": "manual"})
        checkout.submit()
        event = checkout.await_event("didTokenizePaymentMethod")
        payment = self.sandbox.create_payment(event.params["paymentMethodTokenData"]["token"])
        token = payment["requiredAction"]["clientToken"]
        checkout.decide(event.params["decisionId"], "continueWithNewClientToken", clientToken=token)
        return checkout, payment["id"]

    def test_waited_for_and_resumed_by_the_backend(self) -> None:
        for family in AWAITED:
            with self.subTest(family.name):
                checkout, payment = self.handed_over(family)
                self.assertEqual(checkout.state, family.state)
                checkout.session.approve()
                event = checkout.await_event("didResumeWith")
                resumed = self.sandbox.resume_payment(payment, event.params["resumeToken"])
                told = {"id": payment, "status": resumed["status"]}
                checkout.decide(event.params["decisionId"], "complete", payment=told)
                self.assert_completed(checkout.await_end(), "handledByClient")
                self.assertEqual(self.sandbox.requests("payments"), [])

    def test_a_voucher_is_told(self) -> None:
        checkout, _ = self.handed_over(VOUCHER)
        end = checkout.await_end()
        self.assert_completed(end, "pending")
        self.assertEqual(checkout.snapshot["additionalInfo"]["kind"], "voucher")
        self.assertIn("info voucher", [event.label for event in checkout.history()])


class Observers(AccessTest):
    def watched(self, family: Family) -> tuple[Checkout, Checkout]:
        """A checkout that only has to be submitted, and the same as somebody else sees it."""
        checkout = self.filled_in(family)
        self.share(checkout, "observe", uid=OTHER)
        seen = self.as_seen_by(self.other, checkout)
        seen.subscribe()
        return checkout, seen

    def test_code_and_voucher_are_made_to_be_shown(self) -> None:
        for family, label in ((CODE, "info qrCode"), (VOUCHER, "info voucher")):
            with self.subTest(family.name):
                checkout, seen = self.watched(family)
                checkout.submit()
                told = checkout.await_event(label).params["info"]
                self.assertEqual(seen.await_event(label).params["info"], told)
                if family is CODE:
                    self.assertTrue(base64.b64decode(told["image"], validate=True).startswith(b"\x89PNG"))
                    self.assertEqual(seen.snapshot["awaiting"][0]["info"], told)
                else:
                    checkout.await_end()
                    self.assertEqual(seen.snapshot["additionalInfo"], told)

    def test_address_and_phone_number_are_not(self) -> None:
        for family, label, hidden in (
            (REDIRECT, "step webRedirect loaded", "/bank/"),
            (PHONE, "step awaitingConfirmation", "912345678"),
        ):
            with self.subTest(family.name):
                checkout, seen = self.watched(family)
                checkout.submit()
                seen.await_event(label)
                self.assertIs(seen.snapshot["redacted"], True)
                seen.history()
                self.assertNotIn(hidden, str(self.other.transcript))
