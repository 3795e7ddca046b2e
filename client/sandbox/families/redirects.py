"""Methods that send the customer to a page of the bank: any that is served as a web redirect, and iDEAL by a bank list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from families.family import Action, Family, Place, nothing_more
from values import JsonObject, Members, bad_request

if TYPE_CHECKING:
    from model import Payment, Session
    from tokens import Addresses


_PLACE = Place("bank", "redirects")


def _token(payment: Payment, addresses: Addresses) -> JsonObject:
    return {
        "intent": f"{payment.instrument.method_type}_REDIRECTION",
        "redirectUrl": addresses.page(_PLACE, payment),
        "statusUrl": addresses.status(payment),
    }


def _read_issuer(session: Session, type: str, members: Members) -> JsonObject:
    """The bank, which has to be open; there is none to name where the list is empty."""
    if not session.banks:
        return {}
    issuer = members.require("issuer", str)
    if not any(bank.get("id") == issuer and not bank.get("disabled") for bank in session.banks):
        raise bad_request(f"there is no open bank {issuer}")
    return {"issuer": issuer}


ACTION = Action(_token, _PLACE)
REDIRECT = Family(ACTION, nothing_more)
BANK_LIST = Family(ACTION, _read_issuer)
