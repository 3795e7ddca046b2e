"""The base of the tests that run the command-line client."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.ctl import Ctl, Outcome
from crash.case import DurableTest, eventually
from support.case import DaemonTest
from support.client import Client
from support.lines import JsonObject

ERROR_REPLY, CANNOT_TALK, USAGE, TIMED_OUT, EVENTS_LOST, OUTCOME_UNKNOWN = 1, 2, 3, 4, 5, 6


class CtlTest(DaemonTest):
    """A test with a daemon, and a client that talks to it."""

    def start_ctl(self, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> Ctl:
        """A client that is running, and is ended after the test."""
        ctl = Ctl("--socket", self.daemon.socket_path, *arguments, environment=environment)
        self.addCleanup(ctl.close)
        return ctl

    def ctl(self, *arguments: str | Path, text: str = "") -> Outcome:
        """What a run of the client left."""
        return self.start_ctl(*arguments).finish(text)

    def directory(self) -> Path:
        """A directory that is removed after the test."""
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        return Path(directory.name)

    def file(self, text: str) -> Path:
        """A file that has this text."""
        path = self.directory() / "file"
        path.write_text(text)
        return path

    def await_subscription(self, count: int = 1) -> None:
        """Waits until so many clients under test have subscribed: only then are events sent to them."""
        eventually("the clients subscribe", lambda: self.count_connections("subscriptions") == count)

    def await_waiting(self, count: int = 1) -> None:
        """Waits until so many clients under test wait for an answer, or for events."""
        eventually("the clients wait", lambda: self.count_connections("inFlight", "subscriptions") == count)

    def count_connections(self, *members: str) -> int:
        """How many connections of clients under test have something of these."""
        return sum(any(connection[name] for name in members) for connection in self.connections())

    def connections(self) -> list[JsonObject]:
        """The connections of clients under test, as the daemon sees them."""
        with self.daemon.connect().socket as connected:
            everyone = Client(connected).call("system.connections")["connections"]
        return [connection for connection in everyone if connection["comm"] == "checkoutctl"]

    def assert_ends(self, outcome: Outcome, status: int) -> Outcome:
        """The client ended like that, and said why on the right stream only."""
        self.assertEqual(outcome.status, status, outcome)
        self.assertEqual(outcome.output == "", status != 0, outcome)
        self.assertEqual(outcome.errors == "", status == 0, outcome)
        return outcome


class DurableCtlTest(CtlTest, DurableTest):
    """The same with a daemon that may crash."""
