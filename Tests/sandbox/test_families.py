"""Every family of payment methods: how a session offers it, what its tokenization wants, and how it is paid."""

from __future__ import annotations

import unittest
from typing import Any

from harness import Checkout, SandboxTestCase, target

IDEAL = "ADYEN_IDEAL"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ENDINGS = (("approve", "SUCCESS"), ("decline", "FAILED"), ("expire", "FAILED"))


class FamilyTestCase(SandboxTestCase):
    def offering(self, type: str, served: str = "NATIVE_SDK", /, **session: Any) -> Checkout:
        """A checkout with one method, served like that."""
        return self.sandbox.checkout(paymentMethods=[{"type": type, "implementationType": served}], **session)

    def assert_polled(self, checkout: Checkout, payment: dict[str, Any], outcome: str, place: str) -> Any:
        """Polls, decides and resumes; returns what the resume answers."""
        self.assertEqual(checkout.poll().body["status"], "PENDING")
        checkout.decide(payment["id"], outcome, place)
        poll = checkout.poll().body
        self.assertEqual(poll["status"], "COMPLETE")
        return checkout.resume(payment["id"], poll["id"]).body


class SessionInfoTests(FamilyTestCase):
    def test_what_is_good(self) -> None:
        checkout = self.offering(IDEAL, "WEB_REDIRECT")
        for info in (
            {},
            {"locale": "nl"},
            {"locale": "en_US", "platform": "IOS"},
            {"locale": "zh-Hant-TW", "platform": "ANDROID"},
            {"redirectionUrl": "kiosk://checkout"},
            {"redirectionUrl": "https://shop.example.com/back?order=7"},
        ):
            with self.subTest(info=info):
                answer = checkout.tokenize(IDEAL, **info)
                self.assertEqual(answer.status, 200)
                kept = answer.body["paymentInstrumentData"]["sessionInfo"]
                self.assertEqual(kept, {"locale": "nl-NL", "platform": "WEB"} | info)

    def test_what_is_missing_odd_or_unknown_is_refused(self) -> None:
        checkout = self.offering(IDEAL, "WEB_REDIRECT")
        for info in (
            {"locale": None},
            {"locale": "nl-"},
            {"locale": "Dutch please"},
            {"locale": "nl-NL\n"},
            {"locale": 7},
            {"platform": None},
            {"platform": "web"},
            {"platform": "KIOSK"},
            {"redirectionUrl": ""},
            {"redirectionUrl": "checkout"},
            {"redirectionUrl": "javascript://x%0aalert(1)"},
            {"redirectionUrl": "kiosk://a b"},
            {"issuer": "9001"},
            {"blikCode": "123456"},
        ):
            with self.subTest(info=info):
                self.assert_refused(checkout.tokenize(IDEAL, **info), 400, "BadRequest")

    def test_the_instrument_type_is_the_familys(self) -> None:
        checkout = self.sandbox.checkout()
        asked = {
            "paymentMethodConfigId": "config-ideal",
            "paymentMethodType": IDEAL,
            "type": "AUTOMATED_CLEARING_HOUSE",
            "sessionInfo": {"issuer": "9001", "locale": "nl-NL", "platform": "WEB"},
        }
        url = checkout.token["pciUrl"] + "/payment-instruments"
        self.assert_refused(checkout.call("POST", url, {"paymentInstrument": asked}), 400, "BadRequest")


