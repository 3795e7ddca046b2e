"""Paying once, whatever becomes of the daemon meanwhile: a client that does next what the snapshot calls for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crash.case import full_history
from crash.durable import DurableDaemon
from support.checkout import ACH, ACH_SETTINGS, BANK, IDEAL, Checkout
from support.client import TIMEOUT, CallError, Client, Ended
from support.families import CODE, FAMILIES, PHONE, VOUCHER, Family
from support.lines import Event, JsonObject
from support.sandbox import APPROVING, Session

LAST_NAME = "Zuiderduin"

_LOADED = ("banksRetrieved", "retrievedUserDetails", "ready")
_UNDECIDED = ("awaitingRedirect", "awaitingCode", "awaitingConfirmation")
_ENDED = ("completed", "failed")


@dataclass(frozen=True)
class Flow:
    """A way to pay."""

    name: str
    method: str
    handling: str
    outcome: str
    # Whether the client decides on the creation, of a payment that costs something extra.
    is_long: bool = False
    # In which state the shopper changes their mind.
    cancels_in: str = ""
    payment_count: int = 1
    # Where the method is none of the seed pages'.
    family: Family | None = None

    @property
    def data(self) -> JsonObject:
        """What the shopper chooses or types."""
        if self.family:
            return self.family.data
        return {"bankId": BANK} if self.method == IDEAL else {"lastName": LAST_NAME}

    @property
    def shown_data(self) -> JsonObject:
        """What is told of it."""
        return self.family.shown_data if self.family else self.data

    @property
    def settings(self) -> JsonObject:
        """The settings to start with."""
        return {"paymentHandling": self.handling} | (ACH_SETTINGS if self.method == ACH else {})

    @property
    def start(self) -> JsonObject:
        """The other parameters of the start."""
        return {"decisions": ["willCreatePayment"]} if self.is_long else {}

    @property
    def session(self) -> JsonObject:
        """The client session to pay for."""
        bank = {} if self.cancels_in in _UNDECIDED else APPROVING
        if self.family:
            return bank | {"paymentMethods": [self.family.entry]}
        return bank | ({"paymentMethods": [{"type": self.method, "surcharge": 50}]} if self.is_long else {})


def _of(family: Family, outcome: str = "success", cancels_in: str = "") -> Flow:
    name = f"{family.name} cancelled" if cancels_in else family.name
    return Flow(name, family.type, "auto", outcome, cancels_in=cancels_in, family=family)


FLOWS = (
    Flow("iDEAL, automatic", IDEAL, "auto", "success"),
    Flow("ACH, automatic", ACH, "auto", "pending"),
    Flow("iDEAL, manual", IDEAL, "manual", "handledByClient"),
    Flow("ACH, manual", ACH, "manual", "handledByClient"),
    Flow("iDEAL, by decision and with a surcharge", IDEAL, "auto", "success", is_long=True),
    *(_of(family, "pending" if family is VOUCHER else "success") for family in FAMILIES),
)
CANCELLED_FLOWS = (
    Flow("decision cancelled", IDEAL, "auto", "cancelled", True, cancels_in="awaitingDecision", payment_count=0),
    Flow("redirect cancelled", IDEAL, "auto", "unknown", cancels_in="awaitingRedirect"),
    Flow("bank account cancelled", ACH, "auto", "cancelled", cancels_in="awaitingBankAccount"),
    Flow("mandate cancelled", ACH, "auto", "cancelled", cancels_in="awaitingMandate"),
    *(_of(family, "unknown", cancels_in=family.state) for family in (CODE, PHONE)),
)


@dataclass(frozen=True)
class Promise:
    """A call that was answered, and how its effect shows."""

    call: str
    is_kept: Callable[[JsonObject, Sequence[Event]], bool]


class Merchant:
    """The merchant's server, which remembers what it has done."""

    def __init__(self, session: Session) -> None:
        self._sandbox = session.sandbox
        self._created: JsonObject = {}
        self._resumed: dict[str, JsonObject] = {}

    def create(self, payment_method_token: str) -> str:
        """The token of the action that the payment requires; an order is paid once."""
        self._created = self._created or self._sandbox.create_payment(payment_method_token)
        return str(self._created["requiredAction"]["clientToken"])

    def resume(self, resume_token: str) -> JsonObject:
        """The payment as `checkout.decide` takes it."""
        if resume_token not in self._resumed:
            self._resumed[resume_token] = self._sandbox.resume_payment(self._created["id"], resume_token)
        answer = self._resumed[resume_token]
        return {name: answer[name] for name in ("id", "orderId", "status")}


