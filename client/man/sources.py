"""What the documents are made from: the help of both programs, and what a daemon says of itself."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

JsonObject = dict[str, Any]

_TIMEOUT = 10
_ROW = re.compile(r"^ {2,6}(\S.*?)(?: {2,}(\S.*))?$")
_CONTINUED = re.compile(r"^ {7,}(\S.*)$")
_INITIAL = re.compile(r"^(.*) \[(\w+)\]$")
# Values that are known by their kind; any other can be anything.
_MEASURED = ("MS", "SECONDS", "BYTES", "N", "WHEN", "LEVEL")


@dataclass(frozen=True)
class Row:
    """One row of a table of help: what is written, and what it does."""

    head: str
    text: str

    @property
    def name(self) -> str:
        """Its first word without what is beside it: a command, or the long name of an option."""
        long = re.search(r"--([a-z-]+)", self.head)
        return long[1] if long else self.head.split()[0]

    @property
    def argument(self) -> str:
        """What it takes."""
        return self.head.rpartition(self.name)[2].strip()

    @property
    def letter(self) -> str:
        """The short form of an option."""
        return self.head[1] if re.match(r"-\w,", self.head) else ""


@dataclass(frozen=True)
class Block:
    """Some lines of help that belong together, with a title or without."""

    title: str
    lines: list[str]

    @property
    def text(self) -> str:
        """The lines as one."""
        return " ".join(map(str.strip, self.lines))

    @property
    def rows(self) -> list[Row]:
        """The lines as a table."""
        rows: list[Row] = []
        for line in self.lines:
            if continued := _CONTINUED.match(line):
                last = rows.pop()
                rows.append(Row(last.head, f"{last.text} {continued[1]}".strip()))
            elif row := _ROW.match(line):
                rows.append(Row(row[1], row[2] or ""))
        return rows


class Help:
    """The help of a program."""

    def __init__(self, text: str) -> None:
        self.blocks = [self._block(part.splitlines()) for part in text.strip().split("\n\n")]

    @staticmethod
    def _block(lines: list[str]) -> Block:
        first, *rest = lines
        if rest and first.endswith(":") and all(line.startswith("  ") for line in rest):
            return Block(first[:-1], rest)
        return Block("", lines)

    def titled(self, title: str) -> Block:
        """The block with that title; raises `LookupError`."""
        for block in self.blocks:
            if block.title == title:
                return block
        raise LookupError(f"help has nothing that is called {title}")

    @property
    def options(self) -> list[Row]:
        """All options."""
        return [row for block in self.blocks for row in block.rows if row.head.startswith("-")]

    @property
    def paragraphs(self) -> list[Block]:
        """What has no title, but for the first, which is how the program is called."""
        return [block for block in self.blocks[1:] if not block.title and not block.lines[0].startswith(" ")]


@dataclass(frozen=True)
class Setting:
    """An option of the daemon that may stand in its configuration file."""

    name: str
    argument: str
    summary: str
    initial: str
    expectation: str


class Programs:
    """Both programs."""

    def __init__(self, daemon: Path, tool: Path) -> None:
        self._daemon = daemon
        self._tool = tool

    @cached_property
    def daemon_help(self) -> Help:
        """The help of the daemon."""
        return Help(_output(self._daemon, "--help"))

    @cached_property
    def tool_help(self) -> Help:
        """The help of the command."""
        return Help(_output(self._tool, "--help"))

    def command_help(self, name: str) -> Help:
        """What the command tells of one of its own."""
        return Help(_output(self._tool, name, "--help"))

    @cached_property
    def settings(self) -> list[Setting]:
        """The options of the daemon that may stand in a file: all but those that stand first."""
        blocks = [block for block in self.daemon_help.blocks if block.rows and block.rows[0].head.startswith("-")]
        return [self._setting(row) for row in blocks[-1].rows]

    @property
    def switches(self) -> list[Row]:
        """The options of the daemon that may not."""
        named = {setting.name for setting in self.settings}
        return [row for row in self.daemon_help.options if row.name not in named]

    def _setting(self, row: Row) -> Setting:
        initial = _INITIAL.match(row.text)
        summary, value = (initial[1], initial[2]) if initial else (row.text, "")
        expectation = self._expectation(row.name) if row.argument in _MEASURED else ""
        return Setting(row.name, row.argument, summary, value, expectation)

    def _expectation(self, name: str) -> str:
        """What the daemon says a good value is when it is given a bad one."""
        done = subprocess.run([self._daemon, f"--{name}", "?"], capture_output=True, text=True, timeout=_TIMEOUT)
        found = re.search(rf"--{name}: expected (.*)", done.stderr)
        if not found:
            raise LookupError(f"--{name} took a bad value: {done}")
        return found[1]

    @cached_property
    def document(self) -> JsonObject:
        """What `rpc.discover` answers."""
        return self._answers["rpc.discover"]

    @cached_property
    def limits(self) -> JsonObject:
        """The limits that the daemon announces."""
        limits: JsonObject = self._answers["system.hello"]["limits"]
        return limits

    @cached_property
    def _answers(self) -> dict[str, JsonObject]:
        methods = ["rpc.discover", "system.hello"]
        with self._listening() as connection, connection.makefile("rw", encoding="utf-8") as lines:
            for method in methods:
                lines.write(json.dumps({"jsonrpc": "2.0", "id": method, "method": method}) + "\n")
            lines.flush()
            replies = [json.loads(lines.readline()) for _ in methods]
        return {reply["id"]: reply["result"] for reply in replies}

    @contextmanager
    def _listening(self) -> Iterator[socket.socket]:
        """A connection to a daemon that is started for it, on a socket that is there before the daemon is."""
        with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{directory}/socket")
            listener.listen()
            # As a service manager does it: descriptor 3, told of by two variables that name the process.
            command = 'exec env LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=api "$0" --ephemeral 3<&"$1"'
            process = subprocess.Popen(
                ["sh", "-c", command, self._daemon, str(listener.fileno())],
                pass_fds=[listener.fileno()],
                stderr=subprocess.DEVNULL,
            )
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(_TIMEOUT)
                    connection.connect(f"{directory}/socket")
                    yield connection
            finally:
                process.terminate()
                process.wait(_TIMEOUT)


def _output(*command: Path | str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_TIMEOUT)
    return done.stdout
