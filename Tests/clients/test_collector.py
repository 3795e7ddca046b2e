"""client/collector without a browser: what it reports, and how it ends."""

from __future__ import annotations

import json
import signal
import threading

from clients.collector import CANNOT_TALK, ERROR_REPLY, LANGUAGES, REPORTED, TIMED_OUT, USAGE, Answer, CollectorTest
from support.checkout import Checkout
from support.client import TIMEOUT
from support.daemon import Daemon
from support.lines import JsonObject

SUCCEEDED = {"outcome": "succeeded", "paymentId": "pi_example"}
FAILED = {"outcome": "failed", "error": {"errorId": "bank_account_unusable", "description": "It is closed."}}
CANCELLED = {"outcome": "cancelled"}

_NEEDED = ("publishableKey", "clientSecret", "fullName", "emailAddress")


class Reports(CollectorTest):
    def report(self, outcome: JsonObject) -> Checkout:
        """A checkout whose collector's page has posted this."""
        checkout = self.collecting()
        collector = self.collector(checkout)
        self.assertEqual(collector.post(outcome).status, 204)
        self.assert_ends(collector, REPORTED)
        return checkout

    def test_succeeded(self) -> None:
        checkout = self.report(SUCCEEDED)
        checkout.await_event("info mandate")
        checkout.component_call("acceptMandate")
        self.assert_completed(checkout.await_end(), "pending")

    def test_pending_verification(self) -> None:
        checkout = self.report({"outcome": "pendingVerification"})
        checkout.await_event("info mandate")
        checkout.component_call("acceptMandate")
        self.assert_completed(checkout.await_end(), "pending")

    def test_failed(self) -> None:
        end = self.report(FAILED).await_end()
        self.assert_failed(end, "bank_account_unusable", "failed")
        self.assertIn("It is closed.", end.params["error"]["description"])

    def test_long_errors_are_cut(self) -> None:
        error = {"errorId": "é" * 300, "description": "é" * 1500}
        end = self.report({"outcome": "failed", "error": error}).await_end()
        self.assert_failed(end, "é" * 127, "failed")

    def test_cancelled(self) -> None:
        self.assert_failed(self.report(CANCELLED).await_end(), "payment-cancelled", "cancelled")

    def test_from_what_a_snapshot_awaits(self) -> None:
        checkout = self.collecting()
        (awaited,) = checkout.snapshot["awaiting"]
        text = json.dumps(awaited["info"])
        collector = self.run_collector(text, "--socket", self.daemon.socket_path, checkout.component_id)
        self.assertEqual(collector.post(CANCELLED).status, 204)
        self.assert_ends(collector, REPORTED)

    def test_only_the_first_of_two_at_once(self) -> None:
        """The daemon stands still until one of both has been turned away."""
        checkout = self.collecting()
        collector = self.collector(checkout)
        answers: list[Answer] = []
        is_turned_away = threading.Event()

        def post() -> None:
            answers.append(collector.post(SUCCEEDED))
            is_turned_away.set()

        self.assertEqual(collector.request().status, 200)
        posts = [threading.Thread(target=post) for _ in range(2)]
        self.daemon.process.send_signal(signal.SIGSTOP)
        try:
            for thread in posts:
                thread.start()
            self.assertTrue(is_turned_away.wait(TIMEOUT))
            self.assertEqual([answer.status for answer in answers], [409])
            self.assertEqual(collector.request().status, 410)
        finally:
            self.daemon.process.send_signal(signal.SIGCONT)
        for thread in posts:
            thread.join(TIMEOUT)
        self.assertEqual([answer.status for answer in answers], [409, 204])
        self.assert_ends(collector, REPORTED)


class Languages(CollectorTest):
    def test_each_has_the_same_texts(self) -> None:
        self.assertEqual(set(LANGUAGES), {"de", "en", "es", "fr", "nl"})
        for language, texts in LANGUAGES.items():
            with self.subTest(language):
                self.assertEqual(set(texts), set(LANGUAGES["en"]))
                self.assertTrue(all(texts.values()))

    def test_which_language_a_locale_has(self) -> None:
        checkout = self.collecting()
        for locale, language in (("nl_BE.UTF-8", "nl"), ("DE", "de"), ("pt-PT", "en"), ("", "en"), ("nld", "en")):
            with self.subTest(locale):
                text = self.collector(checkout, "--locale", locale).request().text
                self.assertIn(f'<html lang="{language}">', text)
                self.assertIn(f"<h1>{LANGUAGES[language]['title']}</h1>", text)
        self.assertIn('<html lang="en">', self.collector(checkout).request().text)


