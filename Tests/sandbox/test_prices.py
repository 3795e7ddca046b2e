"""What a kiosk draws and prints: how methods look, what they cost more, and how a total comes about."""

from __future__ import annotations

import base64
import unittest
from typing import Any

from harness import Checkout, SandboxTestCase


class DisplayTests(SandboxTestCase):
    def display(self, method: Any) -> Any:
        checkout = self.sandbox.checkout(paymentMethods=[method])
        [listed] = checkout.configuration().body["paymentMethods"]
        return listed.get("displayMetadata")

    def test_a_button(self) -> None:
        button = self.display("ADYEN_IDEAL")["button"]
        self.assertEqual(button["text"], "Pay with iDEAL")
        for member in ("iconUrl", "backgroundColor", "borderColor", "borderWidth", "textColor"):
            self.assertEqual(set(button[member]), {"colored", "light", "dark"})
        self.assertRegex(button["backgroundColor"]["colored"], "^#[0-9A-F]{6}$")
        self.assertTrue(button["iconUrl"]["dark"].startswith("https://icons.example.com/"))

    def test_some_have_less(self) -> None:
        self.assertIsNone(self.display("STRIPE_ACH"))
        self.assertIsNone(self.display("UNHEARD_OF"))
        self.assertNotIn("iconUrl", self.display("ADYEN_MBWAY")["button"])
        icon = self.display("ADYEN_BLIK")["button"]["iconUrl"]["colored"]
        self.assertTrue(base64.b64decode(icon, validate=True).startswith(b"\x89PNG"))

    def test_what_is_described_is_merged(self) -> None:
        odd = {"button": {"text": 7, "cornerRadius": None, "iconUrl": {"dark": "ftp://icons.example.com/x"}}}
        button = self.display({"type": "ADYEN_IDEAL", "displayMetadata": odd})["button"]
        self.assertEqual((button["text"], button["iconUrl"]["dark"]), (7, "ftp://icons.example.com/x"))
        self.assertIn("light", button["iconUrl"])
        self.assertNotIn("cornerRadius", button)
        self.assertIsNone(self.display({"type": "ADYEN_IDEAL", "displayMetadata": None}))
        self.assertEqual(self.display({"type": "STRIPE_ACH", "displayMetadata": {}}), {})

    def test_only_who_asks_is_told(self) -> None:
        checkout = self.sandbox.checkout()
        plain = checkout.call("GET", checkout.token["configurationUrl"]).body
        acted = checkout.act("SELECT_PAYMENT_METHOD", paymentMethodType="ADYEN_IDEAL").body
        for body in (plain, acted):
            self.assertNotIn("displayMetadata", body["paymentMethods"][0])

    def test_each_method_has_a_name_and_is_served_as_it_mostly_is(self) -> None:
        for type, name, served in (
            ("ADYEN_IDEAL", "iDEAL", "NATIVE_SDK"),
            ("MOLLIE_IDEAL", "iDEAL", "WEB_REDIRECT"),
            ("IPAY88_CARD", "Card", "IPAY88_SDK"),
            ("UNHEARD_OF", "UNHEARD_OF", "NATIVE_SDK"),
        ):
            [listed] = self.sandbox.checkout(paymentMethods=[type]).configuration().body["paymentMethods"]
            self.assertEqual((listed["name"], listed["implementationType"]), (name, served))


class PriceTests(SandboxTestCase):
    def order(self, checkout: Checkout) -> Any:
        return checkout.configuration().body["clientSession"]["order"]

    def test_a_total_of_goods_taxes_discounts_shipping_and_fees(self) -> None:
        items = [
            {"itemId": "mug", "quantity": 2, "amount": 500, "discountAmount": 100, "taxAmount": 189, "name": "Mug"},
            {"itemId": "tea", "quantity": 1, "amount": 250, "name": "Tea"},
            {"quantity": "odd", "amount": 999},
            "odd",
        ]
        shipping = {"amount": 495, "methodId": "post", "methodName": "By post"}
        fees = [{"type": "HANDLING", "amount": 30}]
        checkout = self.sandbox.checkout(order={"lineItems": items, "shipping": shipping, "fees": fees})
        order = self.order(checkout)
        self.assertEqual(order["totalTaxAmount"], 189)
        self.assertEqual(order["totalOrderAmount"], 1000 - 100 + 189 + 250 + 495 + 30)
        self.assertEqual((order["lineItems"], order["shipping"], order["fees"]), (items, shipping, fees))

    def test_a_tax_on_the_whole(self) -> None:
        order = self.order(self.sandbox.checkout(order={"totalTaxAmount": 273}))
        self.assertEqual((order["totalTaxAmount"], order["totalOrderAmount"]), (273, 1299 + 273))
        self.assertNotIn("totalTaxAmount", self.order(self.sandbox.checkout()))

    def test_a_surcharge_is_a_fee_of_the_selected_method(self) -> None:
        for type in ("MOLLIE_IDEAL", "OMISE_PROMPTPAY", "ADYEN_MULTIBANCO", "ADYEN_MBWAY"):
            with self.subTest(type):
                fee = {"type": "HANDLING", "amount": 30}
                methods = [{"type": type, "surcharge": 50}]
                checkout = self.sandbox.checkout(paymentMethods=methods, order={"fees": [fee]})
                session = checkout.configuration().body["clientSession"]
                self.assertEqual(session["paymentMethod"]["options"], methods)
                self.assertEqual((session["order"]["totalOrderAmount"], session["order"]["fees"]), (1329, [fee]))
                acted = checkout.act("SELECT_PAYMENT_METHOD", paymentMethodType=type).body["clientSession"]["order"]
                self.assertEqual(acted["totalOrderAmount"], 1379)
                self.assertEqual(acted["fees"], [fee, {"type": "SURCHARGE", "amount": 50}])

    def test_a_surcharge_of_nothing_and_of_a_cards_networks(self) -> None:
        networks = [{"type": "VISA", "surcharge": 100}]
        methods = [{"type": "MOLLIE_IDEAL", "surcharge": 0}, {"type": "PAYMENT_CARD", "networks": networks}]
        session = self.sandbox.checkout(paymentMethods=methods).configuration().body["clientSession"]
        self.assertEqual(session["paymentMethod"]["options"], methods)

    def test_the_merchants_own_amount_has_no_surcharge(self) -> None:
        methods = [{"type": "MOLLIE_IDEAL", "surcharge": 50}]
        checkout = self.sandbox.checkout(paymentMethods=methods, order={"merchantAmount": 1000})
        acted = checkout.act("SELECT_PAYMENT_METHOD", paymentMethodType="MOLLIE_IDEAL").body["clientSession"]["order"]
        self.assertEqual((acted["totalOrderAmount"], "fees" in acted), (1000, False))
        self.assertEqual(checkout.create(checkout.tokenize("MOLLIE_IDEAL").body["token"]).body["amount"], 1000)


if __name__ == "__main__":
    unittest.main()
