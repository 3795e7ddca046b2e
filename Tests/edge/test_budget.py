"""The budget of the whole process: how much memory it may use, and that it does not use more.

What clients can make the daemon hold is their *queues* (replies and events that they have not read) and their
*unfinished lines*. `limits.memory` bounds both together; `system.status` shows them as `heldBytes`. What is over is
noticed once a read has been taken in, so that each connection can be one read beyond:

    held <= memory + connections * read                                        (read: 64 KiB)

The memory for that, and for the rest:

    RSS <= rest + connections * fixed + 2 * held + turn

* `rest` is what the daemon uses before anybody connects.
* `fixed` is what a connection costs that holds nothing: objects, tables, its entry in the kernel's set. 4 KiB are more.
* Twice what is held, for buffers double when they are full, and so may be half empty.
* `turn` is what one turn says before it is sent: 256 connections at most are read in a turn, and each has calls started
  while it is owed less than its share, `memory / connections`, and so is owed one line more at most. The buffer for it
  doubles too: `2 * 256 * (share + lineOut)`, and no more than `2 * (memory + 256 * lineOut)`.

With the defaults, 4096 connections, all of that is an upper bound for the worst that clients can do together.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import MIB, READ, Figures, Mute, PressureTest, allow_descriptors, await_that, line
from support.client import TIMEOUT, encode, request
from support.lines import JsonObject, parse

FIXED = 4096
SERVED_IN_A_TURN = 256
CONNECTIONS = 4096
# Of this process's descriptors, what is for others than connections.
OTHER_DESCRIPTORS = 100
MANY = ("--max-connections-per-uid", "100000", "--max-connection-rate", "1000000")


def held_bound(limits: JsonObject, connections: int) -> int:
    """How much may be held for so many connections."""
    return int(limits["memory"]) + connections * READ


def resident_bound(limits: JsonObject, connections: int, rest: int) -> int:
    """How much memory the daemon may use with so many connections."""
    share = min(limits["queue"], limits["memory"] // connections)
    turn = 2 * min(connections, SERVED_IN_A_TURN) * (share + limits["lineOut"])
    return int(rest + connections * FIXED + 2 * held_bound(limits, connections) + turn)


class ManyConnections(PressureTest):
    """As many as there may be, all pushing at once: unfinished lines, unread replies, unread events."""

    options: ClassVar[Sequence[str]] = MANY

    def setUp(self) -> None:
        super().setUp()
        self.figures = Figures(self.daemon.process.pid)
        self.limits = self.client.call("system.hello")["limits"]
        self.most_held = 0

    def watch(self) -> None:
        """Notes what is held, and sees that others are served."""
        self.most_held = max(self.most_held, self.held)

    def stuff_with_events(self, mutes: Sequence[Mute]) -> None:
        """Has them subscribe, and makes events until each has lost some."""
        checkout = self.banks()
        mine = {mute.socket.fileno(): mute for mute in mutes}
        for mute in mine.values():
            mute.socket.send(line("events.subscribe", {"checkoutId": checkout.id}, 1))
        await_that(lambda: self.client.call("system.status")["subscriptions"] == len(mutes) + 1, "all have subscribed")
        params: JsonObject = {"componentId": checkout.component_id, "data": {"bankId": "9001"}}
        updates = [("component.updateCollectedData", params)] * 50

        def have_lost() -> bool:
            self.client.send_all(updates)
            self.watch()
            return len([entry for entry in self.entries() if entry["lost"]]) == len(mutes)

        await_that(have_lost, "all have lost events", 4 * TIMEOUT)

    def test_memory_stays_within_the_bound(self) -> None:
        count = min(CONNECTIONS, self.limits["connections"], allow_descriptors() - OTHER_DESCRIPTORS) - 2
        self.client.call("system.ping")
        descriptors, rest = self.daemon.descriptor_count, self.figures.resident
        healthy = self.daemon.connect()
        # The lowest descriptors are for those who wait with select().
        spare = os.open("/dev/null", os.O_RDONLY)
        mutes = self.mutes(count)
        self.await_open(count + 2)
        # One in eight reads no events, one in eight reads no replies, and all send lines without an end.
        self.stuff_with_events(mutes[::8])
        replies = line("system.echo", ["r" * 16_000], 1) * 200
        for mute in mutes[1::8]:
            mute.plan(replies)
        self.push_all(mutes[1::8], self.watch)
        unfinished = b'{"jsonrpc":"2.0","method":"' + b"x" * (int(self.limits["line"]) - 100)
        for mute in mutes:
            # Where a call was left in the middle the line goes on, and is none any more.
            mute.plan(unfinished)
        self.push_all(mutes, self.watch)
        status = self.status()
        # Others are served all the same, new ones too.
        os.close(spare)
        self.assertEqual(healthy.call("system.echo", text="h" * 1000), {"text": "h" * 1000})
        self.assertEqual(self.start(None, self.daemon.connect()).state, "ready")
        bound, most = resident_bound(self.limits, count + 2, rest), held_bound(self.limits, count + 2)
        print(
            f"\nbudget: {count} connections of {CONNECTIONS}: held {self.most_held / MIB:.0f} MiB, bound"
            f" {most / MIB:.0f}; RSS {self.figures.peak / MIB:.0f} MiB, bound {bound / MIB:.0f}, at rest"
            f" {rest / MIB:.0f}; refused {status['refusals']}",
            file=sys.stderr,
        )
        self.assertGreater(self.most_held, self.limits["memory"] // 2)
        self.assertLessEqual(self.most_held, most)
        self.assertLessEqual(self.figures.peak, bound)
        self.assertGreater(status["refusals"].get("memory", 0), 0)
        for mute in mutes:
            mute.close()
        await_that(lambda: self.status()["open"] <= 3, "the connections are gone")
        self.assertEqual(self.held, 0)
        # The two that were served, and connections to upstream.
        self.assertLess(self.daemon.descriptor_count, descriptors + 10)

    def test_memory_is_given_back(self) -> None:
        """A flood is over some day: then the system has the memory again, but for what lies in pieces."""
        rest = self.figures.resident
        mutes = self.mutes(min(500, allow_descriptors() - OTHER_DESCRIPTORS))
        replies = line("system.echo", ["r" * 16_000], 1) * 80
        for mute in mutes:
            mute.plan(replies)
        self.push_all(mutes, self.watch)
        peak = self.figures.resident
        self.assertGreater(self.most_held, self.limits["memory"] // 2)
        for mute in mutes:
            mute.close()
        self.await_open(1)
        self.assertEqual(self.held, 0)
        await_that(lambda: self.figures.resident - rest <= (peak - rest) // 2, "memory is given back")


class SmallBudget(PressureTest):
    """With a budget that a few clients fill."""

    options: ClassVar[Sequence[str]] = ("--max-memory", str(MIB), "--slow-reader-timeout", "200", *MANY)

    def assert_memory_quota(self, error: JsonObject) -> None:
        told = (error["code"], error["data"]["errorId"], error["data"]["quota"])
        self.assertEqual(told, (-32004, "quota-exceeded", "memory"))
        self.assertGreater(error["data"]["used"], error["data"]["limit"])

    def test_whoever_holds_more_than_its_share_is_told_and_closed(self) -> None:
        mutes = self.mutes(16)
        for mute in mutes:
            mute.plan(b"x" * 500_000)
        self.push_all(mutes, lambda: self.assertLessEqual(self.held, MIB + 17 * READ))
        # Not those whose sending failed: one may be let go after its last byte.
        refused = [mute for mute in mutes if mute.is_told]
        self.assertGreater(len(refused), 0)
        self.assertLessEqual({mute for mute in mutes if mute.is_refused}, set(refused))
        for mute in refused:
            last = parse(mute.received().rstrip(b"\n"))
            assert isinstance(last, dict) and last["id"] is None
            self.assert_memory_quota(last["error"])
        self.assertEqual(self.status()["refusals"], {"memory": len(refused)})

    def test_one_alone_may_hold_what_a_line_may_have(self) -> None:
        self.client.send_raw(b'{"jsonrpc":"2.0","id":"long","method":"system.echo","params":["' + b"x" * 200_000)
        other = self.daemon.connect()
        self.assertEqual(other.call("system.ping"), {})
        self.client.send_raw(b'"]}\n')
        self.assertEqual(len(self.client.result("long")[0]), 200_000)

    def test_who_is_told_to_go_holds_nothing_more(self) -> None:
        """One that reads nothing, and has been sent less than may wait, must not be able to stay and to push on."""
        stuck, *others = self.mutes(12)
        self.await_open(13)

        def is_owed() -> bool:
            stuck.plan(line("system.echo", ["r" * 8000], 1))
            stuck.push()
            return self.held > 0

        await_that(is_owed, "the kernel takes no more for one of them")
        for mute in others:
            mute.plan(b"x" * 95_000)
        self.push_all(others, lambda: None)
        stuck.plan(b"y" * 900_000)
        self.push_all([stuck], lambda: self.assertLessEqual(self.held, MIB + 13 * READ))
        for mute in others:
            mute.close()
        await_that(lambda: self.status()["open"] == 1, "the one that was told to go is gone")
        self.assertEqual(self.held, 0)

    def test_replies_count_before_they_are_written(self) -> None:
        """Short lines whose replies are long fill the budget, not more."""
        mutes = self.mutes(20)
        batch = encode([request("rpc.discover", id=id) for id in range(15)]) + b"\n"
        for mute in mutes:
            mute.plan(batch * 3)
        self.push_all(mutes, lambda: None)
        await_that(lambda: self.client.call("system.status")["calls"]["answered"] >= 15 * 20, "the calls are made")
        self.assertLessEqual(self.held, MIB + 21 * READ)

    def test_others_are_served_while_it_is_full(self) -> None:
        mutes = self.mutes(16)
        replies = line("system.echo", ["r" * 16_000], 1) * 60
        for mute in mutes:
            mute.plan(replies)
        self.push_all(mutes, lambda: self.assertLessEqual(self.held, MIB + 17 * READ))
        for number in range(50):
            self.assertEqual(self.daemon.connect().call("system.echo", number=number), {"number": number})
        # By the budget, if it was full, or because they have not read in time.
        await_that(lambda: self.status()["refused"] == 16, "the slow readers are let go")
        self.assertLessEqual(self.status()["refusals"].keys(), {"memory", "slow-reader"})
        self.assertEqual(self.held, 0)
