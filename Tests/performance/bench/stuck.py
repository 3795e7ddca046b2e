"""What clients that read nothing cost those that do: the latency of a healthy client, with and without them."""

from __future__ import annotations

import json
import socket
import statistics
import time
from contextlib import ExitStack
from pathlib import Path

from bench.daemon import ACH, Caller, Checkout
from bench.machine import GENERATOR_CPU, on_cpu
from bench.report import number, table
from bench.servers import TIMEOUT, DidNotRun
from bench.setting import Setting, say

STUCK = 50

_PING = b'{"jsonrpc":"2.0","id":1,"method":"system.ping"}\n'
_ECHO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "system.echo", "params": ["e" * 16_000]}).encode() + b"\n"
# A reader that is stuck must stay for the whole run.
_OPTIONS = ("--ephemeral", "--slow-reader-timeout", "3600000", "--max-queue", "1048576")
_QUEUE = 1_048_576
# No further round is begun after so many seconds.
_LONGEST = 40.0


def _latencies(path: Path, calls: int) -> list[float]:
    """The microseconds of so many pings, one after the other."""
    with on_cpu(GENERATOR_CPU), socket.socket(socket.AF_UNIX) as connected:
        connected.settimeout(TIMEOUT)
        connected.connect(str(path))
        spans = []
        for _ in range(calls):
            start = time.perf_counter_ns()
            connected.sendall(_PING)
            if not connected.recv(4096).endswith(b"\n"):
                raise DidNotRun("a ping was not answered in one piece")
            spans.append((time.perf_counter_ns() - start) / 1000)
    return spans


class _Stuck:
    """Clients that read nothing: every other one is owed replies, the rest events."""

    def __init__(self, path: Path, checkout: Checkout) -> None:
        self._sockets = []
        subscribe = {"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"checkoutId": checkout.id}}
        for place in range(STUCK):
            connected = socket.socket(socket.AF_UNIX)
            connected.connect(str(path))
            connected.setblocking(False)
            self._sockets.append(connected)
            if place % 2:
                connected.send(json.dumps(subscribe).encode() + b"\n")
        self._rests = {connected: memoryview(b"") for connected in self._sockets[::2]}
        deadline = time.monotonic() + 4 * TIMEOUT
        caller = Caller(path)
        while not self._are_stuck(caller):
            self._push()
            update = {"componentId": checkout.component_id, "data": {"firstName": "Ada"}}
            for _ in range(20):
                caller.call("component.updateCollectedData", **update)
            if time.monotonic() > deadline:
                raise DidNotRun("clients that read nothing do not get stuck")
        caller.close()

    def _push(self) -> None:
        """Asks for more, as far as the daemon reads."""
        for connected, rest in self._rests.items():
            try:
                while True:
                    rest = rest or memoryview(_ECHO)
                    rest = rest[connected.send(rest) :]
            except BlockingIOError:
                self._rests[connected] = rest

    @staticmethod
    def _are_stuck(caller: Caller) -> bool:
        entries = caller.call("system.connections")["connections"]
        stuck_ones = [entry for entry in entries if entry["queuedBytes"] >= _QUEUE or entry["lost"] > 0]
        return len(stuck_ones) >= STUCK

    def close(self) -> None:
        """Lets them go."""
        for connected in self._sockets:
            connected.close()


def stuck(setting: Setting) -> str:
    """The percentiles of a healthy client's latency, alone and beside clients that are stuck, in turn."""
    # Many short rounds: what else the machine does disturbs some of them, not the median.
    calls, rounds = 2000, 5 * setting.rounds
    found: dict[str, list[list[float]]] = {"alone": [], f"beside {STUCK} stuck": []}
    alone, beside = found.values()
    with ExitStack() as stack:
        daemon = setting.start_daemon(stack, "stuck", *_OPTIONS)
        (checkout,) = daemon.make_checkouts(1, ACH)
        path = daemon.process.socket_path
        _latencies(path, calls)
        began = time.monotonic()
        while len(alone) < rounds and time.monotonic() < began + _LONGEST:
            alone.append(_latencies(path, calls))
            readers = _Stuck(path, checkout)
            beside.append(_latencies(path, calls))
            readers.close()
        worse = [_p99(later) / _p99(earlier) for earlier, later in zip(alone, beside, strict=True)]
        say(f"p99 beside stuck ones to p99 alone, round by round: median {statistics.median(worse):.2f}")
    rows = []
    for name, samples in found.items():
        columns = [[_p50(spans), _p99(spans), max(spans)] for spans in samples]
        rows.append([name, *(number(statistics.median(column)) for column in zip(*columns, strict=True))])
    heads = ["a healthy client", "p50 µs", "p99 µs", "max µs"]
    return f"Latency of a ping, medians of {len(alone)} rounds of {calls}\n" + table(heads, rows)


def _p50(spans: list[float]) -> float:
    return statistics.median(spans)


def _p99(spans: list[float]) -> float:
    return statistics.quantiles(spans, n=100)[98]
