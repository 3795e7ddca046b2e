"""Primer's surface: the calls of a headless checkout, each one method behind one route.

A route states what a call must carry; `PrimerAPI.perform` checks it, takes the lock and makes the call.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from defaults import IDEAL
from doorkeeper import content_type
from families import family_of, is_bank_list
from model import Access, Instrument, Ledger, Payment, PaymentMethod, Session
from payments import Payments
from tokens import Addresses, read_payload
from values import JsonObject, Members, Refusal, bad_request, decode, encode, merge
from wire import Request, Response

API_VERSION = "2.4"

_MANDATE_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000")
_CUSTOMER_ACTIONS = {
    "SET_CUSTOMER_FIRST_NAME": "firstName",
    "SET_CUSTOMER_LAST_NAME": "lastName",
    "SET_EMAIL_ADDRESS": "emailAddress",
}


@dataclass(frozen=True)
class Call:
    """A request with a valid access token."""

    request: Request
    access: Access

    @property
    def session(self) -> Session:
        return self.access.session

    @property
    def body(self) -> Members:
        return Members(decode(self.request.body), "body")


@dataclass(frozen=True)
class Route:
    """One call: how it is addressed, its name in the log and for faults, and whether it needs the API version."""

    method: str
    path: str
    endpoint: str
    handler: Callable[[Call], Response]
    versioned: bool = True


def _answer(value: JsonObject) -> Response:
    return Response(body=encode(value))


class PrimerAPI:
    """Primer's calls upon one ledger."""

    def __init__(self, ledger: Ledger, addresses: Addresses, payments: Payments) -> None:
        self._ledger = ledger
        self._addresses = addresses
        self._payments = payments
        self.routes = [
            Route("GET", "/client-sdk/configuration", "configuration", self._get_configuration),
            Route("POST", "/pci/client-session/actions", "actions", self._post_actions),
            Route("POST", "/core/adyen/checkout", "banks", self._post_banks, versioned=False),
            Route("POST", "/pci/payment-instruments", "payment-instruments", self._post_instruments),
            Route("POST", "/pci/payments", "payments", self._post_payments),
            Route("POST", "/pci/payments/{id}/resume", "resume", self._post_resume),
            Route("POST", "/complete/{id}", "complete", self._post_complete, versioned=False),
            Route("GET", "/status/{id}", "status", self._get_status, versioned=False),
            Route("POST", "/pci/client-token/validate", "validate", self._post_validate),
        ]

    def perform(self, route: Route, request: Request) -> Response:
        """Makes the call if the request carries what the route needs."""
        with self._ledger.lock:
            access = self._ledger.access.get(request.headers.get("primer-client-token", ""))
            if access is None or not access.is_valid:
                raise Refusal(401, "Unauthorized", "The access token is missing, unknown or expired")
            if route.versioned and request.headers.get("x-api-version") != API_VERSION:
                raise bad_request(f"X-Api-Version must be {API_VERSION}")
            if route.method == "POST" and content_type(request) != "application/json":
                raise Refusal(415, "UnsupportedMediaType", "Content-Type must be application/json")
            return route.handler(Call(request, access))

    def _get_configuration(self, call: Call) -> Response:
        return self._configuration(call.session, is_shown=call.request.query.get("withDisplayMetadata") == "true")

    def _configuration(self, session: Session, is_shown: bool = False) -> Response:
        configuration: JsonObject = {
            "coreUrl": self._addresses.core,
            "pciUrl": self._addresses.pci,
            "env": "SANDBOX",
            "primerAccountId": "account-sandbox",
            "clientSession": session.description,
            "paymentMethods": [method.shown_entry if is_shown else method.entry for method in session.methods],
            "checkoutModules": [],
        }
        return _answer(merge(configuration, session.script.configuration))

    def _post_actions(self, call: Call) -> Response:
        actions = [Members(action, "body.actions") for action in call.body.require("actions", list)]
        if not actions:
            raise bad_request("body.actions must not be empty")
        for action in actions:
            _act(call.session, action)
        return self._configuration(call.session)

    def _post_banks(self, call: Call) -> Response:
        body = call.body
        if not is_bank_list(_method(call.session, IDEAL, body)):
            raise bad_request(f"{IDEAL} is served without a list of banks")
        if body.require("command", str) != "FETCH_BANK_ISSUERS":
            raise bad_request("body.command must be FETCH_BANK_ISSUERS")
        if body.within("parameters").require("paymentMethod", str) != "ideal":
            raise bad_request("body.parameters.paymentMethod must be ideal")
        return _answer({"result": call.session.banks})

    def _post_instruments(self, call: Call) -> Response:
        asked = call.body.within("paymentInstrument")
        type = asked.require("paymentMethodType", str)
        family = family_of(_method(call.session, type, asked))
        if asked.require("type", str) != family.instrument_type:
            raise bad_request(f"paymentInstrument.type must be {family.instrument_type}")
        if family.provider and asked.require("authenticationProvider", str) != family.provider:
            raise bad_request(f"paymentInstrument.authenticationProvider must be {family.provider}")
        info = family.read_info(call.session, type, asked.require("sessionInfo", dict))
        instrument = Instrument(f"tok_{secrets.token_hex(8)}", call.session, type, family, info)
        self._ledger.instruments[instrument.token] = instrument
        return _answer(_instrument_answer(instrument))

    def _post_payments(self, call: Call) -> Response:
        instrument = self._payments.instrument(call.body.require("paymentMethodToken", str))
        if instrument.session is not call.session:
            raise Refusal(400, "InvalidPaymentMethodToken", "The payment method token is another session's")
        key = call.request.headers.get("x-idempotency-key")
        return _answer(self._payments.create(instrument, key))

    def _post_resume(self, call: Call) -> Response:
        payment = self._payment(call)
        return _answer(self._payments.resume(payment, call.body.require("resumeToken", str)))

    def _post_complete(self, call: Call) -> Response:
        payment = self._payment(call)
        if not _MANDATE_TIMESTAMP.fullmatch(call.body.require("mandateSignatureTimestamp", str)):
            raise bad_request("mandateSignatureTimestamp must be written 2026-01-01T09:30:00.123+0000")
        self._payments.complete(payment)
        return _answer({})

    def _get_status(self, call: Call) -> Response:
        payment = self._payment(call)
        scripted = payment.session.script.status_responses
        return scripted.pop(0) if scripted else _answer(self._payments.poll(payment))

    def _post_validate(self, call: Call) -> Response:
        payload = read_payload(call.body.require("clientToken", str))
        if payload is None or payload.get("accessToken") != call.access.value:
            raise Refusal(400, "InvalidClientToken", "The client token is not the one of the access token")
        return _answer({})

    def _payment(self, call: Call) -> Payment:
        """The payment in the path, if the access token is the one of its latest required action."""
        payment = self._payments.payment(call.request.params["id"])
        if payment.access is not call.access:
            raise Refusal(401, "Unauthorized", "The access token is not the one of the payment's required action")
        return payment


