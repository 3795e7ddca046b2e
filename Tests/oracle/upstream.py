"""Upstream over HTTP: answers from the ledger, and fails at random, before the effect of a call or after it."""

from __future__ import annotations

import json
import random
import re
import socket
import struct
import threading
import time
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from oracle.ledger import Answer, Ledger, Refused
from support.lines import JsonObject

# Longer than the daemon waits for an answer.
SLOW = 0.9

_KINDS = [
    ("configuration", re.compile(r"/configuration")),
    ("actions", re.compile(r"/client-session/actions")),
    ("banks", re.compile(r"/adyen/checkout")),
    ("tokenize", re.compile(r"/payment-instruments")),
    ("create", re.compile(r"/payments")),
    ("resume", re.compile(r"/payments/([^/]+)/resume")),
    ("poll", re.compile(r"/status/([^/]+)")),
    ("complete", re.compile(r"/complete/([^/]+)")),
    ("validate", re.compile(r"/client-token/validate")),
]
# How often each fault comes among the faults.
_FAULTS = {
    "delay": 4,
    "reset before": 3,
    "reset after": 4,
    "500 before": 2,
    "500 after": 2,
    "503 html": 1,
    "malformed after": 2,
    "truncated after": 2,
    "slow after": 3,
    "slow before": 2,
    "400 before": 1,
    "429 before": 1,
    "empty after": 1,
}
_HARMLESS = (None, "delay")


@dataclass
class Request:
    """One request: what it was, what went wrong with it, and what it was answered."""

    kind: str
    access: str
    checkout: str
    fault: str | None
    status: int | None = None
    payment: str | None = None
    is_answered: bool = False

    @property
    def is_faulted(self) -> bool:
        """Whether the daemon may not have learned what it did."""
        return self.fault not in _HARMLESS

    def __str__(self) -> str:
        return f"{self.kind}:{self.fault or 'ok'}:{self.status}"


class Upstream:
    """A running server, with its ledger and the requests so far."""

    def __init__(self, seed: int, rate: float) -> None:
        self.rate = rate
        self.requests: list[Request] = []
        self._random = random.Random(seed * 7919 + 1)
        self._server = _Server(self)
        self.port = int(self._server.server_address[1])
        self.ledger = Ledger(f"http://127.0.0.1:{self.port}")
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()

    def arrived(self, path: str, headers: Message) -> tuple[Request, str]:
        """Notes a request, and draws its fault; the second is the payment that its path names."""
        kind, subject = _kind(path)
        with self.ledger.lock:
            request = Request(
                kind,
                access=str(headers.get("Primer-Client-Token")),
                checkout=str(headers.get("Primer-SDK-Checkout-Session-ID")),
                fault=self._draw(),
            )
            self.requests.append(request)
            return request, subject

    def _draw(self) -> str | None:
        if self._random.random() >= self.rate:
            return None
        return self._random.choices(list(_FAULTS), list(_FAULTS.values()))[0]

    def delay(self) -> float:
        """How long a delayed answer takes."""
        with self.ledger.lock:
            return self._random.uniform(0.02, 0.25)

    def effect(self, request: Request, subject: str, body: JsonObject, headers: Message) -> Answer:
        """Carries a request out."""
        with self.ledger.lock:
            try:
                answer = self.ledger.call(request.kind, subject, body, headers)
            except Refused as refused:
                answer = refused.answer
            request.payment = subject or _named(answer[1])
            return answer


def _kind(path: str) -> tuple[str, str]:
    for kind, pattern in _KINDS:
        if match := pattern.fullmatch(path):
            return kind, match[1] if match.groups() else ""
    return "unknown", ""


def _named(answer: JsonObject) -> str | None:
    """The payment that the answer to a creation names."""
    error = answer.get("error", {})
    named = answer.get("paymentId") or error.get("paymentId") or answer.get("id")
    return named if isinstance(named, str) and named.startswith("pay-") else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        super().__init__(("127.0.0.1", 0), _Exchange)

    def handle_error(self, request: object, client_address: object) -> None:
        """A daemon that is killed breaks its connections off."""


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._answer_one()

    def do_POST(self) -> None:
        self._answer_one()

    def log_message(self, format: str, *arguments: object) -> None:
        """Keeps no log."""

    def _answer_one(self) -> None:
        try:
            self._exchange()
        except OSError:
            self.close_connection = True

    def _exchange(self) -> None:
        upstream = self.server.upstream
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        request, subject = upstream.arrived(self.path.partition("?")[0], self.headers)
        if self._fail_before(request):
            return
        status, answer = upstream.effect(request, subject, body, self.headers)
        self._fail_after(request, status, answer)

    def _fail_before(self, request: Request) -> bool:
        """Answers in place of the effect, if the fault says so."""
        if request.fault == "delay":
            time.sleep(self.server.upstream.delay())
            return False
        if request.fault == "slow before":
            time.sleep(SLOW)
        if request.fault in ("reset before", "slow before"):
            self._reset()
        elif request.fault == "500 before":
            self._send(request, 500, _error("Internal"))
        elif request.fault == "503 html":
            self._send(request, 503, b"<html>bad gateway</html>")
        elif request.fault == "400 before":
            self._send(request, 400, _error("ValidationError"))
        elif request.fault == "429 before":
            self._send(request, 429, _error("RateLimited"), {"Retry-After": "1"})
        else:
            return False
        return True

    def _fail_after(self, request: Request, status: int, answer: JsonObject) -> None:
        """Answers after the effect, as well as the fault lets it."""
        text = json.dumps(answer).encode()
        if request.fault == "reset after":
            self._reset()
        elif request.fault == "500 after":
            self._send(request, 500, _error("Internal"))
        elif request.fault == "malformed after":
            # What can be read of it must not name another payment: that would be believed.
            self._send(request, 200, b'{"id": oops')
        elif request.fault == "empty after":
            self._send(request, 200, b"")
        elif request.fault == "truncated after":
            self._send(request, status, text, missing=40)
        else:
            if request.fault == "slow after":
                time.sleep(SLOW)
            self._send(request, status, text)

    def _send(
        self, request: Request, status: int, text: bytes, headers: dict[str, Any] | None = None, missing: int = 0
    ) -> None:
        request.status = status
        fields = {"Content-Type": "application/json", "Content-Length": len(text) + missing} | (headers or {})
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in fields.items())]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode() + text)
        self.wfile.flush()
        request.is_answered = True
        if missing:
            self.close_connection = True

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


def _error(id: str) -> bytes:
    return json.dumps({"error": {"errorId": id, "description": "asked for", "diagnosticsId": "d"}}).encode()
