"""Lines and messages, without a socket: bytes in, messages out."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from checkoutd.errors import CallError, ConnectionLost, ProtocolError

_SHUTTING_DOWN = -32005
# Those that the last line of a connection has.
_LAST_WORDS = (-32004, _SHUTTING_DOWN, -32007)


@dataclass(frozen=True)
class Reply:
    """The result of a call."""

    id: int
    result: Any


@dataclass(frozen=True)
class Failure:
    """An error instead of a result; without an id it is about the connection."""

    id: int | None
    error: CallError | ConnectionLost


@dataclass(frozen=True)
class Notification:
    """What the daemon tells unasked."""

    method: str
    params: dict[str, Any]


Message = Reply | Failure | Notification


class LineBuffer:
    """Puts lines together. Only LF ends a line: other separators may stand in a text."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that this ends, without their LF."""
        first, *rest = data.split(b"\n")
        self._pieces.append(first)
        if not rest:
            return []
        lines = [b"".join(self._pieces), *rest[:-1]]
        self._pieces = [rest[-1]]
        return lines


class Conversation:
    """What is said on one connection."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._lines = LineBuffer()

    def ask(self, method: str, params: dict[str, Any]) -> tuple[int, bytes]:
        """A call: its number, and its line."""
        number = next(self._ids)
        call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return number, json.dumps(call, separators=(",", ":")).encode() + b"\n"

    def receive(self, data: bytes) -> Iterator[Message]:
        """The messages that these bytes end, one after the other.

        An error that ends the connection is a `ConnectionLost`. Raises `ProtocolError` at a line that is no message.
        """
        return map(_message, self._lines.feed(data))


def _message(line: bytes) -> Message:
    try:
        message = json.loads(line)
        if "method" in message:
            return Notification(message["method"], dict(message.get("params", {})))
        if "result" in message:
            return Reply(message["id"], message["result"])
        id, error = message["id"], CallError.of(message["error"])
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ProtocolError("a line that the daemon does not say") from problem
    if error.code == _SHUTTING_DOWN or (id is None and error.code in _LAST_WORDS):
        lost = ConnectionLost(str(error))
        lost.__cause__ = error
        return Failure(id, lost)
    return Failure(id, error)
