"""Runs the sandbox as a program, and speaks to it as a checkout does: over HTTP, with what a client token says."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

PROGRAM = Path(__file__).resolve().parents[2] / "client" / "sandbox" / "primer-sandbox"
TIMEOUT = 10
MANDATE = {"mandateSignatureTimestamp": "2026-01-01T09:30:00.123+0000"}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    text: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.text)

    @property
    def error_id(self) -> str:
        return str(self.body["error"]["errorId"])


class Sandbox:
    """A running sandbox. Each thread has its own connection, which is kept alive."""

    def __init__(self, *arguments: str, authority: Path | None = None) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self._port_file = Path(self.directory.name) / "port"
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM, "--port-file", self._port_file, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        self.ready_line = self.process.stderr.readline()
        self.port = int(self._port_file.read_text())
        self._authority = authority
        self._connections: dict[int, http.client.HTTPConnection] = {}

    def close(self) -> int:
        """Ends the program; returns its exit status."""
        for connection in self._connections.values():
            connection.close()
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT)
        self.directory.cleanup()
        return self.process.returncode

    @property
    def connection(self) -> http.client.HTTPConnection:
        thread = threading.get_ident()
        if thread not in self._connections:
            self._connections[thread] = self._connect()
        return self._connections[thread]

    def _connect(self) -> http.client.HTTPConnection:
        if self._authority is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        context = ssl.create_default_context(cafile=str(self._authority))
        return http.client.HTTPSConnection("localhost", self.port, timeout=TIMEOUT, context=context)

    def disconnect(self) -> None:
        self._connections.pop(threading.get_ident()).close()

    def send(self, method: str, target: str, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
        """One request; bytes are sent as they are, anything else as JSON."""
        text = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection = self.connection
        try:
            connection.request(method, target, text, {"Content-Type": "application/json"} | (headers or {}))
            response = connection.getresponse()
            return Reply(response.status, dict(response.getheaders()), response.read())
        except BaseException:
            self.disconnect()
            raise

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """A call of the sandbox's own surface, which has to succeed."""
        reply = self.send(method, f"/sandbox/{path}", body)
        assert reply.status == 200, reply.text
        return reply.body

    def fault(self, endpoint: str, **members: Any) -> None:
        self.control("POST", "faults", [{"endpoint": endpoint, **members}])

    def requests(self, endpoint: str, until: str = "arrived", count: int = 0) -> list[dict[str, Any]]:
        """The requests of an endpoint, once so many have got that far."""
        wait = f"&wait={TIMEOUT * 1000}&count={count}&until={until}" if count else ""
        requests: list[dict[str, Any]] = self.control("GET", f"requests?endpoint={endpoint}{wait}")
        assert len(requests) >= count
        return requests

    def payments_of(self, checkout: Checkout) -> list[dict[str, Any]]:
        return [p for p in self.control("GET", "payments") if p["clientSessionId"] == checkout.session_id]

    def checkout(self, **session: Any) -> Checkout:
        return Checkout(self, self.control("POST", "client-sessions", session))


