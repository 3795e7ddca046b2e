"""client/shell: every example with nc, socat and checkoutctl, while it or the daemon crashes too; what ps could see."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clients.ctl import Outcome
from clients.process_list import ProcessList
from crash.case import DurableTest
from support.client import TIMEOUT
from support.sandbox import APPROVING, Session

_SHELL = Path(__file__).resolve().parents[2] / "client" / "shell"
_TOOLS = ("nc", "socat", "checkoutctl")
_USED = (*_TOOLS, "jq", "sleep", "dirname")
_PAID = r"^{} pay_[0-9a-f]+ {}\n$"


class Example:
    """A running example."""

    def __init__(self, name: str, key: str, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [_SHELL / name, key],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    def say(self, *lines: str) -> None:
        """Types some lines."""
        assert self.process.stdin
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def read_error(self, beginning: str) -> str:
        """What it says to the shopper, up to the line that begins like that."""
        assert self.process.stderr
        for line in self.process.stderr:
            if line.startswith(beginning) or f" {beginning}" in line:
                return line
        raise AssertionError(f"it never said {beginning}")

    def read_line(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout
        return self.process.stdout.readline()

    def finish(self) -> Outcome:
        """What it has left when it ends by itself."""
        output, errors = self.process.communicate(timeout=2 * TIMEOUT)
        return Outcome(self.process.returncode, output, errors)

    def crash(self) -> None:
        """Ends it and what it has started, at once."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=TIMEOUT)


