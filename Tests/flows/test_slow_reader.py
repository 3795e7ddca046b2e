"""Clients that do not read: replies wait for them, events are dropped, counted, told of and can be read again."""

from __future__ import annotations

import select
from collections.abc import Sequence
from typing import ClassVar

from support.case import DaemonTest
from support.checkout import BANK, Checkout
from support.client import TIMEOUT, Client, encode, request
from support.lines import Event, JsonObject, Message, parse

QUEUE = 65_536
LINE = 8192
# More than the daemon may keep and the kernel does, many times over.
FLOOD = 16 * 1024 * 1024


def backlog_of(administrator: Client, place: int) -> JsonObject:
    """What the daemon says of a connection, in the order they were made."""
    entry: JsonObject = administrator.call("system.connections")["connections"][place]
    return entry


class Replies(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-queue", str(QUEUE)]

    def test_none_is_dropped_and_input_waits(self) -> None:
        administrator = self.daemon.connect()
        text = "r" * LINE
        self.client.socket.setblocking(False)
        sent = 0
        stuck = False
        while not stuck:
            line = encode(request("system.echo", {"number": sent, "text": text}, sent)) + b"\n"
            while line:
                _, writable, _ = select.select([], [self.client.socket], [], 0)
                if writable:
                    line = line[self.client.socket.send(line) :]
                    continue
                # The daemon has stopped reading once it holds the limit and at most one more reply.
                held = backlog_of(administrator, 0)["queuedBytes"]
                if held >= QUEUE and not select.select([], [self.client.socket], [], 0)[1]:
                    self.assertLess(held, QUEUE + 2 * LINE)
                    stuck = True
                    break
            sent += not stuck
            self.assertLess(sent * LINE, FLOOD)
        self.assertGreater(sent * LINE, QUEUE)
        self.client.send_raw(line)
        for number in range(sent + 1):
            self.assertEqual(self.client.result(number)["number"], number)
        replies = [message for message in self.client.transcript if isinstance(message, dict)]
        self.assertEqual([reply["id"] for reply in replies], list(range(sent + 1)))
        self.assertEqual(backlog_of(administrator, 0)["queuedBytes"], 0)

    def test_others_are_served_meanwhile(self) -> None:
        self.client.socket.sendall(encode(request("rpc.discover", id=1)) + b"\n")
        other = self.daemon.connect()
        other.call("system.ping")
        self.assertEqual(other.call("system.echo", a=1), {"a": 1})
        self.assertIn("openrpc", self.client.result(1))


class Events(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-queue", str(QUEUE)]

    def choices(self, checkout: Checkout) -> list[tuple[str, JsonObject]]:
        """Calls that make two events each."""
        params: JsonObject = {"componentId": checkout.component_id, "data": {"bankId": BANK}}
        return [("component.updateCollectedData", params)] * 50

    def lose(self, checkout: Checkout) -> int:
        """Makes events until the daemon drops some for the second client; returns the number of the latest."""
        administrator = self.daemon.connect()
        while not backlog_of(administrator, 1)["lost"]:
            self.client.send_all(self.choices(checkout))
            self.client.call("system.ping")
        return int(checkout.snapshot["seq"])

    def assert_gap_is_told(self, checkout: Checkout, received: list[Message]) -> tuple[int, int]:
        """Events come without a gap but one, and there the daemon says which are missing."""
        lost = [message for message in received if isinstance(message, dict) and message["method"] == "events.lost"]
        self.assertEqual(len(lost), 1, lost)
        params = lost[0]["params"]
        self.assertEqual(list(params), ["checkoutId", "from", "to"])
        self.assertEqual(params["checkoutId"], checkout.id)
        events = [message for message in received[: received.index(lost[0])] if isinstance(message, dict)]
        before = [event["params"]["seq"] for event in events]
        self.assertEqual(before, list(range(before[0], params["from"])))
        return params["from"], params["to"]

    def test_lost_ones_are_told_and_can_be_read(self) -> None:
        checkout = self.banks()
        reader = self.daemon.connect()
        reader.call("events.subscribe", checkoutId=checkout.id)
        last = self.lose(checkout)
        reader.await_event("lost")
        received = reader.transcript[1:]
        first_lost, last_lost = self.assert_gap_is_told(checkout, received)
        self.assertEqual(last_lost, last)
        # Nothing else is missing once there is room again.
        checkout.update(bankFilterText="bank")
        self.assertEqual(reader.next_event(checkout.id).seq, last + 1)
        filled: list[int] = []
        after = first_lost - 1
        while after < last_lost:
            page = reader.call("events.read", checkoutId=checkout.id, after=after, limit=1000)
            filled += [event["params"]["seq"] for event in page["events"]]
            after = page["next"]
        self.assertEqual([seq for seq in filled if seq <= last_lost], list(range(first_lost, last_lost + 1)))

    def test_they_are_counted(self) -> None:
        checkout = self.banks()
        reader = self.daemon.connect()
        reader.call("events.subscribe", checkoutId=checkout.id)
        self.lose(checkout)
        counted = backlog_of(self.client, 1)["lost"]
        reader.await_event("lost")
        messages = [message for message in reader.transcript if isinstance(message, dict)]
        told = [message for message in messages if message.get("method") == "events.lost"]
        self.assertEqual(sum(line["params"]["to"] - line["params"]["from"] + 1 for line in told), counted)
        self.assertEqual(self.client.call("system.status")["events"]["lost"], counted)

    def test_replies_come_all_the_same(self) -> None:
        checkout = self.banks()
        reader = self.daemon.connect()
        reader.call("events.subscribe", checkoutId=checkout.id)
        ids = reader.send_all([("system.echo", {"number": number}) for number in range(20)])
        self.lose(checkout)
        for number, id in enumerate(ids):
            self.assertEqual(reader.result(id), {"number": number})
        reader.await_event("lost")

    def test_stored_ones_are_paced_and_never_dropped(self) -> None:
        checkout = self.banks()
        calls = self.choices(checkout)
        for _ in range(40):
            self.client.send_all(calls)
            self.client.call("system.ping")
        reader = self.daemon.connect()
        subscribed = reader.call("events.subscribe", checkoutId=checkout.id, after=0)
        # What happens while they are being sent comes in its turn.
        self.client.send_all(calls)
        self.client.call("system.ping")
        seqs: list[int] = []
        last = int(checkout.snapshot["seq"])
        while not seqs or seqs[-1] < last:
            event: Event = reader.next_event()
            self.assertNotEqual(event.label, "lost")
            seqs.append(event.seq)
        self.assertGreater(last, subscribed["to"])
        self.assertEqual(seqs, list(range(1, last + 1)))


class Stuck(DaemonTest):
    options: ClassVar[Sequence[str]] = ["--max-queue", str(QUEUE), "--slow-reader-timeout", "100"]

    def test_who_reads_nothing_is_let_go(self) -> None:
        administrator = self.daemon.connect()
        administrator.call("system.ping")
        line = encode(request("system.echo", ["r" * LINE], 1)) + b"\n"
        with self.assertRaises((BrokenPipeError, ConnectionResetError)):
            while True:
                select.select([], [self.client.socket], [], TIMEOUT)
                self.client.socket.send(line)
        # What the kernel still holds can be read; every whole line of it is a good one.
        *replies, _ = self.received().split(b"\n")
        self.assertGreater(len(replies), 0)
        for reply in replies:
            self.assertEqual(parse(reply), {"jsonrpc": "2.0", "id": 1, "result": ["r" * LINE]})
        self.assertEqual(len(administrator.call("system.connections")["connections"]), 1)
        self.assertEqual(administrator.call("system.status")["connections"]["refusals"], {"slow-reader": 1})
        self.assertEqual(self.daemon.connect().call("system.ping"), {})

    def received(self) -> bytes:
        """What can be read until the end."""
        self.client.socket.settimeout(TIMEOUT)
        data = bytearray()
        try:
            while chunk := self.client.socket.recv(QUEUE):
                data += chunk
        except ConnectionResetError:
            pass
        return bytes(data)

    def test_who_is_owed_less_may_take_its_time(self) -> None:
        checkout = self.start()
        waiting = self.client.send("checkout.wait", checkoutId=checkout.id, waitMs=300, **{"for": ["terminal"]})
        other = self.daemon.connect()
        other.call("checkout.wait", checkoutId=checkout.id, waitMs=300, **{"for": ["terminal"]})
        self.assertIsNone(self.client.result(waiting)["matched"])
