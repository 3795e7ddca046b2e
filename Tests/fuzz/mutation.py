"""Changes to what clients sent: to bytes, to values, to calls, and to the order of lines."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from support.lines import JsonObject

_BYTES = [
    b"\x00", b"\n", b"\r\n", b'"', b"\\", b"{", b"[", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\\u0000", b"1e999",
]  # fmt: skip
_VALUES: list[Any] = [
    None, True, 0, -1, 1 << 63, 1 << 70, 0.5, 1e300, "", "x", "é" * 40, "\u0000", "x" * 300, "y" * 70_000, [], {},
    [[[[]]]], {"startKey": "k"}, {"startKey": ""}, ["checkout."], "co_0123456789abcdef", "{token}", "{checkout}",
]  # fmt: skip
# JSON allows it; the parser does not, and so cannot tell whose call it is.
_TOO_LARGE = str(1 << 70).encode()
# No call may wait longer than this.
_LONGEST_WAIT = 50
_LONG_WAIT = re.compile(rb'"waitMs":\d{4,}')
# Longer ones may be beyond the daemon's limit once their names are filled in.
_LONGEST_CALL = 60_000


@dataclass(frozen=True)
class Line:
    """One line to send. With an id it is a call that must be answered once."""

    data: bytes
    id: str | None = None


class Mutation:
    """Makes conversations of transcripts."""

    def __init__(self, source: random.Random, transcripts: Sequence[Sequence[str]]) -> None:
        self.random = source
        self._transcripts = transcripts
        self._calls: list[JsonObject] = [
            call for lines in transcripts for line in lines if (call := _read(line)) is not None
        ]

    def conversation(self) -> Iterator[Line]:
        """The lines of one connection."""
        lines: list[str] = list(self.random.choice(self._transcripts))
        for _ in range(self.random.choice([0, 1, 1, 2, 4])):
            self._rearrange(lines)
        for line in lines:
            yield self._line(line)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """The bytes as they are written: whole, or cut anywhere."""
        while data and self._chance(0.2):
            place = self.random.randrange(len(data))
            yield data[:place]
            data = data[place:]
        yield data

    def _chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _rearrange(self, lines: list[str]) -> None:
        place = self.random.randrange(len(lines))
        match self.random.randrange(4):
            case 0 if len(lines) > 1:
                del lines[place]
            case 1:
                lines.insert(place, lines[place])
            case 2:
                lines.insert(place, json.dumps(self.random.choice(self._calls)))
            case _:
                other = self.random.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]

    def _line(self, line: str) -> Line:
        call = _read(line)
        if call is None:
            return Line(self._spoilt(line.encode()))
        call = copy.deepcopy(call)
        if self._chance(0.25):
            self._change(call)
        if self._chance(0.1):
            others = [copy.deepcopy(self.random.choice(self._calls)) for _ in range(self.random.randrange(1, 5))]
            return Line(_encode([_bounded(other) for other in (call, *others)]))
        text = _encode(_bounded(call))
        if self._chance(0.1):
            return Line(self._spoilt(text))
        if "id" not in call or not isinstance(call.get("method"), str) or call.get("jsonrpc") != "2.0":
            return Line(text)
        # An id of its own tells this call's answer from every other.
        id = f"call-{self.random.getrandbits(64):x}"
        call["id"] = id
        is_call = set(call) <= {"jsonrpc", "id", "method", "params"}
        is_call = is_call and isinstance(call.get("params", {}), (dict, list))
        text = _encode(_bounded(call))
        is_call = is_call and len(text) < _LONGEST_CALL and _TOO_LARGE not in text
        return Line(text, id if is_call else None)

    def _change(self, call: JsonObject) -> None:
        """Changes one value somewhere in the call, or its members."""
        node: Any = call
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                return
            key = self.random.choice(keys)
            inner = node[key]
            if not isinstance(inner, (dict, list)) or not inner or self._chance(0.3):
                break
            node = inner
        match self.random.randrange(4):
            case 0:
                del node[key]
            case 1 if isinstance(node, dict):
                node[self.random.choice(["x", "id", "params", "checkoutId", "all", "after"])] = inner
            case _:
                node[key] = copy.deepcopy(self.random.choice(_VALUES))

    def _spoilt(self, data: bytes) -> bytes:
        """The bytes with some of them changed, gone or added."""
        for _ in range(self.random.choice([1, 1, 2, 8])):
            place = self.random.randrange(len(data) + 1)
            match self.random.randrange(5):
                case 0:
                    data = data[:place] + data[place + self.random.randrange(1, 9) :]
                case 1:
                    data = data[:place] + self.random.choice(_BYTES) + data[place:]
                case 2:
                    data = data[:place] + data[max(0, place - 9) :]
                case 3:
                    data = data[:place] + bytes([self.random.randrange(256)]) + data[place + 1 :]
                case _:
                    data = data[:place] + data[place : place + 20] * self.random.choice([2, 3, 4000]) + data[place:]
        return _LONG_WAIT.sub(b'"waitMs":%d' % _LONGEST_WAIT, data)


def _read(line: str) -> JsonObject | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _bounded(call: JsonObject) -> JsonObject:
    params = call.get("params")
    if isinstance(params, dict) and type(params.get("waitMs")) is int:
        params["waitMs"] = min(params["waitMs"], _LONGEST_WAIT)
    if isinstance(params, list):
        call["params"] = [min(value, _LONGEST_WAIT) if type(value) is int else value for value in params]
    return call


def _encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
