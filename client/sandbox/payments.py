"""The life of a payment: created, decided by the customer, polled, resumed or completed.

The rules here hold for the SDK's calls and for the merchant's own alike. The caller holds the ledger's lock.
"""

from __future__ import annotations

import secrets
import time

from families import ACTIONS, Place
from families.debits import ACH_DEBIT
from model import Instrument, Ledger, Payment, Session
from tokens import TokenIssuer
from values import JsonObject, Refusal, merge


# Where the answer to a used idempotency key names the payment: inside its error, and next to it.
NAMINGS = {"both": (True, True), "inside": (True, False), "beside": (False, True), "nowhere": (False, False)}


class Payments:
    """Creates the ledger's payments and moves them on."""

    def __init__(self, ledger: Ledger, tokens: TokenIssuer) -> None:
        self._ledger = ledger
        self._tokens = tokens

    def instrument(self, token: str) -> Instrument:
        """The instrument with that payment method token."""
        instrument = self._ledger.instruments.get(token)
        if instrument is None:
            raise Refusal(400, "InvalidPaymentMethodToken", "There is no such payment method token")
        return instrument

    def payment(self, id: str) -> Payment:
        """The payment with that id."""
        payment = self._ledger.payments.get(id)
        if payment is None:
            raise Refusal(404, "PaymentNotFound", "There is no such payment")
        return _as_of_now(payment)

    @property
    def all(self) -> list[Payment]:
        """Every payment."""
        return [_as_of_now(payment) for payment in self._ledger.payments.values()]

    def create(self, instrument: Instrument, idempotency_key: str | None) -> JsonObject:
        """Creates a payment and answers it with what the customer has to do.

        A key is good for one payment; one that was declined has used it too.
        """
        if idempotency_key in self._ledger.idempotency_keys:
            raise _key_used(_as_of_now(self._ledger.idempotency_keys[idempotency_key]), instrument.session)
        payment = Payment(
            id=f"pay_{secrets.token_hex(8)}",
            instrument=instrument,
            order=instrument.session.priced_order,
            idempotency_key=idempotency_key,
            action=ACTIONS.get(instrument.session.script.required_action or "", instrument.family.action),
        )
        self._ledger.payments[payment.id] = payment
        if idempotency_key is not None:
            self._ledger.idempotency_keys[idempotency_key] = payment
        answer = payment.answer | self._required_action(payment)
        return _amended(payment, answer, payment.session.script.create_response)

    def poll(self, payment: Payment) -> JsonObject:
        """What the status address says: the resume token is there once the bank has decided."""
        if not payment.action.is_polled:
            raise Refusal(404, "PaymentNotFound", "The payment has no such address")
        payment.polls += 1
        script = payment.session.script
        if payment.decision is None and script.outcome != "manual" and payment.polls > script.pending_polls:
            payment.decision = script.outcome
        if payment.decision is None:
            return {"status": "PENDING", "id": payment.id, "source": "BANK"}
        return {"status": "COMPLETE", "id": payment.resume_token, "source": "BANK"}

    def decide(self, payment: Payment, place: Place, outcome: str) -> None:
        """The customer approves or declines at that place, or lets the time for it pass, once."""
        if payment.action.place is not place or not payment.is_open:
            raise Refusal(409, "NotAwaited", "The payment does not wait for a decision there")
        _decide(payment, outcome)

    def resume(self, payment: Payment, resume_token: str) -> JsonObject:
        """Takes the payment to its end, or to a further action. A resume token is good for one call."""
        if resume_token in payment.used_resume_tokens:
            raise Refusal(400, "ResumeTokenAlreadyUsed", "The resume token has been used")
        if payment.decision is None or resume_token != payment.resume_token:
            raise Refusal(400, "InvalidResumeToken", "The resume token is not one of this payment")
        payment.used_resume_tokens.add(resume_token)
        script = payment.session.script
        if payment.decision == "approve" and payment.actions <= script.further_actions:
            return payment.answer | self._required_action(payment)
        payment.status = script.status_after(payment.decision)
        return _amended(payment, payment.answer, script.resume_response)

    def complete(self, payment: Payment) -> None:
        """The customer accepted the mandate; the payment stays pending and settles later. Good for one call."""
        if payment.instrument.family is not ACH_DEBIT:
            raise Refusal(404, "PaymentNotFound", "The payment has no such address")
        if payment.completed:
            raise Refusal(400, "PaymentAlreadyCompleted", "The address has been used")
        payment.completed = True

    def _required_action(self, payment: Payment) -> JsonObject:
        payment.actions += 1
        payment.decision = None
        payment.polls = 0
        script = payment.session.script
        lifetime = payment.action.lifetime if script.lapses_in is None else script.lapses_in
        payment.lapses_at = None if lifetime is None else int(time.time() + lifetime)
        payment.resume_token = f"resume_{secrets.token_hex(8)}"
        action: JsonObject = {
            "clientToken": self._tokens.for_action(payment),
            "name": payment.action.name,
            "description": "The customer has to go on in the SDK",
        }
        return {"requiredAction": action}


def _as_of_now(payment: Payment) -> Payment:
    """The payment, once the time to decide about it has passed if that is so."""
    if payment.is_open and payment.lapses_at is not None and payment.lapses_at <= time.time():
        _decide(payment, "expire")
    return payment


def _decide(payment: Payment, outcome: str) -> None:
    payment.decision = outcome
    if not payment.action.is_polled:
        payment.status = payment.session.script.status_after(outcome)


def _amended(payment: Payment, answer: JsonObject, patch: JsonObject) -> JsonObject:
    """The answer with the session's own members; a status among them becomes the payment's."""
    if isinstance(patch.get("status"), str):
        payment.status = patch["status"]
    amended: JsonObject = merge(answer, patch)
    return amended


def _key_used(payment: Payment, session: Session) -> Refusal:
    legacy = session.script.legacy_idempotency
    named: JsonObject = {"paymentId": payment.id, "paymentStatus": payment.status}
    is_inside, is_beside = NAMINGS[session.script.used_key_names]
    return Refusal(
        400 if legacy else 409,
        "TransactionRequestIdempotencyKeyAlreadyExists" if legacy else "IdempotencyKeyAlreadyExists",
        "A payment with this idempotency key exists",
        inside=named if is_inside else {},
        beside=named if is_beside else {},
    )
