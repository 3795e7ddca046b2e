"""Payment methods beside those of the seed pages, each paid end to end."""

from __future__ import annotations

import base64
from typing import Any, ClassVar
from collections.abc import Sequence

from support.case import DaemonTest
from support.checkout import Checkout
from support.lines import JsonObject

NATIVE_UI = "nativeUIManager.provide"
RAW_DATA = "rawDataManager.provide"
REDIRECT_IDEAL = {"type": "ADYEN_IDEAL", "implementationType": "WEB_REDIRECT"}


class FamilyTest(DaemonTest):
    def started(self, manager: str, method: Any, **options: Any) -> Checkout:
        """A checkout whose component for that method has been started."""
        checkout = self.start(self.session(paymentMethods=[method], **options))
        type = method if isinstance(method, str) else method["type"]
        provided = self.client.call(manager, checkoutId=checkout.id, paymentMethodType=type)
        checkout.component_id = provided["componentId"]
        checkout.component_call("start")
        return checkout

    def awaited(self, checkout: Checkout, kind: str) -> JsonObject:
        """What the checkout waits for, once it waits for that."""
        snapshot = checkout.call("checkout.wait", **{"for": ["awaiting"], "waitMs": 60_000})["snapshot"]
        entry: JsonObject = snapshot["awaiting"][0]
        self.assertEqual(entry["kind"], kind)
        return entry

    def assert_outcome(self, checkout: Checkout, outcome: str) -> JsonObject:
        snapshot: JsonObject = checkout.call("checkout.wait", **{"for": ["terminal"], "waitMs": 60_000})["snapshot"]
        self.assertEqual(snapshot["outcome"], outcome)
        return snapshot


class Pages(FamilyTest):
    def test_ideal_without_a_bank(self) -> None:
        checkout = self.started(NATIVE_UI, REDIRECT_IDEAL)
        checkout.submit()
        self.assertRegex(self.awaited(checkout, "redirect")["url"], "/bank/")
        checkout.session.approve()
        self.assert_outcome(checkout, "success")

    def test_a_decline(self) -> None:
        checkout = self.started(NATIVE_UI, {"type": "ADYEN_TWINT", "implementationType": "WEB_REDIRECT"})
        checkout.submit()
        self.awaited(checkout, "redirect")
        checkout.session.decline()
        self.assert_outcome(checkout, "failed")

    def test_the_banks_of_a_page_are_refused(self) -> None:
        checkout = self.start(self.session(paymentMethods=[REDIRECT_IDEAL]))
        error = self.assert_refused(
            1002,
            "unsupported-payment-method-for-manager",
            None,
            "componentWithRedirectManager.provideBanksComponent",
            checkoutId=checkout.id,
            paymentMethodType="ADYEN_IDEAL",
        )
        self.assertEqual(error.data["manager"], "nativeUIManager")

    def test_an_empty_bank_list_leaves_nothing_to_choose(self) -> None:
        checkout = self.start(self.session(paymentMethods=["ADYEN_IDEAL"], banks=[]))
        checkout.provide("ADYEN_IDEAL")
        checkout.component_call("start")
        checkout.submit()
        self.awaited(checkout, "redirect")
        checkout.session.approve()
        self.assert_outcome(checkout, "success")

    def test_what_is_not_offered_says_why(self) -> None:
        methods = [
            REDIRECT_IDEAL,
            {"type": "ADYEN_VIPPS", "implementationType": "WEB_REDIRECT", "capabilities": ["X", "BACKEND_DRIVEN"]},
            "PAYMENT_CARD",
        ]
        snapshot = self.start(self.session(paymentMethods=methods)).snapshot
        reasons = [entry["reason"] for entry in snapshot["unavailablePaymentMethods"]]
        self.assertEqual(reasons, ["backend-driven", "card-data"])


class Codes(FamilyTest):
    def test_an_image(self) -> None:
        checkout = self.started(NATIVE_UI, "OMISE_PROMPTPAY")
        checkout.submit()
        info = self.awaited(checkout, "code")["info"]
        self.assertTrue(base64.b64decode(info["image"], validate=True).startswith(b"\x89PNG"))
        self.assertRegex(info["expiresAt"], r"^\d{4}-.*Z$")
        observer = self.client.call("checkout.list")["checkouts"][0]["awaiting"][0]
        self.assertNotIn("image", observer["info"])
        checkout.session.approve()
        self.assert_outcome(checkout, "success")

    def test_where_an_image_is(self) -> None:
        checkout = self.started(NATIVE_UI, "XFERS_PAYNOW", codeAs="url")
        checkout.submit()
        self.assertIn("imageUrl", self.awaited(checkout, "code")["info"])
        checkout.session.decline()
        self.assert_outcome(checkout, "failed")


class Vouchers(FamilyTest):
    options: ClassVar[Sequence[str]] = ("--retention", "0")

    def test_a_voucher_stays_when_all_else_is_wiped(self) -> None:
        checkout = self.started(NATIVE_UI, "ADYEN_MULTIBANCO")
        checkout.submit()
        checkout.call("checkout.wait", **{"for": ["terminal"], "waitMs": 60_000})
        snapshot = self.client.call("checkout.get", checkoutId=checkout.id)
        self.assertEqual(snapshot["outcome"], "pending")
        info = snapshot["additionalInfo"]
        self.assertEqual(info["kind"], "voucher")
        self.assertRegex(info["expiresAt"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")
        self.assertEqual({"kind", "reference", "entity", "expiresAt", "amount", "currencyCode"}, set(info))


class OneField(FamilyTest):
    def test_a_code_of_the_banking_app(self) -> None:
        checkout = self.started(RAW_DATA, "ADYEN_BLIK")
        self.assertEqual(checkout.update(otp="12345")["status"], "invalid")
        self.assertEqual(checkout.update(otp="493817"), {"status": "valid", "data": {"otp": True}})
        checkout.submit()
        self.awaited(checkout, "confirmation")
        self.assertNotIn("493817", str(self.client.transcript))
        checkout.session.approve()
        self.assert_outcome(checkout, "success")

    def test_a_phone_number(self) -> None:
        for type, typed, read in (
            ("ADYEN_MBWAY", "+351 912-345-678", "+351912345678"),
            ("XENDIT_OVO", "+62 812 3456 7890", "+6281234567890"),
        ):
            with self.subTest(type):
                checkout = self.started(RAW_DATA, type)
                self.assertEqual(checkout.update(phoneNumber=typed)["data"], {"phoneNumber": read})
                checkout.submit()
                self.awaited(checkout, "confirmation")
                checkout.session.approve()
                self.assert_outcome(checkout, "success")

    def test_what_is_another_components_is_refused(self) -> None:
        checkout = self.started(RAW_DATA, "ADYEN_BLIK")
        self.assert_refused(
            -32602,
            "invalid-params",
            None,
            "component.updateCollectedData",
            componentId=checkout.component_id,
            data={"phoneNumber": "+351912345678"},
        )
