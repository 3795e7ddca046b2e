"""How long one user's ping waits while another user does what it can, with the bounds that the product comes with."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.daemon import ACH, Checkout, Daemon, acting_as, update
from bench.floods import CONNECTIONS, FLOODS, LIVE, USER, Stage, running
from bench.machine import GENERATOR_CPU, on_cpu
from bench.report import number, table
from bench.servers import DidNotRun
from bench.setting import Setting, say

OTHER_USER = 61072
STORE_BYTES = 100_000_000
# The target for the other user's ping: milliseconds, 99.9 of a hundred.
TARGET_MS = 50.0

_PING = b'{"jsonrpc":"2.0","id":1,"method":"system.ping"}\n'
_INTERVAL = 0.005
# The unit's watchdog waits 30 s and is fed every 15; here it is fed more often, to see how long the loop stands still.
_FEED_SECONDS = 0.5
_LONGEST_STALL = 15.0
# A ping that takes longer ends the run beside that flood, as the watchdog would end the daemon.
_LONGEST_WAIT = 15.0
# How long it may take to make the store large.
_FILLING = 60.0
_LONG_CHECKOUTS = 25


class Watchdog:
    """The service manager's end of the notification socket: when the daemon has fed the watchdog."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        path.chmod(0o666)
        self.prefix = ("env", f"NOTIFY_SOCKET={path}", f"WATCHDOG_USEC={int(2e6 * _FEED_SECONDS)}")
        self._path = path
        self._fed: list[float] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while message := self._socket.recv(4096):
            if b"WATCHDOG=1" in message:
                self._fed.append(time.monotonic())

    def close(self) -> None:
        """Listens no more."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", str(self._path))
        self._thread.join()
        self._socket.close()

    def longest_stall(self, since: float) -> float:
        """The longest time since then, beyond the usual, in which it was not fed."""
        times = [since, *(moment for moment in self._fed if moment > since), time.monotonic()]
        return max(0.0, max(later - earlier for earlier, later in zip(times, times[1:], strict=False)) - _FEED_SECONDS)


@dataclass(frozen=True)
class Waits:
    """How long pings took, in milliseconds.

    In seconds, how long the watchdog starved, and how long the daemon needed afterwards.
    """

    milliseconds: list[float]
    stall: float
    recovery: float | None

    def at(self, share: float) -> float:
        """The wait that this share does not exceed."""
        return self.milliseconds[min(len(self.milliseconds) - 1, int(share * len(self.milliseconds)))]

    @property
    def row(self) -> list[str]:
        """The figures as the table shows them."""
        waits = [self.at(0.5), self.at(0.99), self.at(0.999), self.milliseconds[-1]]
        fed = "fed" if self.stall < _LONGEST_STALL else "STARVED"
        recovery = f"over {_LONGEST_WAIT:g}" if self.recovery is None else number(self.recovery)
        return [*map(number, waits), number(self.stall), fed, recovery]


@dataclass(frozen=True)
class Crowd:
    """What each run begins with: a state directory that is copied for it, and what floods need to know of it."""

    setting: Setting
    state: Path
    long: Sequence[Checkout]
    live: Sequence[Checkout]
    seconds: float

    @classmethod
    def gather(cls, setting: Setting, seconds: float) -> Crowd:
        """Makes the checkouts, which are the flooding user's, and a store of the size that it is to have."""
        _, directory = setting.state("crowded")
        state = Path(directory)
        with ExitStack() as stack:
            daemon = _start(setting, stack, state)
            long = _fill(setting, daemon, state)
            live = list(daemon.make_checkouts(LIVE - len(long), ACH, USER))
        say(f"the store has {_size(state) / 1e6:.0f} MB")
        return cls(setting, state, long, live, seconds)

    def beside(self, names: Sequence[str]) -> Waits:
        """The waits beside these floods, of a daemon that takes up the state."""
        directory = self.setting.disk / "crowded-copy"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(self.state, directory)
        with ExitStack() as stack:
            watchdog = Watchdog(self.setting.scratch / "notify")
            stack.callback(watchdog.close)
            daemon = _start(self.setting, stack, directory, watchdog.prefix)
            stack.callback(daemon.process.kill)
            path = daemon.process.socket_path
            with running(names, Stage(path, self.setting.sandbox.port, self.long, self.live)):
                spans, stall = _ping(path, self.seconds, watchdog)
            waits = Waits(spans, stall, _recovery(path))
        say(f"beside {' and '.join(names) or 'nothing'}: p99.9 {number(waits.at(0.999))} ms")
        return waits


