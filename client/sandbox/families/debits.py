"""ACH debits: the customer gives a bank account to Stripe and accepts a mandate, and the money comes days later."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from families.family import Action, Family, nothing_more
from values import JsonObject

if TYPE_CHECKING:
    from model import Payment
    from tokens import Addresses


def _token(payment: Payment, addresses: Addresses) -> JsonObject:
    return {
        "intent": payment.instrument.method_type,
        "stripeClientSecret": f"pi_{secrets.token_hex(8)}_secret_{secrets.token_hex(8)}",
        "sdkCompleteUrl": addresses.complete(payment),
    }


ACH_DEBIT = Family(
    Action(_token, is_polled=False),
    nothing_more,
    instrument_type="AUTOMATED_CLEARING_HOUSE",
    provider="STRIPE",
)