class Shopper:
    """Drives one checkout to its end; starts the daemon again when it has gone, with `later` environments in turn."""

    def __init__(
        self, daemon: DurableDaemon, session: Session, flow: Flow, later: Sequence[Mapping[str, str]] = ()
    ) -> None:
        self._daemon = daemon
        self._environments = iter(later)
        self._flow = flow
        self._merchant = Merchant(session)
        self._start = {
            "clientToken": session.client_token,
            "settings": flow.settings,
            "startKey": f"key-{session.id}",
            **flow.start,
        }
        self._attempted: set[str] = set()
        self._promises: list[Promise] = []
        self.session = session
        self._id = ""
        self._clients: list[Client] = []
        self.crash_count = 0
        self.history: list[Event] = []

    def pay(self) -> JsonObject:
        """Goes on until the checkout has ended; returns its snapshot."""
        while True:
            try:
                self._connect()
                while (snapshot := self._checkout.snapshot)["state"] not in _ENDED:
                    self._go_on(snapshot)
                self._look_back(snapshot)
                return snapshot
            except (Ended, ConnectionError, FileNotFoundError):
                self._revive()

    def _revive(self) -> None:
        self.crash_count += 1
        self._daemon.revive(self._run, next(self._environments, {}))

    def stop(self) -> None:
        """Has the daemon end in good order; while it dies of that, looks whether all is still there."""
        while self._daemon.terminate() != 0:
            self._revive()
            self.pay()
        self._daemon.check()

    @property
    def received(self) -> list[Event]:
        """The events that came by subscription, over all connections."""
        return [
            Event(message["method"], message["params"])
            for client in self._clients
            for message in client.transcript
            if isinstance(message, dict) and "seq" in message.get("params", ())
        ]

    # One connection

    def _connect(self) -> None:
        """Connects, finds the checkout by its key, looks whether all is as it was, follows it."""
        for client in self._clients[-1:]:
            client.read_to_end()
        self._run = self._daemon.run
        client = self._daemon.connect()
        self._clients.append(client)
        id = client.call("checkout.start", **self._start)["checkoutId"]
        if self._id not in ("", id) and not self._may_be_another():
            raise AssertionError(f"a start with the same key made {id} after {self._id}")
        self._id = id
        self._checkout = Checkout(client, self.session, id)
        self._look_back(self._checkout.snapshot)
        self._checkout.subscribe(after=len(self.received))

    def _may_be_another(self) -> bool:
        """Whether the checkout may have been lost, so that the start made another."""
        return False

    def _look_back(self, snapshot: JsonObject) -> None:
        """Checks that answered calls have their effect, and that the events are those of before and more."""
        history = full_history(self._checkout)
        if history[: len(self.history)] != self.history:
            raise AssertionError(f"events have changed: {self.history[-3:]} became {history[len(self.history) - 3 :]}")
        self.history = history
        received = self.received
        if received != history[: len(received)]:
            raise AssertionError(f"what came was {_labels(received)}, what is kept is {_labels(history)}")
        for promise in self._promises:
            if not promise.is_kept(snapshot, history):
                raise AssertionError(f"{promise.call} was answered, and has no effect: {snapshot}")

    # Steps

    def _go_on(self, snapshot: JsonObject) -> None:
        state = snapshot["state"]
        for component in snapshot["components"]:
            self._checkout.component_id = component["componentId"]
        if state == self._flow.cancels_in:
            self._cancel()
        elif state == "ready":
            self._fill_in(snapshot)
        elif state == "awaitingDecision" and snapshot["awaiting"]:
            self._decide(snapshot["awaiting"][0])
        elif state == "awaitingBankAccount":
            answer = {"outcome": "succeeded", "paymentId": "pi_example"}
            self._component_call("reportBankAccount", lambda now, _: now["state"] != state, **answer)
        elif state == "awaitingMandate":
            self._component_call("acceptMandate", lambda now, _: now["state"] != state)
        else:
            self._await_event(snapshot)

    def _fill_in(self, snapshot: JsonObject) -> None:
        if not snapshot["components"]:
            self._provide()
            return
        (component,) = snapshot["components"]
        if component["step"]["name"] not in _LOADED:
            self._start_component(snapshot)
        elif any(component["data"].get(name) != value for name, value in self._flow.shown_data.items()):
            shown = self._flow.shown_data
            self._component_call(
                "updateCollectedData",
                lambda _, history: any(
                    event.label == "validation valid" and event.params["data"] == shown for event in history
                ),
                data=self._flow.data,
            )
        else:
            self._component_call("submit", _is_submitted)

    def _provide(self) -> None:
        family = self._flow.family
        provided = self._checkout.provide_of(family) if family else self._checkout.provide(self._flow.method)
        id = provided["componentId"]
        self._promises.append(
            Promise("provide", lambda now, _: [component["componentId"] for component in now["components"]] == [id])
        )

    def _start_component(self, snapshot: JsonObject) -> None:
        """Starts the component, unless a start from before a crash goes on by itself."""
        is_repeat = "start" in self._attempted
        try:
            self._component_call("start", lambda now, _: now["components"][0]["step"]["name"] != "notInitialized")
        except CallError as error:
            if not is_repeat or error.error_id != "already-started":
                raise
            self._await_event(snapshot)

    def _decide(self, awaited: JsonObject) -> None:
        id = awaited["decisionId"]
        if awaited["event"] == "checkout.willCreatePayment":
            self._checkout.decide(id, "continue", paymentIdempotencyKey=f"order-of-{self._id}")
        elif "resumeToken" in awaited:
            self._checkout.decide(id, "complete", payment=self._merchant.resume(awaited["resumeToken"]))
        else:
            token = self._merchant.create(awaited["paymentMethodTokenData"]["token"])
            self._checkout.decide(id, "continueWithNewClientToken", clientToken=token)
        self._promises.append(
            Promise(f"decide {id}", lambda now, _: id not in [entry.get("decisionId") for entry in now["awaiting"]])
        )

    def _cancel(self) -> None:
        self._checkout.call("checkout.cancel")
        self._promises.append(Promise("cancel", lambda now, _: now["state"] in ("cancelling", "failed")))

    def _component_call(
        self, method: str, is_kept: Callable[[JsonObject, Sequence[Event]], bool], /, **params: Any
    ) -> None:
        self._attempted.add(method)
        self._checkout.component_call(method, **params)
        self._promises.append(Promise(method, is_kept))

    def _await_event(self, snapshot: JsonObject) -> None:
        """Waits for the event after those that the snapshot has."""
        read = self._checkout.call("events.read", after=snapshot["seq"], waitMs=round(TIMEOUT * 1000))
        if not read["events"]:
            raise AssertionError(f"nothing happens any more: {snapshot}")


def _is_submitted(snapshot: JsonObject, history: Sequence[Event]) -> bool:
    """It is, or was given back: a secret that only the process knew is gone with it."""
    is_given_back = any(event.label == "didReceiveError" and event.error_id == "otp-lost" for event in history)
    return is_given_back or snapshot["state"] not in ("starting", "ready")


def _labels(events: Sequence[Event]) -> list[str]:
    return [f"{event.seq} {event.label}" for event in events]
