"""One payment with a power failure at one point, and whether what has to outlast one is there after it."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence

from crash.disk import NOTHING, SHARES, power_failure
from crash.durable import DurableDaemon
from crash.flow import Flow, Shopper
from crash.preload import Trace, journalled, started_again
from crash.sweep import ONCE_ONLY, OPTIONS, Outcome
from support.client import CallError
from support.lines import Event, JsonObject
from support.sandbox import Sandbox, Session

# The calls whose effect outlasts it, if they were answered.
_LASTING = ("decide", "cancel", "reportBankAccount", "acceptMandate")
_NEXT_START = "0f0e0d0c-0b0a-4908-8706-050403020100"


class Survivor(Shopper):
    """Goes on with what is there after a power failure, and knows what has to be."""

    def __init__(
        self, daemon: DurableDaemon, session: Session, flow: Flow, later: Sequence[Mapping[str, str]] = ()
    ) -> None:
        super().__init__(daemon, session, flow, later)
        self._lasting: list[Event] = []

    def _revive(self) -> None:
        for client in self._clients[-1:]:
            client.read_to_end()
        self._lasting += [event for event in self.received + self.history if event.is_terminal]
        self._promises = [promise for promise in self._promises if promise.call.startswith(_LASTING)]
        self._clients, self.history = [], []
        super()._revive()

    def _may_be_another(self) -> bool:
        return not self._lasting and not self._promises

    def faults(self, snapshot: JsonObject, *, is_torn: bool) -> Iterator[str]:
        """What no power failure excuses; one within a flush does that nothing more was sent."""
        payments = self.session.payments
        if len(payments) > 1:
            yield f"paid {len(payments)} times: {payments}"
        if [event.seq for event in self.history] != list(range(1, len(self.history) + 1)):
            yield f"events are missing or doubled: {self.history}"
        if lost := [event for event in self._lasting if event not in self.history]:
            yield f"ends are lost: {lost}"
        if [event for event in self.history if event.is_terminal] != self.history[-1:]:
            yield f"not one end at the end: {self.history}"
        if snapshot["outcome"] not in (self._flow.outcome, "unknown"):
            yield f"the outcome should be {self._flow.outcome}: {snapshot}"
        if len(payments) < self._flow.payment_count and not is_torn:
            yield f"there are {len(payments)} payments: {snapshot}"


def pay_through_power_failure(
    sandbox: Sandbox, flow: Flow, crash_at: int, seed: int, *, is_harshest: bool = False, loses_flushes: bool = False
) -> Outcome:
    """Pays; the power fails at that point of the daemon's first run, and chance decides what the disk has then.

    The harshest failure leaves what was flushed, and nothing else.
    """
    sandbox.reset()
    daemon = DurableDaemon(sandbox.port, OPTIONS)
    trace = Trace(daemon.directory / "trace", crash_at)
    journal = daemon.directory / "journal"
    chance = random.Random(f"{flow.name} {crash_at} {seed}")
    daemon.meanwhile = lambda: power_failure(journal, daemon.state, chance, NOTHING if is_harshest else SHARES)
    survivor = Survivor(daemon, sandbox.session(**flow.session), flow, [started_again(_NEXT_START)])
    faults: list[str] = []
    try:
        daemon.start_to_crash({**trace.environment, **journalled(journal, loses_flushes=loses_flushes)})
        snapshot = survivor.pay()
        survivor.stop()
        # A commit about money that was being flushed looks like one that was lost afterwards, which is damage.
        is_torn = trace.letters.endswith("y") and snapshot.get("error", {}).get("errorId") == "state-restored"
        faults += survivor.faults(snapshot, is_torn=is_torn)
        if flow.outcome != "unknown" and not is_torn:
            faults += _repeat_faults(sandbox, snapshot)
    except (AssertionError, CallError, subprocess.TimeoutExpired) as error:
        faults.append(f"{type(error).__name__}: {error}")
    finally:
        letters = trace.letters
        daemon.close()
    return Outcome(letters, survivor.crash_count, faults)


def _repeat_faults(sandbox: Sandbox, snapshot: JsonObject) -> Iterator[str]:
    """An outcome is unknown only where something was sent again that is done only once."""
    sent: Sequence[JsonObject] = [request for request in sandbox.all_requests() if request["endpoint"] in ONCE_ONLY]
    endpoints = [request["endpoint"] for request in sent]
    if snapshot["outcome"] == "unknown" and len(set(endpoints)) == len(endpoints):
        yield f"the outcome is unknown, though nothing was repeated: {snapshot}"
