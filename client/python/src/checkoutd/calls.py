"""The calls there are, without a connection to make them on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from checkoutd.types import (
    Bank,
    CollectorError,
    Component,
    Decision,
    Hello,
    Payment,
    Settings,
    Share,
    Snapshot,
    UserDetails,
    Validation,
    Waited,
)

T = TypeVar("T")

ENDED = ("completed", "failed", "archived")
# The longest that one wait goes on at the daemon before it is asked again.
LONGEST_WAIT = 60.0


def _as_it_is(result: Any) -> Any:
    return result


def _nothing(result: Any) -> None:
    return None


@dataclass(frozen=True)
class Call(Generic[T]):
    """A call, and what its result is."""

    method: str
    params: dict[str, Any]
    read: Callable[[Any], T] = _as_it_is
    # Whether it may be made again when nobody knows whether it was made.
    is_repeatable: bool = False
    # The seconds that the daemon may take over it on purpose.
    span: float = 0


def _given(**params: Any) -> dict[str, Any]:
    """The parameters that were given."""
    return {name: value for name, value in params.items() if value is not None}


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


# The daemon


def hello(client: str | None) -> Call[Hello]:
    return Call("system.hello", _given(client=client), is_repeatable=True)


def list_checkouts(states: Sequence[str] | None, cursor: str | None) -> Call[dict[str, Any]]:
    return Call("checkout.list", _given(states=states, cursor=cursor), is_repeatable=True)


# A checkout


def start(
    client_token: str,
    settings: Settings | None,
    decisions: Sequence[str] | None,
    decision_timeout: float | None,
    start_key: str | None,
    share: Sequence[Share] | None,
    allow_repeat: bool | None,
) -> Call[Snapshot]:
    params = _given(
        clientToken=client_token,
        settings=settings,
        decisions=decisions,
        decisionTimeoutMs=_milliseconds(decision_timeout),
        startKey=start_key,
        share=share,
        allowRepeat=allow_repeat,
    )
    return Call("checkout.start", params, is_repeatable=start_key is not None)


def find(checkout_id: str | None, start_key: str | None) -> Call[Snapshot]:
    if (checkout_id is None) == (start_key is None):
        raise ValueError("a checkout is named by its id or by its start key")
    return Call("checkout.get", {"checkoutId": checkout_id or {"startKey": start_key}}, is_repeatable=True)


def wait(checkout_id: str, events: Sequence[str], seconds: float) -> Call[Waited]:
    params = {"checkoutId": checkout_id, "for": events or ["terminal"], "waitMs": max(1, round(seconds * 1000))}
    return Call("checkout.wait", params, is_repeatable=True, span=seconds)


def is_over(waited: Waited) -> bool:
    """Whether there is nothing left to wait for."""
    return waited["matched"] is not None or waited["snapshot"]["state"] in ENDED


def cancel(checkout_id: str, reason: str | None) -> Call[str]:
    return Call("checkout.cancel", _given(checkoutId=checkout_id, reason=reason), lambda result: str(result["state"]))


def decide(
    checkout_id: str,
    decision_id: str,
    decision: Decision,
    payment_idempotency_key: str | None,
    message: str | None,
    client_token: str | None,
    payment: Payment | None,
) -> Call[None]:
    params = _given(
        checkoutId=checkout_id,
        decisionId=decision_id,
        decision=decision,
        paymentIdempotencyKey=payment_idempotency_key,
        message=message,
        clientToken=client_token,
        payment=payment,
    )
    return Call("checkout.decide", params, _nothing)


def share(checkout_id: str, role: str, uid: int | None, gid: int | None) -> Call[None]:
    return Call("checkout.share", _given(checkoutId=checkout_id, role=role, uid=uid, gid=gid), _nothing, True)


def unshare(checkout_id: str, uid: int | None, gid: int | None) -> Call[None]:
    return Call("checkout.unshare", _given(checkoutId=checkout_id, uid=uid, gid=gid), _nothing, True)


# A component


def _provide(manager_call: str, checkout_id: str, payment_method_type: str) -> Call[str]:
    params = {"checkoutId": checkout_id, "paymentMethodType": payment_method_type}
    return Call(manager_call, params, lambda result: str(result["componentId"]), is_repeatable=True)


def provide_banks(checkout_id: str, payment_method_type: str) -> Call[str]:
    return _provide("componentWithRedirectManager.provideBanksComponent", checkout_id, payment_method_type)


def provide_ach(checkout_id: str, payment_method_type: str) -> Call[str]:
    return _provide("achManager.provide", checkout_id, payment_method_type)


def _banks(result: Any) -> list[Bank]:
    banks: list[Bank] = result["step"]["banks"]
    return banks


def _details(result: Any) -> UserDetails:
    details: UserDetails = result["step"]["details"]
    return details


def start_banks(component_id: str) -> Call[list[Bank]]:
    return Call("component.start", {"componentId": component_id}, _banks)


def start_ach(component_id: str) -> Call[UserDetails]:
    return Call("component.start", {"componentId": component_id}, _details)


def update(component_id: str, **data: str | None) -> Call[Validation]:
    given = _given(**data)
    if len(given) != 1:
        raise ValueError(f"exactly one of these is updated at a time: {', '.join(data)}")
    return Call("component.updateCollectedData", {"componentId": component_id, "data": given})


def submit(component_id: str) -> Call[None]:
    return Call("component.submit", {"componentId": component_id}, _nothing)


def get_component(component_id: str) -> Call[Component]:
    return Call("component.get", {"componentId": component_id}, is_repeatable=True)


def report_redirect(component_id: str, outcome: str) -> Call[None]:
    return Call("component.reportRedirect", {"componentId": component_id, "outcome": outcome}, _nothing, True)


def report_bank_account(
    component_id: str, outcome: str, payment_id: str | None, error: CollectorError | None
) -> Call[None]:
    params = _given(componentId=component_id, outcome=outcome, paymentId=payment_id, error=error)
    return Call("component.reportBankAccount", params, _nothing)


def answer_mandate(component_id: str, accepted: bool) -> Call[None]:
    method = "component.acceptMandate" if accepted else "component.declineMandate"
    return Call(method, {"componentId": component_id}, _nothing)
