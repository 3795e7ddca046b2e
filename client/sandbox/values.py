"""JSON values: written, merged, and read member by member with a type each.

`Refusal` is the one way in which either surface says no; it knows the error body that Primer sends.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any, TypeVar

JsonObject = dict[str, Any]

_KIND_NAMES: dict[type[Any], str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "a Boolean",
}

_Kind = TypeVar("_Kind")
_Default = TypeVar("_Default")


class Refusal(Exception):
    """A request that is answered with an error: its status and Primer's error body."""

    def __init__(
        self,
        status: int,
        error_id: str,
        description: str,
        validation_errors: Sequence[str] = (),
        inside: JsonObject | None = None,
        beside: JsonObject | None = None,
    ) -> None:
        super().__init__(description)
        self.status = status
        self.error_id = error_id
        self.description = description
        self.validation_errors = list(validation_errors)
        self.inside = inside or {}
        self.beside = beside or {}

    def body(self) -> JsonObject:
        """The error body; the members in `inside` stand in the error, those in `beside` next to it."""
        error: JsonObject = {
            "errorId": self.error_id,
            "description": self.description,
            "diagnosticsId": secrets.token_hex(8),
        }
        if self.validation_errors:
            error["validationErrors"] = self.validation_errors
        return {"error": error | self.inside} | self.beside


def bad_request(description: str) -> Refusal:
    """The refusal of a request whose body or query makes no sense."""
    return Refusal(400, "BadRequest", description, [description])


def encode(value: Any) -> bytes:
    """The value as JSON text; a lone surrogate stays the escape that it came as."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def decode(text: bytes) -> Any:
    """The value of a JSON text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise bad_request(f"the body is not JSON: {error}") from None


def merge(target: Any, patch: Any) -> Any:
    """`patch` merged over `target` as RFC 7396 says: objects member by member, null removes."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def is_a(value: object, kind: type[Any]) -> bool:
    """Whether a JSON value has the type; a Boolean is no number here."""
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, (int, float))
    return isinstance(value, kind)


class Members:
    """The members of one JSON object, taken out by name and type. Null counts as absent."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise bad_request(f"{where} must be an object")
        self._left: JsonObject = dict(value)
        self._where = where

    def take(self, name: str, kind: type[_Kind], default: _Default) -> _Kind | _Default:
        """The member, or the default when it is absent."""
        value = self._left.pop(name, None)
        if value is None:
            return default
        if not is_a(value, kind):
            raise bad_request(f"{self._where}: {name} must be {_KIND_NAMES[kind]}")
        return value  # type: ignore[no-any-return]

    def require(self, name: str, kind: type[_Kind]) -> _Kind:
        """The member; its absence is refused."""
        value = self.take(name, kind, None)
        if value is None:
            raise bad_request(f"{self._where}: {name} is missing")
        return value

    def take_any(self, name: str, default: Any = None) -> Any:
        """The member whatever its type, a null as well."""
        return self._left.pop(name, default)

    def within(self, name: str) -> Members:
        """The members of the object that the member is."""
        return Members(self.require(name, dict), f"{self._where}.{name}")

    @property
    def rest(self) -> JsonObject:
        """The members that nobody took."""
        return dict(self._left)

    def finish(self) -> None:
        """Refuses the members that nobody took."""
        if self._left:
            raise bad_request(f"{self._where}: unknown member {', '.join(sorted(self._left))}")
