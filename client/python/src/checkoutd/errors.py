"""What can go wrong."""

from __future__ import annotations

from typing import Any, cast

from checkoutd.types import ErrorData, ValidationError


class CheckoutdError(Exception):
    """The base of all errors of this package."""


class CallError(CheckoutdError):
    """The daemon answered a call with an error: switch on `code` and `error_id`."""

    def __init__(self, code: int, message: str, data: ErrorData) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    @classmethod
    def of(cls, error: dict[str, Any]) -> CallError:
        """The error of a reply."""
        return cls(int(error["code"]), str(error["message"]), cast(ErrorData, error.get("data", {})))

    @property
    def error_id(self) -> str:
        """What happened, in a word, as in `unknown-checkout`."""
        return self.data.get("errorId", "")

    def __str__(self) -> str:
        path = f" ({self.data['path']})" if "path" in self.data else ""
        text = f"{self.error_id} ({self.code}): {self.data.get('description', self.message)}{path}"
        return "; ".join([text, *map(_in_words, self.data.get("validationErrors", []))])


def _in_words(error: ValidationError) -> str:
    return f"{error['field']}: {error['description']}" if "field" in error else error["description"]


class Unreachable(CheckoutdError, ConnectionError):
    """The daemon could not be reached, so the call was not made."""


class ConnectionLost(CheckoutdError, ConnectionError):
    """The connection ended before the reply came: whether the call took effect is for the snapshot to tell."""


class TimedOut(CheckoutdError, TimeoutError):
    """What was waited for did not come in time."""


class ProtocolError(CheckoutdError):
    """What came is not what the daemon says."""
