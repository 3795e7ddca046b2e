"""The sandbox's own surface, for tests and for people. Bodies and answers are JSON.

client sessions
  POST /sandbox/client-sessions {order?, customer?, paymentMethods?, banks?, expiresIn?, outcome?, ...}
       -> {clientToken, clientSessionId}. An empty body will do: it can pay by ADYEN_IDEAL and by STRIPE_ACH.
       order, customer        merged over the defaults (null removes a member; customer: null for none at all). Unless
                              it is named, the total is that of the items, taxes, discounts, shipping and fees.
       paymentMethods         types, or objects {type, surcharge?, networks?, displayMetadata?, ...} merged over the
                              default configuration entry; implementationType and capabilities say how it is paid
       banks                  objects {id, name, iconUrl?, disabled}, given out as they are
       expiresIn, actionExpiresIn   seconds that client tokens, and those of required actions, are good for (1 day)
       outcome                manual (default: the page decides), or what the bank decides by itself: approve, decline,
                              expire
       pendingPolls           polls answered PENDING before the bank decides by itself (1)
       furtherActions         approved resumes that ask for one more redirect (0)
       legacyIdempotency      true: a used idempotency key is answered 400, as it once was
       usedKeyNames           where that answer names the payment: both (default), inside or beside the error, nowhere
       createResponse, resumeResponse, configuration   merged over that answer; a status becomes the payment's
       approvedStatus, declinedStatus, expiredStatus   what becomes of the payment (SUCCESS, FAILED, FAILED)
       requiredAction         redirect, code, voucher, confirmation: what any of its methods has the customer do
       codeAs                 image (default) or url: how a QR code is given out
       lapsesIn               seconds that the customer has for it (codes 900, vouchers 3 days, confirmations 300)
       statusResponses        poll answers to give first: bodies, or {httpStatus, headers?, body?}
       tokenOverrides, actionTokenOverrides            merged over the payload of those tokens
  GET  /sandbox/client-sessions/{id}           the session as it is now
  POST /sandbox/client-sessions/{id}/tokens    one more client token -> {clientToken, clientSessionId}
  POST /sandbox/client-sessions/{id}/expire    all access tokens of the session expire at once
payments
  GET  /sandbox/payments                       every payment; page: where the customer decides about it, and place: the
                                               same of the calls below, as in redirects
  POST /sandbox/redirects/{paymentId} {outcome: approve | decline | expire}    the customer decides at the bank
  POST /sandbox/codes/{paymentId}, /sandbox/vouchers/{paymentId}, /sandbox/confirmations/{paymentId}
                                               the same in the wallet, at the cash machine and in the banking app
  POST /sandbox/payments/{id}/status {status}  what became of it later: SETTLED, CANCELLED or whatever word
  POST /sandbox/payments {paymentMethodToken, idempotencyKey?}         the merchant's server creates a payment
  POST /sandbox/payments/{id}/resume {resumeToken}                     the merchant's server resumes it
faults and holds; endpoints: configuration, actions, banks, payment-instruments, payments, resume, complete, status,
validate, and * for any
  POST /sandbox/faults [{endpoint, times?, skip?, delayMs?, afterEffect?, ...}]
       times 1 (-1: for ever), skip 0 (requests let through first), afterEffect false (answered instead of the effect)
       status, headers, contentType, body (a string is sent as it is; @ID@ in it is the id in the request's path),
       redirect (location), malformed, wrongShape, bigBody (bytes), truncate (true: half, or bytes of the body),
       reset (true, before-headers, after-headers)
       oddity: the answer as it is, in a text that only a tolerant reader takes: byte-order-mark, long-integer,
       huge-number, half-surrogate, doubled-name, deep, latin-1, error-beside, error-null, white-space
       delayMs, headers, contentType and oddity alone leave the effect and the answer's meaning as they are.
  GET, DELETE /sandbox/faults                  those still to strike; forget them
  POST /sandbox/hold {endpoint, beforeEffect?} holds answers, or with beforeEffect the effects, of an endpoint
  POST /sandbox/release {endpoint}             lets them go; * lets everything go
log
  GET  /sandbox/requests[?endpoint=E][&wait=MS&count=N&until=arrived|effect|answered]
       every request to Primer's surface, the pages (bank-page, wallet-page, voucher-page, banking-app-page), the
       picture of a QR code (code-image), the double of Stripe's script (stripe-script, at /stripe/v3/) and the
       merchant's calls (merchant-payments, merchant-resume); waits until N have got that far (arrived) or MS are over,
       whichever is first.
       {time, elapsedMs, endpoint, method, path, query, headers (names in lower case), body, status (null: unanswered
       or reset without one), effect, answered, faulted}
  DELETE /sandbox/requests
Errors are 4xx {error: {errorId, description, diagnosticsId}}. Bodies need Content-Type: application/json. A request
whose Host, or Origin if it has one, is not the sandbox's is refused: pages from elsewhere have no business here.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import defaults
from families import ACTIONS, PLACES, Place
from families.codes import AS_IMAGE, AS_URL
from faults import Faults, Holds, read_endpoint, read_fault, read_headers, read_status
from journal import STAGES, Journal
from model import Ledger, Payment, PaymentMethod, Script, Session
from payments import NAMINGS, Payments
from tokens import Addresses, TokenIssuer
from values import JsonObject, Members, Refusal, bad_request, decode, encode, merge
from wire import Request, Response

Handler = Callable[[Request], Any]

_MAX_WAIT = 600_000
_DECISIONS = ("approve", "decline", "expire")


@dataclass
class Controls:
    """What the surface acts upon."""

    ledger: Ledger
    addresses: Addresses
    tokens: TokenIssuer
    payments: Payments
    endpoints: Sequence[str]
    journal: Journal = field(default_factory=Journal)
    faults: Faults = field(default_factory=Faults)
    holds: Holds = field(default_factory=Holds)


@dataclass(frozen=True)
class ControlRoute:
    """One call; those of the merchant's server have a name in the log."""

    method: str
    path: str
    handler: Handler
    endpoint: str | None = None


