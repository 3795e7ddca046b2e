"""client/collector without a browser: whom its page is for, what it takes, how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from clients.collector import CANNOT_TALK, ERROR_REPLY, REPORTED, TIMED_OUT, USAGE, Answer, Collector, CollectorTest
from support.checkout import Checkout
from support.client import TIMEOUT
from support.daemon import Daemon
from support.lines import JsonObject

SUCCEEDED = {"outcome": "succeeded", "paymentId": "pi_example"}
FAILED = {"outcome": "failed", "error": {"errorId": "bank_account_unusable", "description": "It is closed."}}
CANCELLED = {"outcome": "cancelled"}

_NEEDED = ("publishableKey", "clientSecret", "fullName", "emailAddress")
_OTHER_USER = 61001


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


class Whom(CollectorTest):
    """Who is turned away; in the end it still waits for its own page."""

    def setUp(self) -> None:
        super().setUp()
        self.checkout = self.collecting()
        self.own = self.collector(self.checkout)
        self.addCleanup(self.assert_it_still_waits)

    def assert_it_still_waits(self) -> None:
        self.assertEqual(self.checkout.state, "awaitingBankAccount")
        self.assertEqual(self.own.request().status, 200)
        self.assertEqual(self.own.post(CANCELLED).status, 204)

    def assert_turned_away(self, status: int, answer: Answer) -> None:
        self.assertEqual((answer.status, answer.text), (status, ""))
        self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_hosts(self) -> None:
        port = urlsplit(self.own.url).port
        for host in ("example.com", f"example.com:{port}", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}."):
            with self.subTest(host):
                self.assert_turned_away(403, self.own.request(Host=host))
                self.assert_turned_away(403, self.own.post(SUCCEEDED, Host=host))

    def test_origins(self) -> None:
        port = urlsplit(self.own.url).port
        for origin in ("null", "", "https://example.com", f"https://127.0.0.1:{port}", f"http://localhost:{port}"):
            with self.subTest(origin):
                self.assert_turned_away(403, self.own.post(SUCCEEDED, Origin=origin))

    def test_paths(self) -> None:
        path = urlsplit(self.own.url).path
        for wrong in ("/", "/favicon.ico", path[:-1], path + "/", path + "?", path.swapcase(), f"/{'x' * len(path)}"):
            with self.subTest(wrong):
                self.assert_turned_away(404, self.own.request(path=wrong))
                self.assert_turned_away(404, self.own.request("POST", wrong, json.dumps(SUCCEEDED)))

    def test_methods(self) -> None:
        for method in ("HEAD", "PUT", "DELETE", "OPTIONS", "NONSENSE"):
            with self.subTest(method):
                self.assert_turned_away(501, self.own.request(method))

    def test_bodies(self) -> None:
        cases: list[tuple[int, str, dict[str, str]]] = [
            (415, json.dumps(SUCCEEDED), {"Content_Type": "text/plain"}),
            (415, "outcome=cancelled", {"Content_Type": "application/x-www-form-urlencoded"}),
            (411, json.dumps(SUCCEEDED), {"Content_Length": "-1"}),
            (411, json.dumps(SUCCEEDED), {"Content_Length": "many"}),
            (413, "", {"Content_Length": "16385"}),
            (413, "", {"Content_Length": "9" * 5000}),
        ]
        nonsense: list[Any] = [
            None,
            [],
            "cancelled",
            {},
            {"outcome": "other"},
            {"outcome": "succeeded"},
            {"outcome": "succeeded", "paymentId": ""},
            {"outcome": "succeeded", "paymentId": 1},
            {"outcome": "failed"},
            {"outcome": "failed", "error": {}},
            {"outcome": "failed", "error": {"errorId": "", "description": ""}},
        ]
        cases += [(400, json.dumps(body), {}) for body in nonsense]
        cases += [(400, text, {}) for text in ("{", "[" * 16_000, "\x00")]
        for status, text, headers in cases:
            with self.subTest(text[:80], **headers):
                self.assert_turned_away(status, self.own.request("POST", None, text, **headers))

    def test_whoever_says_nothing_keeps_nobody_waiting(self) -> None:
        address = urlsplit(self.own.url)
        with socket.create_connection(("127.0.0.1", address.port or 0)) as silent:
            self.assertEqual(self.own.request().status, 200)
            silent.sendall(b"GET ")
            self.assertEqual(self.own.request().status, 200)

    def test_other_addresses_of_this_machine(self) -> None:
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", urlsplit(self.own.url).port or 0), TIMEOUT)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
    def test_other_users(self) -> None:
        """They know the address, and get nothing out of it."""
        url = self.own.url
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setresgid(_OTHER_USER, _OTHER_USER, _OTHER_USER)
                os.setresuid(_OTHER_USER, _OTHER_USER, _OTHER_USER)
                os.write(write, _tried(self.own).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as result:
            self.assertEqual(result.read(), "nothing", url)
        os.waitpid(child, 0)


def _tried(collector: Collector) -> str:
    try:
        return f"{collector.request().status} {collector.post(SUCCEEDED).status}"
    except OSError:
        return "nothing"


class Secrets(CollectorTest):
    def test_page(self) -> None:
        checkout = self.collecting()
        collector = self.collector(checkout, fullName="</script><b>Mila", emailAddress="@NONCE@@DATA@")
        first, second = collector.request(), collector.request()
        self.assertEqual((first.status, first.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(first.headers["Cache-Control"], "no-store")
        self.assertEqual(first.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(first.headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(first.text.count("</script>"), 2)
        self.assertIn('"emailAddress": "@NONCE@@DATA@"', first.text)
        policies = [
            dict(directive.split(" ", 1) for directive in answer.headers["Content-Security-Policy"].split("; "))
            for answer in (first, second)
        ]
        self.assertNotEqual(policies[0].pop("script-src"), policies[1].pop("script-src"))
        self.assertEqual(policies[0], policies[1])
        self.assertEqual(
            {name: policies[0][name] for name in ("default-src", "frame-ancestors", "base-uri", "form-action")},
            dict.fromkeys(("default-src", "frame-ancestors", "base-uri", "form-action"), "'none'"),
        )
        self.assertEqual(policies[0]["frame-src"], self.sandbox.base)

    def test_stripe_is_all_that_the_page_may_load(self) -> None:
        checkout = self.collecting()
        text = json.dumps(self.info(checkout))
        collector = self.run_collector(text, "--socket", self.daemon.socket_path, checkout.component_id)
        policy = collector.request().headers["Content-Security-Policy"]
        self.assertRegex(policy, r"script-src 'nonce-[\w-]+' https://js\.stripe\.com https://\*\.js\.stripe\.com;")
        self.assertIn("connect-src 'self' https://api.stripe.com;", policy)
        hosts = {word for word in policy.replace(";", "").split() if "://" in word}
        self.assertTrue(all(host.endswith(".stripe.com") for host in hosts), hosts)

    def test_nothing_is_in_arguments_environment_or_address(self) -> None:
        """The browser's arguments are those of the program that opens it."""
        checkout = self.collecting()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        opened = Path(directory.name) / "opened"
        os.mkfifo(opened)
        opener = Path(directory.name) / "xdg-open"
        opener.write_text('#!/bin/sh\nprintf \'%s\\n\' "$@" >"$0ed"\n'.replace("$0ed", str(opened)))
        opener.chmod(0o755)
        path = f"{directory.name}:{os.environ['PATH']}"
        collector = self.collector(checkout, "--browser", environment={"PATH": path})
        arguments = opened.read_text()
        self.assertEqual(arguments, f"{collector.url}\n")
        process = Path("/proc", str(collector.process.pid))
        seen = arguments + "".join((process / name).read_text() for name in ("cmdline", "environ"))
        info = self.info(checkout)
        for name in _NEEDED:
            self.assertNotIn(info[name], seen)
        self.assertRegex(collector.url, r"^http://127\.0\.0\.1:\d+/[\w-]{43}$")

    def test_without_a_program_that_opens_browsers(self) -> None:
        collector = self.collector(self.collecting(), "--browser", environment={"PATH": "/nowhere"})
        self.assertEqual(collector.post(CANCELLED).status, 204)
        self.assertIn("xdg-open", collector.finish().errors)
