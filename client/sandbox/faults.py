"""Faults and holds: what tests lay in the way of Primer's calls.

A fault changes an answer, breaks it off or delays it, before the call's effect or after it. A hold keeps the answers
of an endpoint back until it is released.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from oddities import ODDITIES
from values import JsonObject, Members, Refusal, bad_request, encode
from wire import WHOLE, Delivery, Request, Response

ANY = "*"

_STAND_IN = Response(body=encode({"sandbox": "no effect took place"}))
_MALFORMED = b'{"status":"PENDING","id":'
_WRONG_SHAPE = b'["unexpected"]'
# Stands in a body for the payment that the request is about.
_ID = b"@ID@"


@dataclass
class Fault:
    """One fault. It lets `skip` requests through, then strikes `times` requests, or all when that is negative."""

    endpoint: str
    times: int
    skip: int
    delay: float
    after_effect: bool
    status: int | None
    headers: dict[str, str]
    content_type: str | None
    body: bytes | None
    oddity: Callable[[bytes], bytes] | None
    delivery: Delivery
    truncates: bool
    source: JsonObject

    @property
    def replaces_effect(self) -> bool:
        """Whether the request is answered without its effect. A mere delay, header or oddity leaves it alone."""
        changes = self.status is not None or self.body is not None or self.delivery != WHOLE
        return not self.after_effect and (changes or self.truncates)

    def strikes(self, endpoint: str) -> bool:
        """Whether the fault is for this request; counts it."""
        if self.endpoint not in (ANY, endpoint) or self.times == 0:
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True

    def answer(self, request: Request, normal: Response = _STAND_IN) -> Response:
        """The normal answer with the fault in it."""
        status = self.status or normal.status
        body = normal.body
        if self.body is not None:
            body = self.body.replace(_ID, request.params.get("id", "").encode())
        elif status != normal.status:
            body = encode(Refusal(status, "SandboxFault", "A fault was asked for").body())
        if self.oddity:
            body = self.oddity(body)
        return Response(
            status=status,
            body=body,
            content_type=self.content_type or normal.content_type,
            headers=dict(normal.headers) | self.headers,
            delivery=Delivery(body_bytes=len(body) // 2) if self.truncates else self.delivery,
        )


def read_fault(value: object, endpoints: Iterable[str]) -> Fault:
    """The fault that a JSON object describes."""
    members = Members(value, "fault")
    endpoint = read_endpoint(members, endpoints)
    headers = read_headers(members)
    status = read_status(members, "status")
    if location := members.take("redirect", str, None):
        headers["Location"] = location
        status = status or 302
    truncate = members.take_any("truncate")
    fault = Fault(
        endpoint=endpoint,
        times=members.take("times", int, 1),
        skip=members.take("skip", int, 0),
        delay=members.take("delayMs", float, 0.0) / 1000,
        after_effect=members.take("afterEffect", bool, False),
        status=status,
        headers=headers,
        content_type=members.take("contentType", str, None),
        body=_body(members),
        oddity=_oddity(members),
        delivery=_delivery(members.take_any("reset"), truncate),
        truncates=truncate is True,
        source=dict(value) if isinstance(value, dict) else {},
    )
    members.finish()
    return fault


def read_endpoint(members: Members, endpoints: Iterable[str]) -> str:
    """The endpoint that a fault or a hold is for."""
    endpoint = members.require("endpoint", str)
    known = [*endpoints, ANY]
    if endpoint not in known:
        raise bad_request(f"unknown endpoint {endpoint}; there are {', '.join(known)}")
    return endpoint


def read_status(members: Members, name: str) -> int | None:
    """The HTTP status in a fault or a scripted answer."""
    status = members.take(name, int, None)
    if status is not None and not 200 <= status <= 599:
        raise bad_request(f"{name} must be from 200 to 599")
    return status


def read_headers(members: Members) -> dict[str, str]:
    """The headers in a fault or a scripted answer."""
    headers: dict[str, str] = members.take("headers", dict, {})
    if not all(isinstance(value, str) and value.isprintable() for value in headers.values()):
        raise bad_request("headers must be strings of one line")
    return dict(headers)


def _body(members: Members) -> bytes | None:
    body = members.take_any("body")
    malformed = members.take("malformed", bool, False)
    wrong_shape = members.take("wrongShape", bool, False)
    big = members.take("bigBody", int, 0)
    if malformed:
        return _MALFORMED
    if wrong_shape:
        return _WRONG_SHAPE
    if big:
        frame = encode({"padding": ""})
        return frame[:-2] + b"x" * max(0, big - len(frame)) + frame[-2:]
    if body is None:
        return None
    return body.encode() if isinstance(body, str) else encode(body)


def _oddity(members: Members) -> Callable[[bytes], bytes] | None:
    name = members.take("oddity", str, None)
    if name is None:
        return None
    if name not in ODDITIES:
        raise bad_request(f"unknown oddity {name}; there are {', '.join(ODDITIES)}")
    return ODDITIES[name]


def _delivery(reset: object, truncate: object) -> Delivery:
    if reset is True or reset == "before-headers":
        return Delivery(head=False, body_bytes=0, reset=True)
    if reset == "after-headers":
        return Delivery(body_bytes=0, reset=True)
    if reset is not None and reset is not False:
        raise bad_request("fault: reset must be true, before-headers or after-headers")
    if truncate is None or isinstance(truncate, bool):
        return WHOLE
    if not isinstance(truncate, int) or truncate < 0:
        raise bad_request("fault: truncate must be true or a number of bytes")
    return Delivery(body_bytes=truncate)


class Faults:
    """The faults that are still to strike, in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(self, faults: Iterable[Fault]) -> None:
        with self._lock:
            self._faults.extend(faults)

    def clear(self) -> None:
        with self._lock:
            self._faults.clear()

    def next(self, endpoint: str) -> Fault | None:
        """The fault that strikes this request."""
        with self._lock:
            struck = next((fault for fault in self._faults if fault.strikes(endpoint)), None)
            self._faults = [fault for fault in self._faults if fault.times != 0]
            return struck

    @property
    def description(self) -> list[JsonObject]:
        """What is left to strike."""
        with self._lock:
            return [fault.source | {"times": fault.times, "skip": fault.skip} for fault in self._faults]


class Holds:
    """The endpoints whose requests are held, before their effect or after it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[tuple[str, bool], threading.Event] = {}

    def hold(self, endpoint: str, before_effect: bool) -> None:
        with self._lock:
            self._held.setdefault((endpoint, before_effect), threading.Event())

    def release(self, endpoint: str) -> None:
        """Lets go of what the endpoint holds; `*` lets go of everything."""
        with self._lock:
            for key in [key for key in self._held if endpoint in (ANY, key[0])]:
                self._held.pop(key).set()

    def wait(self, endpoint: str, before_effect: bool) -> None:
        """Stays while the endpoint is held."""
        for name in (endpoint, ANY):
            with self._lock:
                released = self._held.get((name, before_effect))
            if released is not None:
                released.wait()
