"""The matrix as a table: for each call and each fault the one thing that a checkout comes to.

A row is for a call, says whether the fault comes before the call's effect or after it, and names its columns, which
`faults.py` explains. What may pass is sent again; nothing else is. A payment is created, resumed or completed again
only with the same key or body, and what cannot be known for certain is the outcome `unknown`.

There are no cells for a 4xx with Primer's error body after the effect, other than those that are sent again: such an
answer says that there was no effect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edge.faults import FAULTS, ODDITIES, Fault
from support.families import AWAITED, FAMILIES


@dataclass(frozen=True)
class Outcome:
    """What a checkout comes to; see the functions below."""

    kind: str
    error_id: str = ""
    outcome: str = ""
    code: int = 1006
    # How many requests the call takes, those included that do not arrive; none says that it is sent again for a span.
    requests: int | None = 1
    # Whether the terminal event names the payment.
    names_payment: bool = False
    # What the last answer said, if it was not the fault's.
    http_status: int | None = None
    server_error: str | None = None


def completes(requests: int) -> Outcome:
    """The payment is made as if nothing had been, after so many requests."""
    return Outcome("completes", requests=requests)


def refused(error_id: str, code: int = 1006, requests: int = 1) -> Outcome:
    """The client's call is answered with this error, and works when it is made again."""
    return Outcome("refused", error_id, code=code, requests=requests)


def told(error_id: str, requests: int = 1) -> Outcome:
    """`component.didReceiveError` tells of this error, and the client's call works when it is made again."""
    return Outcome("told", error_id, requests=requests)


def ends(outcome: str, error_id: str, requests: int | None = 1, *, payment: bool = False) -> Outcome:
    """`checkout.didFail` with this outcome and error."""
    return Outcome("ends", error_id, outcome, requests=requests, names_payment=payment)


def lost(http_status: int, server_error: str) -> Outcome:
    """`checkout.didFail`, outcome `unknown`, with the payment: the second request finds the first one's effect."""
    return Outcome("ends", "outcome-unknown", "unknown", 1006, 2, True, http_status, server_error)


def not_taken_back() -> Outcome:
    """The ending that was settled before, as if the call had worked, but without its event."""
    return Outcome("ends", "payment-cancelled", "cancelled", names_payment=True)


def taken_back(requests: int) -> Outcome:
    """The ending that was settled before."""
    return Outcome("taken-back", "payment-cancelled", "cancelled", requests=requests, names_payment=True)


BEFORE, AFTER = False, True

PASSING = "late reset reset-in-body truncated 408 429 429-wait 500 502 503 502-html no-tls"
UNTAKEN = "late reset-in-body truncated 408 429 429-wait 500 502 503 502-html no-tls untrusted"
REFUSALS = "400 403 404 409 422"
SENSELESS = "wrong-shape malformed empty html 5-MiB"
# After these nobody knows whether a payment was made.
UNCERTAIN = f"late reset reset-in-body truncated 302 500 502 503 404-html 502-html {SENSELESS}"
# The same where the status alone is an acknowledgement, whatever follows it.
UNACKNOWLEDGED = "late reset 302 500 502 503 404-html 502-html"
ACKNOWLEDGED = f"reset-in-body truncated {SENSELESS} content-type"
# What a tolerant reader reads.
READ = " ".join(["content-type", *(f"odd-{name}" for name in ODDITIES)])

KEY_USED = lost(409, "IdempotencyKeyAlreadyExists")
ADDRESS_USED = lost(400, "PaymentAlreadyCompleted")
NO_SESSION = told("failed-to-create-session")

# The same for each further family of payment methods, from its tokenization to its resumption.
FAMILY_CALLS = ("payment-instruments", "payments", "resume")

