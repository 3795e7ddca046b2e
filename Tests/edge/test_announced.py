"""Every limit of the transport: announced, an option, and enforced, at the limit and one past it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import READ, PressureTest, await_that, line
from support.case import DaemonTest
from support.checkout import BANK
from support.client import encode, request
from support.lines import JsonObject, Message

# What `system.hello` calls it: the option, the default, another value.
LIMITS: dict[str, tuple[str, int, int]] = {
    "line": ("--max-line", 1024 * 1024, 2048),
    "lineOut": ("--max-line-out", 1024 * 1024, 131_073),
    "nesting": ("--max-nesting", 64, 9),
    "batch": ("--max-batch", 64, 5),
    "inFlight": ("--max-in-flight", 64, 7),
    "waiting": ("--max-waiting", 16, 6),
    "connections": ("--max-connections", 4096, 123),
    "connectionsPerUid": ("--max-connections-per-uid", 256, 45),
    "connectionRate": ("--max-connection-rate", 500, 321),
    "checkoutsPerUid": ("--max-checkouts-per-uid", 1000, 67),
    "checkouts": ("--max-checkouts", 20_000, 89),
    "endedPerUid": ("--max-ended-per-uid", 256, 21),
    "recordsPerUid": ("--max-records-per-uid", 100_000, 2222),
    "records": ("--max-records", 200_000, 3333),
    "shares": ("--max-shares", 64, 3),
    "queue": ("--max-queue", 4 * 1024 * 1024, 70_000),
    "memory": ("--max-memory", 256 * 1024 * 1024, 2_000_000),
    "slowReaderMs": ("--slow-reader-timeout", 30_000, 1234),
    "events": ("--max-events", 10_000, 200),
    "attemptSpanMs": ("--attempt-span", 300_000, 4321),
    "eventBytes": ("--max-event-bytes", 4 * 1024 * 1024, 80_000),
}

# What is no option.
FIXED = {"administratorConnections": 16, "qrImageBytes": 65_536}


def error_of(message: Message) -> JsonObject:
    """The error of a reply whose id is null."""
    assert isinstance(message, dict) and message["id"] is None, message
    error: JsonObject = message["error"]
    return error


class Announced(DaemonTest):
    def test_defaults(self) -> None:
        announced = self.client.call("system.hello")["limits"]
        self.assertEqual(announced, FIXED | {name: default for name, (_, default, _) in LIMITS.items()})

    def test_options(self) -> None:
        options = [part for option, _, value in LIMITS.values() for part in (option, str(value))]
        announced = self.start_daemon(*options).connect().call("system.hello")["limits"]
        self.assertEqual(announced, FIXED | {name: value for name, (_, _, value) in LIMITS.items()})


class Nesting(DaemonTest):
    limit: ClassVar[int] = 64

    def nested(self, levels: int) -> bytes:
        """A call that has so many levels: the message is the first."""
        text = "[" * (levels - 1) + "]" * (levels - 1)
        return f'{{"jsonrpc":"2.0","id":1,"method":"system.echo","params":{text}}}'.encode()

    def test_at_the_limit(self) -> None:
        self.client.send_line(self.nested(self.limit))
        self.assertIn("result", self.client.reply(1))

    def test_one_past_it(self) -> None:
        self.client.send_line(self.nested(self.limit + 1))
        error = error_of(self.client.read_message())
        self.assertEqual((error["code"], error["data"]["errorId"]), (-32700, "parse-error"))
        self.assertEqual(self.client.call("system.ping"), {})

    def test_far_past_it(self) -> None:
        self.client.send_line(b"[" * 500_000)
        self.assertEqual(error_of(self.client.read_message())["code"], -32700)
        self.assertEqual(self.client.call("system.ping"), {})


class LowerNesting(Nesting):
    options: ClassVar[Sequence[str]] = ("--max-nesting", "8")
    limit = 8


class LineOut(DaemonTest):
    options: ClassVar[Sequence[str]] = ("--max-line-out", "131072")

    def echo_for(self, byte_count: int) -> bytes:
        """A call whose reply has so many bytes, the LF among them."""
        empty = len(encode({"jsonrpc": "2.0", "id": 1, "result": [""]})) + 1
        return line("system.echo", ["x" * (byte_count - empty)], 1)

    def test_at_the_limit(self) -> None:
        self.client.send_raw(self.echo_for(131_072))
        self.assertEqual(len(encode(self.client.reply(1))) + 1, 131_072)

    def test_one_past_it(self) -> None:
        self.client.send_raw(self.echo_for(131_073))
        error = self.client.reply(1)["error"]
        self.assertEqual((error["code"], error["data"]["limit"]), (-32603, 131_072))


class Batch(DaemonTest):
    options: ClassVar[Sequence[str]] = ("--max-batch", "3")

    def test_at_the_limit(self) -> None:
        self.client.send_line(encode([request("system.ping", id=number) for number in range(3)]))
        answers = self.client.read_message()
        self.assertEqual(len(answers), 3)
        self.assertIsInstance(answers, list)

    def test_one_past_it(self) -> None:
        self.client.send_line(encode([request("system.ping", id=number) for number in range(4)]))
        error = error_of(self.client.read_message())
        self.assertEqual((error["code"], error["data"]["limit"]), (-32003, 3))

    def test_all_can_be_answered_in_a_line(self) -> None:
        """However long the replies are, so where lines are short a batch is."""
        daemon = self.start_daemon("--max-line-out", "131072", "--max-batch", "10000")
        client = daemon.connect()
        limits = client.call("system.hello")["limits"]
        self.assertEqual((limits["batch"], limits["lineOut"]), (63, 131_072))
        id = "\1" * 256
        for length in (0, 400, 450, 500, 5000):
            params = ["x" * length]
            client.send_line(encode([request("system.echo", params, id=id)] * 63))
            answers = client.read_message()
            self.assertEqual([answer["id"] for answer in answers], [id] * 63)
            self.assertLessEqual(len(encode(answers)) + 1, 131_072)
        client.send_line(encode([request("system.echo", id=id)] * 64))
        error = error_of(client.read_message())
        self.assertEqual((error["code"], error["data"]["limit"]), (-32003, 63))

    def test_notifications_count(self) -> None:
        self.client.send_line(encode([request("system.ping")] * 4))
        self.assertEqual(error_of(self.client.read_message())["code"], -32003)


class InFlight(PressureTest):
    options: ClassVar[Sequence[str]] = ("--max-in-flight", "5", "--max-waiting", "100")

    def test_at_the_limit_and_one_past_it(self) -> None:
        checkout = self.start()
        busy = self.daemon.connect()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        waits = busy.send_all([("checkout.wait", params)] * 4)
        await_that(lambda: self.in_flight == 4, "4 calls are in flight")
        # One more may start: a ping is the fifth, and makes room again.
        self.assertEqual(busy.call("system.ping"), {})
        waits += busy.send_all([("checkout.wait", params)])
        await_that(lambda: self.in_flight == 5, "5 calls are in flight")
        late = busy.send("system.ping")
        self.turns(3)
        self.assert_silent([busy])
        checkout.call("checkout.cancel")
        for id in waits:
            self.assertEqual(busy.result(id)["matched"], "terminal")
        self.assertEqual(busy.result(late), {})


class Waiting(DaemonTest):
    options: ClassVar[Sequence[str]] = ("--max-waiting", "2")

    def test_every_kind_of_call_that_waits(self) -> None:
        checkout = self.banks()
        seq = checkout.snapshot["seq"]
        token = self.session().client_token
        wait: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        read: JsonObject = {"checkoutId": checkout.id, "after": seq, "waitMs": 300_000}
        other = self.start()
        other.provide("ADYEN_IDEAL")
        waits = self.client.send_all([("checkout.wait", wait), ("events.read", read)])
        kinds: list[tuple[str, JsonObject]] = [
            ("checkout.wait", wait),
            ("events.read", read),
            ("checkout.start", {"clientToken": token}),
            ("component.start", {"componentId": other.component_id}),
        ]
        for method, params in kinds:
            with self.subTest(method):
                data = self.assert_refused(-32004, "quota-exceeded", None, method, **params).data
                told = {name: data.get(name) for name in ("quota", "limit", "used")}
                self.assertEqual(told, {"quota": "waiting", "limit": 2, "used": 2})
        # What does not wait is none of them.
        self.assertIsNone(self.client.call("checkout.wait", **wait | {"waitMs": 0})["matched"])
        self.assertEqual(self.client.call("events.read", **read | {"waitMs": 0})["events"], [])
        checkout.call("checkout.cancel")
        for id in waits:
            self.assertIn("result", self.client.reply(id))
        self.assertEqual(self.client.call("checkout.start", clientToken=token)["state"], "ready")


class Queue(PressureTest):
    options: ClassVar[Sequence[str]] = ("--max-queue", str(READ))

    def test_one_reply_past_the_limit_and_no_more(self) -> None:
        (mute,) = self.mutes(1)
        size = 10_000
        mute.plan(line("system.echo", ["q" * size], 1) * 200)
        self.push_all([mute], lambda: None)
        queued = self.entries()[1]["queuedBytes"]
        self.assertGreaterEqual(queued, READ)
        self.assertLess(queued, READ + size + 100)
        self.assertFalse(mute.is_done)


class KeptEvents(DaemonTest):
    """The bytes are those of the stored form, which nobody sees: what is seen is that they do not become more."""

    options: ClassVar[Sequence[str]] = ("--max-event-bytes", "65536")

    def test_bytes_of_a_checkout(self) -> None:
        checkout = self.banks()
        params: JsonObject = {"componentId": checkout.component_id, "data": {"bankId": BANK}}
        for _ in range(2):
            for _ in range(20):
                self.client.send_all([("component.updateCollectedData", params)] * 50)
                self.client.call("system.ping")
            kept: list[JsonObject] = []
            page = checkout.call("events.read", after=0, limit=1000)
            trimmed = page["trimmedTo"]
            while page["events"]:
                kept += page["events"]
                page = checkout.call("events.read", after=page["next"], limit=1000)
            last = checkout.snapshot["seq"]
            # Every event of the checkout itself stays, and of the others those after the place that is told.
            own = [event["params"]["seq"] for event in kept if event["method"].startswith("checkout.")]
            others = [event["params"]["seq"] for event in kept if not event["method"].startswith("checkout.")]
            self.assertEqual(own, [1])
            self.assertEqual(others, list(range(trimmed + 1, last + 1)))
            self.assertGreater(trimmed, 0)
        self.assertLess(len(kept), last // 2)
