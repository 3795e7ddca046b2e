"""The events of one checkout, each once and in order, whatever becomes of connections: bytes in, events out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checkoutd.types import ErrorData, Outcome, Payment, Step
from checkoutd.wire import Conversation, Notification

_TERMINAL = ("checkout.didCompleteCheckout", "checkout.didFail")
_PAGE = 500


@dataclass(frozen=True)
class Event:
    """Something that happened in a checkout; `params` has all that the protocol says of it."""

    name: str
    checkout_id: str
    seq: int
    time: str
    component_id: str | None
    params: dict[str, Any]

    @classmethod
    def of(cls, name: str, params: dict[str, Any]) -> Event:
        """The event in a notification."""
        return cls(name, params["checkoutId"], params["seq"], params["time"], params.get("componentId"), params)

    @property
    def is_terminal(self) -> bool:
        """Whether it is the last of its checkout."""
        return self.name in _TERMINAL

    @property
    def step(self) -> Step | None:
        """Where the component has got to, in `component.didReceiveStep`."""
        return self.params.get("step")

    @property
    def error(self) -> ErrorData | None:
        """What went wrong, in events that tell of that."""
        return self.params.get("error")

    @property
    def outcome(self) -> Outcome | None:
        """How the checkout ended, in the terminal event."""
        return self.params.get("outcome")

    @property
    def payment(self) -> Payment | None:
        """The payment, in the terminal event, if there is one."""
        return self.params.get("payment")

    @property
    def decision_id(self) -> str | None:
        """What to name in `decide`, in events that ask for a decision."""
        return self.params.get("decisionId")


class Replay:
    """Follows a checkout over any number of connections, from the event after `after`."""

    def __init__(self, checkout_id: str, after: int) -> None:
        self.after = after
        self.has_ended = False
        self._checkout_id = checkout_id
        self._conversation = Conversation()
        self._known = after
        self._is_reading = False
        self._output = b""

    def open(self) -> None:
        """Begins a new connection."""
        self._conversation = Conversation()
        self._known, self._is_reading = self.after, False
        self._output = b""
        self._ask("events.subscribe")

    def take_output(self) -> bytes:
        """What is to be sent now."""
        output, self._output = self._output, b""
        return output

    def receive(self, data: bytes) -> list[Event]:
        """The events that these bytes bring; there may be something to send then."""
        events: list[Event] = []
        # All of the messages or none: what comes before an error is replayed.
        for message in list(self._conversation.receive(data)):
            if isinstance(message, Notification):
                self._hear(message, events)
            elif "events" in message.result:
                self._take_page(message.result, events)
            elif message.result["to"] <= self.after:
                # Nothing follows if that was the last event, so whether it was has to be asked.
                self._read()
        return events

    def _hear(self, message: Notification, events: list[Event]) -> None:
        if message.method == "events.lost":
            self._catch_up(message.params["to"])
        elif "seq" in message.params:
            event = Event.of(message.method, message.params)
            if event.seq > self.after + 1 or self._is_reading:
                self._catch_up(event.seq)
            elif event.seq > self.after:
                self._deliver(event, events)

    def _take_page(self, page: dict[str, Any], events: list[Event]) -> None:
        self._is_reading = False
        for read in page["events"]:
            self._deliver(Event.of(read["method"], read["params"]), events)
        self.has_ended = self.has_ended or page["ended"]
        if page["events"]:
            self._catch_up(self._known)

    def _deliver(self, event: Event, events: list[Event]) -> None:
        events.append(event)
        self.after = event.seq
        self.has_ended = event.is_terminal

    def _catch_up(self, known: int) -> None:
        """Reads what is missing up to an event that is known to be in the store."""
        self._known = max(self._known, known)
        if self._known > self.after and not self._is_reading:
            self._read()

    def _read(self) -> None:
        self._is_reading = True
        self._ask("events.read", limit=_PAGE)

    def _ask(self, method: str, **params: Any) -> None:
        params |= {"checkoutId": self._checkout_id, "after": self.after}
        self._output += self._conversation.ask(method, params)
