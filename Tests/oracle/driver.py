"""What clients do: one step at a time, with one checkout, as its state asks for and chance has it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from oracle.known import Known, ask
from oracle.ledger import Payment, Refused, Session
from oracle.methods import METHODS
from oracle.rules import may_start
from oracle.upstream import Upstream
from support.checkout import ACH_SETTINGS
from support.client import Client
from support.lines import Event, JsonObject

# A start that is refused for one of these may be made again.
PASSING = ("shutting-down", "store-failed")
_UNFETCHED = ("notInitialized", "loading")


class Driver:
    """Drives all checkouts of a schedule. `report` is told what must not happen, `say` what did."""

    def __init__(
        self,
        chance: random.Random,
        upstream: Upstream,
        checkouts: list[Known],
        cancel_rate: float,
        report: Callable[[str], None],
        say: Callable[[str], None],
        most: int = 8,
    ) -> None:
        self._chance = chance
        self._upstream = upstream
        self._checkouts = checkouts
        self._cancel_rate = cancel_rate
        self._report = report
        self._say = say
        # No further ones are added beyond so many.
        self._most = most
        # What the merchant's backend has created: by payment method token.
        self._backend: dict[str, Payment] = {}
        self._backend_tokens: dict[str, str] = {}

    def _happens(self, rate: float) -> bool:
        return self._chance.random() < rate

    def step(self, client: Client, checkout: Known) -> None:
        """One step."""
        if not checkout.id:
            self._start(client, checkout)
            return
        if self._happens(0.06):
            self._start_again(client, checkout)
        found = ask(client, "checkout.get", checkoutId=checkout.id)
        if not found.is_good:
            self._report(f"{checkout.id} cannot be read: {found}")
            checkout.outcome = "lost"
            return
        checkout.snapshot = found.result
        state = found.result["state"]
        if "outcome" in found.result:
            self._see_end(client, checkout)
        elif self._happens(self._cancel_rate) and checkout.cancelled_in is None:
            self._cancel(client, checkout, state)
        else:
            self._disturb(client, checkout)
            if state == "ready":
                self._prepare(client, checkout)
            else:
                self._answer(client, checkout)

    # Starting

    def _start(self, client: Client, checkout: Known) -> None:
        reply = ask(client, "checkout.start", **checkout.params)
        self._say(f"start {checkout.params.get('startKey')} -> {reply} {reply.result.get('checkoutId', '')}")
        if not reply.is_good:
            if reply.error_id not in PASSING:
                checkout.refusal = reply
            return
        checkout.id = reply.result["checkoutId"]
        for problem in may_start(client, checkout, self._checkouts, self._upstream.ledger, reply.result):
            self._report(problem)
        checkout.promise("it is started", lambda snapshot, events: snapshot["state"] != "starting")

    def _start_again(self, client: Client, checkout: Known) -> None:
        """The same start key with the same parameters is the same checkout."""
        reply = ask(client, "checkout.start", **checkout.params)
        if reply.is_good and reply.result["checkoutId"] != checkout.id:
            self._report(f"the start key of {checkout.id} leads to {reply.result['checkoutId']}")
        if reply.error_id in ("session-in-use", "key-reused"):
            self._report(f"the start of {checkout.id} made again is refused: {reply}")

    def _see_end(self, client: Client, checkout: Known) -> None:
        """It has ended. Another start of the session is tried, and perhaps one that may repeat."""
        checkout.outcome = checkout.snapshot["outcome"]
        self._say(f"{checkout} has ended")
        if checkout.allows_repeat or len(self._checkouts) >= self._most or not self._happens(0.6):
            return
        self._add(checkout.session, repeats=False)
        if checkout.outcome == "unknown":
            self._add(checkout.session, repeats=True)

    def _add(self, session: Session, *, repeats: bool) -> None:
        params: JsonObject = {
            "clientToken": self._upstream.ledger.another_token(session),
            "settings": ACH_SETTINGS,
            "startKey": f"again-{len(self._checkouts)}",
        }
        if repeats:
            params |= {"allowRepeat": True}
        method = self._chance.choice(list(METHODS))
        self._checkouts.append(Known(session, params, method, is_manual=False, allows_repeat=repeats))

    # In any state

    def _cancel(self, client: Client, checkout: Known, state: str) -> None:
        reply = ask(client, "checkout.cancel", checkoutId=checkout.id, reason="no")
        self._say(f"{checkout.id} cancel in {state} -> {reply}")
        if reply.is_good:
            checkout.cancelled_in = state
            checkout.promise("it is cancelled", lambda snapshot, events: _is_cancelled(snapshot))

    def _disturb(self, client: Client, checkout: Known) -> None:
        if self._happens(0.04):
            ask(client, "checkout.share", checkoutId=checkout.id, uid=4242, role="observe")
        if self._happens(0.05):
            span = self._chance.choice([1, 50, 200])
            ask(client, "checkout.wait", **{"checkoutId": checkout.id, "for": ["terminal"], "waitMs": span})

    # Before the submit

    def _prepare(self, client: Client, checkout: Known) -> None:
        components = checkout.snapshot["components"]
        if not components:
            self._provide(client, checkout)
            return
        component = components[0]
        checkout.component_id = component["componentId"]
        if component["step"]["name"] in _UNFETCHED:
            reply = ask(client, "component.start", componentId=checkout.component_id)
            self._say(f"{checkout.id} component.start -> {reply}")
            if reply.is_good:
                checkout.promise("its component is started", _is_fetched)
        elif METHODS[checkout.method].data and (not component["submittable"] or self._happens(0.3)):
            self._update(client, checkout)
        else:
            self._submit(client, checkout)

    def _provide(self, client: Client, checkout: Known) -> None:
        method = METHODS[checkout.method]
        reply = ask(client, method.provider, checkoutId=checkout.id, paymentMethodType=method.type)
        if reply.is_good:
            id = checkout.component_id = reply.result["componentId"]
            checkout.promise("its component is provided", lambda snapshot, events: _component_ids(snapshot) == [id])

    def _update(self, client: Client, checkout: Known) -> None:
        method = METHODS[checkout.method]
        data = self._chance.choice(method.data)
        # One that is not answered may have been done or not.
        before = checkout.promises.pop("its data are collected", None)
        reply = ask(client, "component.updateCollectedData", componentId=checkout.component_id, data=data)
        if not reply.is_good and before:
            checkout.promise("its data are collected", before)
        # What is secret is gone with the process.
        if reply.is_good and not method.is_secret:
            checkout.promise("its data are collected", lambda snapshot, events: _has_collected(snapshot, data))

    def _submit(self, client: Client, checkout: Known) -> None:
        reply = ask(client, "component.submit", componentId=checkout.component_id)
        self._say(f"{checkout.id} submit -> {reply}")
        if reply.is_good:
            checkout.promise("it is submitted", _is_submitted)
            if self._happens(0.3):
                ask(client, "component.submit", componentId=checkout.component_id)

    # After the submit

    def _answer(self, client: Client, checkout: Known) -> None:
        """Answers the first thing that is asked for, if there is one."""
        for asked in checkout.snapshot["awaiting"]:
            if asked["kind"] == "decision":
                self._decide(client, checkout, asked)
            elif asked["kind"] == "bankAccount":
                self._report_account(client, checkout)
            elif asked["kind"] == "mandate":
                self._sign(client, checkout)
            else:
                # Upstream has it decided; the client is told of it or not.
                if asked["kind"] == "redirect" and self._happens(0.2):
                    told = {"outcome": self._chance.choice(["presented", "dismissed"])}
                    ask(client, "component.reportRedirect", componentId=_component_ids(checkout.snapshot)[0], **told)
                continue
            return
        span = 30
        ask(client, "checkout.wait", **{"checkoutId": checkout.id, "for": ["terminal"], "waitMs": span})

    def _report_account(self, client: Client, checkout: Known) -> None:
        outcomes: Sequence[JsonObject] = (
            {"outcome": "succeeded", "paymentId": "pi_1"},
            {"outcome": "cancelled"},
            {"outcome": "failed", "error": {"errorId": "boom", "description": "no"}},
        )
        (chosen,) = self._chance.choices(outcomes, [85, 8, 7])
        id = _component_ids(checkout.snapshot)[0]
        reply = ask(client, "component.reportBankAccount", componentId=id, **chosen)
        self._say(f"{checkout.id} account {chosen['outcome']} -> {reply}")
        if reply.is_good:
            checkout.promise("its account is reported", lambda shot, events: shot["state"] != "awaitingBankAccount")

    def _sign(self, client: Client, checkout: Known) -> None:
        method = "component.acceptMandate" if self._happens(0.9) else "component.declineMandate"
        reply = ask(client, method, componentId=_component_ids(checkout.snapshot)[0])
        self._say(f"{checkout.id} {method} -> {reply}")
        if reply.is_good:
            checkout.promise("its mandate is answered", lambda snapshot, events: snapshot["state"] != "awaitingMandate")

    def _decide(self, client: Client, checkout: Known, asked: JsonObject) -> None:
        id = asked["decisionId"]
        decision = self._decision(client, checkout, asked)
        reply = ask(client, "checkout.decide", checkoutId=checkout.id, decisionId=id, **decision)
        self._say(f"{checkout.id} {id} {decision['decision']} -> {reply}")
        if not reply.is_good:
            return
        checkout.used_key = decision.get("paymentIdempotencyKey", checkout.used_key)
        checkout.is_forsaken |= decision["decision"] == "abort" and "paymentMethodTokenData" in asked
        checkout.promise(f"{id} is decided", lambda snapshot, events: id not in _open_decisions(snapshot))
        again = ask(client, "checkout.decide", checkoutId=checkout.id, decisionId=id, **decision)
        if again.is_good:
            self._report(f"{checkout.id}: {id} is decided twice")

    def _decision(self, client: Client, checkout: Known, asked: JsonObject) -> JsonObject:
        if asked["event"] == "checkout.willCreatePayment":
            if self._happens(0.1):
                return {"decision": "abort", "message": "out of stock"}
            if self._happens(0.5):
                self._try_foreign_key(client, checkout, asked["decisionId"])
                checkout.own_key = f"order-{checkout.id}"
                return {"decision": "continue", "paymentIdempotencyKey": checkout.own_key}
            return {"decision": "continue"}
        if "paymentMethodTokenData" not in asked:
            return {"decision": "abort" if self._happens(0.1) else "complete"}
        if self._happens(0.2):
            return {"decision": self._chance.choice(["abort", "complete"])}
        return self._backend_decision(checkout, asked)

    def _try_foreign_key(self, client: Client, checkout: Known, decision_id: str) -> None:
        """A key that another attempt has used is refused, and the decision stays open."""
        others = [other.used_key for other in self._checkouts if other.used_key and other is not checkout]
        if not others:
            return
        key = self._chance.choice(others)
        params = {"decisionId": decision_id, "decision": "continue", "paymentIdempotencyKey": key}
        reply = ask(client, "checkout.decide", checkoutId=checkout.id, **params)
        if reply.error_id not in ("idempotency-key-reused", "not-awaited", "shutting-down", "store-failed"):
            self._report(f"{checkout.id}: the key {key} of another attempt -> {reply}")

    def _backend_decision(self, checkout: Known, asked: JsonObject) -> JsonObject:
        """What the merchant's backend makes of a token: it creates the payment with the key that it is given."""
        token = asked["paymentMethodTokenData"]["token"]
        key = asked.get("paymentIdempotencyKey") or f"backend-{checkout.id}"
        ledger = self._upstream.ledger
        if token not in self._backend:
            try:
                _, answer = ledger.create(checkout.session, token, key, None)
                self._backend_tokens[token] = answer.get("requiredAction", {}).get("clientToken", "")
            except Refused:
                self._backend_tokens[token] = ""
            self._backend[token] = ledger.payment_of(key)
        payment = checkout.backend_payment = self._backend[token]
        if client_token := self._backend_tokens[token]:
            return {"decision": "continueWithNewClientToken", "clientToken": client_token}
        told = {"id": payment.id, "status": payment.status}
        return {"decision": "abort" if payment.has_failed else "complete", "payment": told}


def _component_ids(snapshot: JsonObject) -> list[str]:
    return [component["componentId"] for component in snapshot["components"]]


def _open_decisions(snapshot: JsonObject) -> list[str]:
    return [asked["decisionId"] for asked in snapshot["awaiting"] if asked["kind"] == "decision"]


def _is_cancelled(snapshot: JsonObject) -> object:
    return snapshot["state"] == "cancelling" or "outcome" in snapshot


def _is_fetched(snapshot: JsonObject, events: Sequence[Event]) -> bool:
    return snapshot["components"][0]["step"]["name"] not in _UNFETCHED


def _is_submitted(snapshot: JsonObject, events: Sequence[Event]) -> object:
    """It is, or a step on the way to the payment has failed, which makes it submittable again."""
    return snapshot["state"] != "ready" or any(event.method == "component.didReceiveError" for event in events)


def _has_collected(snapshot: JsonObject, data: JsonObject) -> bool:
    collected = snapshot["components"][0]["data"]
    return all(collected.get(name) == value for name, value in data.items())
