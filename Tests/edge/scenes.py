"""The way to each call, past the fault, and on to the end of the payment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from edge.bench import Bench
from edge.matrix import FAMILY_CALLS, Cell
from support.checkout import ACH, BANK, IDEAL, Checkout
from support.client import CallError
from support.families import AWAITED, FAMILIES, Family
from support.lines import Event, JsonObject
from support.sandbox import APPROVING, Session

# The longest row waits 1, 5, 15, 30 and 60 s between its requests.
_PATIENCE = 150.0
_SURCHARGED: JsonObject = {"paymentMethods": [{"type": IDEAL, "surcharge": 50}, {"type": ACH, "surcharge": 50}]}


@dataclass
class Scene:
    """One cell being played."""

    bench: Bench
    cell: Cell
    # How many requests the endpoint had had when the fault was laid, and those from then until it was over.
    _before: int = 0
    _is_over: bool = False
    requests: list[JsonObject] = field(default_factory=list)
    # What the client's call was refused with, and the events up to the terminal one.
    refusal: CallError | None = None
    events: list[Event] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    checkout: Checkout | None = None

    def play(self) -> None:
        """From the start of a checkout to its end."""
        self.bench.sandbox.reset()
        _SCENES[self.cell.call](self)
        self.note_requests()

    @property
    def error_events(self) -> list[Event]:
        """What components were told of."""
        return [event for event in self.events if event.label == "didReceiveError"]

    # Steps

    def session(self, **options: object) -> Session:
        """A client session."""
        self.sessions.append(self.bench.session(**options))
        return self.sessions[-1]

    def lay(self) -> None:
        """Lays the fault."""
        self._before = len(self.bench.sandbox.requests(self.cell.endpoint))
        self.bench.lay(self.cell.fault, self.cell.endpoint, self.cell.after_effect)

    def note_requests(self) -> None:
        """The fault is over: takes the requests that have met it, and those that followed, and clears the way."""
        if self._is_over:
            return
        self._is_over = True
        self.requests = self.bench.sandbox.requests(self.cell.endpoint)[self._before :]
        if self.cell.fault.times < 0:
            self.bench.sandbox.control("DELETE", "faults")

    def call_twice(self, method: str, /, **params: object) -> JsonObject:
        """Makes the call that the fault is for, and if it is refused once more."""
        client = self.bench.client
        try:
            result: JsonObject = client.result(client.send(method, **params), _PATIENCE)
        except CallError as error:
            self.refusal = error
            self.note_requests()
            result = client.call(method, **params)
        return result

    def await_event(self, checkout: Checkout, *labels: str) -> Event:
        """The next event with one of these labels, or the terminal one; those before it are kept too."""
        while True:
            event = self.bench.client.next_event(checkout.id, _PATIENCE)
            self.events.append(event)
            if event.label in labels or event.is_terminal:
                return event

    def submit(self, checkout: Checkout) -> None:
        """Submits, and once more if an error gives the component back."""
        checkout.submit()
        if self.await_event(checkout, "didReceiveError", "willCreatePayment").label == "didReceiveError":
            self.note_requests()
            checkout.submit()

    def start(self, checkout: Checkout) -> None:
        """Starts the component, which the fault is for."""
        self.call_twice("component.start", componentId=checkout.component_id)
        self.await_event(checkout, "step banksRetrieved", "step retrievedUserDetails")

    def choose_and_submit(self, checkout: Checkout) -> None:
        """Chooses a bank and submits."""
        checkout.update(bankId=BANK)
        self.submit(checkout)

    def end(self, checkout: Checkout) -> None:
        """Waits for the terminal event."""
        self.checkout = checkout
        self.await_event(checkout)

    def collect(self, checkout: Checkout) -> bool:
        """Has the bank account collected, if the checkout gets so far."""
        self.checkout = checkout
        if self.await_event(checkout, "info bankAccountCollector").is_terminal:
            return False
        checkout.report_account()
        self.await_event(checkout, "info mandate")
        return True

    def accept(self, checkout: Checkout) -> None:
        """Accepts the mandate."""
        checkout.component_call("acceptMandate")
        self.end(checkout)


# Scenes


def _configuration(scene: Scene) -> None:
    session = scene.session(**APPROVING)
    scene.lay()
    snapshot = scene.call_twice("checkout.start", clientToken=session.client_token)
    checkout = scene.bench.subscribed(session, snapshot["checkoutId"])
    checkout.provide(IDEAL)
    checkout.component_call("start")
    scene.choose_and_submit(checkout)
    scene.end(checkout)


def _banks(scene: Scene) -> None:
    checkout = scene.bench.ideal(scene.session(**APPROVING))
    scene.lay()
    scene.start(checkout)
    scene.choose_and_submit(checkout)
    scene.end(checkout)


def _select_at_start(scene: Scene) -> None:
    checkout = scene.bench.ach(scene.session())
    scene.lay()
    scene.start(checkout)
    scene.submit(checkout)
    if scene.collect(checkout):
        scene.accept(checkout)


def _set_at_submit(scene: Scene) -> None:
    checkout = scene.bench.ach(scene.session())
    checkout.component_call("start")
    checkout.update(firstName="Zoë")
    scene.lay()
    scene.submit(checkout)
    if scene.collect(checkout):
        scene.accept(checkout)


def _select_at_submit(scene: Scene) -> None:
    checkout = scene.bench.ideal(scene.session(**APPROVING, **_SURCHARGED))
    checkout.component_call("start")
    scene.lay()
    scene.choose_and_submit(checkout)
    scene.end(checkout)


def _unselect(scene: Scene) -> None:
    checkout = scene.bench.ach(scene.session(**_SURCHARGED))
    checkout.component_call("start")
    scene.submit(checkout)
    scene.await_event(checkout, "info bankAccountCollector")
    scene.lay()
    checkout.report_account("cancelled")
    scene.end(checkout)


def _ideal_payment(scene: Scene) -> None:
    _pay_by_ideal(scene, scene.session(**APPROVING))


def _resume(scene: Scene) -> None:
    """Like the payment, but a connection that is to fail is the one for the resumption."""
    if scene.cell.fault.arrives:
        return _ideal_payment(scene)
    checkout = scene.bench.ideal(scene.session(**APPROVING))
    checkout.component_call("start")
    scene.bench.sandbox.hold("status")
    scene.choose_and_submit(checkout)
    scene.bench.sandbox.requests("status", 1, "effect")
    scene.lay()
    scene.bench.sandbox.release("status")
    scene.end(checkout)


def _payment_made_at_once(scene: Scene) -> None:
    made: JsonObject = {"createResponse": {"status": "SUCCESS", "requiredAction": None}}
    _pay_by_ideal(scene, scene.session(**made))


def _pay_by_ideal(scene: Scene, session: Session) -> None:
    checkout = scene.bench.ideal(session)
    checkout.component_call("start")
    scene.lay()
    scene.choose_and_submit(checkout)
    scene.end(checkout)


def _status(scene: Scene) -> None:
    checkout = scene.bench.ideal(scene.session())
    checkout.component_call("start")
    scene.choose_and_submit(checkout)
    # A second passes between one poll and the next.
    scene.bench.sandbox.requests("status", 1, "answered")
    checkout.session.approve()
    scene.lay()
    scene.end(checkout)


def _complete(scene: Scene) -> None:
    checkout = scene.bench.ach(scene.session())
    checkout.component_call("start")
    scene.submit(checkout)
    scene.collect(checkout)
    scene.lay()
    scene.accept(checkout)


def _validate(scene: Scene) -> None:
    """The merchant's server creates the payment and resumes it."""
    sandbox = scene.bench.sandbox
    checkout = scene.bench.ideal(scene.session(**APPROVING), paymentHandling="manual")
    checkout.component_call("start")
    scene.choose_and_submit(checkout)
    event = scene.await_event(checkout, "didTokenizePaymentMethod")
    payment = sandbox.create_payment(event.params["paymentMethodTokenData"]["token"])
    scene.lay()
    scene.call_twice(
        "checkout.decide",
        checkoutId=checkout.id,
        decisionId=event.params["decisionId"],
        decision="continueWithNewClientToken",
        clientToken=payment["requiredAction"]["clientToken"],
    )
    event = scene.await_event(checkout, "didResumeWith")
    sandbox.resume_payment(payment["id"], event.params["resumeToken"])
    checkout.decide(event.params["decisionId"], "complete", payment={"id": payment["id"], "status": "SUCCESS"})
    scene.end(checkout)


