"""What the page says came of the collection, and how telling the daemon went."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from checkoutd import AchComponent, CallError, CheckoutdError, CollectorError

REPORTED, ERROR_REPLY, CANNOT_TALK = 0, 1, 2

# The daemon takes no longer ones, in bytes.
_LONGEST_ID = 255
_LONGEST_DESCRIPTION = 1024


@dataclass(frozen=True)
class Outcome:
    """What came of the collection."""

    name: Literal["succeeded", "pendingVerification", "failed", "cancelled"]
    payment_id: str | None = None
    error: CollectorError | None = None


def read_outcome(text: bytes) -> Outcome:
    """The outcome in what the page posts: the members of `component.reportBankAccount`. Raises `ValueError`."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("too deep") from None
    match value:
        case {"outcome": "succeeded", "paymentId": str(id)} if id:
            return Outcome("succeeded", payment_id=_cut(id, _LONGEST_ID))
        case {"outcome": "failed", "error": {"errorId": str(id), "description": str(description)}} if id:
            error: CollectorError = {
                "errorId": _cut(id, _LONGEST_ID),
                "description": _cut(description, _LONGEST_DESCRIPTION),
            }
            return Outcome("failed", error=error)
        case {"outcome": "pendingVerification" | "cancelled" as name}:
            return Outcome(name)
    raise ValueError("no outcome")


def _cut(text: str, length: int) -> str:
    return text.encode("utf-8", "replace")[:length].decode("utf-8", "ignore")


@dataclass(frozen=True)
class Ending:
    """How a call went: the exit status that it makes, and what to say about it."""

    status: int
    message: str = ""


def ending_of(call: Callable[[], object]) -> Ending:
    """Makes a call of the daemon."""
    try:
        call()
    except CallError as error:
        return Ending(ERROR_REPLY, str(error))
    except CheckoutdError as error:
        return Ending(CANNOT_TALK, str(error))
    return Ending(REPORTED)


class Desk:
    """Where the page hands in an outcome: the first one is reported, and no other."""

    def __init__(self, component: AchComponent) -> None:
        self._component = component
        self._claim = threading.Lock()
        self._is_done = threading.Event()
        self._ending = Ending(CANNOT_TALK, "the report was not made")

    @property
    def is_claimed(self) -> bool:
        """Whether there has been an outcome, or the time is over."""
        return self._claim.locked()

    def claim(self) -> bool:
        """Whether this is the first; nobody is after it."""
        return self._claim.acquire(blocking=False)

    def report(self, outcome: Outcome) -> Ending:
        """Tells the daemon, for the one who has the claim."""
        self._ending = ending_of(
            lambda: self._component.report_bank_account(
                outcome.name, payment_id=outcome.payment_id, error=outcome.error
            )
        )
        return self._ending

    def close(self) -> None:
        """Says that the page has its answer."""
        self._is_done.set()

    def wait(self, seconds: float | None) -> Ending | None:
        """How the report went, or None if there was no outcome in time."""
        if not self._is_done.wait(seconds) and self.claim():
            return None
        self._is_done.wait()
        return self._ending
