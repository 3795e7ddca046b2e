"""The truth: client sessions and payments as upstream has them, and what each of its calls does to them."""

from __future__ import annotations

import base64
import json
import threading
import time
from dataclasses import dataclass, field
from email.message import Message

from oracle.methods import METHODS
from support.lines import JsonObject
from support.sandbox import payload

SUCCEEDED = ("SUCCESS", "AUTHORIZED", "PARTIALLY_SETTLED", "SETTLED", "SETTLING")
FAILED = ("FAILED", "DECLINED", "CANCELLED")
BANKS = [
    {"id": "1121", "name": "Duinrand Bank", "disabled": False},
    {"id": "1122", "name": "Crédit Zilverduin", "disabled": False},
    {"id": "1123", "name": "Ooievaar Bank", "disabled": True},
]

Answer = tuple[int, JsonObject]


@dataclass
class Script:
    """How the payments of a session go."""

    # The status that a creation is answered with.
    create: str = "PENDING"
    # How many polls find the shopper undecided.
    polls: int = 1
    approves: bool = True
    # What an approved payment becomes when it is resumed.
    verdict: str = "SUCCESS"


@dataclass
class Session:
    """A client session."""

    number: int
    script: Script
    surcharge: int
    customer: JsonObject
    # The payment method of each payment method token.
    instruments: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id that the configuration names."""
        return f"cs-{self.number}"

    @property
    def access(self) -> str:
        """The access token of its first client token."""
        return f"acc-{self.number}"

    @property
    def order_id(self) -> str:
        """The merchant's id."""
        return f"order-{self.number}"


@dataclass
class Payment:
    """A payment, and how far it really is."""

    id: str
    session: Session
    method: str
    key: str | None
    # The checkout that created it, as the daemon's requests name it; None if the merchant's backend did.
    created_by: str | None
    status: str
    payment_method_token: str
    polls: int = 0
    decision: str = ""
    resume_token: str | None = None
    is_resumed: bool = False
    is_completed: bool = False

    @property
    def has_succeeded(self) -> bool:
        """Whether the money has moved."""
        return self.status in SUCCEEDED

    @property
    def has_failed(self) -> bool:
        """Whether no money moves any more."""
        return self.status in FAILED

    @property
    def moves(self) -> bool:
        """Whether money has moved, or will without anybody doing more."""
        if self.has_succeeded or self.has_failed:
            return self.has_succeeded
        return self.decision == "approve" or self.is_completed

    def __str__(self) -> str:
        steps = [word for word, done in (("resumed", self.is_resumed), ("completed", self.is_completed)) if done]
        return f"{self.id}({' '.join([self.status, self.decision, *steps])}, key {self.key}, by {self.created_by})"


class Refused(Exception):
    """A call that upstream answers with an error."""

    def __init__(
        self, status: int, error_id: str, inside: JsonObject | None = None, beside: JsonObject | None = None
    ) -> None:
        super().__init__(error_id)
        error = {"errorId": error_id, "description": "refused", "diagnosticsId": "d"} | (inside or {})
        self.answer: Answer = (status, {"error": error} | (beside or {}))


