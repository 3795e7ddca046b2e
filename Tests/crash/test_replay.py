"""Events across restarts: read and followed without a gap, a repeat or an overlap with those that come live."""

from __future__ import annotations

import os
import signal

from crash.case import HOW, DurableTest
from crash.durable import DATABASE, DurableDaemon
from crash.preload import Trace
from support.checkout import BANK, CLOSED_BANK, Checkout
from support.client import Ended
from support.lines import Event, JsonObject

KEPT = [
    "didLoadAvailablePaymentMethods",
    "willCreatePayment",
    "didStartTokenization",
    "didTokenizePaymentMethod",
    "didCompleteCheckout",
]


class Replay(DurableTest):
    options = ("--drain-timeout", "0")

    def follow(self, checkout: Checkout, after: int) -> list[Event]:
        """What a subscription from an event on brings while more happens; up to the end."""
        subscription = checkout.call("events.subscribe", after=after)
        self.assertEqual((subscription["from"], subscription["to"]), (after + 1, checkout.snapshot["seq"]))
        checkout.update(bankId=CLOSED_BANK)
        checkout.update(bankId=BANK)
        checkout.submit()
        return self.client.events_until_end(checkout.id)

    def test_subscription_joins_what_is_kept_to_what_comes(self) -> None:
        for how in HOW:
            for after in (0, 3, 5):
                with self.subTest(how.name, after=after):
                    checkout = self.chosen(self.approving())
                    live = checkout.history()
                    self.restart(how, checkout)
                    events = self.follow(checkout, after)
                    history = self.assert_history(checkout, live)
                    self.assertEqual(events, history[after:])
                    self.assertEqual(self.client.arrived_events(), [])

    def test_many_restarts(self) -> None:
        checkout = self.banks(self.approving())
        seen = checkout.history()
        for turn in range(6):
            checkout.update(bankId=(BANK, CLOSED_BANK)[turn % 2])
            seen += self.client.arrived_events()
            self.restart(HOW[turn % 2], checkout)
            checkout.update(bankFilterText="in")
            checkout.subscribe(after=len(seen))
        checkout.update(bankId=BANK)
        checkout.submit()
        seen += self.client.events_until_end(checkout.id)
        self.assertEqual(self.assert_history(checkout), seen)

    def test_pages_and_types(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        checkout.await_end()
        queries: list[JsonObject] = [
            {"after": 2, "limit": 3},
            {"types": ["component.didReceiveStep"]},
            {"types": ["checkout."]},
            {},
        ]
        before = [checkout.call("events.read", **query) for query in queries]
        self.restart(signal.SIGKILL, checkout)
        self.assertEqual([checkout.call("events.read", **query) for query in queries], before)

    def test_subscription_to_everything_has_what_comes(self) -> None:
        checkout = self.chosen(self.approving())
        other = self.start()
        self.restart(signal.SIGKILL, checkout)
        shown = self.client.call("events.subscribe")["snapshots"]
        self.assertEqual([short["checkoutId"] for short in shown], [checkout.id, other.id])
        self.assertEqual([short["seq"] for short in shown], [5, 1])
        checkout.submit()
        events = self.client.events_until_end(checkout.id)
        self.assertEqual(events, checkout.history()[5:])

    def test_waiting_read_goes_on_after_a_restart(self) -> None:
        checkout = self.redirected()
        seq = checkout.snapshot["seq"]
        self.restart(signal.SIGKILL, checkout)
        waiting = self.client.send("events.read", checkoutId=checkout.id, after=seq, waitMs=10_000)
        checkout.session.approve()
        events = self.client.result(waiting)["events"]
        self.assertEqual(events[0]["params"]["seq"], seq + 1)

    def test_list_keeps_its_order(self) -> None:
        ids = [self.start().id for _ in range(5)]
        for how in HOW:
            self.restart(how)
            listed = self.client.call("checkout.list")["checkouts"]
            self.assertEqual([short["checkoutId"] for short in listed], ids)
        ids.append(self.start().id)
        listed = self.client.call("checkout.list")["checkouts"]
        self.assertEqual([short["checkoutId"] for short in listed], ids)

    def test_trimmed_events(self) -> None:
        daemon = self.start_daemon("--max-events", "100")
        client = daemon.connect()
        checkout = self.banks(self.approving(), client)
        for _ in range(60):
            checkout.update(bankId=BANK)
        read = checkout.call("events.read", limit=1000)
        seqs = [event["params"]["seq"] for event in read["events"]]
        self.assertEqual(seqs[0], 1)
        # The first is the checkout's own; of the others as many as it says are kept, and few more.
        self.assertIn(len(seqs) - 1, range(100, 104))
        self.assertEqual(seqs[1:], list(range(read["trimmedTo"] + 1, checkout.snapshot["seq"] + 1)))
        daemon.kill()
        daemon.start()
        checkout.client = daemon.connect()
        self.assertEqual(checkout.call("events.read", limit=1000), read)
        checkout.subscribe(after=read["trimmedTo"])
        checkout.submit()
        checkout.client.events_until_end(checkout.id)
        for _ in range(2):
            kept = checkout.call("events.read", types=["checkout."])["events"]
            self.assertEqual([event["method"].removeprefix("checkout.") for event in kept], KEPT)
            daemon.kill()
            daemon.start()
            checkout.client = daemon.connect()


class TrimmingAndACrash(DurableTest):
    options = ("--max-events", "100")

    def typed(self, crash_at: int) -> tuple[str, Checkout, int]:
        """Types more than is kept; returns the points, the checkout and how many calls were answered."""
        daemon = DurableDaemon(self.sandbox.port, self.options)
        self.addCleanup(daemon.close)
        trace = Trace(daemon.directory / "trace", crash_at)
        daemon.start_to_crash(trace.environment)
        checkout = self.banks(None, daemon.connect())
        answered = 0
        try:
            for _ in range(60):
                checkout.update(bankId=BANK)
                answered += 1
        except (Ended, ConnectionError):
            daemon.await_crash()
            daemon.start()
            checkout.client = daemon.connect()
        return trace.letters, checkout, answered

    def test_events_are_whole(self) -> None:
        whole, _, _ = self.typed(0)
        for point in range(len(whole) - 50, len(whole), 1 if os.environ.get("CRASH_SWEEP") == "full" else 7):
            with self.subTest(point=point):
                _, checkout, answered = self.typed(point)
                seq = checkout.snapshot["seq"]
                self.assertIn(seq, (3 + 2 * answered, 5 + 2 * answered))
                read = checkout.call("events.read", limit=1000)
                first, *others = [event["params"]["seq"] for event in read["events"]]
                self.assertEqual((first, others), (1, list(range(read.get("trimmedTo", 1) + 1, seq + 1))))
                checkout.update(bankId=CLOSED_BANK)
                self.assertEqual(checkout.snapshot["seq"], seq + 2)


class Epoch(DurableTest):
    def epoch(self) -> str:
        return str(self.client.call("system.hello")["epoch"])

    def test_lasts_as_long_as_the_state(self) -> None:
        epoch = self.epoch()
        for how in HOW:
            self.restart(how)
            self.assertEqual(self.epoch(), epoch)
        self.daemon.stop()
        (self.daemon.state / DATABASE).unlink()
        self.daemon.start()
        self.client = self.daemon.connect()
        self.assertNotEqual(self.epoch(), epoch)
        self.assertNotEqual(self.start_daemon().connect().call("system.hello")["epoch"], epoch)
