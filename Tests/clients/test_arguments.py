"""What `ps` could see of the examples in README.md and in checkoutctl's help: no token, nothing that was collected."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import Any

from clients.case import CtlTest
from clients.process_list import ProcessList
from clients.test_readme import section
from support.checkout import BANK
from support.client import TIMEOUT
from support.sandbox import APPROVING, Session

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = ("checkoutctl", "nc", "socat", "curl", "cat", "grep", "head", "sed", "tee")


def pattern_of(shown: str) -> str:
    """Matches a line as the README shows it, at another time, for another checkout; an ellipsis stands for anything."""
    parts = re.sub(r"co_[0-9a-f]{16}|\d\d:\d\d:\d\d\.\d{3}Z", "…", shown).split("…")
    return f"(?m)^{'.*'.join(map(re.escape, parts))}$"


class Examples(CtlTest):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.directory()
        self.process_list = ProcessList(self.place, *_COMMANDS)

    def token(self, **options: Any) -> Session:
        """A session whose token is in the file that examples read it from."""
        session = self.session(**options)
        (self.place / "token").write_text(session.client_token + "\n")
        return session

    def run_example(self, text: str, **variables: str) -> str:
        """What an example prints."""
        environment = os.environ | {
            "PATH": self.process_list.path,
            "CHECKOUTD_SOCKET": str(self.daemon.socket_path),
            "SOCKET": str(self.daemon.socket_path),
            "directory": str(self.place),
        }
        done = subprocess.run(
            ["bash", "-euc", text],
            cwd=self.place,
            env=environment | variables,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def assert_not_shown(self, *secrets: str) -> None:
        """Nobody could have seen these."""
        for secret in secrets:
            self.assertNotIn(secret, self.process_list.shown)

    def test_nc_and_socat(self) -> None:
        session = self.token()
        blocks = [text for kind, text in _BLOCK.findall(section("A checkout with `nc`"))[1:] if kind == "sh"]
        self.run_example("".join(blocks))
        self.assertRegex(self.process_list.shown, r"/nc -N -U ")
        self.assert_not_shown(session.client_token, "bankId", f'"{BANK}"')

    def test_checkoutctl(self) -> None:
        session = self.token()
        (kind, example), (_, shown), *_ = _BLOCK.findall(section("`checkoutctl`"))
        self.assertEqual(kind, "sh")
        printed = self.run_example(example)
        for line in shown.splitlines():
            self.assertRegex(printed, pattern_of(line))
        self.assertIn("/checkoutctl start ", self.process_list.shown)
        self.assert_not_shown(session.client_token)

    def test_help(self) -> None:
        """The examples of all commands, in an order in which they can be done."""
        session = self.token()
        self.run_example(self.example("start"))
        for command in ("show", "call"):
            self.assertIn("ready", self.run_example(self.example(command)))
        reference = {"startKey": "till-1"}
        call = self.client.call
        provide = "componentWithRedirectManager.provide"
        component = call(provide, checkoutId=reference, paymentMethodType="ADYEN_IDEAL")["componentId"]
        call("component.start", componentId=component)
        self.assertEqual(
            self.run_example(self.example("banks"), COMPONENT=component, BANK=BANK), '{"status":"valid"}\n'
        )
        call("component.submit", componentId=component)
        self.assertIn("redirect http", self.run_example(self.example("wait")))
        self.assertRegex(self.run_example(self.example("cancel")), "^(cancelling|failed)\n$")
        followed = self.run_example(self.example("follow"))
        self.assertEqual(json.loads(followed.splitlines()[-1])["method"], "checkout.didFail")
        (self.place / "calls.ndjson").write_text('{"method":"system.ping"}\n')
        self.assertEqual(json.loads(self.run_example(self.example("batch")))["result"], {})
        self.run_example(self.example("metrics"))
        self.assertIn("checkoutd_checkouts_ended_total{", (self.place / "checkoutd.prom").read_text())
        self.assert_not_shown(session.client_token, "bankId", BANK)

    def test_help_of_pay(self) -> None:
        session = self.token(**APPROVING)
        printed = self.run_example(self.example("pay"), BANK=BANK)
        self.assertRegex(printed, rf"^redirect .*\nsuccess {session.payment['id']} SUCCESS\n$")
        self.assertIn("/checkoutctl pay ", self.process_list.shown)
        self.assert_not_shown(session.client_token, "bankId", BANK)

    def test_every_example_of_the_help_is_run(self) -> None:
        told = self.ctl("--help").output.partition("\nCommands:\n")[2].partition("\n\n")[0]
        commands = re.findall(r"^  ([a-z]+)", told, re.MULTILINE)
        with_example = [command for command in commands if self.example(command)]
        self.assertEqual(with_example, ["start", "pay", "show", "banks", "follow", "wait", "cancel", "call", "batch", "metrics"])

    def example(self, command: str) -> str:
        """The shell commands in what there is to know of a command."""
        lines = self.ctl(command, "--help").output.partition("\nOptions")[0].splitlines()
        return "\n".join(line for line in lines if line.startswith("  ") and not line.startswith('  {"'))