class Checkout:
    """A checkout by hand. `token` is the payload of the client token in force."""

    def __init__(self, sandbox: Sandbox, created: dict[str, str]) -> None:
        self.sandbox = sandbox
        self.session_id = created["clientSessionId"]
        self.client_token = created["clientToken"]
        self.token = payload(self.client_token)

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Primer-Client-Token": self.token["accessToken"],
            "X-Api-Version": "2.4",
            "Content-Type": "application/json",
        }

    def call(self, method: str, url: str, body: Any = None, **headers: str) -> Reply:
        return self.sandbox.send(method, target(url), body, self.headers | headers)

    def configuration(self) -> Reply:
        return self.call("GET", self.token["configurationUrl"] + "?withDisplayMetadata=true")

    def act(self, type: str, **params: str) -> Reply:
        action = {"type": type, "params": params} if params else {"type": type}
        return self.call("POST", self.token["pciUrl"] + "/client-session/actions", {"actions": [action]})

    def banks(self) -> Reply:
        asked = {
            "paymentMethodConfigId": "config-ideal",
            "command": "FETCH_BANK_ISSUERS",
            "parameters": {"paymentMethod": "ideal"},
        }
        return self.call("POST", self.token["coreUrl"] + "/adyen/checkout", asked)

    def tokenize_ideal(self, issuer: str = "9001") -> Reply:
        return self._tokenize(
            paymentMethodConfigId="config-ideal",
            paymentMethodType="ADYEN_IDEAL",
            sessionInfo={"issuer": issuer, "locale": "en_US", "platform": "WEB"},
            type="OFF_SESSION_PAYMENT",
        )

    def tokenize_ach(self) -> Reply:
        return self._tokenize(
            paymentMethodConfigId="config-ach",
            paymentMethodType="STRIPE_ACH",
            authenticationProvider="STRIPE",
            sessionInfo={"locale": "en-US", "platform": "WEB"},
            type="AUTOMATED_CLEARING_HOUSE",
        )

    def tokenize(self, type: str, **info: Any) -> Reply:
        """Tokenizes any other method; `info` is merged over what every session info has, and None removes."""
        merged = {"locale": "nl-NL", "platform": "WEB"} | info
        return self._tokenize(
            paymentMethodConfigId=self._config_id(type),
            paymentMethodType=type,
            sessionInfo={name: value for name, value in merged.items() if value is not None},
            type="OFF_SESSION_PAYMENT",
        )

    def _config_id(self, type: str) -> str:
        methods = self.configuration().body["paymentMethods"]
        return next(str(method["id"]) for method in methods if method["type"] == type)

    def _tokenize(self, **instrument: Any) -> Reply:
        url = self.token["pciUrl"] + "/payment-instruments"
        return self.call("POST", url, {"paymentInstrument": instrument})

    def create(self, method_token: str, key: str | None = None) -> Reply:
        headers = {"X-Idempotency-Key": key} if key else {}
        return self.call("POST", self.token["pciUrl"] + "/payments", {"paymentMethodToken": method_token}, **headers)

    def pay_by_ideal(self) -> dict[str, Any]:
        """Creates a payment and takes over the token of its required action."""
        return self._pay(self.tokenize_ideal())

    def pay_by_ach(self) -> dict[str, Any]:
        return self._pay(self.tokenize_ach())

    def pay(self, type: str, **info: Any) -> dict[str, Any]:
        return self._pay(self.tokenize(type, **info))

    def _pay(self, tokenized: Reply) -> dict[str, Any]:
        payment: dict[str, Any] = self.create(tokenized.body["token"]).body
        self.token = payload(payment["requiredAction"]["clientToken"])
        return payment

    def poll(self) -> Reply:
        return self.call("GET", self.token["statusUrl"])

    def resume(self, payment_id: str, resume_token: str) -> Reply:
        url = f"{self.token['pciUrl']}/payments/{payment_id}/resume"
        return self.call("POST", url, {"resumeToken": resume_token})

    def complete(self) -> Reply:
        return self.call("POST", self.token["sdkCompleteUrl"], MANDATE)

    def decide(self, payment_id: str, outcome: str, place: str = "redirects") -> None:
        self.sandbox.control("POST", f"{place}/{payment_id}", {"outcome": outcome})


def payload(token: str) -> dict[str, Any]:
    """The payload of a client token."""
    part = token.split(".")[1]
    read: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return read


def target(url: str) -> str:
    """What of a URL stands in the request line."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


class Background:
    """A call on a thread of its own; `result` waits for it."""

    def __init__(self, call: Callable[[], Reply]) -> None:
        self._replies: list[Reply] = []
        self._thread = threading.Thread(target=lambda: self._replies.append(call()))
        self._thread.start()

    @property
    def is_done(self) -> bool:
        return bool(self._replies)

    @property
    def result(self) -> Reply:
        self._thread.join(TIMEOUT)
        return self._replies[0]


class SandboxTestCase(unittest.TestCase):
    """One sandbox for the tests of a class, without faults, holds or log from one test to the next."""

    sandbox: ClassVar[Sandbox]

    @classmethod
    def setUpClass(cls) -> None:
        cls.sandbox = Sandbox()
        cls.addClassCleanup(cls.sandbox.close)

    def setUp(self) -> None:
        self.addCleanup(self._reset)

    def _reset(self) -> None:
        self.sandbox.control("DELETE", "faults")
        self.sandbox.control("POST", "release", {"endpoint": "*"})
        self.sandbox.control("DELETE", "requests")

    def assert_refused(self, reply: Reply, status: int, error_id: str) -> None:
        self.assertEqual((reply.status, reply.error_id), (status, error_id))
        self.assertTrue(reply.body["error"]["description"])
        self.assertTrue(reply.body["error"]["diagnosticsId"])
