"""The collector's page in a browser: an account is given, refused or not given, and the daemon hears of it."""

from __future__ import annotations

import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.collector import LANGUAGES, REPORTED, CollectorTest
from support.browser import BrowserTest
from support.certificates import Authority
from support.client import TIMEOUT

_CLIENT = Path(__file__).resolve().parents[2] / "client"
_SCRIPT = _CLIENT / "sandbox" / "stripe_double.js"
# The texts of each part that somebody has to see without scrolling, and that are beside or below the window.
_OUTSIDE = """
return [...document.querySelectorAll("h1, p, button:not([hidden])")].filter((part) => {
  const { left, top, right, bottom } = part.getBoundingClientRect();
  return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
}).map((part) => part.textContent)"""


class StripeCollector(CollectorTest, BrowserTest):
    def test_succeeded(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.browser.open(collector.url)
        info = self.info(checkout)
        self.browser.await_text(f"{info['fullName']}, {info['emailAddress']}")
        self.browser.click("Give the sandbox's account")
        self.browser.await_text("Your bank account was added. You can close this page.")
        self.assert_ends(collector, REPORTED)
        checkout.await_event("info mandate")
        checkout.component_call("acceptMandate")
        self.assert_completed(checkout.await_end(), "pending")
        self.assertEqual(self.browser.log(), [])

    def test_failed(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.browser.open(collector.url)
        self.browser.click("Give an account that cannot be used")
        self.browser.await_text("Your bank account could not be added. This account cannot be used.")
        self.assert_ends(collector, REPORTED)
        end = checkout.await_end()
        self.assert_failed(end, "bank_account_unusable", "failed")
        self.assertIn("This account cannot be used.", end.params["error"]["description"])
        self.assertEqual(self.browser.log(), [])

    def test_cancelled(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.browser.open(collector.url)
        self.browser.click("Close")
        self.browser.await_text("No bank account was added. You can close this page.")
        self.assert_ends(collector, REPORTED)
        self.assert_failed(checkout.await_end(), "payment-cancelled", "cancelled")

    def test_an_account_that_has_to_be_confirmed(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.browser.open(collector.url)
        self.browser.click("Type in the numbers of an account")
        self.browser.await_text("It has to be confirmed: in one or two working days")
        self.assert_ends(collector, REPORTED)
        checkout.await_event("info mandate")
        checkout.component_call("acceptMandate")
        self.assert_completed(checkout.await_end(), "pending")
        self.assertEqual(self.browser.log(), [])

    def test_each_language(self) -> None:
        for language, texts in LANGUAGES.items():
            with self.subTest(language):
                checkout = self.collecting()
                collector = self.collector(checkout, "--locale", f"{language}-XX")
                self.browser.open(collector.url)
                self.assertEqual(self.browser.run("return document.documentElement.lang"), language)
                self.assertEqual(self.browser.run("return document.title"), texts["title"])
                self.browser.await_text(texts["asking"])
                self.browser.click("Close")
                self.browser.await_text(f"{texts['notAdded']} {texts['close']}")
                self.assert_ends(collector, REPORTED)
        self.assertEqual(self.browser.log(), [])

    def test_it_fits_the_screen_in_every_language(self) -> None:
        checkout = self.collecting()
        for screen in ((390, 844), (1024, 600)):
            self.browser.resize(*screen)
            for language, texts in LANGUAGES.items():
                with self.subTest(screen=screen, language=language):
                    script = ["--stripe-script", "https://js.example.com/v3/"]
                    collector = self.collector(checkout, "--locale", language, *script)
                    self.browser.open(collector.url)
                    self.browser.await_text(texts["unreachable"])
                    self.assertEqual(self.browser.run(_OUTSIDE), [])

    def test_stripe_refuses_to_begin(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout, clientSecret="nonsense")
        self.browser.open(collector.url)
        self.browser.await_text("Your bank account could not be added.")
        self.assert_ends(collector, REPORTED)
        self.assert_failed(checkout.await_end(), "IntegrationError", "failed")

    def test_page_left_and_opened_again(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.browser.open(collector.url)
        self.browser.await_text("This is a sandbox: no money moves.")
        self.browser.open("about:blank")
        self.assertEqual(checkout.state, "awaitingBankAccount")
        self.browser.open(collector.url)
        self.browser.click("Give the sandbox's account")
        self.browser.await_text("Your bank account was added.")
        self.assert_ends(collector, REPORTED)
        checkout.await_event("info mandate")

    def test_stripe_cannot_be_reached_at_first(self) -> None:
        answers = [(503, b""), (200, b"location.toString();"), (200, _SCRIPT.read_bytes())]
        server = _ScriptServer(answers)
        self.addCleanup(server.close)
        checkout = self.collecting()
        collector = self.collector(checkout, "--stripe-script", f"http://127.0.0.1:{server.server_port}/v3/")
        self.browser.open(collector.url)
        for _ in range(2):
            self.browser.await_text("Stripe, which asks for your bank account, cannot be reached.")
            self.browser.click("Try again")
        self.browser.click("Give the sandbox's account")
        self.browser.await_text("Your bank account was added.")
        self.assert_ends(collector, REPORTED)
        checkout.await_event("info mandate")

    def test_given_up_without_stripe(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout, "--stripe-script", "https://js.example.com/v3/")
        self.browser.open(collector.url)
        self.browser.await_text("Stripe, which asks for your bank account, cannot be reached.")
        self.browser.click("Cancel")
        self.browser.await_text("No bank account was added.")
        self.assert_ends(collector, REPORTED)
        self.assert_failed(checkout.await_end(), "payment-cancelled", "cancelled")

    def test_nobody_is_there_any_more(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.browser.open(collector.url)
        collector.close()
        self.browser.click("Give the sandbox's account")
        self.browser.await_text("The shop could not be told about your bank account. Please ask for help.")
        self.assertEqual(checkout.state, "awaitingBankAccount")

    def test_live_key_over_https(self) -> None:
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        certificate, key = Authority(Path(directory.name), "authority").sign("page", "IP:127.0.0.1")
        checkout = self.collecting()
        tls: list[str | Path] = ["--tls-cert", certificate, "--tls-key", key]
        collector = self.collector(checkout, *tls, publishableKey="pk_live_example")
        self.assertRegex(collector.url, "^https://127")
        self.browser.open(collector.url)
        self.browser.click("Give the sandbox's account")
        self.browser.await_text("Your bank account was added.")
        self.assert_ends(collector, REPORTED)
        checkout.await_event("info mandate")

    def test_nothing_is_in_the_address_or_the_browsers_arguments(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.browser.open(collector.url)
        self.browser.await_text("This is a sandbox: no money moves.")
        self.assertEqual(self.browser.url, collector.url)
        info = self.info(checkout)
        seen = collector.url + "".join(_arguments(process) for process in os.listdir("/proc") if process.isdigit())
        for name in ("clientSecret", "fullName", "emailAddress"):
            self.assertNotIn(info[name], seen)

    def test_accessible(self) -> None:
        collector = self.collector(self.collecting())
        self.browser.open(collector.url)
        self.browser.click("Close")
        self.browser.await_text("No bank account was added.")
        found = self.browser.run(
            "return {lang: document.documentElement.lang, title: document.title,"
            " headings: [...document.querySelectorAll('h1')].map(e => e.textContent),"
            " live: [...document.querySelectorAll('[role=status], [role=alert]')].map(e => e.id),"
            " unnamed: [...document.querySelectorAll('button')].filter(e => !e.textContent.trim()).length}"
        )
        self.assertEqual(
            found,
            {
                "lang": "en",
                "title": "Your bank account",
                "headings": ["Your bank account"],
                "live": ["status", "problem"],
                "unnamed": 0,
            },
        )


def _arguments(process: str) -> str:
    try:
        return Path("/proc", process, "cmdline").read_text(errors="replace")
    except OSError:
        return ""  # It has ended.


class _ScriptServer(HTTPServer):
    """Answers requests for a script one after the other as it is told."""

    def __init__(self, answers: list[tuple[int, bytes]]) -> None:
        super().__init__(("127.0.0.1", 0), _ScriptExchange)
        self.answers = answers
        self._thread = threading.Thread(target=self.serve_forever)
        self._thread.start()

    def close(self) -> None:
        """Listens no more."""
        self.shutdown()
        self._thread.join(TIMEOUT)
        self.server_close()


class _ScriptExchange(BaseHTTPRequestHandler):
    server: _ScriptServer

    def do_GET(self) -> None:
        status, script = self.server.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Type", "text/javascript")
        self.end_headers()
        self.wfile.write(script)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""
