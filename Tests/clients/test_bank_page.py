"""The sandbox's bank page in a browser: the shopper comes to it by the redirect, and decides."""

from __future__ import annotations

from support.browser import BrowserTest
from support.checkout import Checkout


class BankPage(BrowserTest):
    def at_the_bank(self) -> Checkout:
        """A checkout whose shopper sees what to decide upon."""
        checkout = self.redirected()
        (awaited,) = checkout.snapshot["awaiting"]
        self.browser.open(awaited["url"])
        checkout.component_call("reportRedirect", outcome="presented")
        for shown in ("Approve this payment?", "Ambachtsbank", checkout.session.order_id, "EUR 12.99"):
            self.browser.await_text(shown)
        return checkout

    def test_approve(self) -> None:
        checkout = self.at_the_bank()
        self.browser.click("Approve")
        self.browser.await_text("Payment approved")
        end = checkout.await_end()
        self.assert_completed(end, "success")
        self.assertEqual(end.params["payment"]["status"], "SUCCESS")
        self.assertEqual(self.browser.run("return document.documentElement.lang"), "en")

    def test_decline(self) -> None:
        checkout = self.at_the_bank()
        self.browser.click("Decline")
        self.browser.await_text("Payment declined")
        end = checkout.await_end()
        self.assertEqual((end.label, end.params["outcome"]), ("didFail", "failed"))
        self.assertEqual(end.params["payment"]["status"], "FAILED")

    def test_decided_already(self) -> None:
        """Whoever comes back to the page sees what was decided, and cannot decide again."""
        checkout = self.at_the_bank()
        self.browser.click("Approve")
        self.browser.await_text("Payment approved")
        self.browser.open(self.browser.url)
        self.browser.await_text("Payment approved")
        self.assertEqual(self.browser.run("return document.querySelectorAll('button').length"), 0)
        self.assert_completed(checkout.await_end(), "success")