def _act(session: Session, action: Members) -> None:
    type = action.require("type", str)
    if type == "UNSELECT_PAYMENT_METHOD":
        session.selected = None
    elif type == "SELECT_PAYMENT_METHOD":
        session.selected = _known(session, action.within("params").require("paymentMethodType", str)).type
    elif type in _CUSTOMER_ACTIONS:
        name = _CUSTOMER_ACTIONS[type]
        session.customer = (session.customer or {}) | {name: action.within("params").require(name, str)}
    else:
        raise bad_request(f"unknown action {type}")


def _known(session: Session, type: str) -> PaymentMethod:
    method = session.method(type)
    if method is None:
        raise bad_request(f"the session has no payment method {type}")
    return method


def _method(session: Session, type: str, body: Members) -> PaymentMethod:
    """The method that a body is about, if the body names its configuration."""
    method = _known(session, type)
    if body.require("paymentMethodConfigId", str) != method.entry.get("id"):
        raise bad_request(f"paymentMethodConfigId is not the one of {type}")
    return method


def _instrument_answer(instrument: Instrument) -> JsonObject:
    data = {"paymentMethodType": instrument.method_type, "sessionInfo": instrument.info}
    return {
        "id": f"instrument_{secrets.token_hex(8)}",
        "token": instrument.token,
        "analyticsId": secrets.token_hex(8),
        "tokenType": "SINGLE_USE",
        "isVaulted": False,
        "paymentMethodType": instrument.method_type,
        "paymentInstrumentType": instrument.family.instrument_type,
        "paymentInstrumentData": data,
    }