class ControlSurface:
    """The calls under /sandbox."""

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._ledger = controls.ledger
        self.routes = [
            ControlRoute("POST", "/sandbox/client-sessions", self._create_session),
            ControlRoute("GET", "/sandbox/client-sessions/{id}", self._show_session),
            ControlRoute("POST", "/sandbox/client-sessions/{id}/tokens", self._issue_token),
            ControlRoute("POST", "/sandbox/client-sessions/{id}/expire", self._expire_tokens),
            ControlRoute("GET", "/sandbox/payments", self._list_payments),
            ControlRoute("POST", "/sandbox/payments", self._create_payment, "merchant-payments"),
            ControlRoute("POST", "/sandbox/payments/{id}/status", self._set_status),
            ControlRoute("POST", "/sandbox/payments/{id}/resume", self._resume_payment, "merchant-resume"),
            ControlRoute("POST", "/sandbox/faults", self._add_faults),
            ControlRoute("GET", "/sandbox/faults", lambda request: controls.faults.description),
            ControlRoute("DELETE", "/sandbox/faults", lambda request: controls.faults.clear()),
            ControlRoute("POST", "/sandbox/hold", self._hold),
            ControlRoute("POST", "/sandbox/release", self._release),
            ControlRoute("GET", "/sandbox/requests", self._list_requests),
            ControlRoute("DELETE", "/sandbox/requests", lambda request: controls.journal.clear()),
        ]
        self.routes += [
            ControlRoute("POST", f"/sandbox/{place.control}/{{id}}", self._decider(place)) for place in PLACES
        ]

    def create_session(self, description: JsonObject) -> JsonObject:
        """Opens a client session and gives out its first token."""
        session = read_session(description)
        with self._ledger.lock:
            self._ledger.sessions[session.id] = session
            return self._token(session)

    def _create_session(self, request: Request) -> JsonObject:
        return self.create_session(_body(request))

    def _token(self, session: Session) -> JsonObject:
        return {"clientToken": self._controls.tokens.for_session(session), "clientSessionId": session.id}

    def _session(self, request: Request) -> Session:
        session = self._ledger.sessions.get(request.params["id"])
        if session is None:
            raise Refusal(404, "ClientSessionNotFound", "There is no such client session")
        return session

    def _show_session(self, request: Request) -> JsonObject:
        with self._ledger.lock:
            session = self._session(request)
            shown = {"customer": session.customer, "selectedPaymentMethod": session.selected}
            return session.description | shown

    def _issue_token(self, request: Request) -> JsonObject:
        with self._ledger.lock:
            return self._token(self._session(request))

    def _expire_tokens(self, request: Request) -> None:
        with self._ledger.lock:
            for access in self._session(request).tokens:
                access.expires_at = 0

    def _decider(self, place: Place) -> Handler:
        return lambda request: self.decide(request.params["id"], place, _only(request, "outcome"))

    def decide(self, payment_id: str, place: Place, outcome: str) -> None:
        """The customer decides at that place."""
        if outcome not in _DECISIONS:
            raise bad_request(f"outcome must be one of {', '.join(_DECISIONS)}")
        with self._ledger.lock:
            payments = self._controls.payments
            payments.decide(payments.payment(payment_id), place, outcome)

    def _list_payments(self, request: Request) -> list[JsonObject]:
        with self._ledger.lock:
            return [payment.summary | self._place_of(payment) for payment in self._controls.payments.all]

    def _place_of(self, payment: Payment) -> JsonObject:
        if (place := payment.action.place) is None:
            return {"page": None, "place": None}
        return {"page": self._controls.addresses.page(place, payment), "place": place.control}

    def _set_status(self, request: Request) -> None:
        status = _only(request, "status")
        with self._ledger.lock:
            self._controls.payments.payment(request.params["id"]).status = status

    def _create_payment(self, request: Request) -> JsonObject:
        members = Members(_body(request), "body")
        token = members.require("paymentMethodToken", str)
        key = members.take("idempotencyKey", str, None)
        members.finish()
        with self._ledger.lock:
            payments = self._controls.payments
            return payments.create(payments.instrument(token), key)

    def _resume_payment(self, request: Request) -> JsonObject:
        resume_token = _only(request, "resumeToken")
        with self._ledger.lock:
            payments = self._controls.payments
            return payments.resume(payments.payment(request.params["id"]), resume_token)

    def _add_faults(self, request: Request) -> None:
        described = decode(request.body)
        if not isinstance(described, list):
            raise bad_request("the body must be a list of faults")
        self._controls.faults.add([read_fault(fault, self._controls.endpoints) for fault in described])

    def _hold(self, request: Request) -> None:
        members = Members(_body(request), "body")
        endpoint = read_endpoint(members, self._controls.endpoints)
        before_effect = members.take("beforeEffect", bool, False)
        members.finish()
        self._controls.holds.hold(endpoint, before_effect)

    def _release(self, request: Request) -> None:
        members = Members(_body(request), "body")
        endpoint = read_endpoint(members, self._controls.endpoints)
        members.finish()
        self._controls.holds.release(endpoint)

    def _list_requests(self, request: Request) -> list[JsonObject]:
        query = dict(request.query)
        endpoint = query.pop("endpoint", None)
        wait = _whole_number("wait", query.pop("wait", "0"))
        count = _whole_number("count", query.pop("count", "1" if wait else "0"))
        until = query.pop("until", "arrived")
        if query or until not in STAGES:
            raise bad_request(f"the query has endpoint, wait, count and until ({', '.join(STAGES)})")
        return self._controls.journal.entries(endpoint, STAGES[until], count, min(wait, _MAX_WAIT) / 1000)


