"""The scenarios without a load: memory at rest, and how soon the first reply comes."""

from __future__ import annotations

import socket
import statistics
import time
from contextlib import ExitStack
from pathlib import Path

from bench import servers
from bench.daemon import IDEAL, is_durable
from bench.machine import Memory, memory
from bench.report import Figure
from bench.servers import Server
from bench.setting import Setting, say

_IDLE_CONNECTIONS = 1000
# So many checkouts come before the first look, so that what is made once is there, and the store's cache is full.
_FIRST_CHECKOUTS = 600
_SETTLING = 0.3


def _settled(pid: int) -> Memory:
    time.sleep(_SETTLING)
    return memory(pid)


def _open(path: Path, ping: str, count: int) -> list[socket.socket]:
    """Connections that have had one call answered each."""
    opened = []
    for _ in range(count):
        connected = socket.socket(socket.AF_UNIX)
        connected.settimeout(servers.TIMEOUT)
        connected.connect(str(path))
        connected.sendall(ping.replace("%ID%", "1").encode() + b"\n")
        connected.recv(4096)
        opened.append(connected)
    return opened


def _per_connection(process: servers.Process) -> float:
    """Bytes of RSS, in kB, for each idle connection."""
    before = _settled(process.pid)
    connections = _open(process.socket_path, process.server.ping.texts[0], _IDLE_CONNECTIONS)
    after = _settled(process.pid)
    for connection in connections:
        connection.close()
    return (after.rss - before.rss) / _IDLE_CONNECTIONS


def _others(setting: Setting) -> list[Server]:
    known = [servers.limit(setting.tools / "echo", 1, 80), servers.redis(1, 80)]
    return [server for server in known if isinstance(server, Server)]


def run_memory(setting: Setting) -> list[Figure]:
    """Memory at rest, for each idle connection and for each live checkout."""
    peers_rss, peers_dirty, peers_connection = {}, {}, {}
    for server in _others(setting):
        with ExitStack() as stack:
            process = setting.start(stack, server)
            idle = _settled(process.pid)
            peers_rss[server.name] = idle.rss / 1000
            peers_dirty[server.name] = idle.private_dirty / 1000
            peers_connection[server.name] = _per_connection(process)
    with ExitStack() as stack:
        options = setting.state("idle") if is_durable(setting.daemon) else ()
        process = setting.start_daemon(stack, "idle", *options).process
        idle = _settled(process.pid)
        connection = _per_connection(process)
    return [
        Figure(
            "memory_idle_rss", "MB", idle.rss / 1000, 10, at_least=False, peers=peers_rss,
            remark=f"PSS {idle.pss / 1000:.1f} MB; peers' figures are MB too",
        ),
        Figure("memory_idle_private_dirty", "MB", idle.private_dirty / 1000, 1.5, at_least=False, peers=peers_dirty),
        Figure("memory_per_connection", "kB", connection, 1, at_least=False, peers=peers_connection),
        _per_checkout(setting),
        _per_record(setting),
    ]


def _per_checkout(setting: Setting) -> Figure:
    """RSS for each live checkout with one component that has loaded twelve banks."""
    count = 300 if setting.is_quick else 1000
    found = {}
    for name, is_wanted in (("durable", is_durable(setting.daemon)), ("ephemeral", True)):
        if not is_wanted:
            continue
        with ExitStack() as stack:
            options = setting.state("checkouts") if name == "durable" else ("--ephemeral",)
            daemon = setting.start_daemon(stack, f"{name}-checkouts", *options)
            list(daemon.make_checkouts(_FIRST_CHECKOUTS, IDEAL))
            before = _settled(daemon.process.pid)
            list(daemon.make_checkouts(count, IDEAL))
            found[name] = (_settled(daemon.process.pid).rss - before.rss) / count
    measured, kilobytes = next(iter(found.items()))
    remark = f"{measured}, {count} checkouts"
    if measured == "durable":
        remark += f"; ephemeral, where their events are in memory too, {found['ephemeral']:.1f} kB"
    return Figure("memory_per_checkout", "kB", kilobytes, 8, at_least=False, remark=remark)


def _per_record(setting: Setting) -> Figure:
    """RSS for each checkout that is over and of which a record with its start key is left."""
    count = 1000 if setting.is_quick else 5000
    with ExitStack() as stack:
        options = setting.state("records") if is_durable(setting.daemon) else ("--ephemeral",)
        # One that ends has the one before wiped.
        daemon = setting.start_daemon(stack, "records", *options, "--max-ended-per-uid", "1")
        daemon.make_records(_FIRST_CHECKOUTS)
        before = _settled(daemon.process.pid)
        daemon.make_records(count)
        found = (_settled(daemon.process.pid).rss - before.rss) / count
    return Figure("memory_per_record", "kB", found, 2, at_least=False, remark=f"{count} records")


def run_first_reply(setting: Setting) -> list[Figure]:
    """From the start of the process to its first reply, with an empty store, beside Redis."""
    rounds = 5 if setting.is_quick else 15
    others = _others(setting)
    times: dict[str, list[float]] = {name: [] for name in [*(server.name for server in others), "checkoutd"]}
    for round in range(rounds):
        for server in others:
            with ExitStack() as stack:
                times[server.name].append(setting.start(stack, server).first_reply_ms)
        with ExitStack() as stack:
            options = setting.state(f"first-{round}") if is_durable(setting.daemon) else ()
            times["checkoutd"].append(setting.start_daemon(stack, "first", *options).process.first_reply_ms)
    medians = {name: statistics.median(values) for name, values in times.items()}
    if "redis" not in medians:
        say("left out: the first reply is compared with that of Redis, which is not there")
        return []
    ours = medians.pop("checkoutd")
    reference = medians["redis"]
    pairs = [mine / theirs for mine, theirs in zip(times["checkoutd"], times["redis"], strict=True)]
    return [
        Figure(
            "first_reply", "ms", ours, 1, reference, "redis", at_least=False, spread=(min(pairs), max(pairs)),
            peers={"limit": medians["limit"] / reference},
        )
    ]
