"""The pages in a browser, on a phone and on a kiosk's screen: the customer reads them and presses a button."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import ClassVar

from harness import SandboxTestCase
from test_pages import LANGUAGES, PAGES

sys.path.append(str(Path(__file__).resolve().parents[1]))

from support.browser import Browser

SCREENS = ((390, 844), (1024, 600))
# Each button and each text within the window, nothing beside it and nothing below: nobody has to scroll.
_OUTSIDE = """
return [...document.querySelectorAll("h1, dt, dd, button, p")].filter((part) => {
  const { left, top, right, bottom } = part.getBoundingClientRect();
  return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight || part.scrollWidth > part.clientWidth;
}).map((part) => part.textContent)"""


class BrowserTests(SandboxTestCase):
    browser: ClassVar[Browser]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, page: str, language: str) -> str:
        """Comes to the page of a new payment; returns the payment's id."""
        type, needed = PAGES[page]
        checkout = self.sandbox.checkout(paymentMethods=[type])
        checkout.pay(type, locale=language, **needed)
        [payment] = self.sandbox.payments_of(checkout)
        self.browser.open(payment["page"])
        return str(payment["id"])

    def test_every_page_fits_the_screen_in_every_language(self) -> None:
        for screen in SCREENS:
            self.browser.resize(*screen)
            for page in PAGES:
                for language, texts in LANGUAGES.items():
                    with self.subTest(screen=screen, page=page, language=language):
                        self.open(page, language)
                        self.assertEqual(self.browser.run("return [innerWidth, innerHeight]"), [*screen])
                        self.assertEqual(self.browser.run("return document.title"), texts[page]["title"])
                        self.assertEqual(self.browser.run(_OUTSIDE), [])
        self.assertEqual(self.browser.log(), [])

    def test_each_button_decides(self) -> None:
        self.browser.resize(*SCREENS[0])
        english = LANGUAGES["en"]
        for page in PAGES:
            labels = {"expire": english["expire"]} | english[page]
            for outcome, ending in english["endings"].items():
                with self.subTest(page=page, outcome=outcome):
                    self.open(page, "en")
                    self.browser.click(labels[outcome])
                    self.browser.await_text(ending)
        self.assertEqual(self.browser.log(), [])


if __name__ == "__main__":
    unittest.main()
