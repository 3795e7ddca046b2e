"""Follows one checkout over any number of connections, without a socket: bytes in, events and calls out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from checkoutd.errors import CheckoutdError, ProtocolError
from checkoutd.events import Event, Place
from checkoutd.wire import Conversation, Failure, Notification, Reply


@dataclass
class Told:
    """What some bytes have brought: the events to tell, and the failure that follows them if there is one."""

    events: list[Event] = field(default_factory=list)
    failure: CheckoutdError | None = None
    # Whether the daemon got on.
    is_progress: bool = False


class Following:
    """The events of a checkout after a place, each once and in order.

    Where the daemon's state is another one than that of the place, numbers mean other events: then all of them are
    told, from the first.
    """

    def __init__(self, checkout_id: str, after: int | Place = 0) -> None:
        self.has_ended = False
        self._checkout_id = checkout_id
        self._epoch, self._seq = (None, after) if isinstance(after, int) else (after.epoch, after.seq)
        self._conversation = Conversation()
        self._output = b""
        # The number of the last call, and what takes its result.
        self._expected: tuple[int, Callable[[Any, Told], None]] | None = None
        # Until the reply, events are those of the subscription before: the replay brings them again.
        self._is_subscribed = False
        # Up to here events come from the store: what is missing among them is kept no longer.
        self._replay_end = 0
        # The last event that can come, once that is known.
        self._end: int | None = None

    @property
    def place(self) -> Place:
        """After which event it goes on."""
        return Place(self._epoch, self._seq)

    def open(self) -> None:
        """Begins a new connection."""
        self._conversation = Conversation()
        self._output = b""
        self._is_subscribed = False
        self._ask("system.hello", {}, self._greet)

    def take_output(self) -> bytes:
        """What is to be sent now."""
        output, self._output = self._output, b""
        return output

    def receive(self, data: bytes) -> Told:
        """What these bytes bring. After a `ConnectionLost` a new connection goes on where this one stopped."""
        told = Told()
        try:
            for message in self._conversation.receive(data):
                if self.has_ended:
                    break
                if isinstance(message, Notification):
                    self._hear(message, told)
                else:
                    self._take(message, told)
        except CheckoutdError as failure:
            told.failure = failure
        except (KeyError, TypeError, AttributeError) as problem:
            told.failure = ProtocolError("a result that the daemon does not give")
            told.failure.__cause__ = problem
        return told

    def _take(self, message: Reply | Failure, told: Told) -> None:
        number, take = self._expected or (0, None)
        if message.id not in (None, number):
            return
        if isinstance(message, Failure):
            raise message.error
        if take:
            take(message.result, told)
        told.is_progress |= self._is_subscribed

    def _greet(self, hello: Any, _: Told) -> None:
        epoch = str(hello["epoch"])
        if self._epoch not in (None, epoch):
            self._seq = 0
        self._epoch = epoch
        self._subscribe()

    def _subscribe(self) -> None:
        self._is_subscribed = False
        self._ask("events.subscribe", self._after, self._begin)

    def _begin(self, subscription: Any, told: Told) -> None:
        last, has_ended = int(subscription["to"]), subscription.get("ended")
        self._is_subscribed = True
        self._replay_end = last
        self._end = last if has_ended else None
        if last > self._seq:
            return
        if has_ended is None:
            # A daemon that does not say so with the subscription is asked.
            self._ask("events.read", self._after | {"limit": 1}, self._end_if_over)
        elif has_ended:
            gone = int(subscription.get("trimmedTo", 0))
            if gone > self._seq:
                params = {"checkoutId": self._checkout_id, "from": self._seq + 1, "to": gone}
                self._tell(Event.of("events.lost", params, self._epoch), told)
            self.has_ended = True

    def _end_if_over(self, page: Any, _: Told) -> None:
        self.has_ended = bool(page["ended"] and not page["events"])

    @property
    def _after(self) -> dict[str, Any]:
        return {"checkoutId": self._checkout_id, "after": self._seq}

    def _hear(self, message: Notification, told: Told) -> None:
        params, is_loss = message.params, message.method == "events.lost"
        if not self._is_subscribed or params.get("checkoutId") != self._checkout_id:
            return
        seq = params.get("to" if is_loss else "seq")
        if not isinstance(seq, int) or seq <= self._seq:
            return
        if (is_loss or seq > self._seq + 1) and seq > self._replay_end:
            self._subscribe()
        else:
            self._tell(Event.of(message.method, params, self._epoch), told)

    def _tell(self, event: Event, told: Told) -> None:
        told.events.append(event)
        told.is_progress = True
        self._seq = event.seq
        self.has_ended = event.is_terminal or (self._end is not None and event.seq >= self._end)

    def _ask(self, method: str, params: dict[str, Any], take: Callable[[Any, Told], None]) -> None:
        number, line = self._conversation.ask(method, params)
        self._expected = number, take
        self._output += line
