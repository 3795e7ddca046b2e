"""Methods that want one thing of the customer, a code or a phone number, and have the payment confirmed in an app."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from families.family import Action, Family, Place
from values import JsonObject, Members, bad_request

if TYPE_CHECKING:
    from model import Payment, Session
    from tokens import Addresses

MBWAY = "ADYEN_MBWAY"
OVO = "XENDIT_OVO"

_SECONDS = 5 * 60
_CODE = re.compile(r"[0-9]{6}")
_NUMBERS = {MBWAY: re.compile(r"\+[0-9]{9,14}"), OVO: re.compile(r"\+?628[0-9]{8,10}")}


def _token(payment: Payment, addresses: Addresses) -> JsonObject:
    return {
        "intent": f"{payment.instrument.method_type}_REDIRECTION",
        "statusUrl": addresses.status(payment),
    }


def _read_code(session: Session, type: str, members: Members) -> JsonObject:
    """The code that the customer's app shows. It is nowhere kept."""
    if not _CODE.fullmatch(members.require("blikCode", str)):
        raise bad_request("sessionInfo: blikCode must be six digits")
    return {}


def _read_number(session: Session, type: str, members: Members) -> JsonObject:
    number = members.require("phoneNumber", str)
    if not _NUMBERS[type].fullmatch(number):
        raise bad_request(f"sessionInfo: phoneNumber is none of {type}")
    return {"phoneNumber": number}


_ACTION = Action(_token, Place("banking-app", "confirmations"), lifetime=_SECONDS)
ONE_TIME_CODE = Family(_ACTION, _read_code)
PHONE = Family(_ACTION, _read_number)
