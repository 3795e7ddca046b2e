"""The log of the requests, in order of arrival, which a reader can wait on."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from values import JsonObject
from wire import Request

_CAPACITY = 200_000


def _readable(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")


@dataclass
class Entry:
    """One request: when it came, what it asked, and how far it got."""

    endpoint: str
    request: Request
    received_at: float
    elapsed: float
    faulted: bool
    status: int | None = None
    has_effect: bool = False
    answered: bool = False

    @property
    def description(self) -> JsonObject:
        return {
            "time": datetime.fromtimestamp(self.received_at, UTC).isoformat(timespec="milliseconds"),
            "elapsedMs": round(self.elapsed * 1000, 1),
            "endpoint": self.endpoint,
            "method": self.request.method,
            "path": self.request.path,
            "query": self.request.query,
            "headers": self.request.headers,
            "body": _readable(self.request.body),
            "status": self.status,
            "effect": self.has_effect,
            "answered": self.answered,
            "faulted": self.faulted,
        }


Stage = Callable[[Entry], bool]

STAGES: dict[str, Stage] = {
    "arrived": lambda entry: True,
    "effect": lambda entry: entry.has_effect,
    "answered": lambda entry: entry.answered,
}


class Journal:
    """The latest requests. Each change wakes whoever waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: deque[Entry] = deque(maxlen=_CAPACITY)
        self._began = time.monotonic()

    def arrived(self, endpoint: str, request: Request, faulted: bool = False) -> Entry:
        """Notes a request."""
        with self._changed:
            entry = Entry(endpoint, request, time.time(), time.monotonic() - self._began, faulted)
            self._entries.append(entry)
            self._changed.notify_all()
            return entry

    def took_effect(self, entry: Entry) -> None:
        """Notes that the request's effect has been carried out, or refused."""
        with self._changed:
            entry.has_effect = True
            self._changed.notify_all()

    def answered(self, entry: Entry, status: int | None) -> None:
        """Notes the status that is about to be sent; None when the connection is reset without one."""
        with self._changed:
            entry.status = status
            entry.answered = True
            self._changed.notify_all()

    def entries(self, endpoint: str | None, stage: Stage, count: int, wait: float) -> list[JsonObject]:
        """The requests of an endpoint, or all, once `count` of them have got that far or the wait is over."""

        def chosen() -> list[Entry]:
            return [entry for entry in self._entries if endpoint in (None, entry.endpoint)]

        with self._changed:
            self._changed.wait_for(lambda: sum(map(stage, chosen())) >= count, wait)
            return [entry.description for entry in chosen()]

    def clear(self) -> None:
        """Forgets the requests so far."""
        with self._changed:
            self._entries.clear()