class Endings(CollectorTest):
    def test_checkout_has_ended(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout)
        collector.request()
        checkout.call("checkout.cancel")
        checkout.await_end()
        self.assertEqual(collector.post(SUCCEEDED).status, 502)
        self.assertIn("checkout-ended", self.assert_ends(collector, ERROR_REPLY))

    def test_unknown_component(self) -> None:
        checkout = self.collecting()
        text = json.dumps(self.info(checkout))
        collector = self.run_collector(text, "--socket", self.daemon.socket_path, "cm_0000000000000000_0")
        self.assertIn("unknown-component", self.assert_ends(collector, ERROR_REPLY))

    def test_no_daemon(self) -> None:
        checkout = self.collecting()
        text = json.dumps(self.info(checkout))
        socket_path = self.daemon.directory / "nothing"
        collector = self.run_collector(text, "--socket", socket_path, checkout.component_id)
        self.assert_ends(collector, CANNOT_TALK)

    def test_the_daemon_crashes_meanwhile(self) -> None:
        daemon = Daemon(self.sandbox.port)
        self.addCleanup(daemon.close)
        self.daemon, self.client = daemon, daemon.connect()
        checkout = self.collecting()
        collector = self.collector(checkout)
        collector.request()
        daemon.process.send_signal(signal.SIGSTOP)
        answers: list[Answer] = []
        thread = threading.Thread(target=lambda: answers.append(collector.post(SUCCEEDED)))
        thread.start()
        while collector.request().status == 200:
            pass
        daemon.process.kill()
        thread.join(TIMEOUT)
        self.assertEqual([answer.status for answer in answers], [502])
        self.assert_ends(collector, CANNOT_TALK)

    def test_timeout(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout, "--timeout", "1")
        self.assertTrue(collector.url)
        self.assert_ends(collector, TIMED_OUT)
        self.assertEqual(checkout.state, "awaitingBankAccount")

    def test_signals_end_it_without_a_report(self) -> None:
        checkout = self.collecting()
        for ending in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(ending):
                collector = self.collector(checkout)
                self.assertEqual(collector.request().status, 200)
                collector.process.send_signal(ending)
                outcome = collector.finish()
                self.assertEqual((outcome.status, outcome.errors), (-ending, ""))
        self.assertEqual(checkout.state, "awaitingBankAccount")

    def test_usage(self) -> None:
        checkout = self.collecting()
        info = self.info(checkout)
        good = json.dumps(info)
        cases: list[tuple[str, list[str]]] = [
            (good, []),
            (good, ["--timeout", "0", "cm_1"]),
            (good, ["--timeout", "soon", "cm_1"]),
            (good, ["--nonsense", "cm_1"]),
            (good, ["--tls-cert", "here", "cm_1"]),
            (good, ["--tls-cert", "/nowhere", "--tls-key", "/nowhere", "cm_1"]),
            *((good, ["--stripe-script", url, "cm_1"]) for url in ("http://example.com/", "https://a; img-src *", "x")),
            ("", ["cm_1"]),
            (good[:-1], ["cm_1"]),
            (f"[{good}]", ["cm_1"]),
            ("[" * 60_000, ["cm_1"]),
            (json.dumps(info | {"publishableKey": "pk_live_example"}), ["cm_1"]),
            *((json.dumps(info | {name: value}), ["cm_1"]) for name in _NEEDED for value in (None, 1, "")),
        ]
        for text, arguments in cases:
            with self.subTest(arguments, text=text[:200]):
                collector = self.run_collector(text, "--socket", self.daemon.directory / "nothing", *arguments)
                errors = self.assert_ends(collector, USAGE)
                for secret in (info["clientSecret"], info["fullName"], info["emailAddress"]):
                    self.assertNotIn(secret, errors)