class Examples(DurableTest):
    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.process_list = ProcessList(self.directory, *_USED)

    def example(self, name: str, tool: str, key: str = "till-1") -> Example:
        """An example that is running, and is ended after the test."""
        environment = os.environ | {
            "PATH": self.process_list.path,
            "CHECKOUTD_SOCKET": str(self.daemon.socket_path),
            "CHECKOUTD_TOOL": tool,
            "STRIPE_PUBLISHABLE_KEY": "pk_test_example",
            "MERCHANT_NAME": "Example Shop",
        }
        example = Example(name, key, environment)
        self.addCleanup(example.crash)
        return example

    def assert_paid(self, outcome: Outcome, how: str = "success", status: str = "SUCCESS") -> None:
        self.assertEqual(outcome.status, 0, outcome)
        self.assertRegex(outcome.output, _PAID.format(how, status))

    def session(self, **options: Any) -> Session:
        """A client session, whose token nobody may ever see among the arguments of processes."""
        session = super().session(**options)
        self.addCleanup(lambda: self.assert_secret(session.client_token))
        return session

    def assert_secret(self, *secrets: str) -> None:
        """Nobody could have seen these among the arguments of processes."""
        for secret in secrets:
            self.assertNotIn(secret, self.process_list.shown)

    def at_the_bank(self, tool: str, key: str, session: Session) -> Example:
        """An example whose shopper is at the bank's page."""
        example = self.example("pay-ideal", tool, key)
        example.say(session.client_token, "9001")
        self.assertRegex(example.read_error("Open"), "/bank/")
        return example

    def test_ideal(self) -> None:
        for tool in _TOOLS:
            with self.subTest(tool):
                session = self.session()
                example = self.example("pay-ideal", tool, tool)
                example.say(session.client_token, "no bank", "9001")
                self.assertIn("Ambachtsbank", example.read_error("9001"))
                self.assertRegex(example.read_error("Open"), "http://127.0.0.1:[0-9]+/bank/")
                session.approve()
                self.assert_paid(example.finish())
                self.assertIn(f"/{tool} ", self.process_list.shown)
                self.assert_secret(session.client_token, "9001", "no bank")

    def test_ideal_declined(self) -> None:
        session = self.session()
        example = self.at_the_bank("nc", "till-1", session)
        session.decline()
        outcome = example.finish()
        self.assertEqual(outcome.status, 1)
        self.assertRegex(outcome.output, _PAID.format("failed", "FAILED"))

    def test_ach(self) -> None:
        for tool in _TOOLS:
            with self.subTest(tool):
                session = self.session()
                example = self.example("pay-ach", tool, tool)
                example.say(session.client_token, 'Wilhelmientje"', "Wilhelmientje", "", "wilhelmientje@example.com")
                example.say("pi_example", "yes")
                outcome = example.finish()
                self.assert_paid(outcome, "pending", "PENDING")
                self.assertRegex(outcome.errors, "with the client secret pi_\\w+")
                self.assertRegex(outcome.errors, r"\w+ may debit your account\.|authorize")
                self.assertNotIn("null", outcome.errors)
                self.assertEqual(session.customer["firstName"], "Wilhelmientje")
                self.assert_secret(session.client_token, "ilhelmientje")

    def test_ach_cancelled_and_declined(self) -> None:
        for number, answers in enumerate((["", ""], ["pi_example", "no"])):
            with self.subTest(answers):
                example = self.example("pay-ach", "nc", f"till-{number}")
                example.say(self.session().client_token, "", "", "", *answers)
                outcome = example.finish()
                self.assertRegex(outcome.output, "^(cancelled|failed|unknown) ")
                is_unknown = outcome.output.startswith("unknown ")
                self.assertEqual(outcome.status, 6 if is_unknown else 1, outcome)
                self.assertEqual("Look up order order-" in outcome.errors, is_unknown)

    def test_ui_crashes_at_the_bank(self) -> None:
        for tool in _TOOLS:
            with self.subTest(tool):
                session = self.session()
                self.at_the_bank(tool, tool, session).crash()
                resumed = self.example("resume", tool, tool)
                self.assertRegex(resumed.read_error("Open"), "/bank/")
                session.approve()
                self.assert_paid(resumed.finish())

    def test_ui_crashes_at_the_collector(self) -> None:
        for tool in _TOOLS:
            with self.subTest(tool):
                session = self.session()
                example = self.example("pay-ach", tool, tool)
                example.say(session.client_token, "", "", "")
                example.read_error("Show the collector")
                example.crash()
                resumed = self.example("resume", tool, tool)
                resumed.say("pi_example", "yes")
                self.assert_paid(resumed.finish(), "pending", "PENDING")

    def test_ui_crashes_before_anything_is_submitted(self) -> None:
        session = self.session(**APPROVING)
        crashing = self.example("pay-ideal", "nc")
        crashing.say(session.client_token)
        crashing.read_error("9001")
        crashing.crash()
        resumed = self.example("resume", "nc").finish()
        self.assertEqual((resumed.status, resumed.output), (3, ""))
        self.assertIn("pay again", resumed.errors)
        again = self.example("pay-ideal", "nc")
        again.say(session.client_token, "9001")
        self.assert_paid(again.finish())

    def test_daemon_crashes(self) -> None:
        for tool in _TOOLS:
            with self.subTest(tool):
                session = self.session()
                example = self.at_the_bank(tool, tool, session)
                self.restart(signal.SIGKILL)
                session.approve()
                self.assert_paid(example.finish())

    def test_follow_through_a_crash_of_the_daemon(self) -> None:
        for tool in _TOOLS:
            with self.subTest(tool):
                session = self.session()
                checkout = self.redirected(session, None, startKey=tool)
                follower = self.example("follow", tool, tool)
                shown = [follower.read_line()]
                while not shown[-1].endswith("webRedirect\n") or len(shown) < checkout.snapshot["seq"]:
                    shown.append(follower.read_line())
                self.restart(signal.SIGKILL, checkout)
                session.approve()
                outcome = follower.finish()
                self.assertEqual((outcome.status, outcome.errors), (0, ""))
                lines = "".join([*shown, outcome.output]).split("\n")[:-1]
                history = [f"{event.seq} {event.method}" for event in checkout.history()]
                self.assertEqual([" ".join(line.split(" ")[:2]) for line in lines], history)
                self.assertTrue(lines[-1].endswith("checkout.didCompleteCheckout success"), lines)

    def test_unknown_key(self) -> None:
        for tool in _TOOLS:
            for name in ("resume", "follow"):
                with self.subTest(f"{name} {tool}"):
                    outcome = self.example(name, tool, "nothing").finish()
                    self.assertEqual((outcome.status, outcome.output), (1, ""))
                    self.assertIn('"errorId":"unknown-checkout"', outcome.errors)
