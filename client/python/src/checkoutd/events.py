"""What happened in a checkout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checkoutd.types import ErrorData, Outcome, Payment, Step

_TERMINAL = ("checkout.didCompleteCheckout", "checkout.didFail")


@dataclass(frozen=True)
class Place:
    """After which event to go on, and in which state of the daemon: in another one numbers mean other events."""

    epoch: str | None
    seq: int


@dataclass(frozen=True)
class Event:
    """Something that happened in a checkout; `params` has all that the protocol says of it."""

    name: str
    checkout_id: str
    seq: int
    time: str
    component_id: str | None
    params: dict[str, Any]
    epoch: str | None = None

    @classmethod
    def of(cls, name: str, params: dict[str, Any], epoch: str | None = None) -> Event:
        """The event in a notification; one of lost events has the number of the last of them."""
        seq = params["to"] if name == "events.lost" else params["seq"]
        return cls(name, params["checkoutId"], seq, params.get("time", ""), params.get("componentId"), params, epoch)

    @property
    def place(self) -> Place:
        """Where to go on after it: what `events(after=…)` takes."""
        return Place(self.epoch, self.seq)

    @property
    def is_terminal(self) -> bool:
        """Whether it is the last of its checkout."""
        return self.name in _TERMINAL

    @property
    def step(self) -> Step | None:
        """Where the component has got to, in `component.didReceiveStep`."""
        return self.params.get("step")

    @property
    def error(self) -> ErrorData | None:
        """What went wrong, in events that tell of that."""
        return self.params.get("error")

    @property
    def outcome(self) -> Outcome | None:
        """How the checkout ended, in the terminal event."""
        return self.params.get("outcome")

    @property
    def payment(self) -> Payment | None:
        """The payment, in the terminal event, if there is one."""
        return self.params.get("payment")

    @property
    def decision_id(self) -> str | None:
        """What to name in `decide`, in events that ask for a decision."""
        return self.params.get("decisionId")
