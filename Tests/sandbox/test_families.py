"""Every family of payment methods: how a session offers it, what its tokenization wants, and how it is paid."""

from __future__ import annotations

import base64
import unittest
from datetime import UTC, datetime
from typing import Any

from harness import TIMEOUT, Checkout, SandboxTestCase, target
from test_qr_code import said_by

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
                checkout.pay(IDEAL, locale="en-US", redirectionUrl="kiosk://checkout?a=1&b=2")
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


class CodeTests(FamilyTestCase):
    TYPES = ("OMISE_PROMPTPAY", "RAPYD_PROMPTPAY", "XFERS_PAYNOW")

    def test_paid(self) -> None:
        for type in self.TYPES:
            for outcome, status in ENDINGS:
                with self.subTest(type=type, outcome=outcome):
                    checkout = self.offering(type)
                    payment = checkout.pay(type)
                    self.assertEqual(payment["requiredAction"]["name"], "USE_PRIMER_SDK")
                    self.assertLessEqual({"intent", "statusUrl", "qrCode", "expiration"}, set(checkout.token))
                    self.assertFalse({"redirectUrl", "qrCodeUrl"} & set(checkout.token))
                    self.assertEqual(self.assert_polled(checkout, payment, outcome, "codes")["status"], status)

    def test_the_image_says_where_the_wallets_page_is(self) -> None:
        checkout = self.offering("OMISE_PROMPTPAY")
        payment = checkout.pay("OMISE_PROMPTPAY")
        page = f"http://127.0.0.1:{self.sandbox.port}/wallet/{payment['id']}"
        self.assertEqual(said_by(base64.b64decode(checkout.token["qrCode"], validate=True)), page)
        [payment] = self.sandbox.payments_of(checkout)
        self.assertEqual((payment["page"], payment["place"]), (page, "codes"))

    def test_the_image_at_an_address(self) -> None:
        checkout = self.offering("OMISE_PROMPTPAY", codeAs="url")
        payment = checkout.pay("OMISE_PROMPTPAY")
        self.assertNotIn("qrCode", checkout.token)
        image = self.sandbox.send("GET", target(checkout.token["qrCodeUrl"]))
        self.assertEqual(image.headers["Content-Type"], "image/png")
        self.assertTrue(said_by(image.text).endswith(f"/wallet/{payment['id']}"))
        other = self.offering(IDEAL, "WEB_REDIRECT").pay(IDEAL)
        self.assert_refused(self.sandbox.send("GET", f"/wallet/{other['id']}/code.png"), 404, "NotFound")

    def test_it_expires(self) -> None:
        checkout = self.offering("XFERS_PAYNOW")
        before = int(datetime.now(UTC).timestamp())
        checkout.pay("XFERS_PAYNOW")
        self.assertIn(checkout.token["expiration"] - before, range(900, 901 + TIMEOUT))
        checkout = self.offering("XFERS_PAYNOW", lapsesIn=0)
        payment = checkout.pay("XFERS_PAYNOW")
        poll = checkout.poll().body
        self.assertEqual(poll["status"], "COMPLETE")
        self.assertEqual(checkout.resume(payment["id"], poll["id"]).body["status"], "FAILED")
        reply = self.sandbox.send("POST", f"/sandbox/codes/{payment['id']}", {"outcome": "approve"})
        self.assert_refused(reply, 409, "NotAwaited")


