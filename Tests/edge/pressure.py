"""What the tests of limits share: clients that send and never read, figures of the process, and waiting for a state."""

from __future__ import annotations

import os
import resource
import select
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from support.case import DaemonTest
from support.client import TIMEOUT, Client, TimedOut, encode, request
from support.daemon import Daemon
from support.lines import JsonObject

# How much one read of the daemon takes in.
READ = 65_536
MIB = 1024 * 1024

_TICKS = os.sysconf("SC_CLK_TCK")


def await_that(holds: Callable[[], object], what: str, timeout: float = TIMEOUT) -> None:
    """Asks again and again until it holds; what is asked should need a round trip."""
    deadline = time.monotonic() + timeout
    while not holds():
        if time.monotonic() > deadline:
            raise TimedOut(f"waited in vain until {what}")


def allow_descriptors() -> int:
    """Raises this process's limit of open descriptors as far as it goes, and returns it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def line(method: str, params: Any = None, id: Any = None) -> bytes:
    """A call, or a notification, as a line."""
    return encode(request(method, params, id)) + b"\n"


class Figures:
    """What the kernel says of a process."""

    def __init__(self, pid: int) -> None:
        self._place = Path(f"/proc/{pid}")

    def _status(self, name: str) -> int:
        for row in self._place.joinpath("status").read_text().splitlines():
            if row.startswith(f"{name}:"):
                return int(row.split()[1]) * 1024
        raise KeyError(name)

    @property
    def resident(self) -> int:
        """Bytes of memory in use now."""
        return self._status("VmRSS")

    @property
    def peak(self) -> int:
        """The most bytes of memory ever in use."""
        return max(self._status("VmHWM"), self.resident)

    @property
    def cpu_seconds(self) -> float:
        """CPU time used so far."""
        fields = self._place.joinpath("stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped it."""
        return self._place.joinpath("stat").read_text().rpartition(")")[2].split()[0] == "T"


class Mute:
    """A client that sends and does not read."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.socket.setblocking(False)
        self.is_refused = False
        self._rest = memoryview(b"")

    def close(self) -> None:
        """Ends the connection at once."""
        self.socket.close()

    def plan(self, data: bytes) -> None:
        """What to send from now on."""
        self._rest = memoryview(data)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be sent."""
        return self.is_refused or not self._rest

    def push(self) -> int:
        """Sends what the daemon takes now; returns how many bytes that was."""
        pushed = 0
        try:
            while self._rest:
                sent = self.socket.send(self._rest)
                self._rest = self._rest[sent:]
                pushed += sent
        except BlockingIOError:
            pass
        except (BrokenPipeError, ConnectionResetError):
            self.is_refused = True
        return pushed

    @property
    def is_told(self) -> bool:
        """Whether the daemon has said something, or has let it go."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def received(self) -> bytes:
        """Everything that can be read until the end."""
        self.socket.settimeout(TIMEOUT)
        data = bytearray()
        try:
            while chunk := self.socket.recv(READ):
                data += chunk
        except ConnectionResetError:
            pass
        return bytes(data)


class PressureTest(DaemonTest):
    """A test that looks at what the daemon holds."""

    def mutes(self, count: int, daemon: Daemon | None = None) -> list[Mute]:
        """So many clients that do not read, all accepted."""
        path = (daemon or self.daemon).socket_path
        mutes = []
        for _ in range(count):
            mutes.append(Mute(path))
            self.addCleanup(mutes[-1].close)
        return mutes

    def status(self) -> JsonObject:
        """What the daemon says of its connections."""
        connections: JsonObject = self.client.call("system.status")["connections"]
        return connections

    @property
    def held(self) -> int:
        """Bytes that the daemon holds in queues and unfinished lines."""
        return int(self.status()["heldBytes"])

    def entries(self) -> list[JsonObject]:
        """What the daemon says of each connection."""
        entries: list[JsonObject] = []
        page: JsonObject = {"next": "0"}
        while "next" in page:
            page = self.client.call("system.connections", cursor=page["next"], limit=1000)
            entries += page["connections"]
        return entries

    @property
    def in_flight(self) -> int:
        """How many calls are in flight, but for the one that asks."""
        return sum(int(entry["inFlight"]) for entry in self.entries()) - 1

    def await_accepted(self, count: int) -> None:
        """Until the daemon has accepted so many connections in all."""
        await_that(lambda: self.status()["accepted"] == count, f"{count} connections are accepted")

    def await_open(self, count: int) -> None:
        """Until the daemon has so many connections."""
        await_that(lambda: self.status()["open"] == count, f"{count} connections are open")

    def turns(self, count: int) -> None:
        """Has the daemon go through so many turns, at least."""
        for _ in range(count):
            self.client.call("system.ping")

    def push_all(self, mutes: Sequence[Mute], watch: Callable[[], object], timeout: float = 4 * TIMEOUT) -> None:
        """Has all send until each has sent everything, is refused, or is not read any more."""
        deadline = time.monotonic() + timeout
        # In one turn the daemon reads 256 connections.
        turns = len(mutes) // 256 + 2
        quiet = 0
        while quiet < 2 and not all(mute.is_done for mute in mutes):
            pushed = sum(mute.push() for mute in mutes if not mute.is_done)
            watch()
            quiet = 0 if pushed else quiet + 1
            self.turns(1 if pushed else turns)
            if time.monotonic() > deadline:
                raise TimedOut("the daemon still reads")

    def assert_silent(self, clients: Iterable[Client]) -> None:
        """None of them has been sent anything that it has not read."""
        readable, _, _ = select.select([client.socket for client in clients], [], [], 0)
        self.assertEqual(readable, [])
