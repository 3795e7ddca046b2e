"""The base of the tests that end the daemon and start it again."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crash.durable import DurableDaemon
from support.case import DaemonTest
from support.checkout import Checkout
from support.client import TIMEOUT
from support.lines import Event, JsonObject

HOW = (signal.SIGTERM, signal.SIGKILL)
PERSON: JsonObject = {"firstName": "Wilhelmientje", "lastName": "Zonnebloem", "emailAddress": "zonnebloem@example.com"}


def eventually(what: str, is_so: Callable[[], bool]) -> None:
    """Comes back as soon as it is so; each look is a round trip or a read of files."""
    deadline = time.monotonic() + TIMEOUT
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain: {what}")


def pass_by(span: int) -> None:
    """Lets milliseconds pass: a span that is over is what the test is about."""
    threading.Event().wait(span / 1000)


class DurableTest(DaemonTest):
    """A test with a daemon that keeps its state on disk."""

    daemon: DurableDaemon

    def start_daemon(self, *options: str, environment: Mapping[str, str] | None = None) -> DurableDaemon:
        """A daemon that is checked and ended after the test."""
        daemon = DurableDaemon(self.sandbox.port, options)
        daemon.start(environment)
        self.addCleanup(daemon.close)
        self.addCleanup(daemon.check)
        self.addCleanup(self.sandbox.release, "*")
        return daemon

    # Runs

    def restart(
        self,
        how: signal.Signals = signal.SIGKILL,
        *checkouts: Checkout,
        meanwhile: Callable[[], None] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Ends the daemon, starts it again and connects; these checkouts go on with the new client."""
        self.daemon.end(how)
        if meanwhile:
            meanwhile()
        self.daemon.start(environment)
        self.client = self.daemon.connect()
        for checkout in checkouts:
            checkout.client = self.client

    def restart_and_follow(self, checkout: Checkout, how: signal.Signals = signal.SIGKILL, **more: Any) -> None:
        """The same, and subscribes to what comes after the events that it has now."""
        seq = checkout.snapshot["seq"]
        self.restart(how, checkout, **more)
        checkout.subscribe(after=seq)

    def leave_alone(self, checkout: Checkout, span: int) -> None:
        """Lets milliseconds pass in which the checkout must not end."""
        self.assertIsNone(checkout.call("checkout.wait", **{"for": ["terminal"], "waitMs": span})["matched"])

    def await_state(self, state: str, checkout: Checkout) -> None:
        """Waits until the checkout is in this state."""
        eventually(state, lambda: checkout.state == state)

    # Assertions

    def assert_history(self, checkout: Checkout, before: Sequence[Event] = ()) -> list[Event]:
        """All events are there, numbered without a gap, at most one terminal, those of before as they were."""
        history = full_history(checkout)
        self.assertEqual([event.seq for event in history], list(range(1, len(history) + 1)))
        self.assertEqual(history[: len(before)], list(before))
        self.assertLessEqual(len([event for event in history if event.is_terminal]), 1)
        return history


def full_history(checkout: Checkout) -> list[Event]:
    """All events that can be read, page by page."""
    events: list[Event] = []
    after = 0
    while True:
        read = checkout.call("events.read", after=after, limit=1000)
        events += [Event(event["method"], event["params"]) for event in read["events"]]
        if not read["events"]:
            return events
        after = read["next"]