class RedirectTests(FamilyTestCase):
    def test_any_method_served_as_a_redirect(self) -> None:
        for type in (IDEAL, "ADYEN_SOFORT", "KLARNA", "STRIPE_ACH", "UNHEARD_OF"):
            for outcome, status in ENDINGS:
                with self.subTest(type=type, outcome=outcome):
                    checkout = self.offering(type, "WEB_REDIRECT")
                    payment = checkout.pay(type, redirectionUrl="kiosk://checkout")
                    self.assertEqual(payment["requiredAction"]["name"], "USE_PRIMER_SDK")
                    self.assertEqual(checkout.token["intent"], f"{type}_REDIRECTION")
                    self.assertTrue(checkout.token["redirectUrl"].endswith(f"/bank/{payment['id']}"))
                    self.assertEqual(self.assert_polled(checkout, payment, outcome, "redirects")["status"], status)

    def test_there_is_no_list_of_banks_for_a_redirect(self) -> None:
        self.assert_refused(self.offering(IDEAL, "WEB_REDIRECT").banks(), 400, "BadRequest")
        self.assertEqual(self.offering(IDEAL).banks().status, 200)

    def test_an_empty_list_of_banks_is_paid_without_a_bank(self) -> None:
        checkout = self.offering(IDEAL, banks=[])
        self.assertEqual(checkout.banks().body, {"result": []})
        self.assert_refused(checkout.tokenize_ideal(), 400, "BadRequest")
        payment = checkout.pay(IDEAL)
        self.assertEqual(self.assert_polled(checkout, payment, "approve", "redirects")["status"], "SUCCESS")
        self.assert_refused(self.offering(IDEAL).tokenize(IDEAL), 400, "BadRequest")

    def test_the_words_for_what_has_lapsed(self) -> None:
        checkout = self.offering(IDEAL, "WEB_REDIRECT", outcome="expire", pendingPolls=0, expiredStatus="CANCELLED")
        payment = checkout.pay(IDEAL)
        resumed = checkout.resume(payment["id"], checkout.poll().body["id"]).body
        self.assertEqual((resumed["status"], resumed["paymentFailureReason"]), ("CANCELLED", "payment-failed"))

    def test_the_page_leads_back_to_the_shop(self) -> None:
        for outcome, title in (("approve", b"approved"), ("decline", b"declined"), ("expire", b"expired")):
            with self.subTest(outcome):
                checkout = self.offering(IDEAL, "WEB_REDIRECT")
                checkout.pay(IDEAL, redirectionUrl="kiosk://checkout?a=1&b=2")
                page = target(checkout.token["redirectUrl"])
                asked = self.sandbox.send("GET", page)
                self.assertIn(b"<dd>iDEAL</dd>", asked.text)
                self.assertNotIn(b"kiosk:", asked.text)
                self.assertIn("default-src 'none'", asked.headers["Content-Security-Policy"])
                self.assertEqual(self.sandbox.send("POST", page, f"outcome={outcome}".encode(), FORM).status, 303)
                ended = self.sandbox.send("GET", page).text
                self.assertIn(title, ended)
                self.assertIn(b'href="kiosk://checkout?a=1&amp;b=2"', ended)

    def test_a_decision_is_one_of_three_and_made_once(self) -> None:
        checkout = self.offering(IDEAL, "WEB_REDIRECT")
        place = f"/sandbox/redirects/{checkout.pay(IDEAL)['id']}"
        self.assert_refused(self.sandbox.send("POST", place, {"outcome": "maybe"}), 400, "BadRequest")
        self.assertEqual(self.sandbox.send("POST", place, {"outcome": "expire"}).status, 200)
        self.assert_refused(self.sandbox.send("POST", place, {"outcome": "approve"}), 409, "NotAwaited")


class RefusedTests(FamilyTestCase):
    """What a session may have but no call can pay: it is in the configuration, and tokenizing it is refused."""

    def test_other_ways_of_serving(self) -> None:
        for entry in (
            {"type": IDEAL, "implementationType": "BACKEND_DRIVEN"},
            {"type": IDEAL, "implementationType": "WEB_REDIRECT", "capabilities": ["ODD", "BACKEND_DRIVEN"]},
            {"type": "IPAY88_CARD", "implementationType": "IPAY88_SDK"},
            {"type": "PAYMENT_CARD", "implementationType": "NATIVE_SDK"},
            {"type": "KLARNA", "implementationType": "NATIVE_SDK"},
            {"type": "APPLE_PAY", "implementationType": "NATIVE_SDK"},
            {"type": "ADYEN_SOFORT", "implementationType": "UNHEARD_OF"},
        ):
            with self.subTest(entry=entry):
                checkout = self.sandbox.checkout(paymentMethods=[entry])
                [listed] = checkout.configuration().body["paymentMethods"]
                self.assertEqual(listed, listed | entry)
                self.assert_refused(checkout.tokenize(entry["type"]), 400, "BadRequest")


if __name__ == "__main__":
    unittest.main()
