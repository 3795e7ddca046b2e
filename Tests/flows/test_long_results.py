"""Results that are longer than a line, and histories that are longer than what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from support.case import DaemonTest
from support.checkout import BANK, Checkout
from support.client import encode, request
from support.lines import JsonObject

LINE_OUT = 131_072


class LongLines(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-line-out", str(LINE_OUT)]

    def assert_short(self) -> None:
        """No line that came is longer than a line may be."""
        self.assertLess(max(len(encode(message)) for message in self.client.transcript), LINE_OUT)

    def test_events_are_paged(self) -> None:
        checkout = self.banks()
        for number in range(120):
            checkout.update(bankFilterText=" " * (number % 3))
        last = int(checkout.snapshot["seq"])
        seen: list[int] = []
        pages = 0
        while not seen or seen[-1] < last:
            page = checkout.call("events.read", after=seen[-1] if seen else 0, limit=1000)
            seen += [event["params"]["seq"] for event in page["events"]]
            self.assertEqual(page["next"], seen[-1])
            pages += 1
        self.assertEqual(seen, list(range(1, last + 1)))
        self.assertGreater(pages, 1)
        self.assert_short()

    def test_checkouts_are_paged(self) -> None:
        started = [self.start().id for _ in range(200)]
        listed: list[str] = []
        cursor: JsonObject = {}
        while True:
            page = self.client.call("checkout.list", limit=1000, **cursor)
            listed += [short["checkoutId"] for short in page["checkouts"]]
            if "next" not in page:
                break
            cursor = {"cursor": page["next"]}
        self.assertEqual(listed, started)
        self.assert_short()

    def test_a_result_that_cannot_be_paged_is_an_error(self) -> None:
        error = self.assert_refused(-32603, "internal-error", None, "system.echo", text="x" * LINE_OUT)
        self.assertEqual(error.message, "Internal error")
        self.assertEqual(self.client.call("system.echo", text="x"), {"text": "x"})

    def test_a_batch_whose_replies_are_longer_together(self) -> None:
        calls = [request("system.echo", ["x" * 30_000], number) for number in range(8)]
        self.client.send_line(encode(calls))
        answers: list[JsonObject] = []
        message = self.client.read_message()
        answers += message if isinstance(message, list) else [message]
        self.assertEqual({answer["id"] for answer in answers}, set(range(8)))
        self.assertIn("result", answers[0])


class TrimmedHistories(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-events", "100"]

    def grown(self) -> Checkout:
        """A checkout with more events than are kept."""
        checkout = self.banks()
        for _ in range(150):
            checkout.update(bankId=BANK)
        return checkout

    def test_reading_tells_up_to_where(self) -> None:
        checkout = self.grown()
        last = int(checkout.snapshot["seq"])
        read = checkout.call("events.read", limit=1000)
        trimmed = read["trimmedTo"]
        # At least as many as it says are kept, and few more.
        self.assertLessEqual(trimmed, last - 100)
        self.assertGreater(trimmed, last - 104)
        seqs = [event["params"]["seq"] for event in read["events"]]
        self.assertEqual([seq for seq in seqs if seq > trimmed], list(range(trimmed + 1, last + 1)))
        self.assertEqual(read["next"], last)

    def test_events_of_the_checkout_itself_stay(self) -> None:
        checkout = self.grown()
        read = checkout.call("events.read", limit=1000)
        self.assertEqual(read["events"][0]["method"], "checkout.didLoadAvailablePaymentMethods")
        checkout.call("checkout.cancel")
        events = checkout.call("events.read", limit=1000)["events"]
        seqs = [event["params"]["seq"] for event in events if event["method"].startswith("checkout.")]
        self.assertEqual(seqs, [1, checkout.snapshot["seq"]])

    def test_subscription_brings_what_is_kept_and_tells_what_is_not(self) -> None:
        checkout = self.grown()
        watcher = self.daemon.connect()
        subscribed = watcher.call("events.subscribe", checkoutId=checkout.id, after=0)
        read = checkout.call("events.read", limit=1000)
        kept = [event["params"]["seq"] for event in read["events"]]
        first, lost, *others = watcher.arrived_events()
        self.assertEqual([event.seq for event in (first, *others)], kept)
        self.assertEqual(lost.method, "events.lost")
        self.assertEqual(lost.params, {"checkoutId": checkout.id, "from": 2, "to": read["trimmedTo"]})
        told = (subscribed["to"], subscribed["ended"], subscribed["trimmedTo"])
        self.assertEqual(told, (kept[-1], False, read["trimmedTo"]))


class OutputBytes(DaemonTest):
    def test_compact_in_order_and_escaped(self) -> None:
        cases = {
            '["/"]': b'["/"]',
            '["\\u0085\\u2028\\u2029\\u0000\\u001f"]': b'["\\u0085\\u2028\\u2029\\u0000\\u001f"]',
            '["\\"\\\\\\b\\f\\n\\r\\t"]': b'["\\"\\\\\\b\\f\\n\\r\\t"]',
            '[ "\\u00e9" , { "b" : 1 , "a" : 2 } ]': '["é",{"b":1,"a":2}]'.encode(),
            '["\\ud83d\\ude00"]': '["😀"]'.encode(),
        }
        self.client.socket.setblocking(True)
        lines = self.client.socket.makefile("rb")
        for params, expected in cases.items():
            with self.subTest(params):
                self.client.socket.sendall(
                    f'{{"params":{params},"method":"system.echo","id":"é","jsonrpc":"2.0"}}\n'.encode()
                )
                self.assertEqual(lines.readline(), '{"jsonrpc":"2.0","id":"é","result":'.encode() + expected + b"}\n")
