"""Oddities: texts that are no strict JSON, or hold what nobody asked for, and that a tolerant reader reads anyway.

Each changes the text of an answer and leaves its meaning alone: what is asked for is in it, unchanged.
"""

from __future__ import annotations

from collections.abc import Callable

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DEPTH = 100


def _first(member: bytes) -> Callable[[bytes], bytes]:
    """Puts a member that nobody knows before all others."""
    return lambda text: _with_member(text, member, at_end=False)


def _last(member: bytes) -> Callable[[bytes], bytes]:
    """Puts a member that nobody knows behind all others."""
    return lambda text: _with_member(text, member, at_end=True)


def _with_member(text: bytes, member: bytes, at_end: bool) -> bytes:
    """The object with one more member; a text that is no object stays as it is."""
    if not (text.startswith(b"{") and text.endswith(b"}")):
        return text
    inside = text[1:-1]
    members = [inside, member] if at_end else [member, inside]
    return b"{" + b",".join(part for part in members if part) + b"}"


ODDITIES: dict[str, Callable[[bytes], bytes]] = {
    "byte-order-mark": lambda text: _BYTE_ORDER_MARK + text,
    "long-integer": _first(b'"odd":123456789012345678901234567890'),
    "huge-number": _first(b'"odd":1e400'),
    "half-surrogate": _first(b'"odd":"\\ud83d"'),
    "doubled-name": _first(b'"odd":{"a":1,"a":2}'),
    "deep": _first(b'"odd":' + b"[" * _DEPTH + b"]" * _DEPTH),
    "latin-1": _first(b'"odd":"caf\xe9"'),
    "error-beside": _last(b'"error":{"errorId":"Odd","description":"This means nothing"}'),
    "error-null": _last(b'"error":null'),
    "white-space": lambda text: b"\r\n\t " + text + b"\r\n",
}
