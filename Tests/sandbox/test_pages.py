"""The pages on which the customer decides: what they show, what they take, and which language they speak."""

from __future__ import annotations

import json
import unittest
from html import unescape
from typing import Any

from harness import PROGRAM, Checkout, SandboxTestCase, target

LANGUAGES = {path.stem: json.loads(path.read_text("utf-8")) for path in PROGRAM.parent.glob("languages/*.json")}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# For each page: a method that leads to it, and what its session info has.
PAGES: dict[str, tuple[str, dict[str, str]]] = {
    "bank": ("MOLLIE_IDEAL", {}),
    "wallet": ("OMISE_PROMPTPAY", {}),
    "voucher": ("ADYEN_MULTIBANCO", {}),
    "banking-app": ("ADYEN_MBWAY", {"phoneNumber": "+351912345678"}),
}


class PageTests(SandboxTestCase):
    def paying(self, page: str, **info: Any) -> tuple[Checkout, str]:
        """A checkout whose customer has come to the page, and where that is."""
        type, needed = PAGES[page]
        checkout = self.sandbox.checkout(paymentMethods=[type])
        checkout.pay(type, **needed, **info)
        return checkout, target(self.sandbox.payments_of(checkout)[0]["page"])

    def shown(self, page: str) -> str:
        return unescape(self.sandbox.send("GET", page).text.decode())

    def test_each_takes_each_answer_once(self) -> None:
        english = LANGUAGES["en"]
        for name in PAGES:
            for outcome, ending in english["endings"].items():
                with self.subTest(page=name, outcome=outcome):
                    checkout, page = self.paying(name, locale="en-US")
                    asked = self.shown(page)
                    for text in (english[name]["title"], "EUR 12.99", f'value="{outcome}"'):
                        self.assertIn(text, asked)
                    answered = self.sandbox.send("POST", page, f"outcome={outcome}".encode(), FORM)
                    self.assertEqual((answered.status, answered.headers["Location"]), (303, page))
                    ended = self.shown(page)
                    self.assertIn(ending, ended)
                    self.assertNotIn("<button", ended)
                    again = self.sandbox.send("POST", page, b"outcome=approve", FORM)
                    self.assert_refused(again, 409, "NotAwaited")
                    self.assertEqual(len(self.sandbox.requests(f"{name}-page")), 4)
                    self.sandbox.control("DELETE", "requests")

    def test_what_is_only_on_some(self) -> None:
        checkout, page = self.paying("voucher")
        shown = self.shown(page)
        self.assertIn(checkout.token["entity"], shown)
        self.assertIn(checkout.token["reference"], shown)
        self.assertIn(checkout.token["expiresAt"][:16].replace("T", " "), shown)
        self.assertIn("+351912345678", self.shown(self.paying("banking-app")[1]))
        self.assertIn("PromptPay", self.shown(self.paying("wallet")[1]))

    def test_the_time_passes_on_the_page_too(self) -> None:
        checkout = self.sandbox.checkout(paymentMethods=["MOLLIE_IDEAL"], lapsesIn=0)
        checkout.pay("MOLLIE_IDEAL", locale="en-US")
        page = target(checkout.token["redirectUrl"])
        self.assertIn("Payment expired", self.shown(page))
        self.assert_refused(self.sandbox.send("POST", page, b"outcome=approve", FORM), 409, "NotAwaited")

    def test_each_speaks_the_language_of_the_checkout(self) -> None:
        for language, texts in LANGUAGES.items():
            for name in PAGES:
                with self.subTest(page=name, language=language):
                    _, page = self.paying(name, locale=f"{language}-XX")
                    shown = self.shown(page)
                    self.assertIn(f'<html lang="{language}">', shown)
                    for text in (*texts[name].values(), texts["expire"], texts["sandbox"], texts["labels"]["order"]):
                        self.assertIn(text, shown)
                    self.assertIn(f"EUR 12{texts['decimalMark']}99", shown)
                    self.sandbox.send("POST", page, b"outcome=decline", FORM)
                    self.assertIn(texts["endings"]["decline"], self.shown(page))
                    self.assertIn(texts["close"], self.shown(page))

    def test_which_language_a_locale_has(self) -> None:
        for locale, language in (("nl", "nl"), ("nl_BE", "nl"), ("DE-at", "de"), ("pt-PT", "en"), ("nld-NL", "en")):
            with self.subTest(locale):
                self.assertIn(f'<html lang="{language}">', self.shown(self.paying("bank", locale=locale)[1]))


class LanguageTests(unittest.TestCase):
    def test_each_has_the_same_texts(self) -> None:
        self.assertEqual(set(LANGUAGES), {"de", "en", "es", "fr", "nl"})
        for language, texts in LANGUAGES.items():
            with self.subTest(language):
                self.assertEqual(names(texts), names(LANGUAGES["en"]))


def names(texts: Any) -> Any:
    """The shape of the texts, without what they say."""
    return {name: names(text) for name, text in texts.items()} if isinstance(texts, dict) else bool(texts)


if __name__ == "__main__":
    unittest.main()
