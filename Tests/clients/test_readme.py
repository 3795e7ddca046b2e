"""README.md: its transcript is run to the letter and shows what comes; so is the demonstration of the manual."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from support.case import DaemonTest
from support.daemon import program

TIMEOUT = 60

_README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = "-- end of block --"

# What differs from run to run.
_VARYING = [
    (r"\b(co|cm|pay)_[0-9a-f]+", r"\1_"),
    (r"\b(order|customer)-[0-9a-f]+", r"\1-"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "time"),
    (r"http://127\.0\.0\.1:\d+", "http://sandbox"),
    (r'"(uid|to)":\d+', r'"\1":0'),
]


def section(title: str) -> str:
    """The text below a heading of the second level."""
    return _README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, replacement in _VARYING:
        text = re.sub(pattern, replacement, text)
    return text


def pattern_of(shown: str) -> re.Pattern[str]:
    """Matches what a line of the README shows; an ellipsis stands for anything."""
    return re.compile(".*".join(map(re.escape, steady(shown).split("…"))))


class Transcript(DaemonTest):
    """The commands of the transcript in one shell; the first block, which starts both programs, is this test's part."""

    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        (self.directory / "token").write_text(self.session().client_token + "\n")

    def run_blocks(self, blocks: list[str]) -> list[list[str]]:
        """The lines that each block prints."""
        done = subprocess.run(
            ["bash", "-uc", f"\necho '{_MARK}'\n".join(blocks)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
            env=os.environ | {"SOCKET": str(self.daemon.socket_path), "directory": str(self.directory)},
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return [output.splitlines() for output in done.stdout.split(f"{_MARK}\n")]

    def test_shows_what_comes(self) -> None:
        (first, _), *blocks = _BLOCK.findall(section("A checkout with `nc`"))
        self.assertEqual(first, "sh")
        commands = [text for kind, text in blocks if kind == "sh"]
        shown = [text.splitlines() for kind, text in blocks if kind != "sh"]
        self.assertIn('nc -N -U "$SOCKET"', commands[0])
        self.assertIn('socat -t 3600 - UNIX-CONNECT:"$SOCKET"', commands[-1])
        printed = self.run_blocks(commands)
        self.assertEqual([len(lines) for lines in printed], [len(lines) for lines in shown])
        for line, expected in zip(sum(printed, []), sum(shown, []), strict=True):
            self.assertRegex(steady(line), pattern_of(expected))
        self.assertIn('"outcome":"success"', printed[-1][-1])


class Text(DaemonTest):
    def test_limits_are_those_that_help_tells(self) -> None:
        done = subprocess.run([program("checkoutd"), "--help"], capture_output=True, text=True, check=True)
        told = dict(re.findall(r"^ {6}--(max-[a-z-]+)(?:(?!--)[^[])*\[(\d+)\]$", done.stdout, re.MULTILINE))
        limits = self.client.call("system.hello")["limits"]
        announced = {"max" + re.sub("[A-Z]", r"-\g<0>", f"-{name}").lower(): limits[name] for name in limits}
        self.assertGreater(len(told), 10)
        self.assertEqual({name: int(value) for name, value in told.items()}, {name: announced[name] for name in told})

    def test_demonstration_goes_as_shown(self) -> None:
        page = Path(__file__).resolve().parents[2] / "client" / "man" / "checkoutd-protocol.7"
        lines = re.search(r"^\.Bd -literal\n(# A client connects.*?)^\.Ed$", page.read_text(), re.MULTILINE | re.DOTALL)
        self.assertIsNotNone(lines)
        shown = re.sub(r"^\\&", "", lines[1].replace(r"\-", "-"), flags=re.MULTILINE)
        demo = Path(__file__).resolve().parents[2] / "client" / "demo"
        environment = os.environ | {"CHECKOUTD": str(program("checkoutd"))}
        done = subprocess.run(
            [demo, "--no-build"], capture_output=True, text=True, timeout=TIMEOUT, check=True, env=environment
        )
        # What upstream causes may come before or after the reply to a call.
        self.assertCountEqual(list(map(label, done.stdout.splitlines())), list(map(label, ("\n" + shown).splitlines())))


def label(line: str) -> str:
    """A line of the demonstration without its details: who says what."""
    return steady(line.partition("  ")[0] if line[:1] in "→←•✗" else line).rstrip()
