"""client/collector as a kiosk runs it, and its page as a browser asks for it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clients.ctl import Outcome
from support.case import DaemonTest
from support.checkout import Checkout
from support.client import TIMEOUT
from support.lines import JsonObject

REPORTED, ERROR_REPLY, CANNOT_TALK, USAGE, TIMED_OUT = range(5)

_PROGRAM = Path(__file__).resolve().parents[2] / "client" / "collector" / "checkoutd-collector"
# What the page says in each language.
LANGUAGES: dict[str, dict[str, str]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in _PROGRAM.parent.glob("languages/*.json")
}


@dataclass(frozen=True)
class Answer:
    """What the page's address answers."""

    status: int
    headers: Mapping[str, str]
    text: str


class Collector:
    """A running collector."""

    def __init__(self, text: str, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, _PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
        )
        assert self.process.stdin
        self.process.stdin.write(text)
        self.process.stdin.close()
        self.process.stdin = None
        self._url: str | None = None

    @property
    def url(self) -> str:
        """Where its page is: the first line that it prints."""
        if self._url is None:
            assert self.process.stdout
            self._url = self.process.stdout.readline().removesuffix("\n")
            assert self._url, "it ended without a page"
        return self._url

    @property
    def origin(self) -> str:
        """The page's origin."""
        return self.url.rpartition("/")[0]

    def finish(self) -> Outcome:
        """What it has left when it ends by itself. What `url` has taken is no more in the output."""
        output, errors = self.process.communicate(timeout=2 * TIMEOUT)
        return Outcome(self.process.returncode, output, errors)

    def close(self) -> None:
        """Ends it at once."""
        self.process.kill()
        self.process.communicate(timeout=TIMEOUT)

    def request(self, method: str = "GET", path: str | None = None, body: str = "", **headers: str) -> Answer:
        """A request as its own page makes it, but for what is named: headers are written with underscores."""
        address = urlsplit(self.url)
        assert address.hostname
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=2 * TIMEOUT)
        usual = {"Content-Type": "application/json", "Origin": self.origin} if method == "POST" else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, address.path if path is None else path, body or None, usual | named)
            response = connection.getresponse()
            return Answer(response.status, dict(response.headers), response.read().decode())
        finally:
            connection.close()

    def post(self, outcome: Any, **headers: str) -> Answer:
        """What the page posts in the end."""
        return self.request("POST", None, json.dumps(outcome), **headers)


class CollectorTest(DaemonTest):
    """A test with a daemon, and collectors that report to it."""

    def info(self, checkout: Checkout) -> JsonObject:
        """What the event says that asks for the bank account; none of it must be logged."""
        (event,) = [event for event in checkout.history() if event.label == "info bankAccountCollector"]
        info: JsonObject = event.params["info"]
        self.daemon.must_not_log(info["clientSecret"], info["fullName"], info["emailAddress"])
        return info

    def collector(
        self,
        checkout: Checkout,
        *options: str | Path,
        environment: Mapping[str, str] | None = None,
        **replaced: str,
    ) -> Collector:
        """A collector for the checkout, with the sandbox's double of Stripe's script unless another is named."""
        script: list[str | Path] = ["--stripe-script", f"{self.sandbox.base}/stripe/v3/"]
        return self.run_collector(
            json.dumps(self.info(checkout) | replaced) + "\n",
            *["--socket", self.daemon.socket_path, *script, *options, checkout.component_id],
            environment=environment,
        )

    def run_collector(
        self, text: str, *arguments: str | Path, environment: Mapping[str, str] | None = None
    ) -> Collector:
        """A collector that reads this, and is ended after the test."""
        collector = Collector(text, *arguments, environment=environment)
        self.addCleanup(collector.close)
        return collector

    def assert_ends(self, collector: Collector, status: int) -> str:
        """It ends by itself like that; returns what it says about it, which is nothing if it has reported."""
        outcome = collector.finish()
        self.assertEqual(outcome.status, status, outcome)
        self.assertEqual(outcome.output, "")
        self.assertEqual(outcome.errors == "", status in (REPORTED, TIMED_OUT), outcome)
        return outcome.errors
