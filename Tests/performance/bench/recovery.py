"""How long the daemon takes to take up many live checkouts after a crash, and how much they need."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from bench.daemon import IDEAL
from bench.machine import memory
from bench.report import number, table
from bench.setting import Setting, say


def recovery(setting: Setting, count: int) -> str:
    """Makes so many checkouts with a loaded list of banks each, kills the daemon and starts it again."""
    options = setting.state("recovery")
    with ExitStack() as stack:
        daemon = setting.start_daemon(stack, "recovery", *options)
        empty = memory(daemon.process.pid).rss
        for made, _ in enumerate(daemon.make_checkouts(count, IDEAL), 1):
            if made % 10_000 == 0:
                say(f"{made} checkouts")
        before = memory(daemon.process.pid).rss
        daemon.process.kill()
    size = sum(file.stat().st_size for file in Path(options[1]).glob("checkoutd.sqlite*"))
    with ExitStack() as stack:
        daemon = setting.start_daemon(stack, "recovery", *options)
        after = memory(daemon.process.pid).rss
        rows = [
            ["live checkouts", number(count)],
            ["first reply after the crash", f"{daemon.process.first_reply_ms:,.0f} ms"],
            ["RSS before the crash", f"{before / 1000:.1f} MB, {(before - empty) / count:.2f} kB each"],
            ["RSS after it", f"{after / 1000:.1f} MB, {(after - empty) / count:.2f} kB each"],
            ["on the disk", f"{size / 1e6:.1f} MB, {size / count / 1000:.2f} kB each"],
        ]
    return "Recovery, each checkout with twelve banks\n" + table(["figure", ""], rows)
