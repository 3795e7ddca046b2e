"""Who is let in. A page from elsewhere, open in a browser on this machine, must not reach the sandbox.

Such a page can have the browser send requests here, and under a name that leads here it could read the answers too.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from values import Refusal
from wire import Request

_SAFE_METHODS = ("GET", "HEAD")
_JSON = "application/json"


class Doorkeeper:
    """Knows the hosts that the sandbox is called by."""

    def __init__(self, base: str, listening: Iterable[str] = ()) -> None:
        parts = urlsplit(base)
        self._hosts = {parts.netloc.lower(), *(host.lower() for host in listening)}
        self._origins = {f"{parts.scheme}://{host}" for host in self._hosts}

    def check(self, request: Request) -> None:
        """Refuses a request that has another host, or comes from a page of another origin.

        Programs send no `Origin`; a browser sends it with everything but reading.
        """
        if request.headers.get("host", "").lower() not in self._hosts:
            raise Refusal(403, "Forbidden", "The Host header is not the sandbox's")
        if request.method in _SAFE_METHODS:
            return
        if (origin := request.headers.get("origin")) is not None and origin.lower() not in self._origins:
            raise Refusal(403, "Forbidden", "The Origin header is not the sandbox's")


def check_content_type(request: Request, wanted: str = _JSON) -> None:
    """Refuses a body of another content type than the wanted one; where there is no body, none is needed."""
    if request.body and content_type(request) != wanted:
        raise Refusal(415, "UnsupportedMediaType", f"Content-Type must be {wanted}")


def content_type(request: Request) -> str:
    """The content type without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
