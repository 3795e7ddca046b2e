"""A terminal for a program that somebody sits at: what it shows, what is typed, and how it is left."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support.client import TIMEOUT, TimedOut

# What a shell does: it is still there when the program has ended, and Ctrl-C is not meant for it.
_SHELL = 'trap : INT; "$@"; echo "$?" >&"$STATUS"; read -r <&"$HOLD"'

_TICK = 0.02

_TOKEN = re.compile(r"\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[^\[]|([\x00-\x1f\x7f])|([^\x00-\x1f\x7f]+)", re.DOTALL)


class Display:
    """What a terminal shows, as far as it understands what it is told."""

    def __init__(self, columns: int, rows: int) -> None:
        self.unknown: list[str] = []
        self.is_cursor_shown = True
        self._rest = ""
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Has another size from now on, and nothing on it."""
        self.columns, self.rows = columns, rows
        self._screens = {False: self._blank(), True: self._blank()}
        self.is_alternate = getattr(self, "is_alternate", False)
        self.row = self.column = 0

    def _blank(self) -> list[list[str]]:
        return [[" "] * self.columns for _ in range(self.rows)]

    @property
    def lines(self) -> list[str]:
        """The lines, without the blanks at their ends."""
        return ["".join(row).rstrip() for row in self._screens[self.is_alternate]]

    @property
    def text(self) -> str:
        """All that is on it."""
        return "\n".join(self.lines)

    def feed(self, text: str) -> None:
        """Takes what a program writes."""
        text = self._rest + text
        # A sequence that is not complete yet waits for the rest.
        start = text.rfind("\x1b")
        is_cut = start >= 0 and not re.match(r"\x1b(\[[0-?]*[ -/]*[@-~]|[^\[])", text[start:])
        self._rest = text[start:] if is_cut else ""
        for token in _TOKEN.finditer(text[:start] if is_cut else text):
            parameters, final, control, written = token.groups()
            if final:
                self._obey(parameters, final)
            elif control:
                self._control(control)
            elif written:
                self._write(written)
            else:
                self.unknown.append(token.group())

    def _obey(self, parameters: str, final: str) -> None:
        match (parameters, final):
            case (_, "m") | ("?2004", "h" | "l"):
                pass
            case (place, "H"):
                row, column = (int(number) for number in place.split(";"))
                self.row, self.column = min(row, self.rows) - 1, min(column, self.columns) - 1
            case ("" | "2", "K"):
                first = 0 if parameters else self.column
                self._screens[self.is_alternate][self.row][first:] = [" "] * (self.columns - first)
            case ("?25", "h" | "l"):
                self.is_cursor_shown = final == "h"
            case ("?1049", "h" | "l"):
                self.is_alternate = final == "h"
                self.row = self.column = 0
                if self.is_alternate:
                    self._screens[True] = self._blank()
            case _:
                self.unknown.append(parameters + final)

    def _control(self, control: str) -> None:
        if control == "\r":
            self.column = 0
        elif control == "\n":
            if self.row + 1 < self.rows:
                self.row += 1
            else:
                lines = self._screens[self.is_alternate]
                del lines[0]
                lines.append([" "] * self.columns)
        else:
            self.unknown.append(control)

    def _write(self, text: str) -> None:
        for character in text:
            if self.column >= self.columns:
                self._control("\r")
                self._control("\n")
            self._screens[self.is_alternate][self.row][self.column] = character
            self.column += 1


class Terminal:
    """A terminal in which a program runs."""

    def __init__(
        self,
        *arguments: str | Path,
        text: str = "",
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.display = Display(columns, rows)
        self.written = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._master, self._slave = pty.openpty()
        self._set_size(columns, rows)
        self.settings: list[Any] = termios.tcgetattr(self._slave)
        self._status, status = os.pipe()
        hold, self._hold = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", _SHELL, "bash", *arguments],
            stdin=subprocess.PIPE,
            stdout=self._slave,
            stderr=self._slave,
            pass_fds=(status, hold),
            start_new_session=True,
            preexec_fn=self._become_controlling,
            env={**os.environ, "TERM": "xterm", "STATUS": str(status), "HOLD": str(hold), **(environment or {})},
        )
        os.close(status)
        os.close(hold)
        assert self.process.stdin
        self.process.stdin.write(text.encode())
        self.process.stdin.close()

    def _become_controlling(self) -> None:
        fcntl.ioctl(1, termios.TIOCSCTTY, 0)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # What is on it

    def wait(self, *texts: str) -> None:
        """Waits until all of these are to be read on it."""
        self.wait_until(lambda: all(text in self.display.text for text in texts), f"{texts}")

    def wait_until(self, is_there: Callable[[], bool], what: str) -> None:
        """Waits until something is so."""
        deadline = time.monotonic() + TIMEOUT
        while not is_there():
            # What is waited for may be to be seen elsewhere than on the terminal.
            if not self._read(_TICK) and time.monotonic() > deadline:
                raise TimedOut(f"waited in vain for {what}; the terminal shows\n{self.display.text}")

    def _read(self, timeout: float) -> bool:
        """Takes what the program has written; false if that is nothing."""
        if not select.select([self._master], [], [], timeout)[0]:
            return False
        text = self._decoder.decode(os.read(self._master, 65536))
        self.written += text
        self.display.feed(text)
        return True

    @property
    def chosen(self) -> str:
        """The entry of a list that is chosen; empty if none is."""
        return next((line.removeprefix("› ") for line in self.display.lines if line.startswith("› ")), "")

    # What one does with it

    def press(self, keys: str) -> None:
        """Presses keys, as the bytes that they send."""
        os.write(self._master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Gives it another size; what it showed is gone."""
        self.display.resize(columns, rows)
        self._set_size(columns, rows)

    # The program

    @property
    def pid(self) -> int:
        """The program's number."""
        return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0])

    def finish(self) -> int:
        """Waits until the program ends; its exit status."""
        deadline = time.monotonic() + TIMEOUT
        while not select.select([self._status], [], [], 0)[0]:
            # It may wait for somebody to take what it writes.
            ready = select.select([self._status, self._master], [], [], max(deadline - time.monotonic(), 0))[0]
            if not ready:
                raise TimedOut(f"the program does not end; the terminal shows\n{self.display.text}")
            if self._master in ready:
                self._read(0)
        while self._read(0):
            pass
        return int(os.read(self._status, 16))

    @property
    def is_restored(self) -> bool:
        """Whether it is as it was before the program: settings, screen, cursor."""
        same = termios.tcgetattr(self._slave) == self.settings
        return same and not self.display.is_alternate and self.display.is_cursor_shown

    def close(self) -> None:
        """Ends everything at once."""
        os.close(self._hold)
        self.process.kill()
        self.process.wait(TIMEOUT)
        for descriptor in (self._master, self._slave, self._status):
            os.close(descriptor)
