"""What a schedule knows of a checkout: what it was asked for, what was promised, and what it has said so far."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from oracle.ledger import Payment, Session
from support.client import Client, result_of
from support.lines import Event, JsonObject

# Outcomes that leave a client session free for another checkout; all others hold it.
FREEING = ("failed", "cancelled")
# Longer than any call may take.
CALL_TIMEOUT = 40

Holds = Callable[[JsonObject, list[Event]], object]


@dataclass
class Reply:
    """The result of a call, or its error."""

    result: JsonObject
    code: int | None = None
    error: JsonObject = field(default_factory=dict)

    @property
    def error_id(self) -> str | None:
        """What the error is called."""
        return self.error.get("errorId")

    @property
    def is_good(self) -> bool:
        """Whether the call did what it was asked for."""
        return self.code is None

    def __str__(self) -> str:
        return "ok" if self.is_good else f"{self.code} {self.error_id}"


def ask(client: Client, method: str, /, **params: object) -> Reply:
    """Makes a call."""
    reply = client.reply(client.send(method, **params), CALL_TIMEOUT)
    if "error" in reply:
        return Reply({}, reply["error"]["code"], reply["error"].get("data", {}))
    return Reply(result_of(reply))


def read_all(client: Client, checkout_id: str) -> list[Event] | Reply:
    """All events of a checkout, page by page."""
    events: list[Event] = []
    after = 0
    while True:
        read = ask(client, "events.read", checkoutId=checkout_id, after=after, limit=1000)
        if not read.is_good:
            return read
        events += [Event(event["method"], event["params"]) for event in read.result["events"]]
        if read.result["next"] == after:
            return events
        after = read.result["next"]


def written(event: Event) -> str:
    """An event as a text that can be compared."""
    return f"{event.method} {json.dumps(event.params, sort_keys=True)}"


@dataclass(eq=False)
class Known:
    """One checkout."""

    session: Session
    params: JsonObject
    method: str
    is_manual: bool
    allows_repeat: bool = False

    id: str = ""
    component_id: str = ""
    snapshot: JsonObject = field(default_factory=dict)
    # Why it was never started.
    refusal: Reply | None = None
    # How it ended, once a client has seen that.
    outcome: str | None = None
    # The state in which a cancel was taken.
    cancelled_in: str | None = None
    # Whether the backend was handed a token, and the checkout was aborted all the same.
    is_forsaken: bool = False
    # The payment key of the client's own that it may have used, and the same once that is certain.
    own_key: str | None = None
    used_key: str | None = None
    backend_payment: Payment | None = None
    events: dict[int, str] = field(default_factory=dict)
    promises: dict[str, Holds] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nobody has to do anything about it any more."""
        return self.refusal is not None or self.outcome is not None

    def promise(self, what: str, holds: Holds) -> None:
        """Notes what has to hold from now on, whatever happens to the daemon. A new one takes the place of the old."""
        self.promises[what] = holds

    @property
    def error_id(self) -> str | None:
        """The error that it ended with."""
        error: JsonObject = self.snapshot.get("error") or {}
        return error.get("errorId")

    @property
    def payment(self) -> JsonObject:
        """The payment that it names."""
        payment: JsonObject = self.snapshot.get("payment") or {}
        return payment

    def __str__(self) -> str:
        handling = "manual" if self.is_manual else "auto"
        told = f"{self.outcome}/{self.error_id} payment {self.payment}"
        return f"{self.id or self.params.get('startKey')} {self.method} {handling} {told} cancelled {self.cancelled_in}"
