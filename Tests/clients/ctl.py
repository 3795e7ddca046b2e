"""Runs the command-line client as a user does, and looks at what it leaves: output, errors, exit status."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.client import TIMEOUT, TimedOut
from support.daemon import program
from support.lines import JsonObject

# A shell starts what is to run in the background with interrupts ignored, and so would be what is started from here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Outcome:
    """What a run left."""

    status: int
    output: str
    errors: str

    @property
    def value(self) -> Any:
        """The one JSON line of the output."""
        return _only_line(self.output)

    @property
    def error(self) -> JsonObject:
        """The one JSON line of the errors."""
        error: JsonObject = _only_line(self.errors)
        return error


def _only_line(text: str) -> Any:
    (line,) = text.removesuffix("\n").split("\n")
    assert text.endswith("\n")
    return json.loads(line)


class Ctl:
    """A running client."""

    def __init__(self, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [program("checkoutctl"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | (environment or {}),
        )

    def finish(self, text: str = "") -> Outcome:
        """Gives it this to read, and waits until it ends."""
        output, errors = self.process.communicate(text.encode(), TIMEOUT)
        return Outcome(self.process.returncode, output.decode(), errors.decode())

    def send(self, text: str) -> None:
        """Gives it this to read, and no more."""
        assert self.process.stdin
        self.process.stdin.write(text.encode())
        self.process.stdin.close()
        self.process.stdin = None

    def next_line(self) -> Any:
        """The next line that it prints, as soon as that is there: JSON."""
        return json.loads(self.next_text())

    def next_text(self) -> str:
        """The next line that it prints, as soon as that is there."""
        assert self.process.stdout
        descriptor = self.process.stdout.fileno()
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([descriptor], [], [], TIMEOUT)[0]:
                raise TimedOut("the client printed nothing")
            byte = os.read(descriptor, 1)
            assert byte, "the client has ended"
            line += byte
        return line.decode()

    def close_output(self) -> None:
        """Reads no more of what it prints."""
        assert self.process.stdout
        self.process.stdout.close()
        self.process.stdout = None

    def close(self) -> None:
        """Ends it at once."""
        self.process.kill()
        self.process.communicate(timeout=TIMEOUT)


class FakeDaemon:
    """Whoever listens at a path, and does not do what a daemon does."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.settimeout(TIMEOUT)
        self._listener.bind(str(path))
        self._listener.listen()

    def say(self, text: str) -> None:
        """Accepts a client, says this, and hangs up once the client has said all that it has to say."""
        connected, _ = self._listener.accept()
        with connected:
            connected.settimeout(TIMEOUT)
            connected.sendall(text.encode())
            connected.shutdown(socket.SHUT_WR)
            while connected.recv(4096):
                pass

    def answer(self, *texts: str) -> None:
        """Accepts a client, says each text when the client has said a further line, and hangs up."""
        connected, _ = self._listener.accept()
        with connected, connected.makefile("rb") as lines:
            connected.settimeout(TIMEOUT)
            for text in texts:
                lines.readline()
                connected.sendall(text.encode())

    def close(self) -> None:
        """Listens no more."""
        self._listener.close()