# fmt: off
_ROWS: list[tuple[str, bool, str, Outcome]] = [
    ("configuration", BEFORE, PASSING, completes(2)),
    ("configuration", BEFORE, READ, completes(1)),
    ("configuration", BEFORE, "302", refused("invalid-response")),
    ("configuration", BEFORE, f"{REFUSALS} 404-html", refused("server-error")),
    ("configuration", BEFORE, "401", refused("unauthorized")),
    ("configuration", BEFORE, SENSELESS, refused("failed-to-decode")),
    ("configuration", BEFORE, "untrusted", refused("network-failed-after-retries")),
    ("configuration", BEFORE, "reset-always", refused("network-failed-after-retries", requests=9)),

    ("banks", BEFORE, PASSING, completes(2)),
    ("banks", BEFORE, READ, completes(1)),
    ("banks", BEFORE, f"302 401 {REFUSALS} 404-html {SENSELESS} untrusted", told("banks-fetch-failed")),
    ("banks", BEFORE, "late-always", told("banks-fetch-failed", requests=9)),

    ("actions: SELECT at the start (ACH)", BEFORE, PASSING, completes(2)),
    ("actions: SELECT at the start (ACH)", BEFORE, READ, completes(1)),
    ("actions: SELECT at the start (ACH)", BEFORE, f"302 401 {REFUSALS} 404-html {SENSELESS} untrusted", NO_SESSION),
    ("actions: SELECT at the start (ACH)", BEFORE, "503-always", told("failed-to-create-session", requests=9)),

    ("actions: SET at submit (ACH)", BEFORE, PASSING, completes(2)),
    ("actions: SET at submit (ACH)", BEFORE, READ, completes(1)),
    ("actions: SET at submit (ACH)", BEFORE, f"302 401 {REFUSALS} 404-html {SENSELESS} untrusted", NO_SESSION),

    ("actions: SELECT at submit (iDEAL)", BEFORE, PASSING, completes(2)),
    ("actions: SELECT at submit (iDEAL)", BEFORE, READ, completes(1)),
    ("actions: SELECT at submit (iDEAL)", BEFORE, f"302 401 {REFUSALS} 404-html {SENSELESS} untrusted", NO_SESSION),

    ("actions: UNSELECT", BEFORE, f"{UNTAKEN} 302 401 {REFUSALS} 404-html {SENSELESS}", not_taken_back()),
    ("actions: UNSELECT", BEFORE, READ, taken_back(1)),
    # libcurl sends again what a kept connection took without a byte of an answer; where that matters none is kept.
    ("actions: UNSELECT", BEFORE, "reset", taken_back(2)),

    ("payment-instruments", BEFORE, PASSING, completes(2)),
    ("payment-instruments", BEFORE, READ, completes(1)),
    ("payment-instruments", BEFORE, "302", ends("failed", "invalid-response")),
    ("payment-instruments", BEFORE, f"{REFUSALS} 404-html", ends("failed", "server-error")),
    ("payment-instruments", BEFORE, "401", ends("failed", "unauthorized")),
    ("payment-instruments", BEFORE, SENSELESS, ends("failed", "failed-to-decode")),
    # Nothing left the machine: that is tried again for the attempt's span.
    ("payment-instruments", BEFORE, "untrusted", completes(2)),

    ("payment-instruments", BEFORE, "429-always", ends("failed", "server-error", requests=None)),

    ("payments", BEFORE, f"{UNCERTAIN} 408 no-tls", completes(2)),
    ("payments", BEFORE, READ, completes(1)),
    ("payments", BEFORE, f"{REFUSALS} 429 429-wait", ends("failed", "server-error")),
    ("payments", BEFORE, "401", ends("failed", "unauthorized")),
    ("payments", BEFORE, "untrusted", completes(2)),
    ("payments", BEFORE, "503-always", ends("unknown", "outcome-unknown", requests=None)),
    ("payments", AFTER, f"{UNCERTAIN} 408", KEY_USED),
    ("payments (made at once)", AFTER, f"{UNCERTAIN} 408", completes(2)),

    ("status", BEFORE, f"{PASSING} 302 {SENSELESS} untrusted", completes(2)),
    ("status", BEFORE, READ, completes(1)),
    ("status", BEFORE, f"401 {REFUSALS} 404-html", ends("unknown", "status-poll-failed", payment=True)),
    ("status", BEFORE, "503-always", ends("unknown", "status-poll-timeout", requests=2, payment=True)),

    ("resume", BEFORE, f"{UNCERTAIN} 408 429 429-wait no-tls untrusted", completes(2)),
    ("resume", BEFORE, READ, completes(1)),
    # The shopper has approved: who refuses must say that this payment failed.
    ("resume", BEFORE, f"401 {REFUSALS}", ends("unknown", "outcome-unknown", payment=True)),
    ("resume", BEFORE, "503-always", ends("unknown", "outcome-unknown", requests=6, payment=True)),
    # The token is used up; a question finds that the payment was made.
    ("resume", AFTER, f"{UNCERTAIN} 408 429 429-wait", completes(2)),

    ("complete", BEFORE, f"{UNACKNOWLEDGED} 408 429 429-wait no-tls untrusted", completes(2)),
    ("complete", BEFORE, ACKNOWLEDGED, completes(1)),
    ("complete", BEFORE, f"401 {REFUSALS}", ends("unknown", "outcome-unknown", payment=True)),
    ("complete", BEFORE, "reset-always", ends("unknown", "outcome-unknown", requests=6, payment=True)),
    ("complete", AFTER, f"{UNACKNOWLEDGED} 408 429 429-wait", ADDRESS_USED),
    ("complete", BEFORE, " ".join(f"odd-{name}" for name in ODDITIES), completes(1)),
    ("complete", AFTER, ACKNOWLEDGED, completes(1)),

    ("validate", BEFORE, PASSING, completes(2)),
    ("validate", BEFORE, f"wrong-shape empty {READ}", completes(1)),
    ("validate", BEFORE, "302", refused("invalid-response")),
    ("validate", BEFORE, f"401 {REFUSALS} 404-html", refused("invalid-client-token", code=1005)),
    ("validate", BEFORE, "malformed html 5-MiB", refused("failed-to-decode")),
    ("validate", BEFORE, "untrusted", refused("network-failed-after-retries")),
    ("validate", BEFORE, "408-always", refused("server-error", requests=9)),
]
_ROWS_OF_EACH_FAMILY: list[tuple[str, bool, str, Outcome]] = [
    ("payment-instruments", BEFORE, "reset 503", completes(2)),
    ("payment-instruments", BEFORE, "odd-error-beside", completes(1)),
    ("payment-instruments", BEFORE, "400", ends("failed", "server-error")),
    ("payment-instruments", BEFORE, "malformed", ends("failed", "failed-to-decode")),

    ("payments", BEFORE, "reset 503 malformed", completes(2)),
    ("payments", BEFORE, "content-type odd-byte-order-mark odd-error-beside", completes(1)),
    ("payments", BEFORE, "400", ends("failed", "server-error")),
    # Only the lost answer held what the shopper has to do or to be shown.
    ("payments", AFTER, "reset truncated 503 malformed", KEY_USED),
]
_ROWS_OF_AWAITED_FAMILIES: list[tuple[str, bool, str, Outcome]] = [
    ("status", BEFORE, "reset 503 malformed", completes(2)),
    ("status", BEFORE, "odd-error-beside", completes(1)),
    ("status", BEFORE, "400", ends("unknown", "status-poll-failed", payment=True)),

    ("resume", BEFORE, "reset 503", completes(2)),
    ("resume", BEFORE, "odd-error-beside", completes(1)),
    ("resume", BEFORE, "400", ends("unknown", "outcome-unknown", payment=True)),
    ("resume", AFTER, "reset malformed", completes(2)),
]
# fmt: on


