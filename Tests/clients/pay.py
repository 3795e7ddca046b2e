"""The base of the tests that pay at a terminal, and what stands in for the program that asks for a bank account."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from clients.case import CtlTest
from clients.terminal import Terminal
from support.checkout import ACH_SETTINGS
from support.client import TIMEOUT
from support.daemon import program
from support.lines import JsonObject
from support.sandbox import Session

_BLOCKS = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
_MODULE = 4

# Leaves behind how it was called and what it was told, says where it is, and does what the rest of it says.
_COLLECTOR = """#!/bin/bash
set -u
IFS= read -r told
printf '%s\\n' "$told" >{record}.new
tr '\\0' ' ' </proc/$$/cmdline >{record}.called
mv {record}.new {record}.told
{rest}
"""
_ADDRESS = "printf 'http://127.0.0.1:4242/account\\n'"
_REPORT = """printf '{"jsonrpc":"2.0","id":1,"method":"component.reportBankAccount","params":%s}\\n' \\
  "{\\"componentId\\":\\"$3\\",\\"outcome\\":\\"succeeded\\",\\"paymentId\\":\\"pi_example\\"}" |
  nc -N -U "$2" >/dev/null"""
REPORTING = f'{_ADDRESS}\nread -r <"$GO"\n{_REPORT}'
IMPATIENT = f"{_ADDRESS}\n{_REPORT}"
PATIENT = f'{_ADDRESS}\nexec cat <"$GO"'
FAILING = "echo 'no \x1b[2Jbrowser' >&2; exit 3"


class PayTest(CtlTest):
    """A test with a daemon, and checkouts that are paid at a terminal."""

    def pay(
        self,
        session: Session,
        *options: str | Path,
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
    ) -> Terminal:
        """A terminal at which a checkout is being paid."""
        terminal = Terminal(
            program("checkoutctl"),
            "--socket",
            self.daemon.socket_path,
            "pay",
            *options,
            text=session.client_token,
            columns=columns,
            rows=rows,
            environment=environment,
        )
        self.addCleanup(terminal.close)
        return terminal

    def choosing(self, session: Session, columns: int = 80, rows: int = 24) -> Terminal:
        """A terminal that shows the banks of a checkout."""
        terminal = self.pay(session, columns=columns, rows=rows)
        terminal.wait("How do you want to pay?", "iDEAL", "ACH")
        terminal.press("\r")
        terminal.wait("Bank:", "Zeester Bank" if rows >= 20 else "more")
        return terminal

    def at_the_bank(self, session: Session, columns: int = 80, rows: int = 24) -> Terminal:
        """A terminal that shows the bank's page."""
        terminal = self.choosing(session, columns, rows)
        terminal.press("\r")
        terminal.wait("Waiting for the bank")
        return terminal

    def entering(self, session: Session, *options: str, environment: Mapping[str, str] | None = None) -> Terminal:
        """A terminal that shows the shopper's details."""
        settings = self.file(json.dumps(ACH_SETTINGS))
        terminal = self.pay(session, "--settings", settings, *options, environment=environment)
        terminal.wait("How do you want to pay?")
        terminal.press("\x1b[B\r")
        terminal.wait("✓ First name", "✓ Last name", "✓ E-mail address")
        return terminal

    def collector(self, rest: str) -> Collector:
        """A program that asks for the bank account, and does the rest in a way of its own."""
        return Collector(self.directory(), rest)

    def assert_left(self, terminal: Terminal, status: int) -> None:
        """The program has ended like that, and has left the terminal as it was."""
        self.assertEqual(terminal.finish(), status, terminal.display.text)
        self.assertTrue(terminal.is_restored, terminal.display.text)
        self.assertEqual(terminal.display.unknown, [])

    def the_checkout(self) -> JsonObject:
        """The one checkout that the daemon has."""
        (checkout,) = self.client.call("checkout.list")["checkouts"]
        found: JsonObject = self.client.call("checkout.get", checkoutId=checkout["checkoutId"])
        return found

    def decoded(self, lines: list[str]) -> str:
        """What a camera reads in the code that is drawn in these lines."""
        drawn = [[_BLOCKS[character] for character in line] for line in lines]
        rows = [[pair[half] for pair in line] for line in drawn for half in (0, 1)]
        width, height = len(rows[0]) * _MODULE, len(rows) * _MODULE
        pixels = b"".join(
            bytes(0 if dark else 255 for dark in row for _ in range(_MODULE)) for row in rows for _ in range(_MODULE)
        )
        image = self.directory() / "code.pgm"
        image.write_bytes(b"P5 %d %d 255\n" % (width, height) + pixels)
        command = ["zbarimg", "--quiet", "--raw", "--nodbus", str(image)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
        return run.stdout.removesuffix("\n")


class Collector:
    """A program that asks for the bank account."""

    def __init__(self, directory: Path, rest: str) -> None:
        self._record = directory / "record"
        self._go = directory / "go"
        self.path = directory / "collector"
        self.path.write_text(_COLLECTOR.replace("{record}", str(self._record)).replace("{rest}", rest))
        self.path.chmod(0o755)
        subprocess.run(["mkfifo", str(self._go)], check=True)

    @property
    def environment(self) -> dict[str, str]:
        """Where it is, for the client."""
        return {"CHECKOUTD_COLLECTOR": str(self.path), "GO": str(self._go)}

    def go(self) -> None:
        """Has it report the account."""
        self._go.write_text("\n")

    @property
    def told(self) -> JsonObject:
        """What it was told."""
        told: JsonObject = json.loads(self._record.with_suffix(".told").read_text())
        return told

    @property
    def called(self) -> str:
        """How it was called."""
        return self._record.with_suffix(".called").read_text()
