"""How long one user's ping waits while another user does what it can, with the bounds that the product comes with."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.daemon import ACH, Checkout, Daemon, acting_as, update
from bench.floods import FLOODS, LIVE, USER, Stage, running
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
# A ping that takes longer ends the run beside that flood.
_LONGEST_WAIT = 60.0
# How long the daemon may take to be itself again.
_RECOVERY = 600.0
_LONG_CHECKOUTS = 25
# The unit's watchdog waits 30 s and is fed every 15; here it is fed more often, to see how long the loop stands still.
_FEED_SECONDS = 0.5
_LONGEST_STALL = 15.0


class Watchdog:
    """The service manager's end of the notification socket: when the daemon has fed the watchdog."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        path.chmod(0o666)
        self.prefix = ("env", f"NOTIFY_SOCKET={path}", f"WATCHDOG_USEC={int(2e6 * _FEED_SECONDS)}")
        self._fed: list[float] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            if b"WATCHDOG=1" in self._socket.recv(4096):
                self._fed.append(time.monotonic())

    def longest_stall(self, since: float) -> float:
        """The longest time since then, beyond the usual, in which it was not fed."""
        times = [since, *(moment for moment in self._fed if moment > since), time.monotonic()]
        return max(0.0, max(later - earlier for earlier, later in zip(times, times[1:], strict=False)) - _FEED_SECONDS)


@dataclass(frozen=True)
class Waits:
    """How long pings took, in milliseconds, and how long the watchdog starved, in seconds."""

    milliseconds: list[float]
    stall: float

    def at(self, share: float) -> float:
        """The wait that this share does not exceed."""
        return self.milliseconds[min(len(self.milliseconds) - 1, int(share * len(self.milliseconds)))]

    @property
    def row(self) -> list[str]:
        """The figures as the table shows them."""
        waits = [self.at(0.5), self.at(0.99), self.at(0.999), self.milliseconds[-1]]
        fed = "fed" if self.stall < _LONGEST_STALL else "STARVED"
        return [*map(number, waits), number(self.stall), fed]


def _ping(path: Path, seconds: float, watchdog: Watchdog) -> Waits:
    """Pings of the other user's, one each five milliseconds, each counted from the moment that it was due.

    Those that could not be sent in time, since others were not answered yet, have waited all the same.
    """
    waits = []
    with on_cpu(GENERATOR_CPU), _connected(path, _LONGEST_WAIT) as connected:
        began = time.monotonic()
        dues = [began + place * _INTERVAL for place in range(int(seconds / _INTERVAL))]
        for due in dues:
            if time.monotonic() > began + seconds + _INTERVAL:
                break
            time.sleep(max(0.0, due - time.monotonic()))
            connected.sendall(_PING)
            try:
                answer = connected.recv(4096)
            except TimeoutError:
                break
            if not answer.endswith(b"\n"):
                raise DidNotRun("a ping was not answered in one piece")
            waits.append((time.monotonic() - due) * 1000)
        ended = time.monotonic()
    waits += [(ended - due) * 1000 for due in dues[len(waits) :]]
    return Waits(sorted(waits), watchdog.longest_stall(began))


def _connected(path: Path, timeout: float) -> socket.socket:
    """A connection of the other user's."""
    connected = socket.socket(socket.AF_UNIX)
    connected.settimeout(timeout)
    with acting_as(OTHER_USER):
        connected.connect(str(path))
    return connected


def _beside(names: Sequence[str], stage: Stage, seconds: float, watchdog: Watchdog) -> Waits:
    """The waits beside these floods; afterwards the daemon has got over them."""
    with running(names, stage):
        waits = _ping(stage.path, seconds, watchdog)
    with _connected(stage.path, _RECOVERY) as connected:
        connected.sendall(_PING)
        if not connected.recv(4096):
            raise DidNotRun("the daemon does not get over a flood")
    say(f"beside {' and '.join(names)}: p99.9 {number(waits.at(0.999))} ms")
    return waits


def _fill(setting: Setting, daemon: Daemon, state: Path) -> list[Checkout]:
    """Checkouts of the flooding user's with so many events that the store is as large as it is to be."""
    long = list(daemon.make_checkouts(_LONG_CHECKOUTS, ACH, USER))
    values = setting.scratch / "long.components"
    values.write_text("".join(f"{checkout.component_id}\n" for checkout in long))
    while (size := sum(path.stat().st_size for path in state.iterdir())) < STORE_BYTES:
        setting.generator.load(daemon.process, update("", values), _LONG_CHECKOUTS, 16)
    say(f"the store has {size / 1e6:.0f} MB")
    return long


def crowded(setting: Setting) -> str:
    """A table of the waits: alone, beside each flood, and beside all at once."""
    if os.geteuid() != 0:
        raise DidNotRun("only root can be two users")
    seconds = 2.0 if setting.is_quick else 10.0
    waits: dict[str, Waits] = {}
    with ExitStack() as stack:
        setting.scratch.chmod(0o755)
        watchdog = Watchdog(setting.scratch / "notify")
        options = setting.state("crowded")
        connections = ("--max-connections-per-uid", "256", "--max-connection-rate", "500")
        bounds = (*connections, "--max-checkouts-per-uid", str(2 * LIVE))
        path = setting.scratch / "crowded"
        daemon = Daemon(setting.daemon, setting.sandbox, path, (*options, *bounds), watchdog.prefix)
        stack.callback(daemon.stop)
        path.chmod(0o666)
        stage = Stage.build(daemon, setting.sandbox, _fill(setting, daemon, Path(options[1])))
        waits["nothing"] = _ping(path, seconds, watchdog)
        for name in FLOODS:
            waits[name] = _beside([name], stage, seconds, watchdog)
        waits["all at once"] = _beside(list(FLOODS), stage, seconds, watchdog)
    worst = max(waits, key=lambda name: waits[name].at(0.999))
    heads = ["another user does", "p50 ms", "p99 ms", "p99.9 ms", "worst ms", "stall s", "watchdog"]
    verdict = "met" if waits[worst].at(0.999) < TARGET_MS else "missed"
    return (
        f"A user's ping beside another user's floods, {seconds:g} s each\n"
        + table(heads, [[name, *wait.row] for name, wait in waits.items()])
        + f"\nThe worst: {worst}. Target p99.9 < {TARGET_MS:g} ms: {verdict}"
    )
