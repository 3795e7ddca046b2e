"""The families of payment methods, one module each, and which of them a method belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from defaults import ACH, IDEAL
from families.codes import QR_CODE
from families.confirmations import MBWAY, ONE_TIME_CODE, OVO, PHONE
from families.debits import ACH_DEBIT
from families.family import Action, Family, Place
from families.redirects import BANK_LIST, REDIRECT
from families.vouchers import VOUCHER
from values import JsonObject, bad_request

if TYPE_CHECKING:
    from model import PaymentMethod

__all__ = ["ACTIONS", "Action", "Family", "Place", "family_of"]

# What a session may have any of its methods ask of the customer.
ACTIONS: dict[str, Action] = {
    "redirect": REDIRECT.action,
    "code": QR_CODE.action,
    "voucher": VOUCHER.action,
    "confirmation": PHONE.action,
}
PLACES: list[Place] = [action.place for action in ACTIONS.values() if action.place]

_NATIVE = {
    IDEAL: BANK_LIST,
    ACH: ACH_DEBIT,
    "OMISE_PROMPTPAY": QR_CODE,
    "RAPYD_PROMPTPAY": QR_CODE,
    "XFERS_PAYNOW": QR_CODE,
    "ADYEN_MULTIBANCO": VOUCHER,
    "ADYEN_BLIK": ONE_TIME_CODE,
    MBWAY: PHONE,
    OVO: PHONE,
}
_SERVED_NATIVELY = ("NATIVE_SDK", "FORM_WITH_REDIRECT")


def family_of(method: PaymentMethod) -> Family:
    """The family by which a method is paid. How it is served decides; what it is called, only then."""
    family = _family(method.type, method.entry)
    if family is None:
        raise bad_request(f"{method.type} cannot be paid by these calls")
    return family


def is_bank_list(method: PaymentMethod) -> bool:
    """Whether the method has a list of banks to choose from."""
    return _family(method.type, method.entry) is BANK_LIST


def _family(type: str, entry: JsonObject) -> Family | None:
    served = entry.get("implementationType", "NATIVE_SDK")
    capabilities = entry.get("capabilities")
    if isinstance(capabilities, list) and "BACKEND_DRIVEN" in capabilities:
        return None
    if served == "WEB_REDIRECT":
        return REDIRECT
    return _NATIVE.get(type) if served in _SERVED_NATIVELY else None