def _of_family(family: Family) -> Callable[[Scene], None]:
    """The payment of a family, from the submit on; what upstream asks for is decided at once."""

    def play(scene: Scene) -> None:
        checkout = scene.bench.filled_in(family, scene.session(**APPROVING, paymentMethods=[family.entry]))
        scene.lay()
        scene.submit(checkout)
        scene.end(checkout)

    return play


def _status_of_family(family: Family) -> Callable[[Scene], None]:
    """The poll after the shopper has decided."""

    def play(scene: Scene) -> None:
        checkout = scene.bench.filled_in(family, scene.session(paymentMethods=[family.entry]))
        scene.submit(checkout)
        scene.bench.sandbox.requests("status", 1, "answered")
        checkout.session.approve()
        scene.lay()
        scene.end(checkout)

    return play


_SCENES: dict[str, Callable[[Scene], None]] = {
    "configuration": _configuration,
    "banks": _banks,
    "actions: SELECT at the start (ACH)": _select_at_start,
    "actions: SET at submit (ACH)": _set_at_submit,
    "actions: SELECT at submit (iDEAL)": _select_at_submit,
    "actions: UNSELECT": _unselect,
    "payment-instruments": _ideal_payment,
    "payments": _ideal_payment,
    "payments (made at once)": _payment_made_at_once,
    "status": _status,
    "resume": _resume,
    "complete": _complete,
    "validate": _validate,
    **{f"{call} ({family.name})": _of_family(family) for call in FAMILY_CALLS for family in FAMILIES},
    **{f"status ({family.name})": _status_of_family(family) for family in AWAITED},
}
