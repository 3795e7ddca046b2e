"""The clock is set by years between two runs: deadlines keep what was left of them, and never get longer."""

from __future__ import annotations

import signal
from datetime import UTC, datetime, timedelta

from crash.case import DurableTest, eventually
from crash.preload import clock_set
from support.checkout import Checkout

YEARS = 10 * 365 * 86_400
BOTH_WAYS = (YEARS, -YEARS)


class ClockTest(DurableTest):
    def restart_with_clock(self, seconds: int, *checkouts: Checkout) -> None:
        """Restarts on a machine whose clock was set meanwhile."""
        self.restart(signal.SIGKILL, *checkouts, environment=clock_set(seconds))
        self.ahead = timedelta(seconds=seconds)

    def left(self, deadline: str) -> float:
        """How many seconds the daemon gives until then."""
        return (datetime.fromisoformat(deadline) - datetime.now(UTC) - self.ahead).total_seconds()


class Deadlines(ClockTest):
    options = ("--poll-span", "60000")

    def test_clock_is_set(self) -> None:
        """The daemon does go by the clock that the test sets."""
        for seconds in BOTH_WAYS:
            self.restart_with_clock(seconds)
            checkout = self.start(self.session(expiresIn=2 * YEARS))
            created = checkout.snapshot["createdAt"]
            self.assertLess(abs(self.left(created)), 10, created)

    def test_ready(self) -> None:
        checkout = self.chosen(self.approving())
        before = datetime.fromisoformat(checkout.snapshot["expiresAt"]) - datetime.now(UTC)
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.restart_with_clock(seconds, checkout)
                snapshot = checkout.snapshot
                self.assertEqual(snapshot["state"], "ready")
                self.assertLess(abs(self.left(snapshot["expiresAt"]) - before.total_seconds()), 10)
        checkout.submit()
        checkout.call("events.read", after=checkout.snapshot["seq"], waitMs=10_000)
        self.await_state("completed", checkout)
        self.assert_history(checkout)

    def test_decision(self) -> None:
        checkout = self.chosen(None, None, settings={"paymentHandling": "manual"})
        checkout.submit()
        checkout.await_event("didTokenizePaymentMethod")
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.restart_with_clock(seconds, checkout)
                (awaited,) = checkout.snapshot["awaiting"]
                self.assertLessEqual(self.left(awaited["deadline"]), 600)
                self.assertGreater(self.left(awaited["deadline"]), 570)
        checkout.decide("d1", "complete")
        self.assertEqual(checkout.snapshot["outcome"], "handledByClient")

    def test_redirect(self) -> None:
        checkout = self.redirected()
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.restart_with_clock(seconds, checkout)
                self.sandbox.reset()
                self.sandbox.requests("status", count=1, until="answered")
                (awaited,) = checkout.snapshot["awaiting"]
                self.assertEqual(awaited["kind"], "redirect")
                self.assertLessEqual(self.left(awaited["deadline"]), 60)
                self.assertGreater(self.left(awaited["deadline"]), 30)
        checkout.session.approve()
        self.await_state("completed", checkout)

    def test_collecting(self) -> None:
        checkout = self.collecting()
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.restart_with_clock(seconds, checkout)
                self.assertEqual(checkout.state, "awaitingBankAccount")
        checkout.report_account()
        checkout.component_call("acceptMandate")
        self.await_state("completed", checkout)
        (completed,) = self.sandbox.requests("complete")
        accepted = str(completed["body"]["mandateSignatureTimestamp"])
        year = (datetime.now(UTC) + self.ahead).year
        self.assertTrue(accepted.startswith(str(year)), accepted)


class Creation(ClockTest):
    options = ("--create-payment-timeout", "1000")

    def test_repeat_waits_no_longer_than_its_span(self) -> None:
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.sandbox.reset()
                checkout = self.chosen(self.approving())
                self.sandbox.hold("payments")
                checkout.submit()
                self.sandbox.requests("payments", count=1, until="effect")
                self.restart_with_clock(seconds, checkout)
                self.sandbox.release("payments")
                self.await_state("failed", checkout)
                self.assertEqual(checkout.snapshot["outcome"], "unknown")
                first, second = self.sandbox.requests("payments")
                self.assertGreaterEqual(second["elapsedMs"] - first["elapsedMs"], 900)
                self.restart()


class Retention(ClockTest):
    def ended(self) -> Checkout:
        checkout = self.start()
        checkout.call("checkout.cancel")
        return checkout

    def test_nothing_is_wiped_early(self) -> None:
        checkout = self.ended()
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.restart_with_clock(seconds, checkout)
                self.assertEqual(checkout.state, "failed")

    def test_everything_is_wiped_in_time(self) -> None:
        self.daemon.options[:] = ["--retention", "2000"]
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.restart()
                checkout = self.ended()
                self.restart_with_clock(seconds, checkout)
                self.await_state("archived", checkout)

    def test_records_are_kept_and_forgotten_in_time(self) -> None:
        self.daemon.options[:] = ["--retention", "0", "--outcome-retention", "3000"]
        for seconds in BOTH_WAYS:
            with self.subTest(seconds):
                self.restart()
                checkout = self.ended()
                self.await_state("archived", checkout)
                self.restart_with_clock(seconds, checkout)
                self.assertEqual(checkout.state, "archived")
                eventually("forgotten", lambda: not self.client.call("checkout.list")["checkouts"])
