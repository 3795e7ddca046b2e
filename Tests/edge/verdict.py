"""Whether what a cell was seen to come to is what the matrix says, and what holds for every cell."""

from __future__ import annotations

from edge.scenes import Scene
from support.lines import JsonObject


def judge(scene: Scene) -> None:
    """Fails if anything is not as it should be."""
    _judge_outcome(scene)
    _judge_requests(scene)
    _judge_events(scene)
    _judge_money(scene)
    scene.bench.check_struck()


def _same(actual: object, expected: object, what: str) -> None:
    assert actual == expected, f"{what}: {actual!r}, not {expected!r}"


def _judge_outcome(scene: Scene) -> None:
    expected = scene.cell.outcome
    end = scene.events[-1].params
    if scene.refusal:
        assert expected.kind in ("refused", "told"), f"refused: {scene.refusal}"
        _same((scene.refusal.code, scene.refusal.error_id), (expected.code, expected.error_id), "the refusal")
        _judge_upstream(scene, scene.refusal.data)
    if expected.kind == "refused":
        assert scene.refusal, "the call was not refused"
    if expected.kind == "told":
        (told,) = scene.error_events
        _same(told.error_id, expected.error_id, "the event's error")
        _judge_upstream(scene, told.params["error"])
    else:
        _same(scene.error_events, [], "events that tell of errors")
    if not expected.outcome:
        assert end["outcome"] in ("success", "pending", "handledByClient"), f"not completed: {end}"
        return
    _same((end["outcome"], end["error"]["errorId"]), (expected.outcome, expected.error_id), "the end")
    if scene.cell.call == "actions: UNSELECT":
        labels = [event.label for event in scene.events]
        _same("didUpdateClientSession" in labels, expected.kind == "taken-back", "whether the session was updated")
    else:
        _judge_upstream(scene, end["error"])
    _same("payment" in end, expected.names_payment, "whether the payment is named")
    if expected.names_payment:
        _same(end["payment"]["id"], scene.sessions[-1].payment["id"], "the payment")


def _judge_upstream(scene: Scene, error: JsonObject) -> None:
    """The error says what upstream said."""
    expected, fault = scene.cell.outcome, scene.cell.fault
    _same(error.get("httpStatus"), expected.http_status or fault.status, "httpStatus")
    _same(error.get("serverErrorId"), expected.server_error or fault.server_error, "serverErrorId")
    if not expected.http_status:
        _same(error.get("retryAfterMs"), fault.retry_after, "retryAfterMs")
    assert error["description"] and error["diagnosticsId"], error


def _judge_requests(scene: Scene) -> None:
    """What arrived: so many requests, as long apart as asked for, and repeats that are the same."""
    fault = scene.cell.fault
    wanted = scene.cell.outcome.requests
    if wanted is None:
        assert len(scene.requests) > 1, "it was not sent again"
    else:
        _same(len(scene.requests), wanted - (0 if fault.arrives else 1), "how many requests came")
    if fault.retry_after and len(scene.requests) > 1:
        first, second = scene.requests[:2]
        assert second["elapsedMs"] - first["elapsedMs"] >= fault.retry_after, "it did not wait as long as asked for"
    headers = [request["headers"] for request in scene.requests]
    if scene.cell.endpoint != "status":
        _same(len({header["x-request-id"] for header in headers}), min(1, len(headers)), "how many request ids")
        assert all(request["body"] == scene.requests[0]["body"] for request in scene.requests), "the bodies differ"
    keys = {request["headers"].get("x-idempotency-key") for request in scene.bench.sandbox.requests("payments")}
    assert len(keys) <= 1 and None not in keys, f"idempotency keys: {keys}"


def _judge_events(scene: Scene) -> None:
    """None was lost, none follows the terminal one, and the store tells the same as the subscription."""
    assert scene.checkout
    _same([event.seq for event in scene.events], list(range(1, len(scene.events) + 1)), "the events' numbers")
    _same([event.is_terminal for event in scene.events].count(True), 1, "how many terminal events")
    late = scene.bench.client.arrived_events()
    _same(late, [], "events after the end")
    _same(scene.checkout.history(), scene.events, "the stored events")


def _judge_money(scene: Scene) -> None:
    """There is one payment at most, and the shopper was told of it as it is."""
    payments = [payment for session in scene.sessions for payment in session.payments]
    assert len(payments) <= 1, f"{len(payments)} payments"
    outcome = scene.events[-1].params["outcome"]
    made = [payment for payment in payments if payment["status"] == "SUCCESS" or payment["completed"]]
    if outcome in ("failed", "cancelled"):
        _same(made, [], f"payments made though the checkout {outcome}")
    if outcome == "success":
        _same(len(made), 1, "payments made")