def _rows() -> Iterator[tuple[str, bool, str, Outcome]]:
    yield from _ROWS
    for families, rows in ((FAMILIES, _ROWS_OF_EACH_FAMILY), (AWAITED, _ROWS_OF_AWAITED_FAMILIES)):
        for family in families:
            for call, after_effect, columns, outcome in rows:
                yield f"{call} ({family.name})", after_effect, columns, outcome


@dataclass(frozen=True)
class Cell:
    """One call, one fault, one outcome."""

    call: str
    after_effect: bool
    fault: Fault
    outcome: Outcome

    @property
    def name(self) -> str:
        """The cell in words."""
        return f"{self.call}, {self.fault.name} {'after' if self.after_effect else 'before'} the effect"

    @property
    def endpoint(self) -> str:
        """The endpoint in the sandbox's words."""
        return self.call.partition(":")[0].partition(" ")[0]

    @property
    def lasts_for_its_span(self) -> bool:
        """Whether it ends with the attempt's span, which should be short then."""
        return self.outcome.requests is None

    @property
    def cost(self) -> int:
        """Roughly how long it takes: the longest are begun first."""
        waits = {"resume": 20, "complete": 20, "status": 3} if self.fault.times < 0 else {"status": 3}
        return waits.get(self.endpoint, 1) * (self.outcome.requests or 3)


def cells() -> Iterator[Cell]:
    """Every cell."""
    seen: set[tuple[str, bool, str]] = set()
    for call, after_effect, columns, outcome in _rows():
        for column in columns.split():
            assert (call, after_effect, column) not in seen, f"{call}, {column}: two outcomes"
            seen.add((call, after_effect, column))
            yield Cell(call, after_effect, FAULTS[column], outcome)
