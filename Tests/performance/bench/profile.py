"""Where a call's time goes: system calls, instructions and allocations for each."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.daemon import ACH, Daemon, update
from bench.machine import GENERATOR_CPU
from bench.report import table
from bench.servers import TIMEOUT, DidNotRun, Request
from bench.setting import Setting, say

_CONNECTIONS = 50
_TOP = 25
_SECONDS = 2.0


def _drive(setting: Setting, path: Path, request: Request) -> int:
    """Sends requests for a while; returns how many were answered."""
    command = [str(setting.tools / "generator"), "load", "--path", str(path), "--cpu", str(GENERATOR_CPU)]
    command += ["--connections", str(_CONNECTIONS), "--warm-up", "0.01", "--duration", str(_SECONDS)]
    for text in request.texts:
        command += ["--request", text]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if ended.returncode != 0:
        raise DidNotRun(ended.stderr.strip())
    count: int = json.loads(ended.stdout)["requests"]
    return count


def _requests(daemon: Daemon) -> dict[str, Request]:
    (checkout,) = daemon.make_checkouts(1, ACH)
    return {"system.ping": daemon.process.server.ping, "component.updateCollectedData": update(checkout.component_id)}


# System calls


def _await_tracer(pid: int) -> None:
    """Waits until another process traces this one."""
    deadline = time.monotonic() + TIMEOUT
    while re.search(r"^TracerPid:\t0$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE):
        if time.monotonic() > deadline:
            raise DidNotRun("strace does not begin")


def system_calls(setting: Setting) -> str:
    """How often a call enters the kernel, and what for."""
    if not shutil.which("strace"):
        say("left out: strace is not installed")
        return ""
    texts = []
    with ExitStack() as stack:
        daemon = setting.start_daemon(stack, "traced")
        for title, request in _requests(daemon).items():
            report = setting.scratch / "strace"
            command = ["strace", "-f", "-c", "-o", str(report), "-p", str(daemon.process.pid)]
            tracer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _await_tracer(daemon.process.pid)
            count = _drive(setting, daemon.process.socket_path, request)
            tracer.send_signal(signal.SIGINT)
            tracer.wait(15)
            counts = [(name, times / count) for name, times in _counts(report.read_text())]
            rows = [[name, f"{times:.3f}"] for name, times in counts if times >= 0.005]
            texts.append(f"System calls of a {title}, {_CONNECTIONS} connections\n" + table(["call", "times"], rows))
    return "\n\n".join(texts)


def _counts(report: str) -> list[tuple[str, int]]:
    """The names and numbers in what strace counted."""
    line = re.compile(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+)(?: +\d+)? +(\w+)$", re.MULTILINE)
    return [(found[2], int(found[1])) for found in line.finditer(report) if found[2] != "total"]


# Instructions


@dataclass
class CallGraph:
    """What callgrind saw: instructions by function, with and without those of functions called, and calls."""

    own: Counter[str] = field(default_factory=Counter)
    inclusive: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, text: str) -> CallGraph:
        """Reads a file in callgrind's format, whose names are abbreviated after their first use."""
        graph, names = cls(), dict[str, str]()
        function = called = ""
        is_call = False
        for line in text.splitlines():
            key, _, value = line.partition("=")
            if key in ("fn", "cfn"):
                number, _, name = value.partition(" ")
                names.setdefault(number, name.partition("'")[0])
                function, called = (names[number], called) if key == "fn" else (function, names[number])
            elif key == "calls":
                graph.calls[called] += int(value.split()[0])
                is_call = True
            elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
                cost = int(line.split()[1])
                (graph.inclusive if is_call else graph.own)[called if is_call else function] += cost
                is_call = False
        return graph


def _demangled(names: Sequence[str]) -> list[str]:
    if not shutil.which("swift"):
        return list(names)
    command = ["swift", "demangle", "--simplified", "--compact"]
    ended = subprocess.run(command, input="\n".join(names), capture_output=True, text=True, check=True)
    return ended.stdout.splitlines()


def instructions(setting: Setting) -> str:
    """How many instructions a call takes outside the kernel, where, and how much memory it asks for."""
    if not (shutil.which("valgrind") and shutil.which("objcopy")):
        say("left out: valgrind or objcopy is not installed")
        return ""
    # valgrind cannot read the debugging information that the compiler writes; the symbols are enough.
    program = setting.scratch / "checkoutd.symbols"
    subprocess.run(["objcopy", "--strip-debug", setting.daemon, program], check=True)
    texts = []
    with ExitStack() as stack:
        output = setting.scratch / "callgrind"
        prefix = ("valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={output}")
        daemon = Daemon(program, setting.sandbox, setting.scratch / "counted", prefix=prefix)
        stack.callback(daemon.stop)
        for number, (title, request) in enumerate(_requests(daemon).items(), 1):
            _control(daemon, "--instr=on")
            count = _drive(setting, daemon.process.socket_path, request)
            _control(daemon, "--instr=off")
            _control(daemon, "--dump")
            texts.append(_budget(title, CallGraph.read(Path(f"{output}.{number}").read_text()), count))
    return "\n\n".join(texts)


def _control(daemon: Daemon, request: str) -> None:
    subprocess.run(["callgrind_control", request, str(daemon.process.pid)], capture_output=True, check=True)


def _budget(title: str, graph: CallGraph, count: int) -> str:
    total = sum(graph.own.values())
    allocations = graph.calls["malloc"] / count
    head = f"A {title}: {total / count:,.0f} instructions outside the kernel, {allocations:.1f} allocations"
    parts = []
    for what, costs in (("by itself", graph.own), ("with what it calls", graph.inclusive)):
        most = costs.most_common(_TOP)
        names = _demangled([name for name, _ in most])
        rows = [
            [name[:100], f"{cost / count:,.0f}", f"{cost / total:.1%}"]
            for name, (_, cost) in zip(names, most, strict=True)
        ]
        parts.append(table([what, "instructions", "share"], rows))
    return "\n\n".join([head, *parts])
