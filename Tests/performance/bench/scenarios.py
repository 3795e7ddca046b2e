"""The scenarios with a load: everything that belongs together is measured in turn, and compared within one run."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from bench import servers
from bench.daemon import ACH, Checkout, Daemon, is_durable, update, validation_events
from bench.generator import Sample
from bench.report import Figure, number, table
from bench.servers import Process, Server
from bench.setting import Setting, say

CONNECTIONS = 50

Take = Callable[[], Sample]
Samples = Mapping[str, Sequence[Sample]]


def interleave(takes: Mapping[str, Take], rounds: int, what: str) -> dict[str, list[Sample]]:
    """Takes samples of all in turn, each round from another one on."""
    names = list(takes)
    samples: dict[str, list[Sample]] = {name: [] for name in names}
    for round in range(rounds):
        start = round % len(names)
        for name in names[start:] + names[:start]:
            samples[name].append(takes[name]())
    say(f"{what}: " + ", ".join(f"{name} {number(_rate(samples, name))}/s" for name in names))
    return samples


def _rate(samples: Samples, name: str) -> float:
    return statistics.median(sample.rate for sample in samples[name])


def _cpu(samples: Samples, name: str) -> float:
    return statistics.median(sample.cpu_us for sample in samples[name])


def _figure(
    name: str, samples: Samples, ours: str, limit: str, target: float, peers: Sequence[str] = (), remark: str = ""
) -> Figure:
    """The ratio of two medians of the whole run, and its spread over the rounds."""
    pairs = zip(samples[ours], samples[limit], strict=True)
    ratios = [mine.rate / theirs.rate for mine, theirs in pairs]
    reference = _rate(samples, limit)
    return Figure(
        name,
        "/s",
        _rate(samples, ours),
        target,
        reference,
        limit,
        spread=(min(ratios), max(ratios)),
        peers={peer: _rate(samples, peer) / reference for peer in peers},
        remark=remark,
    )


def details(what: str, samples: Samples) -> str:
    """All that is known about a group of samples."""
    rows = []
    for name, taken in samples.items():
        columns = [statistics.median(values) for values in zip(*(_columns(sample) for sample in taken), strict=True)]
        rows.append([name, *map(number, columns)])
    return f"{what}\n{table(['server', 'rate/s', 'CPU µs', 'p50 µs', 'p99 µs', 'foreign CPUs'], rows)}"


def _columns(sample: Sample) -> tuple[float, ...]:
    return (sample.rate, sample.cpu_us, sample.p50_us, sample.p99_us, sample.foreign_cpus)


@dataclass
class Loads:
    """All servers that are put under load, running side by side."""

    setting: Setting
    daemon: Daemon
    checkouts: list[Checkout]
    notes: int
    others: dict[str, Process]

    @classmethod
    def start(cls, setting: Setting, stack: ExitStack) -> Loads:
        """Starts all servers, and makes the checkouts."""
        daemon = setting.start_daemon(stack, "checkoutd")
        checkouts = list(daemon.make_checkouts(CONNECTIONS, ACH))
        notes, note_bytes = daemon.note_size(checkouts[0])
        say(f"an update publishes {notes} events of {note_bytes} bytes")
        wanted: list[Server | str] = [
            servers.limit(setting.tools / "echo", notes, note_bytes),
            servers.redis(notes, note_bytes),
            servers.uvloop(setting.tools / "venv" / "bin" / "python", notes, note_bytes),
        ]
        if not setting.is_quick:
            wanted += [servers.redis_set(None), servers.node(notes, note_bytes)]
            wanted += [servers.go(setting.tools, notes, note_bytes)]
        others = {}
        for server in wanted:
            if isinstance(server, str):
                say(f"left out: {server}")
            else:
                others[server.name] = setting.start(stack, server)
        return cls(setting, daemon, checkouts, notes, others)

    @property
    def peers(self) -> list[str]:
        """The others but the limit."""
        return [name for name in self.others if name != "limit"]

    def _load(self, process: Process, request: servers.Request, in_flight: int = 1) -> Take:
        return lambda: self.setting.generator.load(process, request, CONNECTIONS, in_flight)

    def _own_components(self, checkouts: Sequence[Checkout], name: str) -> servers.Request:
        values = self.setting.scratch / f"{name}.components"
        values.write_text("".join(f"{checkout.component_id}\n" for checkout in checkouts))
        return update("", values)

    # Groups

    def calls(self) -> tuple[list[Figure], str]:
        """Calls at 1 in flight: pings beside all others, updates beside pings."""
        takes = {name: self._load(process, process.server.ping) for name, process in self.others.items()}
        ours = self.daemon.process
        takes["ping"] = self._load(ours, ours.server.ping)
        takes["update"] = self._load(ours, self._own_components(self.checkouts, "ephemeral"))
        what = f"{CONNECTIONS} connections, 1 in flight"
        samples = interleave(takes, self.setting.rounds, what)
        ping = _figure("ping_50x1", samples, "ping", "limit", 0.85, self.peers)
        if "redis" in self.others:
            ping = Figure(**{**vars(ping), "ahead_of": ("redis",)})
        reference = _cpu(samples, "limit")
        cpu = Figure(
            "ping_50x1_cpu",
            "µs",
            _cpu(samples, "ping"),
            1.25,
            reference,
            at_least=False,
            peers={peer: _cpu(samples, peer) / reference for peer in self.peers},
        )
        figures = [ping, cpu, _figure("update_ephemeral", samples, "update", "ping", 0.6)]
        return figures, details(what, samples)

    def many_in_flight(self) -> tuple[list[Figure], str]:
        """Pings at 16 in flight."""
        takes = {name: self._load(process, process.server.ping, 16) for name, process in self.others.items()}
        takes["ping"] = self._load(self.daemon.process, self.daemon.process.server.ping, 16)
        what = f"{CONNECTIONS} connections, 16 in flight"
        samples = interleave(takes, self.setting.rounds, what)
        return [_figure("ping_50x16", samples, "ping", "limit", 0.4, self.peers)], details(what, samples)

    def fan_out(self, in_flight: int, target: float) -> tuple[list[Figure], str]:
        """Validation events to subscribers; the others send as many notifications of the same size."""

        def take(process: Process, fan_out: servers.FanOut) -> Take:
            return lambda: self.setting.generator.fan_out(process, fan_out, CONNECTIONS, in_flight)

        takes = {
            name: take(process, fan_out)
            for name, process in self.others.items()
            if (fan_out := process.server.fan_out) is not None
        }
        peers = [name for name in takes if name != "limit"]
        takes["events"] = take(self.daemon.process, validation_events(self.checkouts[0], self.notes))
        what = f"{CONNECTIONS} subscribers, {in_flight} updates in flight"
        samples = interleave(takes, self.setting.rounds, what)
        name = f"fan_out_50x{in_flight}"
        return [_figure(name, samples, "events", "limit", target, peers)], details(what, samples)

    def durable(self) -> tuple[list[Figure], list[str]]:
        """Durable updates beside ephemeral ones, and flushed ones beside what the disk allows."""
        if not is_durable(self.setting.daemon):
            say("left out: this checkoutd keeps nothing on the disk yet")
            return [], []
        with ExitStack() as stack:
            normal = self.setting.start_daemon(stack, "durable", *self.setting.state("normal"))
            always = self.setting.start_daemon(stack, "flushed", *self.setting.state("always"), "--sync", "always")
            takes = {"ephemeral": self._load(self.daemon.process, self._own_components(self.checkouts, "ephemeral"))}
            for name, daemon in (("durable", normal), ("flushed", always)):
                checkouts = list(daemon.make_checkouts(CONNECTIONS, ACH))
                takes[name] = self._load(daemon.process, self._own_components(checkouts, name))
            takes["50-row commits"] = self._commits
            redis = "" if self.setting.is_quick else servers.redis_set(self.setting.disk / "redis")
            if isinstance(redis, Server):
                process = self.setting.start(stack, redis)
                takes[redis.name] = self._load(process, process.server.ping)
            what = f"{CONNECTIONS} connections, 1 update in flight, kept on the disk"
            samples = interleave(takes, self.setting.rounds, what)
        peers = [redis.name] if isinstance(redis, Server) else []
        figures = [
            _figure("update_durable", samples, "durable", "ephemeral", 0.55),
            _figure("update_sync_always", samples, "flushed", "50-row commits", 0.5, peers),
        ]
        return figures, [details(what, samples)]

    def _commits(self) -> Sample:
        command = [str(self.setting.tools / "commits"), str(self.setting.disk), str(self.setting.generator.duration)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        return Sample(json.loads(ended.stdout)["rows_per_s"], 0, 0, 0, 0)


def run_loads(setting: Setting) -> tuple[list[Figure], list[str]]:
    """All scenarios with a load."""
    with ExitStack() as stack:
        loads = Loads.start(setting, stack)
        groups = [loads.calls(), loads.many_in_flight(), loads.fan_out(1, 0.9), loads.fan_out(16, 0.6)]
        figures, texts = loads.durable()
    figures = [figure for group in groups for figure in group[0]] + figures
    return figures, [text for _, text in groups] + texts
