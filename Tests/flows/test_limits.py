"""Limits: of lines, of batches, of calls under way, of connections and checkouts; each an option."""

from __future__ import annotations

import select
from collections.abc import Sequence
from typing import ClassVar

from support.case import DaemonTest
from support.checkout import Checkout
from support.client import Client, encode, request
from support.lines import JsonObject, Message

ECHO = request("system.echo", ["x"], "next")


def error_of(message: Message) -> JsonObject:
    """The error of a reply whose id is null."""
    assert isinstance(message, dict) and message["id"] is None, message
    error: JsonObject = message["error"]
    return error


class Lines(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-line", "1024"]

    def assert_too_long(self, message: Message) -> None:
        error = error_of(message)
        data = {name: error["data"].get(name) for name in ("errorId", "limit")}
        self.assertEqual((error["code"], data), (-32001, {"errorId": "line-too-long", "limit": 1024}))

    def assert_still_serving(self) -> None:
        self.client.send_line(encode(ECHO))
        self.assertEqual(self.client.read_message(), {"jsonrpc": "2.0", "id": "next", "result": ["x"]})

    def test_limit_is_announced(self) -> None:
        self.assertEqual(self.client.call("system.hello")["limits"]["line"], 1024)

    def test_as_long_as_may_be(self) -> None:
        line = encode(ECHO)
        self.client.send_line(line + b" " * (1024 - len(line)))
        self.assertEqual(self.client.result("next"), ["x"])

    def test_one_byte_more_is_refused_once_and_skipped(self) -> None:
        line = encode(request("checkout.list", id="never"))
        self.client.send_line(line + b" " * (1025 - len(line)))
        self.assert_too_long(self.client.read_message())
        self.assert_still_serving()

    def test_told_before_the_line_ends(self) -> None:
        self.client.send_raw(b"x" * 1025)
        self.assert_too_long(self.client.read_message())
        self.client.send_raw(b"x" * 14 * 1024 + b"\n")
        self.assert_still_serving()

    def test_sixteen_times_the_limit_is_skipped(self) -> None:
        self.client.send_line(b"x" * 16 * 1024)
        self.assert_too_long(self.client.read_message())
        self.assert_still_serving()

    def test_more_is_a_flood(self) -> None:
        self.client.send_raw(b"x" * (16 * 1024 + 1))
        refused, last = self.client.read_to_end()
        self.assert_too_long(refused)
        error = error_of(last)
        self.assertEqual((error["code"], error["data"]["errorId"]), (-32007, "closing"))
        self.assertEqual(error["data"]["reason"], "line-flood")

    def test_without_an_end_at_half_close(self) -> None:
        self.client.send_raw(b"x" * 1025)
        self.client.half_close()
        (refused,) = self.client.read_to_end()
        self.assert_too_long(refused)


class Batches(DaemonTest):
    def batch(self, count: int, checkout: Checkout) -> bytes:
        calls = [request("system.echo", [number], number) for number in range(count - 1)]
        return encode([*calls, request("checkout.cancel", {"checkoutId": checkout.id}, "cancel")])

    def test_as_many_as_may_be(self) -> None:
        checkout = self.start()
        self.client.send_line(self.batch(64, checkout))
        checkout.await_end()
        answers = self.client.read_message()
        assert isinstance(answers, list)
        self.assertCountEqual([answer["id"] for answer in answers], [*range(63), "cancel"])

    def test_one_more_and_none_is_run(self) -> None:
        checkout = self.start()
        checkout.next_event()
        self.client.send_line(self.batch(65, checkout))
        error = error_of(self.client.read_message())
        self.assertEqual((error["code"], error["data"]["errorId"]), (-32003, "batch-too-large"))
        self.assertEqual(error["data"]["limit"], 64)
        self.assertEqual(checkout.state, "ready")


class CallsUnderWay(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-waiting", "100"]

    def await_in_flight(self, count: int) -> None:
        """Until the daemon has read so many calls of the first client's."""
        administrator = self.daemon.connect()
        while administrator.call("system.connections")["connections"][0]["inFlight"] != count:
            self.assertIsNone(self.daemon.process.poll())

    def test_no_more_than_64_are_started(self) -> None:
        checkout = self.start()
        checkout.next_event()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        waiting = self.client.send_all([("checkout.wait", params)] * 64 + [("system.ping", {})] * 10)
        self.await_in_flight(64)
        other = self.daemon.connect()
        self.assertEqual(other.call("system.ping"), {})
        readable, _, _ = select.select([self.client.socket], [], [], 0)
        self.assertEqual(readable, [])
        other.call("checkout.cancel", checkoutId=checkout.id)
        for id in waiting:
            self.assertIn("result", self.client.reply(id))

    def test_a_batch_counts_each_of_its_calls(self) -> None:
        checkout = self.start()
        checkout.next_event()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        self.client.send_line(encode([request("checkout.wait", params, number) for number in range(64)]))
        ping = self.client.send("system.ping")
        self.await_in_flight(64)
        readable, _, _ = select.select([self.client.socket], [], [], 0)
        self.assertEqual(readable, [])
        self.daemon.connect().call("checkout.cancel", checkoutId=checkout.id)
        checkout.await_end()
        self.assertEqual(self.client.result(ping), {})
        answers = [message for message in self.client.transcript if isinstance(message, list)]
        self.assertEqual([len(answer) for answer in answers], [64])


class WaitingCalls(DaemonTest):
    def test_a_cancel_always_gets_through(self) -> None:
        checkout = self.start()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        calls = self.client.send_all([("checkout.wait", params)] * 63)
        refused = [self.client.reply(id) for id in calls[16:]]
        self.assertEqual(
            {(error["error"]["code"], error["error"]["data"]["limit"]) for error in refused}, {(-32004, 16)}
        )
        self.assertEqual(checkout.call("checkout.cancel")["state"], "failed")
        for id in calls[:16]:
            self.assertEqual(self.client.result(id)["matched"], "terminal")

    def test_a_component_start_counts(self) -> None:
        checkout = self.start()
        checkout.provide("ADYEN_IDEAL")
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        self.client.send_all([("checkout.wait", params)] * 16)
        self.assert_refused(-32004, "quota-exceeded", None, "component.start", componentId=checkout.component_id)
        self.assertEqual(self.sandbox.requests("banks"), [])


class Connections(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-connections-per-uid", "3"]
    quota = "connectionsPerUid"

    def assert_full(self, client: Client) -> None:
        (last,) = client.read_to_end()
        error = error_of(last)
        self.assertEqual((error["code"], error["data"]["errorId"]), (-32004, "quota-exceeded"))
        told = {name: error["data"].get(name) for name in ("quota", "limit", "used")}
        self.assertEqual(told, {"quota": self.quota, "limit": 3, "used": 3})

    def test_one_too_many_is_told_and_closed(self) -> None:
        # A round trip: the connection that found the daemon ready is gone by then.
        self.client.call("system.ping")
        clients = [self.client, self.daemon.connect(), self.daemon.connect()]
        for client in clients:
            self.assertEqual(client.call("system.ping"), {})
        for _ in range(2):
            self.assert_full(self.daemon.connect())
        clients[1].half_close()
        clients[1].read_to_end()
        self.assertEqual(self.daemon.connect().call("system.ping"), {})
        self.assert_full(self.daemon.connect())
        self.assertEqual(self.client.call("system.status")["connections"]["refused"], 3)


class AllConnections(Connections):
    options: ClassVar[Sequence[str]] = ["--max-connections", "3"]
    quota = "connections"


class ConnectionRate(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-connection-rate", "1"]

    def test_more_in_a_second_are_refused(self) -> None:
        refused: list[JsonObject] = []
        for _ in range(20):
            client = self.daemon.connect()
            client.half_close()
            refused += [error_of(message) for message in client.read_to_end()]
        self.assertGreater(len(refused), 10)
        for error in refused:
            told = {name: error["data"].get(name) for name in ("errorId", "quota", "limit")}
            self.assertEqual(told, {"errorId": "quota-exceeded", "quota": "connectionRate", "limit": 1})
        self.assertEqual(self.client.call("system.ping"), {})


class Checkouts(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-checkouts-per-uid", "2"]

    def refuse_third(self) -> None:
        token = self.session().client_token
        error = self.assert_refused(-32004, "quota-exceeded", None, "checkout.start", clientToken=token)
        told = {name: error.data.get(name) for name in ("quota", "limit", "used")}
        self.assertEqual(told, {"quota": "checkoutsPerUid", "limit": 2, "used": 2})

    def test_one_too_many_is_refused(self) -> None:
        first, _ = self.start(), self.start()
        self.refuse_third()
        self.assertEqual(len(self.client.call("checkout.list")["checkouts"]), 2)
        self.assertEqual(first.state, "ready")

    def test_only_live_ones_count(self) -> None:
        first, _ = self.start(), self.start()
        first.call("checkout.cancel")
        self.start()
        self.refuse_third()

    def test_a_known_key_needs_no_room(self) -> None:
        token = self.session().client_token
        started = self.client.call("checkout.start", clientToken=token, startKey="k")
        self.start()
        again = self.client.call("checkout.start", clientToken=token, startKey="k")
        self.assertEqual(again["checkoutId"], started["checkoutId"])
