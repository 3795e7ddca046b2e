"""The rules: what must be there after a restart, who may start, and whether outcomes agree with the truth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from oracle.known import FREEING, Known, Reply, ask, read_all, written
from oracle.ledger import Ledger, Payment
from oracle.upstream import Request, Upstream
from support.client import Client
from support.lines import Event, JsonObject

_ENDED_STATES = ("completed", "failed")
_MONEY_CALLS = ("create", "resume", "complete", "poll")


# Starting


def may_start(
    client: Client, started: Known, checkouts: Iterable[Known], ledger: Ledger, snapshot: JsonObject
) -> Iterator[str]:
    """What is wrong with a start that was let through: others may hold its client session."""
    holders = []
    for other in checkouts:
        if other is started or other.session is not started.session or not other.id:
            continue
        found = ask(client, "checkout.get", checkoutId=other.id).result
        outcome = found.get("outcome")
        if outcome is None and snapshot.get("outcome") is None:
            yield f"two live checkouts of one session: {other.id} and {started.id}"
        elif outcome is not None and outcome not in FREEING:
            holders.append((other.id, outcome))
    if started.allows_repeat:
        yield from names_what_it_repeats(started, holders, snapshot)
        return
    for id, outcome in holders:
        # The daemon may have asked, and heard that the payment has failed.
        if outcome != "unknown" or not _have_failed(ledger, started):
            yield f"the session of {id} ({outcome}) is given to {started.id}"


def names_what_it_repeats(
    started: Known, holders: Sequence[tuple[str, str]], snapshot: JsonObject
) -> Iterator[str]:
    """What is wrong with the reply to a start that overrides others."""
    repeated = snapshot.get("repeats")
    outcomes = [outcome for _, outcome in holders]
    if holders and (repeated is None or repeated["outcome"] not in outcomes):
        yield f"{started.id} overrides {holders} and names {repeated}"


def _have_failed(ledger: Ledger, started: Known) -> bool:
    with ledger.lock:
        return all(payment.has_failed for payment in ledger.payments.values() if payment.session is started.session)


# After a restart


def verify(client: Client, checkout: Known, streams: Sequence[dict[tuple[str, int], str]]) -> Iterator[str]:
    """What of a checkout is not as it was promised."""
    found = ask(client, "checkout.get", checkoutId=checkout.id)
    if not found.is_good:
        yield f"{checkout.id} is gone: {found}"
        return
    snapshot = found.result
    if snapshot["state"] == "archived":
        return
    events = read_all(client, checkout.id)
    if isinstance(events, Reply):
        yield f"the events of {checkout.id} cannot be read: {events}"
        return
    yield from _verify_events(checkout, snapshot, events)
    now = {event.seq: written(event) for event in events}
    for seq, event in checkout.events.items():
        if now.get(seq) != event:
            yield f"{checkout.id}: event {seq} was {event[:300]} and is {str(now.get(seq))[:300]}"
    for stream in streams:
        for (id, seq), event in stream.items():
            if id == checkout.id and now.get(seq) != event:
                yield f"{checkout.id}: event {seq} was sent as {event[:300]} and is {str(now.get(seq))[:300]}"
    for what, holds in checkout.promises.items():
        if not holds(snapshot, events):
            yield f"{checkout.id}: not so any more: {what}; state {snapshot['state']}, {snapshot['components']}"
    checkout.events = now
    checkout.snapshot = snapshot


def _verify_events(checkout: Known, snapshot: JsonObject, events: Sequence[Event]) -> Iterator[str]:
    seqs = [event.seq for event in events]
    if seqs != list(range(1, len(seqs) + 1)):
        yield f"{checkout.id}: events {seqs}"
    if snapshot["seq"] > len(seqs):
        yield f"{checkout.id}: {len(seqs)} events, and a snapshot after {snapshot['seq']}"
    ends = [event for event in events if event.is_terminal]
    if len(ends) > 1 or (ends and ends[0] is not events[-1]):
        yield f"{checkout.id}: ends in the midst of {[event.label for event in events]}"
    if snapshot["seq"] == len(seqs) and bool(ends) != (snapshot["state"] in _ENDED_STATES):
        yield f"{checkout.id}: in state {snapshot['state']} after {[event.label for event in events]}"


# At the end


class Truth:
    """The outcomes of a schedule beside the ledger."""

    def __init__(self, upstream: Upstream, checkouts: Sequence[Known], end_count: int) -> None:
        self._upstream = upstream
        self._checkouts = [checkout for checkout in checkouts if checkout.id and checkout.snapshot]
        self._end_count = end_count

    def problems(self) -> Iterator[str]:
        """What does not agree."""
        with self._upstream.ledger.lock:
            yield from self._twice_paid()
            for checkout in self._checkouts:
                payments = self._payments_of(checkout)
                about = f"{checkout}, upstream has {[str(payment) for payment in payments]}, {self._story(checkout)}"
                for problem in self._dishonesty(checkout, payments):
                    yield f"{problem}: {about}"

    def problems_after_rewind(self, continued: Sequence[Known]) -> Iterator[str]:
        """What does not agree once the daemon's state has gone back: of what it told before, only the money counts."""
        with self._upstream.ledger.lock:
            yield from self._twice_paid(counts_failed=False)
            for checkout in continued:
                if checkout.id and checkout.outcome == "success":
                    payments = self._payments_of(checkout)
                    yield from (f"gone back, {problem}: {checkout}" for problem in self._dishonesty(checkout, payments))

    def unknowns(self) -> Iterator[str]:
        """The checkouts of which the daemon could not say how they ended, for whoever reads the log."""
        for checkout in self._checkouts:
            if checkout.outcome == "unknown":
                payments = [str(payment) for payment in self._payments_of(checkout)]
                yield f"unknown: {checkout}, upstream has {payments}, {self._story(checkout)}"

    def _names(self, checkout: Known) -> set[str]:
        """What the daemon's requests call the checkout: those with its own client token tell."""
        claims_of = self._upstream.ledger.access_of(checkout.params["clientToken"])
        return {request.checkout for request in self._upstream.requests if request.access == claims_of}

    def _requests(self, checkout: Known) -> list[Request]:
        names = self._names(checkout)
        return [
            request
            for request in self._upstream.requests
            if request.checkout in names and request.kind in _MONEY_CALLS
        ]

    def _story(self, checkout: Known) -> str:
        return "requests " + " ".join(str(request) for request in self._requests(checkout)[-12:])

    def _payments_of(self, checkout: Known) -> list[Payment]:
        names = self._names(checkout)
        return [
            payment
            for payment in self._upstream.ledger.payments.values()
            if payment.created_by in names or payment is checkout.backend_payment
        ]

    def _twice_paid(self, *, counts_failed: bool = True) -> Iterator[str]:
        """Twice in a checkout never; in a session only where a client has asked for it, or the first has failed."""
        by_checkout, by_session = defaultdict(list), defaultdict(list)
        keyed = {checkout.own_key for checkout in self._checkouts if checkout.own_key}
        repeating = {name for checkout in self._checkouts if checkout.allows_repeat for name in self._names(checkout)}
        # A mandate that was declined, or an account that was not given, leaves its payment pending; the session may go on
        # to another. A state that was copied by hand may not know of that, and accept the mandate after all; nor may it
        # know that a client has decided on a key.
        given_up = {name for one in self._checkouts if one.outcome in FREEING for name in self._names(one)}
        for payment in self._upstream.ledger.payments.values():
            if payment.created_by is None:
                continue
            if counts_failed or not (payment.has_failed or payment.key in keyed):
                by_checkout[payment.created_by].append(payment)
            if payment.created_by in given_up and not (counts_failed and payment.moves):
                continue
            if not payment.has_failed and payment.key not in keyed and payment.created_by not in repeating:
                by_session[payment.session.id].append(payment)
        for place, groups in (("checkout", by_checkout), ("client session", by_session)):
            for name, payments in groups.items():
                if len(payments) > 1:
                    yield f"paid twice in one {place}: {name} {[str(payment) for payment in payments]}"

    def _dishonesty(self, checkout: Known, payments: Sequence[Payment]) -> Iterator[str]:
        """What an outcome says that is not so."""
        outcome, told = checkout.snapshot.get("outcome"), checkout.payment
        named = next((payment for payment in payments if payment.id == told.get("id")), None)
        if named is None and told.get("existing"):
            named = self._existing(checkout)
        if told.get("id") and named is None:
            yield "it names a payment that is not its own"
        if outcome == "success" and not (named and named.has_succeeded):
            yield "success, and no money has moved"
        if outcome == "pending" and not (named and not named.has_failed):
            yield "pending, and nothing is under way"
        if outcome in FREEING and not checkout.is_forsaken and any(payment.moves for payment in payments):
            yield f"{outcome}, and money moves"
        if outcome == "cancelled" and checkout.is_manual and _was_tokenized(checkout):
            yield "cancelled, and the backend has had the token"
        if not told.get("id") and not checkout.is_manual and self._was_told(checkout, payments):
            yield "it does not name the payment that it was told of"
        if outcome == "unknown" and not checkout.is_manual and not self._has_an_excuse(checkout):
            yield "unknown, without a fault and without a crash"

    def _existing(self, checkout: Known) -> Payment | None:
        """The payment of its session that was there before it."""
        payment = self._upstream.ledger.payments.get(checkout.payment["id"])
        return payment if payment and payment.session is checkout.session else None

    def _was_told(self, checkout: Known, payments: Sequence[Payment]) -> bool:
        """Whether the daemon has had an answer that names a payment of the checkout's."""
        own = {payment.id for payment in payments}
        return any(
            request.kind == "create" and request.is_answered and request.payment in own and not request.is_faulted
            for request in self._requests(checkout)
        )

    def _has_an_excuse(self, checkout: Known) -> bool:
        """Whether there is a reason for which the daemon cannot know."""
        return (
            any(request.is_faulted for request in self._requests(checkout))
            or self._end_count > 2
            or checkout.cancelled_in is not None
            or checkout.error_id in ("failed-to-resume-payment", "merchant-error", "idempotency-key-reused")
        )


def _was_tokenized(checkout: Known) -> bool:
    return any("checkout.didTokenizePaymentMethod" in event for event in checkout.events.values())
