"""One payment with a crash at one point, and whether everything is as promised after it."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from crash.durable import DATABASE, DurableDaemon
from crash.flow import Flow, Shopper
from crash.preload import Trace
from support.checkout import IDEAL
from support.client import CallError
from support.lines import JsonObject
from support.sandbox import Sandbox

OPTIONS = ("--create-payment-timeout", "300")

# What must not be carried out twice, so that the answer to a repeat does not say what the lost one said.
ONCE_ONLY = ("payments", "resume", "complete")
# Those of which a question cannot find out what the lost answer said: it said more than a status, or none.
_UNASKABLE = ("payments", "complete")


@dataclass(frozen=True)
class Outcome:
    """What came of a payment: how often the daemon died, and what is not as it should be."""

    letters: str
    crash_count: int
    faults: Sequence[str]


def pay(sandbox: Sandbox, flow: Flow, *crash_at: int) -> Outcome:
    """Pays; the daemon's first run dies at the first of these points, the next at the next."""
    sandbox.reset()
    session = sandbox.session(**flow.session)
    daemon = DurableDaemon(sandbox.port, OPTIONS)
    traces = [Trace(daemon.directory / f"trace-{run}", point) for run, point in enumerate(crash_at or (0,))]
    first, *later = [trace.environment for trace in traces]
    shopper = Shopper(daemon, session, flow, later)
    faults: list[str] = []
    try:
        daemon.start_to_crash(first)
        snapshot = shopper.pay()
        shopper.stop()
        payments = session.payments
        requests = [request for request in sandbox.all_requests() if not request["path"].startswith("/sandbox/")]
        lost = _lost_answer(traces[0], requests) if shopper.crash_count == 1 else None
        # Of a payment that the merchant's server made, the daemon knows what the client told it.
        is_told = flow.handling == "auto" or flow.method == IDEAL
        faults += _faults(shopper, snapshot, payments)
        if is_told and payments and snapshot.get("payment", {}).get("id") != payments[0]["id"]:
            faults.append(f"the end does not name {payments[0]['id']}: {snapshot}")
        faults += _repeat_faults(requests)
        if left := sorted(set(daemon.files()) - {DATABASE, f"{DATABASE}-wal", "reserve"}):
            faults.append(f"left behind: {left}")
        if shopper.crash_count < 2:
            faults += _outcome_faults(flow, snapshot, payments, lost)
    except (AssertionError, CallError, subprocess.TimeoutExpired) as error:
        faults.append(f"{type(error).__name__}: {error}")
    finally:
        letters = traces[0].letters
        daemon.close()
    return Outcome(letters, shopper.crash_count, faults)


def pay_together(sandbox: Sandbox, flows: Sequence[Flow], crash_at: int = 0) -> Outcome:
    """Pays all of that at once, by one daemon, whose turns then hold several checkouts; it dies at that point."""
    sandbox.reset()
    daemon = DurableDaemon(sandbox.port, OPTIONS)
    trace = Trace(daemon.directory / "trace", crash_at)
    shoppers = [Shopper(daemon, sandbox.session(**flow.session), flow) for flow in flows]
    faults: list[str] = []
    try:
        daemon.start_to_crash(trace.environment)
        with ThreadPoolExecutor(len(shoppers)) as pool:
            snapshots = list(pool.map(Shopper.pay, shoppers))
        daemon.kill()
        for shopper, flow, snapshot in zip(shoppers, flows, snapshots, strict=True):
            payments = shopper.session.payments
            faults += _faults(shopper, snapshot, payments)
            if len(payments) != 1 or snapshot["payment"]["id"] != payments[0]["id"]:
                faults.append(f"there are {payments}, told is {snapshot}")
            if snapshot["outcome"] not in (flow.outcome, "unknown"):
                faults.append(f"the outcome should be {flow.outcome}: {snapshot}")
        unknown = [snapshot for snapshot in snapshots if snapshot["outcome"] == "unknown"]
        if len(unknown) > len(repeated := _repeated(sandbox.all_requests())):
            faults.append(f"{len(unknown)} outcomes are unknown, and repeated was {repeated}")
    except (AssertionError, CallError, subprocess.TimeoutExpired) as error:
        faults.append(f"{type(error).__name__}: {error}")
    finally:
        letters = trace.letters
        daemon.close()
    return Outcome(letters, max(shopper.crash_count for shopper in shoppers), faults)


def _repeated(requests: Sequence[JsonObject]) -> list[str]:
    """What was sent more than once though it must not be done twice, by any checkout."""
    sent = Counter(
        (request["endpoint"], request["headers"]["primer-sdk-checkout-session-id"])
        for request in requests
        if request["endpoint"] in ONCE_ONLY
    )
    return [endpoint for (endpoint, _), count in sent.items() if count > 1]


def _lost_answer(trace: Trace, requests: Sequence[JsonObject]) -> str | None:
    """The endpoint of the request that had been sent when the daemon died, its answer not yet committed."""
    letters = trace.letters
    sent = _places(letters, "st")
    if not sent:
        return None
    answers = [place for place in _places(letters, "r") if place > sent[-1]]
    # The last point is the one that the daemon died at: a page that it was to write has not been written.
    commits = [place for place in _places(letters, "Hp") if answers and place > answers[0]]
    if any(place + 2 < len(letters) for place in commits):
        return None
    return str(requests[len(sent) - 1]["endpoint"])


def _places(letters: str, what: str) -> list[int]:
    return [place for place in range(len(letters)) if letters.startswith(what, place)]


def _faults(shopper: Shopper, snapshot: JsonObject, payments: Sequence[JsonObject]) -> Iterator[str]:
    """What no crash excuses."""
    history = shopper.history
    if len(payments) > 1:
        yield f"paid {len(payments)} times: {payments}"
    if [event.seq for event in history] != list(range(1, len(history) + 1)):
        yield f"events are missing or doubled: {history}"
    if shopper.received != history:
        yield f"subscriptions brought {shopper.received}, kept are {history}"
    if [event for event in history if event.is_terminal] != history[-1:]:
        yield f"not one end at the end: {history}"
    end = history[-1].params
    if (end["outcome"], end.get("payment")) != (snapshot["outcome"], snapshot.get("payment")):
        yield f"the snapshot has another end than {end}: {snapshot}"


def _repeat_faults(requests: Sequence[JsonObject]) -> Iterator[str]:
    """What repeats of a request must have in common."""
    for endpoint in ONCE_ONLY:
        sent = [request for request in requests if request["endpoint"] == endpoint]
        if any(request["body"] != sent[0]["body"] for request in sent):
            yield f"{endpoint} was repeated with another body"
        if len({request["headers"].get("x-idempotency-key") for request in sent}) > 1:
            yield f"{endpoint} was repeated with another key"


def _outcome_faults(
    flow: Flow, snapshot: JsonObject, payments: Sequence[JsonObject], lost: str | None
) -> Iterator[str]:
    """The outcome is unknown just where the answer to what is done only once was lost, and nobody can be asked."""
    expected = "unknown" if lost in _UNASKABLE else flow.outcome
    if snapshot["outcome"] != expected:
        yield f"the outcome should be {expected} after the answer of {lost} was lost: {snapshot}"
    elif lost in _UNASKABLE and snapshot["error"]["errorId"] != "outcome-unknown":
        yield f"the outcome is unknown for another reason: {snapshot}"
    if len(payments) != flow.payment_count:
        yield f"there are {len(payments)} payments"
