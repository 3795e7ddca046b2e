"""client/collector without a browser: whom its page is for, what it takes, and where its data are not."""

from __future__ import annotations

import json
import os
import socket
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from clients.collector import Answer, Collector, CollectorTest
from support.client import TIMEOUT

SUCCEEDED = {"outcome": "succeeded", "paymentId": "pi_example"}
CANCELLED = {"outcome": "cancelled"}

_SECRETS = ("publishableKey", "clientSecret", "fullName", "emailAddress")
_OTHER_USER = 61001


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
        for name in _SECRETS:
            self.assertNotIn(info[name], seen)
        self.assertRegex(collector.url, r"^http://127\.0\.0\.1:\d+/[\w-]{43}$")

    def test_without_a_program_that_opens_browsers(self) -> None:
        collector = self.collector(self.collecting(), "--browser", environment={"PATH": "/nowhere"})
        self.assertEqual(collector.post(CANCELLED).status, 204)
        self.assertIn("xdg-open", collector.finish().errors)
