"""Methods that give the customer a voucher, to be paid at a cash machine in the days after."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from families.family import Action, Family, Place, nothing_more
from values import JsonObject

if TYPE_CHECKING:
    from model import Payment
    from tokens import Addresses

_WORD = "PAYMENT_METHOD_VOUCHER"
_SECONDS = 3 * 24 * 3600


def _token(payment: Payment, addresses: Addresses) -> JsonObject:
    token: JsonObject = {"intent": _WORD, "entity": _digits(5), "reference": _digits(9)}
    if payment.lapses_at is not None:
        # Upstream's time has no zone.
        token["expiresAt"] = datetime.fromtimestamp(payment.lapses_at, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return token


def _digits(count: int) -> str:
    return "".join(secrets.choice("123456789") for _ in range(count))


VOUCHER = Family(
    Action(_token, Place("voucher", "vouchers"), name=_WORD, is_polled=False, lifetime=_SECONDS),
    nothing_more,
)
