"""What the sandbox holds: client sessions, access tokens, payment instruments and payments.

Everything is plain data, reached through the `Ledger` and guarded by its one lock.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from values import JsonObject
from wire import Response

if TYPE_CHECKING:
    from families import Action, Family

_FAILED_STATUSES = ("FAILED", "DECLINED", "CANCELLED")


def timestamp() -> str:
    """The time now, written as Primer does: UTC, milliseconds, a numeric offset."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000"


@dataclass
class Script:
    """How a client session departs from the normal course."""

    outcome: str = "manual"
    pending_polls: int = 1
    further_actions: int = 0
    expires_in: float = 24 * 3600
    action_expires_in: float = 24 * 3600
    legacy_idempotency: bool = False
    used_key_names: str = "both"
    approved_status: str = "SUCCESS"
    declined_status: str = "FAILED"
    expired_status: str = "FAILED"
    create_response: JsonObject = field(default_factory=dict)
    resume_response: JsonObject = field(default_factory=dict)
    status_responses: list[Response] = field(default_factory=list)
    token_overrides: JsonObject = field(default_factory=dict)
    action_token_overrides: JsonObject = field(default_factory=dict)
    configuration: JsonObject = field(default_factory=dict)
    required_action: str | None = None
    code_as: str = "image"
    lapses_in: float | None = None

    def status_after(self, decision: str) -> str:
        """What becomes of a payment by the customer's decision."""
        return {"approve": self.approved_status, "decline": self.declined_status}.get(decision, self.expired_status)


@dataclass
class PaymentMethod:
    """A payment method of a session: its entry in the configuration, how it is shown, and what it costs more."""

    type: str
    entry: JsonObject
    display: JsonObject | None = None
    surcharge: int | None = None
    networks: list[Any] | None = None

    @property
    def shown_entry(self) -> JsonObject:
        """The entry for whoever wants to draw the method."""
        return self.entry if self.display is None else self.entry | {"displayMetadata": self.display}

    @property
    def option(self) -> JsonObject:
        """The method as the client session lists it."""
        option = {"type": self.type, "surcharge": self.surcharge, "networks": self.networks}
        return {name: value for name, value in option.items() if value is not None}


@dataclass
class Access:
    """An access token: the key in a client token. One of a required action belongs to its payment."""

    value: str
    session: Session
    expires_at: int

    @property
    def is_valid(self) -> bool:
        return self.expires_at > time.time()


@dataclass
class Session:
    """A client session: what is bought, by whom, and how it may be paid."""

    id: str
    order: JsonObject
    customer: JsonObject | None
    methods: list[PaymentMethod]
    banks: list[JsonObject]
    script: Script
    selected: str | None = None
    tokens: list[Access] = field(default_factory=list)

    def method(self, type: str) -> PaymentMethod | None:
        """The payment method of that type."""
        return next((method for method in self.methods if method.type == type), None)

    @property
    def surcharge(self) -> int:
        """The surcharge of the selected method."""
        method = self.method(self.selected) if self.selected else None
        return (method.surcharge or 0) if method else 0

    @property
    def priced_order(self) -> JsonObject:
        """The order with its total as it is now. The surcharge of the selected method is in it, unless the merchant has
        named an amount of its own."""
        merchants = self.order.get("merchantAmount")
        if isinstance(merchants, int):
            return self.order | {"totalOrderAmount": merchants}
        priced = self.order.copy()
        if self.surcharge:
            fee = {"type": "SURCHARGE", "amount": self.surcharge}
            priced["fees"] = [*_list(priced.get("fees")), fee]
        total = priced.get("totalOrderAmount")
        if isinstance(total, int):
            return priced | {"totalOrderAmount": total + self.surcharge}
        items = _list(priced.get("lineItems"))
        if taxes := sum(_amount(item, "taxAmount") for item in items):
            priced.setdefault("totalTaxAmount", taxes)
        goods = sum(_amount(item) * _amount(item, "quantity", 1) - _amount(item, "discountAmount") for item in items)
        fees = sum(map(_amount, _list(priced.get("fees"))))
        beside = fees + _amount(priced.get("shipping")) + _amount(priced, "totalTaxAmount")
        return priced | {"totalOrderAmount": goods + beside}

    @property
    def description(self) -> JsonObject:
        """The session as the configuration shows it."""
        description: JsonObject = {
            "clientSessionId": self.id,
            "paymentMethod": {"vaultOnSuccess": False, "options": [method.option for method in self.methods]},
            "order": self.priced_order,
        }
        return description if self.customer is None else description | {"customer": self.customer}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _amount(part: Any, name: str = "amount", absent: int = 0) -> int:
    """A number in a part of the order, which may be as odd as a test wants it."""
    amount = part.get(name, absent) if isinstance(part, dict) else 0
    return amount if isinstance(amount, int) else 0


@dataclass(frozen=True)
class Instrument:
    """A tokenized payment method. `info` is what was kept of the session info that it was tokenized with."""

    token: str
    session: Session
    method_type: str
    family: Family
    info: JsonObject


@dataclass
class Payment:
    """A payment. `action`, `told`, what its token says, `lapses_at`, `access`, `resume_token` and `decision` are those
    of its latest required action."""

    id: str
    instrument: Instrument
    order: JsonObject
    idempotency_key: str | None
    action: Action
    status: str = "PENDING"
    access: Access | None = None
    told: JsonObject = field(default_factory=dict)
    lapses_at: int | None = None
    decision: str | None = None
    polls: int = 0
    actions: int = 0
    resume_token: str | None = None
    used_resume_tokens: set[str] = field(default_factory=set)
    completed: bool = False
    created_at: str = field(default_factory=timestamp)

    @property
    def session(self) -> Session:
        return self.instrument.session

    @property
    def is_open(self) -> bool:
        """Whether the customer can still decide."""
        return self.action.place is not None and self.decision is None and self.status == "PENDING"

    @property
    def has_failed(self) -> bool:
        """Whether no money moves any more."""
        return self.status in _FAILED_STATUSES

    @property
    def answer(self) -> JsonObject:
        """The payment as Primer's API answers it."""
        answer: JsonObject = {
            "id": self.id,
            "orderId": self.order.get("orderId"),
            "status": self.status,
            "date": self.created_at,
            "amount": self.order["totalOrderAmount"],
            "currencyCode": self.order.get("currencyCode"),
            "showSuccessCheckoutOnPendingPayment": False,
            "checkoutOutcome": "DETERMINE_FROM_PAYMENT_STATUS",
        }
        return answer | {"paymentFailureReason": "payment-failed"} if self.has_failed else answer

    @property
    def summary(self) -> JsonObject:
        """The payment as the sandbox lists it."""
        return {
            "id": self.id,
            "orderId": self.order.get("orderId"),
            "status": self.status,
            "amount": self.order["totalOrderAmount"],
            "currencyCode": self.order.get("currencyCode"),
            "paymentMethodType": self.instrument.method_type,
            "idempotencyKey": self.idempotency_key,
            "clientSessionId": self.session.id,
            "completed": self.completed,
            "resumed": bool(self.used_resume_tokens),
            "issuer": self.instrument.info.get("issuer"),
        }


@dataclass
class Ledger:
    """All of it, by id. Whoever reads or changes any of it holds the lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    sessions: dict[str, Session] = field(default_factory=dict)
    access: dict[str, Access] = field(default_factory=dict)
    instruments: dict[str, Instrument] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    idempotency_keys: dict[str, Payment] = field(default_factory=dict)
