"""What one user can do to keep others waiting: each flood is a process of that user's, with many connections."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.daemon import Checkout, Sandbox
from bench.machine import GENERATOR_CPU, on_cpu
from bench.setting import say

USER = 61071
CONNECTIONS = 256
LIVE = 1000

_LINE = 1024 * 1024
_DEPTH = 64
_BATCH = 64
_READ = 256 * 1024
_NEVER = ["checkout.willUpdateClientSession"]
_SUBSCRIPTION = re.compile(rb'"subscriptionId":"([^"]+)"')
# So that who is measured always has the CPU that the floods share with it.
_NICE = 10


def _line(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"


@dataclass(frozen=True)
class Stage:
    """What floods need: a daemon, its sandbox, checkouts with many events, and others; all are the flooding user's."""

    path: Path
    sandbox_port: int
    long: Sequence[Checkout]
    live: Sequence[Checkout]


class _Pump:
    """Connections that send their texts one after the other, without a pause, and read or do not read."""

    def __init__(self, path: Path, texts: Callable[[int], Iterator[bytes]], count: int, *, reads: bool) -> None:
        self._path, self._texts, self._reads = path, texts, reads
        self._poll = select.epoll()
        self._open: dict[int, tuple[socket.socket, Iterator[bytes]]] = {}
        self._rest: dict[int, memoryview] = {}
        for number in range(count):
            self._connect(number)

    def _connect(self, number: int) -> None:
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(self._path))
        connected.setblocking(False)
        self._open[connected.fileno()] = (connected, self._texts(number))
        self._rest[connected.fileno()] = memoryview(b"")
        self._poll.register(connected, select.EPOLLOUT | (select.EPOLLIN if self._reads else 0))

    def run(self) -> None:
        """Goes on until the process is ended."""
        for number in itertools.count():
            for descriptor, events in self._poll.poll():
                try:
                    if events & select.EPOLLIN and not self._open[descriptor][0].recv(_READ):
                        raise ConnectionResetError
                    if events & (select.EPOLLOUT | select.EPOLLHUP | select.EPOLLERR):
                        self._send(descriptor)
                except BlockingIOError:
                    continue
                except OSError:
                    self._open.pop(descriptor)[0].close()
                    self._connect(number)

    def _send(self, descriptor: int) -> None:
        connected, texts = self._open[descriptor]
        rest = self._rest[descriptor] or memoryview(next(texts))
        self._rest[descriptor] = rest[connected.send(rest) :]


# The floods


def _unmatched_reads(stage: Stage, count: int) -> None:
    def texts(number: int) -> Iterator[bytes]:
        checkout = stage.long[number % len(stage.long)]
        read = _line("events.read", checkoutId=checkout.id, types=_NEVER)[:-1]
        return itertools.repeat(b"[" + b",".join([read] * _BATCH) + b"]\n")

    _Pump(stage.path, texts, count, reads=True).run()


def _subscriptions(stage: Stage, count: int) -> None:
    """Subscribes to everything and takes it back, on one connection after the other."""
    connections = []
    for _ in range(count):
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(stage.path))
        connected.sendall(_line("events.subscribe"))
        connections.append((connected, connected.makefile("rb")))
    while True:
        for connected, lines in connections:
            while not (found := _SUBSCRIPTION.search(lines.readline()[:300])):
                pass
            connected.sendall(_line("events.unsubscribe", subscriptionId=found[1].decode()) + _line("events.subscribe"))


def _starts_and_cancels(stage: Stage, count: int) -> None:
    sandbox = Sandbox.at(stage.sandbox_port)

    def texts(number: int) -> Iterator[bytes]:
        for place in itertools.count():
            key = f"{number}-{place}-{time.monotonic_ns()}"
            start = _line("checkout.start", clientToken=sandbox.client_token(), startKey=key)
            yield start + _line("checkout.cancel", checkoutId={"startKey": key})

    _Pump(stage.path, texts, count, reads=True).run()


def _deep_lines(stage: Stage, count: int) -> None:
    head = b'{"jsonrpc":"2.0","id":1,"method":"system.echo","params":'
    levels = _DEPTH - 1
    text = head + b"[" * levels
    padding = (_LINE - len(text) - levels - 16) // 3
    text += b"[]," * padding + b"0" + b"]" * levels + b"}\n"
    _Pump(stage.path, lambda number: itertools.repeat(text), count, reads=True).run()


def _unread_replies(stage: Stage, count: int) -> None:
    text = _line("rpc.discover") * 16
    _Pump(stage.path, lambda number: itertools.repeat(text), count, reads=False).run()


def _connects(stage: Stage, count: int) -> None:
    while True:
        for _ in range(10):
            with socket.socket(socket.AF_UNIX) as connected, contextlib.suppress(OSError):
                connected.connect(str(stage.path))
        time.sleep(0.01)


def _replays(stage: Stage, count: int) -> None:
    def texts(number: int) -> Iterator[bytes]:
        return itertools.repeat(_line("events.subscribe", checkoutId=stage.long[number % len(stage.long)].id, after=0))

    _Pump(stage.path, texts, count, reads=True).run()


def _keystrokes(stage: Stage, count: int) -> None:
    def texts(number: int) -> Iterator[bytes]:
        mine = stage.live[number::count] or stage.live[:1]
        for name in itertools.cycle(("Ada", "Grace")):
            for checkout in mine:
                data = {"firstName": name}
                yield _line("component.updateCollectedData", componentId=checkout.component_id, data=data)

    _Pump(stage.path, texts, count, reads=True).run()


FLOODS: dict[str, Callable[[Stage, int], None]] = {
    f"reads that match nothing, {_BATCH} in a batch": _unmatched_reads,
    "subscribing to all, unsubscribing": _subscriptions,
    "start and cancel pairs": _starts_and_cancels,
    f"1 MiB lines, nested {_DEPTH} deep": _deep_lines,
    "rpc.discover, unread": _unread_replies,
    "connecting and closing": _connects,
    "replays from 0": _replays,
    f"keystrokes in {LIVE} checkouts": _keystrokes,
}


@contextlib.contextmanager
def running(names: Sequence[str], stage: Stage) -> Iterator[None]:
    """These floods run within, and share the connections that the user may have."""
    pids = [_fork(FLOODS[name], stage, CONNECTIONS // len(names) - 1) for name in names]
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _fork(flood: Callable[[Stage, int], None], stage: Stage, count: int) -> int:
    with on_cpu(GENERATOR_CPU):
        pid = os.fork()
    if pid:
        return pid
    try:
        os.nice(_NICE)
        os.setresuid(USER, USER, USER)
        flood(stage, count)
    except BaseException as error:
        say(f"a flood has ended: {error!r}")
    finally:
        os._exit(1)