class VoucherTests(FamilyTestCase):
    TYPE = "ADYEN_MULTIBANCO"

    def test_paid_later_without_a_poll(self) -> None:
        for outcome, status in ENDINGS:
            with self.subTest(outcome):
                checkout = self.offering(self.TYPE)
                payment = checkout.pay(self.TYPE)
                self.assertEqual(payment["status"], "PENDING")
                self.assertEqual(payment["requiredAction"]["name"], "PAYMENT_METHOD_VOUCHER")
                token = checkout.token
                self.assertEqual(token["intent"], "PAYMENT_METHOD_VOUCHER")
                self.assertRegex(token["entity"], r"^[0-9]{5}$")
                self.assertRegex(token["reference"], r"^[0-9]{9}$")
                self.assertFalse({"statusUrl", "redirectUrl"} & set(token))
                token["statusUrl"] = f"/status/{payment['id']}"
                self.assert_refused(checkout.poll(), 404, "PaymentNotFound")
                checkout.decide(payment["id"], outcome, "vouchers")
                self.assertEqual([p["status"] for p in self.sandbox.payments_of(checkout)], [status])

    def test_until_when(self) -> None:
        checkout = self.offering(self.TYPE)
        checkout.pay(self.TYPE)
        until = datetime.strptime(checkout.token["expiresAt"], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
        self.assertEqual(round((until - datetime.now(UTC)).total_seconds() / 3600), 72)

    def test_it_expires(self) -> None:
        checkout = self.offering(self.TYPE, lapsesIn=0, expiredStatus="CANCELLED")
        token = checkout.tokenize(self.TYPE).body["token"]
        payment = checkout.create(token, "voucher-key").body
        self.assertEqual(checkout.create(token, "voucher-key").body["paymentStatus"], "CANCELLED")
        other = checkout.create(token, "another-key").body
        statuses = {p["id"]: p["status"] for p in self.sandbox.payments_of(checkout)}
        self.assertEqual(statuses, {payment["id"]: "CANCELLED", other["id"]: "CANCELLED"})
        reply = self.sandbox.send("POST", f"/sandbox/vouchers/{payment['id']}", {"outcome": "approve"})
        self.assert_refused(reply, 409, "NotAwaited")


class ConfirmationTests(FamilyTestCase):
    GOOD = {"ADYEN_BLIK": ("blikCode", "123456"), "ADYEN_MBWAY": ("phoneNumber", "+351912345678")}
    GOOD["XENDIT_OVO"] = ("phoneNumber", "+62812345678")

    def test_paid(self) -> None:
        for type, (name, value) in self.GOOD.items():
            for outcome, status in ENDINGS:
                with self.subTest(type=type, outcome=outcome):
                    checkout = self.offering(type)
                    payment = checkout.pay(type, **{name: value, "redirectionUrl": "kiosk://checkout"})
                    self.assertIn("statusUrl", checkout.token)
                    self.assertFalse({"redirectUrl", "qrCode", "qrCodeUrl", "entity"} & set(checkout.token))
                    page = self.sandbox.payments_of(checkout)[0]["page"]
                    self.assertTrue(page.endswith(f"/banking-app/{payment['id']}"))
                    resumed = self.assert_polled(checkout, payment, outcome, "confirmations")
                    self.assertEqual(resumed["status"], status)

    def test_what_is_good_and_what_is_refused(self) -> None:
        for type, good, bad in (
            ("ADYEN_BLIK", ("000000",), ("", "12345", "1234567", " 123456", "123456\n", "12a456", "١٢٣٤٥٦", "１２３４５６")),
            (
                "ADYEN_MBWAY",
                ("+447890123456", "+129876543210", "+123456789"),
                ("447890123456", "+12987654", "+129876543010101", "+351 912 345 678", "+٣٥١٩١٢٣٤٥"),
            ),
            (
                "XENDIT_OVO",
                ("+62812345678", "628123456789", "+6281234567890"),
                ("+62812345678901", "+6281234567", "+5281234567890", "0812345678"),
            ),
        ):
            name = self.GOOD[type][0]
            checkout = self.offering(type)
            for value in good:
                with self.subTest(type=type, good=value):
                    self.assertEqual(checkout.tokenize(type, **{name: value}).status, 200)
            for value in (*bad, None, 123456):
                with self.subTest(type=type, bad=value):
                    self.assert_refused(checkout.tokenize(type, **{name: value}), 400, "BadRequest")

    def test_the_code_is_not_repeated(self) -> None:
        checkout = self.offering("ADYEN_BLIK")
        self.assertNotIn(b"123456", checkout.tokenize("ADYEN_BLIK", blikCode="123456").text)

    def test_it_lapses(self) -> None:
        checkout = self.offering("ADYEN_BLIK", lapsesIn=0)
        payment = checkout.pay("ADYEN_BLIK", blikCode="123456")
        self.assertEqual(checkout.resume(payment["id"], checkout.poll().body["id"]).body["status"], "FAILED")


class OtherActionTests(FamilyTestCase):
    def test_a_method_may_ask_for_what_another_familys_do(self) -> None:
        for action, member, place in (
            ("redirect", "redirectUrl", "redirects"),
            ("code", "qrCode", "codes"),
            ("voucher", "reference", "vouchers"),
            ("confirmation", "statusUrl", "confirmations"),
        ):
            with self.subTest(action):
                checkout = self.offering(IDEAL, "WEB_REDIRECT", requiredAction=action)
                payment = checkout.pay(IDEAL)
                self.assertIn(member, checkout.token)
                checkout.decide(payment["id"], "approve", place)
        reply = self.sandbox.send("POST", "/sandbox/client-sessions", {"requiredAction": "dance"})
        self.assert_refused(reply, 400, "BadRequest")

    def test_a_decision_belongs_to_its_place(self) -> None:
        checkout = self.offering("ADYEN_MULTIBANCO")
        id = checkout.pay("ADYEN_MULTIBANCO")["id"]
        for place in ("redirects", "codes", "confirmations"):
            reply = self.sandbox.send("POST", f"/sandbox/{place}/{id}", {"outcome": "approve"})
            self.assert_refused(reply, 409, "NotAwaited")
        for page in ("bank", "wallet", "banking-app"):
            self.assert_refused(self.sandbox.send("GET", f"/{page}/{id}"), 404, "NotFound")


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
            {"type": IDEAL, "implementationType": "UNHEARD_OF"},
            {"type": "ADYEN_MULTIBANCO", "implementationType": "IPAY88_SDK"},
        ):
            with self.subTest(entry=entry):
                checkout = self.sandbox.checkout(paymentMethods=[entry])
                [listed] = checkout.configuration().body["paymentMethods"]
                self.assertEqual(listed, listed | entry)
                self.assert_refused(checkout.tokenize(entry["type"]), 400, "BadRequest")


if __name__ == "__main__":
    unittest.main()
