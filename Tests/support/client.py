"""A client of the daemon that sees every line: sends what it is told to, keeps what comes in order."""

from __future__ import annotations

import itertools
import json
import select
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from support.lines import Event, JsonObject, Message, parse

TIMEOUT = 10.0
_CHUNK = 256 * 1024


class TimedOut(AssertionError):
    """What was waited for did not come."""


class Ended(AssertionError):
    """The daemon closed the connection while something was waited for."""


class CallError(Exception):
    """An error reply."""

    def __init__(self, error: JsonObject) -> None:
        super().__init__(json.dumps(error))
        self.code = int(error["code"])
        self.message = str(error["message"])
        self.data: JsonObject = error.get("data", {})

    @property
    def error_id(self) -> str:
        """What clients switch on, beside the code."""
        return str(self.data.get("errorId"))


def result_of(reply: JsonObject) -> Any:
    """The result of a reply; raises its error."""
    if "error" in reply:
        raise CallError(reply["error"])
    return reply["result"]


def encode(value: Any) -> bytes:
    """The value as one line without its LF."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def request(method: str, params: Any = None, id: Any = None) -> JsonObject:
    """A call, or a notification if there is no id."""
    message: JsonObject = {"jsonrpc": "2.0"}
    if id is not None:
        message["id"] = id
    message["method"] = method
    if params is not None:
        message["params"] = params
    return message


class Client:
    """One connection. Messages that nobody has taken yet wait in the inbox, in the order they came."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self.socket = connected
        self.transcript: list[Message] = []
        self._inbox: list[Message] = []
        self._received = bytearray()
        self._ids = itertools.count(1)
        self._is_at_end = False

    def close(self) -> None:
        """Ends the connection both ways at once."""
        self.socket.close()

    def half_close(self) -> None:
        """Says that nothing more will be sent."""
        self.socket.shutdown(socket.SHUT_WR)

    # Sending

    def send_raw(self, data: bytes, timeout: float = TIMEOUT) -> None:
        """Sends bytes as they are, and reads meanwhile, so that neither side waits for the other."""
        deadline = time.monotonic() + timeout
        view = memoryview(data)
        while view:
            readers = [] if self._is_at_end else [self.socket]
            readable, writable, _ = select.select(readers, [self.socket], [], _left(deadline, "room to send"))
            if readable:
                self._receive()
            if writable:
                view = view[self.socket.send(view) :]

    def send_line(self, line: bytes | str) -> None:
        """Sends a line."""
        self.send_raw((line.encode() if isinstance(line, str) else line) + b"\n")

    def send(self, method: str, /, **params: Any) -> int:
        """Sends a call with named parameters; returns its id."""
        id = next(self._ids)
        self.send_line(encode(request(method, params, id)))
        return id

    def send_all(self, calls: Sequence[tuple[str, JsonObject]]) -> list[int]:
        """Sends calls in one write; returns their ids."""
        ids = [next(self._ids) for _ in calls]
        lines = [encode(request(method, params, id)) for (method, params), id in zip(calls, ids, strict=True)]
        self.send_raw(b"".join(line + b"\n" for line in lines))
        return ids

    def notify(self, method: str, /, **params: Any) -> None:
        """Sends a notification."""
        self.send_line(encode(request(method, params)))

    def call(self, method: str, /, **params: Any) -> Any:
        """Makes a call and waits for its result; raises `CallError`."""
        return result_of(self.reply(self.send(method, **params)))

    # Receiving

    def read_message(self, timeout: float = TIMEOUT) -> Message:
        """The next message, whatever it is."""
        return self._take(lambda message: True, "a message", timeout)

    def reply(self, id: Any, timeout: float = TIMEOUT) -> JsonObject:
        """The reply to a call."""
        return self._take_object(lambda message: _is_reply(message, id), f"the reply to {id!r}", timeout)

    def result(self, id: Any, timeout: float = TIMEOUT) -> Any:
        """The result of a call that was sent before; raises `CallError`."""
        return result_of(self.reply(id, timeout))

    def next_event(self, checkout_id: str | None = None, timeout: float = TIMEOUT) -> Event:
        """The next event, of one checkout or of any."""
        message = self._take_object(
            lambda message: _is_event(message, checkout_id), f"an event of {checkout_id or 'any checkout'}", timeout
        )
        return Event(message["method"], message["params"])

    def events_until(self, label: str, checkout_id: str | None = None) -> list[Event]:
        """The next events, up to the one with this label."""
        return self._events_until(lambda event: event.label == label, checkout_id)

    def events_until_end(self, checkout_id: str | None = None) -> list[Event]:
        """The next events, up to the terminal one."""
        return self._events_until(lambda event: event.is_terminal, checkout_id)

    def await_event(self, label: str, checkout_id: str | None = None) -> Event:
        """The next event with this label; those before it are passed over."""
        return self.events_until(label, checkout_id)[-1]

    def arrived_events(self) -> list[Event]:
        """The events that came before now: a round trip makes sure that none is under way."""
        self.call("system.ping")
        arrived = [message for message in self._inbox if _is_event(message, None)]
        self._inbox = [message for message in self._inbox if not _is_event(message, None)]
        return [Event(message["method"], message["params"]) for message in _objects(arrived)]

    def read_to_end(self, timeout: float = TIMEOUT) -> list[Message]:
        """Everything that comes until the daemon closes the connection."""
        deadline = time.monotonic() + timeout
        while not self._is_at_end:
            self._await_bytes(deadline, "the end of the connection")
        if self._received:
            raise Ended(f"the last line has no end: {bytes(self._received)!r}")
        messages, self._inbox = self._inbox, []
        return messages

    def _events_until(self, is_last: Callable[[Event], bool], checkout_id: str | None) -> list[Event]:
        events = [self.next_event(checkout_id)]
        while not is_last(events[-1]):
            if events[-1].is_terminal and checkout_id is not None:
                raise AssertionError(f"the checkout ended before: {events[-1]}")
            events.append(self.next_event(checkout_id))
        return events

    def _take_object(self, wanted: Callable[[Message], bool], what: str, timeout: float) -> JsonObject:
        message = self._take(wanted, what, timeout)
        assert isinstance(message, dict)
        return message

    def _take(self, wanted: Callable[[Message], bool], what: str, timeout: float) -> Message:
        deadline = time.monotonic() + timeout
        looked_at = 0
        while True:
            for place in range(looked_at, len(self._inbox)):
                if wanted(self._inbox[place]):
                    return self._inbox.pop(place)
            looked_at = len(self._inbox)
            if self._is_at_end:
                raise Ended(f"no {what} any more; the last messages were {self.transcript[-4:]}")
            self._await_bytes(deadline, what)

    def _await_bytes(self, deadline: float, what: str) -> None:
        readable, _, _ = select.select([self.socket], [], [], _left(deadline, what, self.transcript[-4:]))
        if readable:
            self._receive()

    def _receive(self) -> None:
        """Takes in what has come, line by line."""
        try:
            data = self.socket.recv(_CHUNK)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self._is_at_end = True
            return
        self._received += data
        *lines, rest = bytes(self._received).split(b"\n")
        self._received = bytearray(rest)
        for message in map(parse, lines):
            self.transcript.append(message)
            self._inbox.append(message)


def _left(deadline: float, what: str, recent: Sequence[Message] = ()) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimedOut(f"waited in vain for {what}; the last messages were {list(recent)}")
    return left


def _is_reply(message: Message, id: Any) -> bool:
    return isinstance(message, dict) and "id" in message and (type(message["id"]), message["id"]) == (type(id), id)


def _is_event(message: Message, checkout_id: str | None) -> bool:
    if not isinstance(message, dict) or "method" not in message:
        return False
    return checkout_id is None or message["params"].get("checkoutId") == checkout_id


def _objects(messages: Iterable[Message]) -> Iterable[JsonObject]:
    return (message for message in messages if isinstance(message, dict))
