"""A full disk: nothing is done that cannot be kept, nothing that upstream has done is lost, and it passes."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Any

from crash.case import DurableTest, eventually, pass_by
from crash.durable import DurableDaemon
from crash.storage import SmallDisk
from support.checkout import BANK, CLOSED_BANK, Checkout
from support.client import CallError, encode
from support.lines import JsonObject

RESERVE = 16 * 1024 * 1024


class DiskTest(DurableTest):
    size = "24m"

    def start_daemon(self, *options: str, environment: Mapping[str, str] | None = None) -> DurableDaemon:
        self.disk = SmallDisk(self, self.size)
        daemon = DurableDaemon(self.sandbox.port, options, state=self.disk.path)
        daemon.start(environment)
        self.addCleanup(daemon.close)
        self.addCleanup(daemon.check)
        self.addCleanup(self.sandbox.release, "*")
        return daemon

    @property
    def reserve(self) -> int:
        """How many bytes are set aside."""
        path = self.daemon.state / "reserve"
        return path.stat().st_blocks * 512 if path.exists() else 0

    @property
    def store(self) -> JsonObject:
        """What the daemon says of its store."""
        store: JsonObject = self.client.call("system.status")["store"]
        return store

    def assert_store_failed(self, method: str, /, **params: Any) -> None:
        self.assert_refused(-32006, "store-failed", None, method, **params)

    def await_commands(self, checkout: Checkout) -> None:
        """Waits until commands are taken; only that the store cannot be written may stand against it."""

        def are_taken() -> bool:
            try:
                checkout.update(bankId=BANK)
            except CallError as error:
                self.assertEqual(error.code, -32006, error)
                return False
            return True

        eventually("commands are taken", are_taken)

    def full_while_creating(self) -> Checkout:
        """A checkout whose payment is created; there is no room for the answer, which is let go."""
        checkout = self.chosen(self.approving())
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", count=1, until="effect")
        self.disk.fill()
        self.sandbox.release("payments")
        self.sandbox.requests("payments", count=1, until="answered")
        return checkout


class Commands(DiskTest):
    def test_are_refused_and_change_nothing(self) -> None:
        checkout = self.chosen(self.approving())
        self.assertEqual(self.store["health"], "ok")
        before, events = checkout.snapshot, checkout.history()
        self.assertEqual(self.reserve, RESERVE)
        self.disk.fill()
        refused: list[tuple[str, JsonObject]] = [
            ("component.updateCollectedData", {"data": {"bankId": CLOSED_BANK}}),
            ("component.updateCollectedData", {"data": {"bankFilterText": "in"}}),
            ("component.submit", {}),
        ]
        for method, params in refused:
            self.assert_store_failed(method, componentId=checkout.component_id, **params)
        self.assert_store_failed("checkout.cancel", checkoutId=checkout.id)
        self.assert_store_failed("checkout.share", checkoutId=checkout.id, uid=1001, role="drive")
        self.assert_store_failed("checkout.start", clientToken=self.session().client_token, startKey="k")
        self.assertNotEqual(self.store["health"], "ok")
        self.assertEqual((checkout.snapshot, checkout.history()), (before, events))
        self.assertEqual(self.client.arrived_events(), [])
        self.assertEqual(len(self.client.call("checkout.list")["checkouts"]), 1)
        self.assertEqual(self.client.call("system.ping"), {})
        self.assertEqual(self.sandbox.requests("payment-instruments"), [])
        self.assertEqual(self.reserve, RESERVE)

        self.disk.free()
        self.await_commands(checkout)
        self.assertEqual(self.store["health"], "ok")
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        self.assert_history(checkout, events)
        self.assertEqual(self.start(self.session(), None, startKey="k").state, "ready")

    def test_each_member_of_a_batch_is_refused(self) -> None:
        checkout = self.banks()
        self.disk.fill()
        call: JsonObject = {"jsonrpc": "2.0", "method": "component.updateCollectedData"}
        params = {"componentId": checkout.component_id, "data": {"bankId": BANK}}
        self.client.send_line(encode([call | {"id": id, "params": params} for id in ("a", "b")]))
        batch = self.client.read_message()
        assert isinstance(batch, list)
        self.assertEqual({reply["id"]: reply["error"]["code"] for reply in batch}, {"a": -32006, "b": -32006})
        self.assertEqual(checkout.component_call("get")["data"].get("bankId"), None)
        self.assertEqual(self.client.arrived_events(), [])

    def test_restart_on_a_full_disk(self) -> None:
        for how in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(how.name):
                checkout = self.chosen(self.approving())
                before = checkout.snapshot
                self.disk.fill()
                self.restart(how, checkout)
                self.assertEqual(checkout.snapshot["components"], before["components"])
                self.assertEqual(checkout.snapshot["seq"], before["seq"])
                self.disk.free()
                self.await_commands(checkout)
                checkout.submit()
                self.await_state("completed", checkout)


class Answers(DiskTest):
    def test_reserve_is_for_them(self) -> None:
        checkout = self.full_while_creating()
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(self.sandbox.requests("payments")), 1)
        self.assertEqual(len(checkout.session.payments), 1)
        self.assert_history(checkout)
        self.disk.free()
        eventually("started", self.is_started)
        self.assertEqual(self.reserve, RESERVE)

    def test_reserve_comes_back_after_a_restart_too(self) -> None:
        checkout = self.full_while_creating()
        self.assert_completed(checkout.await_end(), "success")
        history = checkout.history()
        self.disk.fill()
        self.assert_store_failed("checkout.start", clientToken=self.session().client_token)
        self.restart(signal.SIGKILL, checkout)
        self.assertEqual(self.assert_history(checkout), history)
        self.disk.free()
        eventually("started", self.is_started)
        eventually("the reserve is back", lambda: self.reserve == RESERVE)

    def is_started(self) -> bool:
        """Whether a checkout can be started."""
        try:
            self.start()
        except CallError as error:
            self.assertEqual(error.code, -32006, error)
            return False
        return True


class AnswersWithoutAReserve(DiskTest):
    """The disk has too little room for a reserve."""

    options = ("--create-payment-timeout", "3000")
    size = "1m"

    def test_kept_until_there_is_room(self) -> None:
        self.assertEqual(self.reserve, 0)
        checkout = self.full_while_creating()
        eventually("the store is not well", lambda: self.store["health"] != "ok")
        self.assertEqual(checkout.state, "processing")
        self.assertEqual(self.sandbox.requests("status"), [])
        self.disk.free()
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(self.sandbox.requests("payments")), 1)
        self.assert_history(checkout)

    def test_killed_before_there_is_room(self) -> None:
        checkout = self.full_while_creating()
        seq = checkout.snapshot["seq"]
        self.restart(signal.SIGKILL, checkout)
        self.disk.free()
        checkout.subscribe(after=seq)
        self.assert_failed(checkout.await_end(), "outcome-unknown", "unknown")
        self.assertEqual(checkout.snapshot["payment"]["id"], checkout.session.payment["id"])
        self.assert_history(checkout)

    def test_no_payment_begins(self) -> None:
        checkout = self.chosen(self.approving())
        self.sandbox.hold("payment-instruments")
        checkout.submit()
        self.sandbox.requests("payment-instruments", count=1, until="effect")
        self.disk.fill()
        self.sandbox.release("payment-instruments")
        self.sandbox.requests("payment-instruments", count=1, until="answered")
        pass_by(1500)
        self.assertEqual((self.sandbox.requests("payments"), checkout.session.payments), ([], []))
        self.disk.free()
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(checkout.session.payments), 1)

    def test_deadlines_are_kept(self) -> None:
        checkout = self.chosen(None, None, decisions=["willCreatePayment"], decisionTimeoutMs=1000)
        checkout.submit()
        checkout.await_event("willCreatePayment")
        self.disk.fill()
        pass_by(1500)
        self.assertEqual(checkout.state, "awaitingDecision")
        self.disk.free()
        self.assert_failed(checkout.await_end(), "decision-timeout", "failed")
        self.assert_history(checkout)

    def test_waits_go_on(self) -> None:
        checkout = self.chosen(None, None, decisions=["willCreatePayment"], decisionTimeoutMs=1000)
        checkout.submit()
        seq = checkout.await_event("willCreatePayment").seq
        waiting = self.client.send(
            "checkout.wait", **{"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 60_000}
        )
        reading = self.client.send("events.read", checkoutId=checkout.id, after=seq, waitMs=60_000)
        self.disk.fill()
        pass_by(1500)
        self.disk.free()
        self.assertEqual(self.client.result(waiting)["matched"], "terminal")
        self.assertEqual(self.client.result(reading)["events"][0]["params"]["seq"], seq + 1)
