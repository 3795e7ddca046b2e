"""The sandbox of Primer's API as tests use it: client sessions, the bank's decision, faults, holds and the log."""

from __future__ import annotations

import atexit
import base64
import functools
import http.client
import json
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.lines import JsonObject

TIMEOUT = 10
APPROVING: JsonObject = {"outcome": "approve", "pendingPolls": 0}
DECLINING: JsonObject = {"outcome": "decline", "pendingPolls": 0}

_PROGRAM = Path(__file__).resolve().parents[2] / "client" / "sandbox" / "primer-sandbox"


@functools.cache
def shared_sandbox() -> Sandbox:
    """The sandbox of this run; it starts with the first test that needs it."""
    sandbox = Sandbox()
    atexit.register(sandbox.close)
    return sandbox


class Sandbox:
    """A running sandbox; with the files of a certificate and its key it serves https."""

    def __init__(self, certificate: tuple[Path, Path] | None = None, options: Sequence[str] = ()) -> None:
        self.scheme = "https" if certificate else "http"
        tls: list[str | Path] = ["--tls-cert", certificate[0], "--tls-key", certificate[1]] if certificate else []
        with tempfile.TemporaryDirectory() as directory:
            port_file = Path(directory) / "port"
            self._process = subprocess.Popen(
                [sys.executable, _PROGRAM, "--port-file", port_file, *tls, *options], stderr=subprocess.PIPE, text=True
            )
            assert self._process.stderr
            self._process.stderr.readline()
            self.port = int(port_file.read_text())
        if certificate:
            # Whose certificate it is matters to the daemon; here it is known.
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            self._connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                "127.0.0.1", self.port, timeout=3 * TIMEOUT, context=context
            )
        else:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=3 * TIMEOUT)

    def close(self) -> None:
        """Ends the program."""
        self._connection.close()
        self._process.terminate()
        self._process.communicate(timeout=TIMEOUT)

    @property
    def base(self) -> str:
        """The address that all of its addresses are below."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def reset(self) -> None:
        """Forgets faults, holds and the log; sessions and payments stay."""
        self.release("*")
        self._control("DELETE", "faults")
        self._control("DELETE", "requests")

    def session(self, **options: Any) -> Session:
        """A new client session."""
        created = self._control("POST", "client-sessions", options)
        return Session(self, created["clientSessionId"], created["clientToken"])

    def fault(self, endpoint: str, **members: Any) -> None:
        """Lays a fault before the next request to the endpoint."""
        self._control("POST", "faults", [{"endpoint": endpoint, **members}])

    def hold(self, endpoint: str, *, before_effect: bool = False) -> None:
        """Holds the answers of an endpoint back."""
        self._control("POST", "hold", {"endpoint": endpoint, "beforeEffect": before_effect})

    def release(self, endpoint: str) -> None:
        """Lets go of what the endpoint holds."""
        self._control("POST", "release", {"endpoint": endpoint})

    def requests(self, endpoint: str, count: int = 0, until: str = "arrived") -> list[JsonObject]:
        """The requests of an endpoint, once so many have got that far."""
        wait = f"&wait={TIMEOUT * 1000}&count={count}&until={until}" if count else ""
        requests: list[JsonObject] = self._control("GET", f"requests?endpoint={endpoint}{wait}")
        assert len(requests) >= count, f"{len(requests)} requests to {endpoint}, not {count}"
        return requests

    def all_requests(self) -> list[JsonObject]:
        """The requests of all endpoints."""
        requests: list[JsonObject] = self._control("GET", "requests")
        return requests

    def payments(self) -> list[JsonObject]:
        """All payments."""
        payments: list[JsonObject] = self._control("GET", "payments")
        return payments

    def create_payment(self, payment_method_token: str) -> JsonObject:
        """The merchant's server creates a payment."""
        payment: JsonObject = self._control("POST", "payments", {"paymentMethodToken": payment_method_token})
        return payment

    def resume_payment(self, payment_id: str, resume_token: str) -> JsonObject:
        """The merchant's server resumes a payment."""
        resumed: JsonObject = self._control("POST", f"payments/{payment_id}/resume", {"resumeToken": resume_token})
        return resumed

    def set_status(self, payment_id: str, status: str) -> None:
        """What became of a payment later, without the daemon."""
        self._control("POST", f"payments/{payment_id}/status", {"status": status})

    def control(self, method: str, path: str) -> Any:
        """A call of the sandbox's own surface without a body."""
        return self._control(method, path)

    def decide(self, payment_id: str, outcome: str, place: str = "redirects") -> None:
        """The customer decides: `approve`, `decline` or `expire`."""
        self._control("POST", f"{place}/{payment_id}", {"outcome": outcome})

    def _control(self, method: str, path: str, body: Any = None) -> Any:
        text = None if body is None else json.dumps(body).encode()
        self._connection.request(method, f"/sandbox/{path}", text, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        answer = response.read()
        assert response.status == 200, answer
        return json.loads(answer)


@dataclass(frozen=True)
class Session:
    """A client session."""

    sandbox: Sandbox
    id: str
    client_token: str

    @property
    def access_token(self) -> str:
        """The key in the client token."""
        return str(payload(self.client_token)["accessToken"])

    @property
    def customer(self) -> JsonObject:
        """The customer as Primer has it now."""
        customer: JsonObject = self.sandbox.control("GET", f"client-sessions/{self.id}")["customer"]
        return customer

    @property
    def order_id(self) -> str:
        """The merchant's id of the order."""
        return str(self.sandbox.control("GET", f"client-sessions/{self.id}")["order"]["orderId"])

    @property
    def payments(self) -> list[JsonObject]:
        """The payments of this session."""
        return [payment for payment in self.sandbox.payments() if payment["clientSessionId"] == self.id]

    @property
    def payment(self) -> JsonObject:
        """Its one payment."""
        (payment,) = self.payments
        return payment

    def another_token(self) -> str:
        """One more client token."""
        return str(self.sandbox.control("POST", f"client-sessions/{self.id}/tokens")["clientToken"])

    def expire(self) -> None:
        """All access tokens expire at once."""
        self.sandbox.control("POST", f"client-sessions/{self.id}/expire")

    def approve(self) -> None:
        """The customer approves its one payment, at the bank or wherever else that is done."""
        self.decide("approve")

    def decline(self) -> None:
        """The customer declines its one payment."""
        self.decide("decline")

    def let_expire(self) -> None:
        """The customer lets the time for its one payment pass."""
        self.decide("expire")

    def decide(self, outcome: str) -> None:
        """The customer does that."""
        payment = self.payment
        self.sandbox.decide(payment["id"], outcome, payment["place"])


def payload(token: str) -> JsonObject:
    """The payload of a client token."""
    part = token.split(".")[1]
    read: JsonObject = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return read


def token_of(claims: Any) -> str:
    """A client token with this payload; nobody looks at its signature here."""
    text = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    part = base64.urlsafe_b64encode(text).rstrip(b"=").decode()
    return f"eyJhbGciOiJIUzI1NiJ9.{part}.c2lnbmF0dXJl"
