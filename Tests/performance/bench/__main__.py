"""The command line of the benchmark."""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.crowded import crowded
from bench.daemon import Sandbox
from bench.footprint import run_first_reply, run_memory
from bench.generator import Generator
from bench.growth import growth_with_checkouts, growth_with_connections
from bench.machine import allow_descriptors
from bench.profile import instructions, system_calls
from bench.recovery import recovery
from bench.report import figures_json, figures_table
from bench.scenarios import run_loads
from bench.servers import DidNotRun
from bench.setting import Setting, say
from bench.soak import soak
from bench.stuck import stuck

# Of the descriptors of the generator, what is left for others than connections.
_OTHER_DESCRIPTORS = 50


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/performance/run", description="Measures checkoutd beside its peers.")
    parser.add_argument("--quick", action="store_true", help="in less than a minute: limit, Redis, uvloop and us")
    parser.add_argument("--json", action="store_true", help="print one object; the tables go to the standard error")
    parser.add_argument("--rounds", type=int, help="samples of each (4 if quick, else 7)")
    parser.add_argument("--growth", action="store_true", help="the cost of a call by connections and checkouts")
    parser.add_argument("--recovery", type=int, metavar="N", help="taking up so many checkouts after a crash")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="mixed load for so long: memory")
    parser.add_argument("--stuck", action="store_true", help="a client's latency beside stuck ones, and beside floods")
    parser.add_argument("--profile", action="store_true", help="system calls, instructions, allocations of a call")
    parser.add_argument("--scratch-path", metavar="DIR", help="build there, not in .build")
    parser.add_argument("--daemon", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tools", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def _scenarios(setting: Setting, as_json: bool) -> None:
    figures, details = run_loads(setting)
    figures += run_memory(setting) + run_first_reply(setting)
    text = "\n\n".join([*details, figures_table(figures)])
    if as_json:
        say(text)
        print(figures_json(figures))
    else:
        print(text)


def main() -> None:
    """Runs what the arguments ask for."""
    arguments = _arguments()
    is_quick = arguments.quick
    descriptors = allow_descriptors()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="checkoutd-bench-")))
        disk = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=arguments.tools)))
        sandbox = Sandbox(scratch)
        stack.callback(sandbox.stop)
        generator = Generator(
            arguments.tools / "generator",
            warm_up=0.1 if is_quick else 0.25,
            duration=0.3 if is_quick else 1.0,
            retries=0 if is_quick else 2,
        )
        rounds = arguments.rounds or (4 if is_quick else 7)
        setting = Setting(arguments.daemon, arguments.tools, scratch, disk, generator, rounds, is_quick, sandbox)
        if arguments.growth:
            print(growth_with_connections(setting, descriptors - _OTHER_DESCRIPTORS))
            print(f"\n{growth_with_checkouts(setting)}")
        if arguments.recovery:
            print(recovery(setting, arguments.recovery))
        if arguments.soak:
            print(soak(setting, arguments.soak))
        if arguments.stuck:
            print(stuck(setting), flush=True)
            print(f"\n{crowded(setting)}")
        if arguments.profile:
            print(f"{system_calls(setting)}\n\n{instructions(setting)}")
        chosen = (arguments.growth, arguments.recovery, arguments.soak, arguments.stuck, arguments.profile)
        if not any(chosen):
            _scenarios(setting, arguments.json)


try:
    main()
except DidNotRun as problem:
    say(f"did not run: {problem}")
    sys.exit(1)