def _body(request: Request) -> JsonObject:
    body = decode(request.body or b"{}")
    if not isinstance(body, dict):
        raise bad_request("the body must be an object")
    return body


def _only(request: Request, name: str) -> str:
    """The one member that the body has."""
    members = Members(_body(request), "body")
    value = members.require(name, str)
    members.finish()
    return value


def _whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise bad_request(f"{name} must be a whole number")
    return int(text)


def read_session(description: JsonObject) -> Session:
    """The client session that a JSON object describes."""
    members = Members(description, "body")
    methods = members.take("paymentMethods", list, [defaults.IDEAL, defaults.ACH])
    session = Session(
        id=f"cs_{secrets.token_hex(8)}",
        order=merge(defaults.order(), members.take("order", dict, {})),
        customer=_read_customer(members.take_any("customer", {})),
        methods=[_read_method(method) for method in methods],
        banks=_objects("banks", members.take("banks", list, defaults.banks())),
        script=_read_script(members),
    )
    members.finish()
    return session


def _read_customer(patch: object) -> JsonObject | None:
    if patch is None:
        return None
    if not isinstance(patch, dict):
        raise bad_request("body: customer must be an object or null")
    merged: JsonObject = merge(defaults.customer(), patch)
    return merged


def _read_method(description: object) -> PaymentMethod:
    entry = {"type": description} if isinstance(description, str) else description
    members = Members(entry, "body.paymentMethods")
    type = members.require("type", str)
    surcharge = members.take("surcharge", int, None)
    networks = members.take("networks", list, None)
    display = defaults.display(type)
    if "displayMetadata" in members.rest:
        display = merge(display, members.take_any("displayMetadata"))
    return PaymentMethod(type, merge(defaults.payment_method(type), members.rest), display, surcharge, networks)


