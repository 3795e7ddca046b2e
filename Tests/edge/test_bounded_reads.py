"""Reads that match nothing, and batches of them: a call walks a bounded part; a batch goes on in its user's turn."""

from __future__ import annotations

import os
import signal
import unittest
from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import PressureTest, await_that, line
from support.checkout import ACH, ACH_SETTINGS, Checkout
from support.client import Client, encode, request
from support.lines import JsonObject

# How many events one call may walk.
WALK = 1000
EVENTS = 4000
EAGER, CALM = 61021, 61022
GROUP = 62021
NEVER = ["checkout.willUpdateClientSession"]


class ReadsTest(PressureTest):
    options: ClassVar[Sequence[str]] = ("--max-connection-rate", "100000")

    def talkative(self, client: Client, /, **params: object) -> Checkout:
        """A checkout with many events, none of which a read for `NEVER` has."""
        checkout = self.start(self.session(), client, settings=ACH_SETTINGS, **params)
        client.call("events.unsubscribe", subscriptionId=self.subscription(checkout))
        checkout.provide(ACH)
        checkout.component_call("start")
        while (seq := checkout.snapshot["seq"]) < EVENTS:
            self.assertLess(seq, EVENTS)
            change: list[tuple[str, JsonObject]] = [
                ("component.updateCollectedData", {"componentId": checkout.component_id, "data": {"firstName": name}})
                for name in ("Ada", "Grace") * 30
            ]
            for id in client.send_all(change):
                client.result(id)
        return checkout

    @staticmethod
    def subscription(checkout: Checkout) -> str:
        """The subscription of a checkout; a new one takes the place of the old."""
        return str(checkout.call("events.subscribe")["subscriptionId"])

    def unmatched(self, checkout: Checkout, id: int) -> JsonObject:
        """A read that matches nothing."""
        return request("events.read", {"checkoutId": checkout.id, "types": NEVER}, id)


class OneCall(ReadsTest):
    def test_walks_a_bounded_part_and_says_where_to_go_on(self) -> None:
        checkout = self.talkative(self.client)
        end, after, calls = checkout.snapshot["seq"], 0, 0
        while after < end:
            read = checkout.call("events.read", after=after, types=NEVER)
            self.assertEqual(read["events"], [])
            self.assertFalse(read["ended"])
            self.assertGreater(read["next"], after)
            self.assertLessEqual(read["next"] - after, WALK)
            after = read["next"]
            calls += 1
        self.assertEqual(after, end)
        self.assertGreaterEqual(calls, EVENTS // WALK)

    def test_finds_what_stands_far_behind(self) -> None:
        checkout = self.talkative(self.client)
        checkout.call("checkout.cancel")
        after, found = 0, []
        while not found:
            read = checkout.call("events.read", after=after, types=["checkout.didFail"])
            found, after = read["events"], read["next"]
        self.assertEqual([event["method"] for event in found], ["checkout.didFail"])
        self.assertTrue(read["ended"])

    def test_does_not_wait_before_it_has_walked_to_the_end(self) -> None:
        checkout = self.talkative(self.client)
        read = checkout.call("events.read", after=0, types=NEVER, waitMs=300_000)
        self.assertEqual(read["events"], [])
        self.assertLessEqual(read["next"], WALK)


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class Batches(ReadsTest):
    MEMBERS = 64
    CONNECTIONS = 16

    def setUp(self) -> None:
        super().setUp()
        self.eager = [self.daemon.connect_as(EAGER, GROUP) for _ in range(self.CONNECTIONS)]
        self.calm = self.daemon.connect_as(CALM, GROUP)
        self.checkout = self.talkative(self.eager[0])
        for client in (*self.eager, self.calm):
            client.call("system.ping")

    def batch(self) -> bytes:
        """A batch of reads that match nothing."""
        return encode([self.unmatched(self.checkout, id) for id in range(self.MEMBERS)]) + b"\n"

    @staticmethod
    def batch_reply(client: Client) -> list[JsonObject]:
        """The reply to a batch; events of the time before the subscription ended may come first."""
        while not isinstance(message := client.read_message(60), list):
            pass
        return message

    def test_another_user_is_served_between_their_members(self) -> None:
        """The daemon finds sixteen batches and then one call of another user's: that is answered among the first."""
        before = self.client.call("system.status")["calls"]["answered"]
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        try:
            for client in self.eager:
                client.socket.send(self.batch())
            # Root's status counts everybody's calls; it stands behind the calm user's ping.
            ping = self.calm.send("system.ping")
            status = self.client.send("system.status")
        finally:
            os.kill(self.daemon.process.pid, signal.SIGCONT)
        done = self.client.result(status)["calls"]["answered"] - before
        self.calm.result(ping)
        self.assertLess(done, self.CONNECTIONS * self.MEMBERS // 4)
        for client in self.eager:
            members = self.batch_reply(client)
            self.assertEqual([reply["id"] for reply in members], list(range(self.MEMBERS)))

    def test_what_stands_behind_a_batch_comes_after_it(self) -> None:
        client, component = self.eager[0], self.checkout.component_id
        data = {"componentId": component, "data": {"lastName": "Hopper"}}
        change = request("component.updateCollectedData", data, 99)
        reads = [self.unmatched(self.checkout, id) for id in range(self.MEMBERS - 1)]
        client.send_raw(encode([*reads, change]) + b"\n")
        self.assertEqual(client.call("component.get", componentId=component)["data"]["lastName"], "Hopper")

    def test_a_drain_leaves_no_member_without_an_answer(self) -> None:
        client = self.eager[0]
        self.addCleanup(setattr, self.daemon, "check", lambda: None)
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        client.send_raw(self.batch() * 4)
        os.kill(self.daemon.process.pid, signal.SIGTERM)
        os.kill(self.daemon.process.pid, signal.SIGCONT)
        answered = client.read_to_end(60)
        batches = [message for message in answered if isinstance(message, list)]
        for members in batches:
            self.assertEqual([reply["id"] for reply in members], list(range(self.MEMBERS)))
            for reply in members:
                self.assertTrue("result" in reply or reply["error"]["code"] == -32005, reply)

    def test_a_batch_left_behind_counts_and_goes_with_its_connection(self) -> None:
        """Text of members that have not begun is held for the client; when that closes, nothing is left of it."""
        (mute,) = self.mutes(1)
        self.await_open(len(self.eager) + 3)
        mute.plan(line("system.ping", id=1) + self.batch() * 50)
        mute.push()
        mute.close()
        await_that(lambda: self.status()["open"] == len(self.eager) + 2, "the connection is gone")
        self.assertEqual(self.held, 0)
