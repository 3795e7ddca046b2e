"""Peers that vanish at any moment leave nothing behind: no descriptor, subscription or call, and not a byte."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from edge.pressure import Mute, PressureTest, await_that, line
from support.checkout import BANK, Checkout
from support.lines import JsonObject

TIMES = 10
PING = line("system.ping", id=1)
ECHO = line("system.echo", ["e" * 20_000], 1)


class VanishingTest(PressureTest):
    """Looks at the daemon before and after."""

    options: ClassVar[Sequence[str]] = ("--max-waiting", "64", "--max-connection-rate", "100000")

    def setUp(self) -> None:
        super().setUp()
        self.checkout = self.banks()
        self.before = self.state()

    def state(self) -> dict[str, Any]:
        """All that could leak."""
        status = self.client.call("system.status")
        return {
            "descriptors": self.daemon.descriptor_count,
            "open": status["connections"]["open"],
            "heldBytes": status["connections"]["heldBytes"],
            "subscriptions": status["subscriptions"],
            "upstream": status["upstream"]["underWay"],
            "listed": len(self.entries()),
            "inFlight": self.in_flight,
        }

    def waits(self, count: int) -> bytes:
        """So many calls that wait for the end of the checkout."""
        params: JsonObject = {"checkoutId": self.checkout.id, "for": ["terminal"], "waitMs": 300_000}
        return line("checkout.wait", params, 1) * count

    def vanish(self, text: bytes, is_there: Callable[[], object]) -> None:
        """Clients send this, and are gone once the daemon has got that far with all of them."""
        mutes = self.mutes(TIMES)
        for mute in mutes:
            mute.plan(text)
        self.await_open(self.before["open"] + TIMES)
        self.push_all(mutes, lambda: None)
        await_that(is_there, "the clients are where they are to vanish")
        for mute in mutes:
            mute.close()

    def assert_nothing_left(self) -> None:
        """All is as it was before, and what they had to do with works on."""
        await_that(lambda: self.state()["open"] == self.before["open"], "the clients are gone")
        self.assertEqual(self.state(), self.before)
        self.assertEqual(self.checkout.update(bankId=BANK)["status"], "valid")
        self.assertEqual(self.checkout.call("checkout.cancel")["state"], "failed")
        self.assertEqual(self.checkout.state, "failed")
        self.assertEqual(self.state()["heldBytes"], 0)


class Vanishing(VanishingTest):
    def test_after_connecting(self) -> None:
        self.vanish(b"", lambda: True)
        self.assert_nothing_left()

    def test_before_they_are_accepted(self) -> None:
        accepted = self.status()["accepted"]
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        try:
            for mute in self.mutes(TIMES):
                mute.plan(PING)
                mute.push()
                mute.close()
        finally:
            os.kill(self.daemon.process.pid, signal.SIGCONT)
        self.await_accepted(accepted + TIMES)
        self.assert_nothing_left()

    def test_in_the_middle_of_a_line(self) -> None:
        self.vanish(ECHO[:-10], lambda: self.held >= TIMES * (len(ECHO) - 10))
        self.assert_nothing_left()

    def test_while_a_long_line_is_skipped(self) -> None:
        self.vanish(b"x" * 1_500_000, lambda: self.held == 0)
        self.assert_nothing_left()

    def test_in_the_middle_of_a_reply(self) -> None:
        """What is owed is longer than what the kernel holds for a reader."""
        self.vanish(line("system.echo", ["e" * 900_000], 1), lambda: self.held > TIMES * 500_000)
        self.assert_nothing_left()

    def test_while_they_are_not_read(self) -> None:
        self.vanish(ECHO * 400, lambda: self.held > TIMES * 4 * 1024 * 1024)
        self.assert_nothing_left()

    def test_while_calls_wait(self) -> None:
        self.vanish(self.waits(16), lambda: self.in_flight == 16 * TIMES)
        self.assert_nothing_left()

    def test_with_64_in_flight_and_more_behind(self) -> None:
        self.vanish(self.waits(64) + PING * 50, lambda: self.in_flight == 64 * TIMES)
        self.assert_nothing_left()

    def test_with_a_batch_under_way(self) -> None:
        batch = b"[" + b",".join(call.rstrip() for call in self.waits(30).splitlines()) + b"]\n"
        self.vanish(batch, lambda: self.in_flight == 30 * TIMES)
        self.assert_nothing_left()

    def test_while_events_are_waited_for(self) -> None:
        seq = self.checkout.snapshot["seq"]
        params = {"checkoutId": self.checkout.id, "after": seq, "waitMs": 300_000}
        self.vanish(line("events.read", params, 1) * 16, lambda: self.in_flight == 16 * TIMES)
        self.assert_nothing_left()

    def test_with_subscriptions(self) -> None:
        other = self.start()
        self.before = self.state()
        text = b"".join(
            line("events.subscribe", params, 1)
            for params in ({"checkoutId": self.checkout.id}, {"checkoutId": other.id, "after": 0}, {}, {"all": True})
        )
        # A wide one takes the place of the one before.
        self.vanish(text, lambda: self.state()["subscriptions"] == self.before["subscriptions"] + 3 * TIMES)
        self.assert_nothing_left()

    def test_after_their_half_close(self) -> None:
        mutes = self.mutes(TIMES)
        for mute in mutes:
            mute.plan(line("events.subscribe", {"checkoutId": self.checkout.id}, 1) + self.waits(16))
            mute.push()
            mute.socket.shutdown(socket.SHUT_WR)
        await_that(lambda: self.in_flight == 16 * TIMES, "all wait")
        for entry in self.entries()[-TIMES:]:
            self.assertEqual(entry["subscriptions"], 1)
        for mute in mutes:
            mute.close()
        self.assert_nothing_left()


class VanishingUnderLoad(VanishingTest):
    options: ClassVar[Sequence[str]] = (*VanishingTest.options, "--max-queue", "65536")

    def lose_events(self, count: int) -> None:
        """Makes events until so many clients have lost some."""
        params: JsonObject = {"componentId": self.checkout.component_id, "data": {"bankId": BANK}}

        def have_lost() -> bool:
            self.client.send_all([("component.updateCollectedData", params)] * 50)
            return len([entry for entry in self.entries() if entry["lost"]]) == count

        await_that(have_lost, "events are lost")

    def test_with_events_unread_and_lost(self) -> None:
        subscribe = line("events.subscribe", {"checkoutId": self.checkout.id}, 1)
        mutes = self.mutes(TIMES)
        for mute in mutes:
            mute.plan(subscribe)
        self.push_all(mutes, lambda: None)
        self.lose_events(TIMES)
        self.assertGreater(self.held, TIMES * 60_000)
        for mute in mutes:
            mute.close()
        self.assert_nothing_left()

    def test_while_stored_events_are_sent(self) -> None:
        params: JsonObject = {"componentId": self.checkout.component_id, "data": {"bankId": BANK}}
        for _ in range(40):
            self.client.send_all([("component.updateCollectedData", params)] * 50)
            self.client.call("system.ping")
        subscribe = line("events.subscribe", {"checkoutId": self.checkout.id, "after": 0}, 1)
        self.vanish(subscribe, lambda: self.held > TIMES * 16_000)
        self.assert_nothing_left()


class VanishingStarts(VanishingTest):
    def test_while_upstream_is_asked(self) -> None:
        """The starts go on; once they are through nothing is left of those who asked."""
        self.sandbox.hold("configuration")
        tokens = [self.session().client_token for _ in range(4)]
        mutes: list[Mute] = self.mutes(len(tokens))
        for mute, token in zip(mutes, tokens, strict=True):
            mute.plan(line("checkout.start", {"clientToken": token}, 1))
        self.push_all(mutes, lambda: None)
        self.sandbox.requests("configuration", count=1 + len(tokens))
        for mute in mutes:
            mute.close()
        await_that(lambda: self.state()["open"] == self.before["open"], "the clients are gone")
        self.sandbox.release("configuration")

        def listed() -> list[str]:
            return [short["state"] for short in self.client.call("checkout.list")["checkouts"]]

        await_that(lambda: listed().count("ready") == 1 + len(tokens), "the checkouts are started")
        await_that(lambda: self.state()["upstream"] == 0, "upstream has answered")
        kept = ("open", "heldBytes", "subscriptions", "listed", "inFlight")
        after = self.state()
        self.assertEqual({name: after[name] for name in kept}, {name: self.before[name] for name in kept})


class AnyMoment(VanishingTest):
    def script(self, checkout: Checkout) -> bytes:
        """One of each kind of line, so that a cut is anywhere in and between them."""
        named: JsonObject = {"checkoutId": checkout.id}
        return b"".join(
            (
                line("system.hello", {"client": "harbour-kiosk"}, 1),
                line("events.subscribe", named, 2),
                b"[" + PING.rstrip() + b"," + line("system.echo", [1], 3).rstrip() + b"]\n",
                line("checkout.wait", named | {"for": ["terminal"], "waitMs": 300_000}, 4),
                line("component.updateCollectedData", {"componentId": checkout.component_id, "data": {"bankId": BANK}}),
                line("events.read", named | {"after": 0}, 5),
            )
        )

    def test_after_each_byte(self) -> None:
        text = self.script(self.checkout)
        accepted = self.status()["accepted"]
        for length in range(len(text) + 1):
            (mute,) = self.mutes(1)
            mute.plan(text[:length])
            mute.push()
            mute.close()
            # A user may have 256 at once: a busy daemon lets go of them later than they come.
            if length % 100 == 0:
                self.await_accepted(accepted + length + 1)
        self.await_accepted(accepted + len(text) + 1)
        self.assert_nothing_left()