def _objects(name: str, values: list[Any]) -> list[JsonObject]:
    if not all(isinstance(value, dict) for value in values):
        raise bad_request(f"body: {name} must be objects")
    return values


def _read_poll_answer(answer: JsonObject) -> Response:
    """An answer to a status poll: a body, or a status with headers and a body."""
    if "httpStatus" not in answer:
        return Response(body=encode(answer))
    members = Members(answer, "body.statusResponses")
    status = read_status(members, "httpStatus") or 200
    headers = read_headers(members)
    body = members.take_any("body")
    members.finish()
    if body is None:
        body = Refusal(status, "ScriptedAnswer", "The client session asks for this answer").body()
    return Response(status, encode(body), headers=headers)


def _read_script(members: Members) -> Script:
    script = Script(
        outcome=members.take("outcome", str, Script.outcome),
        pending_polls=members.take("pendingPolls", int, Script.pending_polls),
        further_actions=members.take("furtherActions", int, Script.further_actions),
        expires_in=members.take("expiresIn", float, Script.expires_in),
        action_expires_in=members.take("actionExpiresIn", float, Script.action_expires_in),
        legacy_idempotency=members.take("legacyIdempotency", bool, False),
        used_key_names=members.take("usedKeyNames", str, Script.used_key_names),
        approved_status=members.take("approvedStatus", str, Script.approved_status),
        declined_status=members.take("declinedStatus", str, Script.declined_status),
        expired_status=members.take("expiredStatus", str, Script.expired_status),
        required_action=members.take("requiredAction", str, None),
        code_as=members.take("codeAs", str, Script.code_as),
        lapses_in=members.take("lapsesIn", float, None),
        create_response=members.take("createResponse", dict, {}),
        resume_response=members.take("resumeResponse", dict, {}),
        status_responses=[
            _read_poll_answer(answer)
            for answer in _objects("statusResponses", members.take("statusResponses", list, []))
        ],
        token_overrides=members.take("tokenOverrides", dict, {}),
        action_token_overrides=members.take("actionTokenOverrides", dict, {}),
        configuration=members.take("configuration", dict, {}),
    )
    if script.outcome not in ("manual", *_DECISIONS):
        raise bad_request(f"body: outcome must be manual or one of {', '.join(_DECISIONS)}")
    if script.required_action not in (None, *ACTIONS):
        raise bad_request(f"body: requiredAction must be one of {', '.join(ACTIONS)}")
    if script.code_as not in (AS_IMAGE, AS_URL):
        raise bad_request(f"body: codeAs must be {AS_IMAGE} or {AS_URL}")
    if script.used_key_names not in NAMINGS:
        raise bad_request(f"body: usedKeyNames must be one of {', '.join(NAMINGS)}")
    return script
