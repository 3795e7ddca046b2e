"""A soak: calls and events, connections that come and go, checkouts that start and end, a sandbox that restarts."""

from __future__ import annotations

import itertools
import time
from contextlib import ExitStack

from bench.daemon import ACH, IDEAL, Caller, Checkout, Daemon, options_of, update, validation_events
from bench.machine import memory
from bench.report import table
from bench.servers import DidNotRun
from bench.setting import Setting, say

_CHECKOUTS = 50
_CONNECTIONS = 200
_SETTLED_AFTER = 60.0
_LOOK_EVERY = 10.0
# The data of an ended checkout is wiped, and its outcome forgotten, so soon that the number of both settles early.
_SHORT_RETENTION = {"--retention": "1000", "--outcome-retention": "5000"}


def _churn_connections(daemon: Daemon) -> None:
    callers = [Caller(daemon.process.socket_path) for _ in range(_CONNECTIONS)]
    for caller in callers:
        caller.call("system.ping")
        caller.call("events.subscribe", types=["checkout."])
    for caller in callers:
        caller.close()


def _churn_checkouts(daemon: Daemon) -> None:
    caller = Caller(daemon.process.socket_path)
    for kind in (ACH, IDEAL):
        for checkout in daemon.make_checkouts(10, kind):
            caller.call("checkout.get", checkoutId=checkout.id)
            caller.call("checkout.cancel", checkoutId=checkout.id)
    caller.close()


def _lose_upstream(setting: Setting, daemon: Daemon) -> None:
    """Restarts the sandbox, which breaks every kept connection to it and forgets all sessions; then a start works."""
    setting.sandbox.stop()
    setting.sandbox.start()
    caller = Caller(daemon.process.socket_path)
    token = setting.sandbox.client_token()
    started = caller.call("checkout.start", clientToken=token)
    caller.call("checkout.cancel", checkoutId=started["checkoutId"])
    caller.close()


def _load(setting: Setting, daemon: Daemon, checkouts: list[Checkout]) -> None:
    values = setting.scratch / "soak.components"
    values.write_text("".join(f"{checkout.component_id}\n" for checkout in checkouts))
    setting.generator.load(daemon.process, update("", values), _CHECKOUTS, 4)
    setting.generator.load(daemon.process, daemon.process.server.ping, _CHECKOUTS, 16)
    setting.generator.fan_out(daemon.process, validation_events(checkouts[0], 2), 20, 4)


def soak(setting: Setting, seconds: float) -> str:
    """Mixed load for so long; the memory after the first minute, and at the end."""
    known = options_of(setting.daemon)
    options = [part for name, value in _SHORT_RETENTION.items() if name in known for part in (name, value)]
    looks: list[tuple[float, int]] = []
    with ExitStack() as stack:
        daemon = setting.start_daemon(stack, "soak", "--ephemeral", *options)
        checkouts = list(daemon.make_checkouts(_CHECKOUTS, ACH))
        start = time.monotonic()
        for turn in itertools.count(1):
            _load(setting, daemon, checkouts)
            _churn_connections(daemon)
            _churn_checkouts(daemon)
            if turn % 5 == 0:
                _lose_upstream(setting, daemon)
            setting.sandbox.forget_requests()
            daemon.process.check()
            passed = time.monotonic() - start
            if not looks or passed - looks[-1][0] >= _LOOK_EVERY or passed >= seconds:
                looks.append((passed, memory(daemon.process.pid).rss))
                say(f"{passed:.0f} s: {looks[-1][1] / 1000:.1f} MB")
            if passed >= seconds:
                break
    settled = next((rss for passed, rss in looks if passed >= min(_SETTLED_AFTER, seconds / 2)), None)
    if settled is None:
        raise DidNotRun("the soak was too short")
    rows = [[f"{passed:.0f} s", f"{rss / 1000:.1f}", f"{rss / settled:.3f}"] for passed, rss in looks]
    text = table(["after", "RSS MB", "to the first minute"], rows)
    return f"Soak, {seconds:.0f} s, {turn} turns of calls, events, churn and restarts\n{text}"