def _start(setting: Setting, stack: ExitStack, state: Path, prefix: Sequence[str] = ()) -> Daemon:
    """Starts a daemon that everybody may connect to, with the bounds on connections that the product comes with."""
    setting.scratch.chmod(0o755)
    path = setting.scratch / "crowded"
    connections = ("--max-connections-per-uid", str(CONNECTIONS), "--max-connection-rate", "500")
    bounds = (*connections, "--max-checkouts-per-uid", str(2 * LIVE))
    daemon = Daemon(setting.daemon, setting.sandbox, path, ("--state-directory", str(state), *bounds), prefix)
    stack.callback(daemon.stop)
    path.chmod(0o666)
    return daemon


def _size(state: Path) -> int:
    return sum(path.stat().st_size for path in state.iterdir())


def _fill(setting: Setting, daemon: Daemon, state: Path) -> list[Checkout]:
    """Makes checkouts in which so much has happened that the store is as large as it is to be."""
    checkouts: list[Checkout] = []
    deadline = time.monotonic() + _FILLING
    while _size(state) < STORE_BYTES and time.monotonic() < deadline:
        some = list(daemon.make_checkouts(_LONG_CHECKOUTS, ACH, USER))
        checkouts += some
        values = setting.scratch / "long.components"
        values.write_text("".join(f"{checkout.component_id}\n" for checkout in some))
        # Of each checkout so many events are kept, and no more.
        before, size = 0, _size(state)
        while before < size < STORE_BYTES and time.monotonic() < deadline:
            setting.generator.load(daemon.process, update("", values), len(some), 16)
            before, size = size, _size(state)
    return checkouts


def _ping(path: Path, seconds: float, watchdog: Watchdog) -> tuple[list[float], float]:
    """How long pings of the other user's take, in milliseconds, and how long the watchdog starves.

    There is one each five milliseconds, counted from the moment that it is due. Those that cannot be sent in time,
    since others are not answered yet, have waited all the same.
    """
    waits = []
    began = time.monotonic()
    dues = [began + place * _INTERVAL for place in range(int(seconds / _INTERVAL))]
    with on_cpu(GENERATOR_CPU), contextlib.suppress(TimeoutError), _connected(path) as connected:
        for due in dues:
            if time.monotonic() > began + seconds + _INTERVAL:
                break
            time.sleep(max(0.0, due - time.monotonic()))
            connected.sendall(_PING)
            if not connected.recv(4096).endswith(b"\n"):
                raise DidNotRun("a ping was not answered in one piece")
            waits.append((time.monotonic() - due) * 1000)
    ended = time.monotonic()
    waits += [(ended - due) * 1000 for due in dues[len(waits) :]]
    return sorted(waits), watchdog.longest_stall(began)


def _recovery(path: Path) -> float | None:
    """How many seconds the daemon needs to answer when nobody floods it any more; None if it takes too long."""
    began = time.monotonic()
    with contextlib.suppress(TimeoutError), _connected(path) as connected:
        connected.sendall(_PING)
        if connected.recv(4096):
            return time.monotonic() - began
    return None


def _connected(path: Path) -> socket.socket:
    """A connection of the other user's."""
    connected = socket.socket(socket.AF_UNIX)
    connected.settimeout(_LONGEST_WAIT)
    with acting_as(OTHER_USER):
        connected.connect(str(path))
    return connected


def crowded(setting: Setting) -> str:
    """A table of the waits: alone, beside each flood, and beside all at once, each from the same state."""
    if os.geteuid() != 0:
        raise DidNotRun("only root can be two users")
    crowd = Crowd.gather(setting, 2.0 if setting.is_quick else 6.0)
    runs: dict[str, list[str]] = {"nothing": [], **{name: [name] for name in FLOODS}, "all at once": list(FLOODS)}
    waits: dict[str, Waits] = {}
    problems = []
    for title, names in runs.items():
        try:
            waits[title] = crowd.beside(names)
        except (DidNotRun, OSError) as problem:
            problems.append(f"beside {title}: {problem}")
    heads = ["another user does", "p50 ms", "p99 ms", "p99.9 ms", "worst ms", "stall s", "watchdog", "over after s"]
    lines = [
        f"A user's ping beside another user's floods, {crowd.seconds:g} s each, {CONNECTIONS} connections",
        table(heads, [[title, *wait.row] for title, wait in waits.items()]),
        *problems,
    ]
    if waits:
        worst = max(waits, key=lambda title: waits[title].at(0.999))
        verdict = "met" if waits[worst].at(0.999) < TARGET_MS else "missed"
        lines.append(f"The worst: {worst}. Target p99.9 < {TARGET_MS:g} ms: {verdict}")
    return "\n".join(lines)