class Ledger:
    """All sessions and payments. Whoever reads or changes any of it holds the lock."""

    def __init__(self, base: str) -> None:
        self.lock = threading.RLock()
        self.payments: dict[str, Payment] = {}
        self._base = base
        self._sessions = 0
        self._tokens = 0
        self._by_access: dict[str, Session] = {}
        self._keys: dict[str, Payment] = {}

    # Client sessions and their tokens

    def session(self, script: Script, surcharge: int) -> Session:
        """A new client session."""
        with self.lock:
            self._sessions += 1
            customer = {"customerId": "c", "firstName": "Ada", "lastName": "Byron", "emailAddress": "ada@example.com"}
            session = Session(self._sessions, script, surcharge, customer)
            self._by_access[session.access] = session
            return session

    def first_token(self, session: Session) -> str:
        """The client token that the session came with, the same each time."""
        return self._token(session.access, {"intent": "CHECKOUT"})

    def another_token(self, session: Session) -> str:
        """One more client token of the session."""
        return self._token(self._access(session, "more"), {"intent": "CHECKOUT"})

    @staticmethod
    def access_of(token: str) -> str:
        """The access token in a client token."""
        return str(payload(token)["accessToken"])

    def _access(self, session: Session, what: str) -> str:
        with self.lock:
            self._tokens += 1
            access = f"{session.access}-{what}-{self._tokens}"
            self._by_access[access] = session
            return access

    def _token(self, access: str, members: JsonObject) -> str:
        claims = {
            "accessToken": access,
            "configurationUrl": f"{self._base}/configuration",
            "coreUrl": self._base,
            "pciUrl": self._base,
            "env": "SANDBOX",
            "exp": int(time.time()) + 3600,
        }
        return f"{_part({'alg': 'none'})}.{_part(claims | members)}.c2ln"

    # Calls

    def call(self, kind: str, subject: str, body: JsonObject, headers: Message) -> Answer:
        """Carries a call out. The subject is the payment in its path."""
        session = self._by_access.get(str(headers.get("Primer-Client-Token")))
        if session is None:
            raise Refused(401, "Unauthorized")
        if kind == "configuration":
            return 200, self._configuration(session)
        if kind == "actions":
            self._act(session, body["actions"])
            return 200, self._configuration(session)
        if kind == "banks":
            return 200, {"result": BANKS}
        if kind == "tokenize":
            return 200, self._tokenize(session, body["paymentInstrument"])
        if kind == "create":
            checkout, key = headers.get("Primer-SDK-Checkout-Session-ID"), headers.get("X-Idempotency-Key")
            return self.create(session, body["paymentMethodToken"], key, checkout)
        if kind == "poll":
            return 200, self._poll(self.payments[subject])
        if kind == "resume":
            return 200, self._resume(self.payments[subject], body["resumeToken"])
        if kind == "complete":
            return 200, self._complete(self.payments[subject])
        if kind == "validate":
            return 200, {"success": True}
        raise Refused(404, "NotFound")

    def _configuration(self, session: Session) -> JsonObject:
        options = [{"type": type, "surcharge": session.surcharge} for type in METHODS if session.surcharge]
        item = {"itemId": "mug", "quantity": 1, "amount": 1299, "name": "Mug", "description": "A blue mug"}
        order = {"orderId": session.order_id, "totalOrderAmount": 1299, "currencyCode": "USD", "countryCode": "NL"}
        return {
            "coreUrl": self._base,
            "pciUrl": self._base,
            "env": "SANDBOX",
            "clientSession": {
                "clientSessionId": session.id,
                "paymentMethod": {"options": options},
                "order": order | {"lineItems": [item]},
                "customer": session.customer,
            },
            "paymentMethods": [method.entry for method in METHODS.values()],
            "checkoutModules": [],
        }

    @staticmethod
    def _act(session: Session, actions: list[JsonObject]) -> None:
        for action in actions:
            for name, value in action.get("params", {}).items():
                if name in session.customer:
                    session.customer = session.customer | {name: value}

    @staticmethod
    def _tokenize(session: Session, instrument: JsonObject) -> JsonObject:
        method = instrument["paymentMethodType"]
        token = f"tok-{session.number}-{len(session.instruments) + 1}"
        session.instruments[token] = method
        return {
            "id": f"instrument-{token}",
            "token": token,
            "analyticsId": "a",
            "tokenType": "SINGLE_USE",
            "isVaulted": False,
            "paymentInstrumentType": instrument["type"],
            "paymentMethodType": method,
            "paymentInstrumentData": {},
        }

    def create(self, session: Session, token: str, key: str | None, checkout: str | None) -> Answer:
        """A payment, or whose it is that the key has been used for: a key is not played again."""
        with self.lock:
            if key in self._keys:
                raise _key_used(self._keys[key])
            payment = Payment(
                id=f"pay-{len(self.payments) + 1}",
                session=session,
                method=session.instruments[token],
                key=key,
                created_by=checkout,
                status=session.script.create,
                payment_method_token=token,
            )
            self.payments[payment.id] = payment
            if key is not None:
                self._keys[key] = payment
            answer = _shown(payment)
            if payment.status == "PENDING":
                answer["requiredAction"] = self._required_action(payment)
            return 200, answer

    def payment_of(self, key: str) -> Payment:
        """The payment that a key was used for."""
        with self.lock:
            return self._keys[key]

    def _required_action(self, payment: Payment) -> JsonObject:
        action = METHODS[payment.method].action_members(self._base, payment.id)
        token = self._token(self._access(payment.session, payment.id), action)
        return {"clientToken": token, "name": "USE_PRIMER_SDK", "description": "go on"}

    @staticmethod
    def _poll(payment: Payment) -> JsonObject:
        payment.polls += 1
        if not payment.decision and payment.polls > payment.session.script.polls:
            payment.decision = "approve" if payment.session.script.approves else "decline"
            payment.resume_token = f"resume-{payment.id}"
        if payment.resume_token:
            return {"status": "COMPLETE", "id": payment.resume_token, "source": "BANK"}
        return {"status": "PENDING", "id": "none-yet", "source": "BANK"}

    @staticmethod
    def _resume(payment: Payment, token: str) -> JsonObject:
        if payment.is_resumed or token != payment.resume_token:
            raise Refused(400, "ResumeTokenAlreadyUsed")
        payment.is_resumed = True
        payment.status = payment.session.script.verdict if payment.decision == "approve" else "FAILED"
        return _shown(payment)

    @staticmethod
    def _complete(payment: Payment) -> JsonObject:
        if payment.is_completed:
            raise Refused(400, "PaymentAlreadyCompleted")
        payment.is_completed = True
        return {}


def _shown(payment: Payment) -> JsonObject:
    return {
        "id": payment.id,
        "orderId": payment.session.order_id,
        "status": payment.status,
        "amount": 1299,
        "currencyCode": "USD",
        "date": "2026-01-01T00:00:00.000+0000",
    }


def _key_used(payment: Payment) -> Refused:
    """The answer to a used key. Primer's own example names the payment inside the error, older ones beside it."""
    named = {"paymentId": payment.id, "paymentStatus": payment.status}
    if int(payment.id.rpartition("-")[2]) % 2:
        return Refused(409, "IdempotencyKeyAlreadyExists", inside=named)
    return Refused(409, "IdempotencyKeyAlreadyExists", beside=named)


def _part(value: JsonObject) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
