"""The rules that every line from the daemon keeps, and the messages that lines hold."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

JsonObject = dict[str, Any]
Message = JsonObject | list[JsonObject]

MAX_LINE = 1024 * 1024

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
_RAW = re.compile("[\x00-\x1f\x7f\u0080-\u009f\u2028\u2029]")
_TERMINAL = ("checkout.didCompleteCheckout", "checkout.didFail")


class BrokenLine(AssertionError):
    """A line that the protocol does not allow."""


@dataclass(frozen=True)
class Event:
    """A notification of the daemon."""

    method: str
    params: JsonObject

    @property
    def label(self) -> str:
        """The event in a word or three, as in `step webRedirect loaded`."""
        if self.method == "component.didReceiveStep":
            step = self.params["step"]
            return " ".join(["step", step["name"], *([step["state"]] if "state" in step else [])])
        if self.method == "component.didUpdateValidationStatus":
            return f"validation {self.params['status']}"
        if self.method == "checkout.didReceiveAdditionalInfo":
            return f"info {self.params['info']['kind']}"
        return self.method.rpartition(".")[2]

    @property
    def is_terminal(self) -> bool:
        """Whether nothing of its checkout follows."""
        return self.method in _TERMINAL

    @property
    def seq(self) -> int:
        """The event's number within its checkout."""
        return int(self.params["seq"])

    @property
    def error_id(self) -> str:
        """The `errorId` of the error that it tells of."""
        return str(self.params["error"]["errorId"])


def parse(line: bytes) -> Message:
    """The message in a line without its LF; refuses what the protocol does not allow."""
    if len(line) >= MAX_LINE:
        raise BrokenLine(f"a line of {len(line)} bytes")
    text = line.decode("utf-8")
    if _RAW.search(text):
        raise BrokenLine(f"a character that should be escaped: {text!r}")
    if re.search(r"\s", _STRINGS.sub("", text)):
        raise BrokenLine(f"white space between the tokens: {text!r}")
    value = json.loads(text, object_pairs_hook=_without_duplicates)
    if isinstance(value, list):
        if not value:
            raise BrokenLine("an empty batch")
        for member in value:
            _check_reply(member)
        return value
    if isinstance(value, dict) and "method" in value:
        _check_event(value)
        return value
    return _check_reply(value)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise BrokenLine(f"a member twice: {pairs}")
    return members


def _check_event(message: JsonObject) -> None:
    if list(message) != ["jsonrpc", "method", "params"] or message["jsonrpc"] != "2.0":
        raise BrokenLine(f"no event: {message}")
    if not isinstance(message["params"], dict) or message["method"].startswith("rpc."):
        raise BrokenLine(f"no event: {message}")


def _check_reply(message: Any) -> JsonObject:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise BrokenLine(f"no reply: {message}")
    if list(message) == ["jsonrpc", "id", "result"]:
        return message
    if list(message) != ["jsonrpc", "id", "error"]:
        raise BrokenLine(f"no reply: {message}")
    error = message["error"]
    if list(error) not in (["code", "message", "data"], ["code", "message"]):
        raise BrokenLine(f"no error: {message}")
    if not isinstance(error["code"], int) or len(error["message"].encode()) > 60:
        raise BrokenLine(f"no error: {message}")
    return message
