"""A checkout as a client drives it, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from support.client import Client
from support.families import Family
from support.lines import Event, JsonObject
from support.sandbox import Session

IDEAL = "ADYEN_IDEAL"
ACH = "STRIPE_ACH"
BANK = "9001"
CLOSED_BANK = "9010"
ACH_SETTINGS: JsonObject = {
    "urlScheme": "kiosk://checkout",
    "stripe": {"publishableKey": "pk_test_example", "merchantName": "Example Shop"},
}

_PROVIDERS = {IDEAL: "componentWithRedirectManager.provide", ACH: "achManager.provide"}


@dataclass
class Checkout:
    """One checkout, the client that drives it and, once provided, its component."""

    client: Client
    session: Session
    id: str
    component_id: str = ""

    # Calls

    def call(self, method: str, /, **params: Any) -> Any:
        """A call about the checkout."""
        return self.client.call(method, checkoutId=self.id, **params)

    def component_call(self, method: str, /, **params: Any) -> Any:
        """A call about its component."""
        return self.client.call(f"component.{method}", componentId=self.component_id, **params)

    @property
    def snapshot(self) -> JsonObject:
        """The checkout as it is now."""
        snapshot: JsonObject = self.call("checkout.get")
        return snapshot

    @property
    def state(self) -> str:
        """The snapshot's state."""
        return str(self.snapshot["state"])

    def provide(self, payment_method_type: str) -> JsonObject:
        """Has the component for a payment method made."""
        provided: JsonObject = self.call(_PROVIDERS[payment_method_type], paymentMethodType=payment_method_type)
        self.component_id = provided["componentId"]
        return provided

    def provide_of(self, family: Family) -> JsonObject:
        """Has the component of another family made."""
        provided: JsonObject = self.call(family.manager, paymentMethodType=family.type)
        self.component_id = provided["componentId"]
        return provided

    def update(self, **data: str) -> JsonObject:
        """Hands over what the shopper chose or typed."""
        status: JsonObject = self.component_call("updateCollectedData", data=data)
        return status

    def submit(self) -> None:
        """Submits the component."""
        self.component_call("submit")

    def decide(self, decision_id: str, decision: str, /, **params: Any) -> Any:
        """Takes a decision."""
        return self.call("checkout.decide", decisionId=decision_id, decision=decision, **params)

    def report_account(self, outcome: str = "succeeded") -> None:
        """Says what became of the collection of the bank account."""
        details: dict[str, JsonObject] = {
            "succeeded": {"paymentId": "pi_example"},
            "failed": {"error": {"errorId": "stripe-declined", "description": "The bank refused"}},
            "cancelled": {},
        }
        self.component_call("reportBankAccount", outcome=outcome, **details[outcome])

    # Events

    def subscribe(self, after: int = 0) -> None:
        """Asks for all events after one of them."""
        self.call("events.subscribe", after=after)

    def next_event(self) -> Event:
        """The next event of this checkout."""
        return self.client.next_event(self.id)

    def events_until(self, label: str) -> list[Event]:
        """The next events, up to the one with this label."""
        return self.client.events_until(label, self.id)

    def await_event(self, label: str) -> Event:
        """The next event with this label; those before it are passed over."""
        return self.client.await_event(label, self.id)

    def await_end(self) -> Event:
        """The terminal event; those before it are passed over."""
        return self.client.events_until_end(self.id)[-1]

    def history(self) -> list[Event]:
        """All events so far, from the store."""
        read = self.call("events.read", after=0)
        return [Event(event["method"], event["params"]) for event in read["events"]]
