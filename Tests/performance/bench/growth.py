"""How the cost of a call grows with connections and with live checkouts: it should not."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from contextlib import ExitStack

from bench import servers
from bench.daemon import ACH, Checkout, update
from bench.machine import memory
from bench.report import number, table
from bench.setting import Setting, say

CONNECTIONS = (1, 10, 100, 1000, 4000)
CHECKOUTS = (1, 1000, 10_000, 100_000)

_CALLERS = 50


def growth_with_connections(setting: Setting, most: int) -> str:
    """The CPU time of a ping on so many busy connections, beside the limit's."""
    rows = []
    with ExitStack() as stack:
        ours = setting.start_daemon(stack, "growth").process
        limit = setting.start(stack, servers.limit(setting.tools / "echo", 1, 80))
        for count in CONNECTIONS:
            if count > most:
                say(f"left out: {count} connections, for {most} descriptors may be open")
                continue
            costs: dict[str, list[float]] = {"ours": [], "limit": []}
            for _ in range(setting.rounds):
                for name, process in (("ours", ours), ("limit", limit)):
                    sample = setting.generator.load(process, process.server.ping, count, 1)
                    costs[name].append(sample.cpu_us)
            mine, theirs = statistics.median(costs["ours"]), statistics.median(costs["limit"])
            rows.append([number(count), f"{mine:.2f}", f"{theirs:.2f}", f"{mine / theirs:.2f}"])
            say(f"{count} connections: {mine:.2f} µs a ping, limit {theirs:.2f} µs")
    return "Growth with connections, CPU µs a ping\n" + table(["connections", "ours", "limit", "ratio"], rows)


def growth_with_checkouts(setting: Setting, counts: Sequence[int] = CHECKOUTS) -> str:
    """The CPU time of an update on 50 connections, each with a checkout of its own among so many live ones."""
    rows: list[list[str]] = []
    chance = random.Random(1)
    with ExitStack() as stack:
        daemon = setting.start_daemon(stack, "growth")
        checkouts: list[Checkout] = []
        first = 0.0
        for count in counts:
            checkouts += daemon.make_checkouts(count - len(checkouts), ACH)
            chosen = chance.sample(checkouts, min(_CALLERS, count))
            values = setting.scratch / "growth.components"
            values.write_text("".join(f"{checkout.component_id}\n" for checkout in chosen))
            samples = [
                setting.generator.load(daemon.process, update("", values), _CALLERS, 1) for _ in range(setting.rounds)
            ]
            cost = statistics.median(sample.cpu_us for sample in samples)
            first = first or cost
            megabytes = memory(daemon.process.pid).rss / 1000
            rows.append([number(count), f"{cost:.2f}", f"{cost / first:.2f}", f"{megabytes:.0f}"])
            say(f"{count} live checkouts: {cost:.2f} µs an update, RSS {megabytes:.0f} MB")
    heads = ["live checkouts", "CPU µs", "to the first", "RSS MB"]
    return "Growth with live checkouts, an update on 50 connections\n" + table(heads, rows)
