"""In what order the linker is to lay out functions, so that few pages hold those that are used."""

from __future__ import annotations

import re
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from bench.daemon import ACH, IDEAL, Caller, Daemon
from bench.servers import DidNotRun
from bench.setting import Setting

_HEAD = """\
# The functions that a start needs, then those that a checkout needs beside: for the linker, so that few pages hold them.
# Made by `Tests/performance/run --order`; a name that is no more is passed over, one that is missing costs a page.
"""
_CALLED = re.compile(r"^c?fn=\(\d+\) (\S+)", re.MULTILINE)


def symbol_order(setting: Setting) -> str:
    """The names of the functions, a line each, as `--symbol-ordering-file` takes them."""
    program = setting.scratch / "checkoutd.symbols"
    subprocess.run(["objcopy", "--strip-debug", setting.daemon, program], check=True)
    output = setting.scratch / "order"
    prefix = ("valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={output}")
    with ExitStack() as stack:
        options = setting.state("order")
        daemon = Daemon(program, setting.sandbox, setting.scratch / "ordered", options, prefix=prefix)
        stack.callback(daemon.stop)
        _call(daemon)
        subprocess.run(["callgrind_control", "--dump", str(daemon.process.pid)], capture_output=True, check=True)
        for kind in (ACH, IDEAL):
            list(daemon.make_checkouts(2, kind))
        _call(daemon)
    dumps = [Path(f"{output}.1"), output]
    if not all(dump.exists() for dump in dumps):
        raise DidNotRun("callgrind left no dump")
    own = _functions(program)
    names = dict.fromkeys(name for dump in dumps for name in sorted(_called(dump) & own))
    return _HEAD + "\n".join(names)


def _call(daemon: Daemon) -> None:
    caller = Caller(daemon.process.socket_path)
    caller.call("system.status")
    caller.close()
    time.sleep(0.1)


def _called(dump: Path) -> set[str]:
    # A function that calls itself is told apart by how deep it is.
    return {name.partition("'")[0] for name in _CALLED.findall(dump.read_text())}


def _functions(program: Path) -> set[str]:
    listing = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    return {fields[2] for line in listing.splitlines() if len(fields := line.split()) == 3 and fields[1] in "tTwW"}
