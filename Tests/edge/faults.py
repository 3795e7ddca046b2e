"""The columns of the matrix: everything that can go wrong with an answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from support.lines import JsonObject

# Longer than the daemon waits in these tests, shorter than it waits before it sends a payment again.
_LATE_MS = 600
_HTML: JsonObject = {"body": "<html><body>Sorry</body></html>", "contentType": "text/html"}
_OVER_THE_LIMIT = 5 * 1024 * 1024

# The sandbox's names for them.
ODDITIES = (
    "byte-order-mark",
    "long-integer",
    "huge-number",
    "half-surrogate",
    "doubled-name",
    "deep",
    "latin-1",
    "error-beside",
)


@dataclass(frozen=True, eq=False)
class Fault:
    """One way to fail. Without a status there is no answer, or one that looks well from outside."""

    name: str
    # What the sandbox is told.
    members: JsonObject = field(default_factory=dict)
    # Told instead where the fault comes before the effect.
    before: JsonObject = field(default_factory=dict)
    status: int | None = None
    server_error: str | None = None
    retry_after: int | None = None
    times: int = 1
    # What becomes of the next new connection, where it is that which fails: the request does not arrive.
    connection: Literal["", "no-tls", "untrusted"] = ""

    @property
    def arrives(self) -> bool:
        """Whether the request that meets it arrives."""
        return not self.connection

    def told(self, after_effect: bool) -> JsonObject:
        """What the sandbox is told."""
        members = self.members | ({"afterEffect": True} if after_effect else self.before)
        return members | {"times": self.times}

    def always(self) -> Fault:
        """The same, again and again."""
        return replace(self, name=f"{self.name}-always", times=-1)


def _status(status: int) -> Fault:
    return Fault(str(status), {"status": status}, status=status, server_error="SandboxFault")


_SINGLE = [
    # Before the effect there must be none, also not later.
    Fault("late", {"delayMs": _LATE_MS}, {"status": 503}),
    Fault("reset", {"reset": "before-headers"}),
    Fault("reset-in-body", {"reset": "after-headers"}),
    Fault("truncated", {"truncate": True}),
    Fault("302", {"redirect": "https://example.com/"}, status=302, server_error="SandboxFault"),
    *map(_status, (400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503)),
    Fault(
        "429-wait",
        {"status": 429, "headers": {"Retry-After": "1"}},
        status=429,
        server_error="SandboxFault",
        retry_after=1000,
    ),
    # What a proxy on the way says: without Primer's error body nothing is certain.
    Fault("404-html", {"status": 404, **_HTML}, status=404),
    Fault("502-html", {"status": 502, **_HTML}, status=502),
    Fault("wrong-shape", {"wrongShape": True}, status=200),
    Fault("malformed", {"malformed": True}, status=200),
    Fault("empty", {"body": ""}, status=200),
    Fault("html", _HTML, status=200),
    Fault("5-MiB", {"bigBody": _OVER_THE_LIMIT}, status=200),
    Fault("content-type", {"contentType": "text/plain"}, status=200),
    # A good answer, in a text that only a tolerant reader takes.
    *(Fault(f"odd-{name}", {"oddity": name}, status=200) for name in ODDITIES),
    # The handshake breaks off, and a certificate that nobody trusts.
    Fault("no-tls", connection="no-tls"),
    Fault("untrusted", connection="untrusted"),
]

FAULTS = {fault.name: fault for single in _SINGLE for fault in (single, single.always())}
