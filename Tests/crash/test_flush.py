"""A flush that fails: nobody knows what is on the disk, so that nothing of the turn is told and a new run finds out."""

from __future__ import annotations

from pathlib import Path

from crash.case import DurableTest
from crash.durable import DATABASE
from crash.preload import failing_flushes
from support.checkout import BANK, Checkout
from support.client import Ended
from support.daemon import TIMEOUT


class FailedFlush(DurableTest):
    options = ("--create-payment-timeout", "500")

    @property
    def trigger(self) -> Path:
        return self.daemon.directory / "failing"

    def on_a_failing_disk(self) -> None:
        """Has the daemon run where flushes can be made to fail."""
        self.restart(environment=failing_flushes(self.trigger))

    def assert_over(self) -> None:
        """The daemon has ended by itself, at the first flush that failed, and said why."""
        self.assertEqual(self.daemon.process.wait(TIMEOUT), 1)
        self.assertEqual(self.trigger.read_bytes(), b"f")
        self.assertIn("the disk did not take what was written", self.daemon.log)
        self.trigger.unlink()

    def go_on(self, checkout: Checkout) -> None:
        self.daemon.start()
        self.client = self.daemon.connect()
        checkout.client = self.client

    def test_of_a_decision_is_not_answered(self) -> None:
        self.on_a_failing_disk()
        checkout = self.chosen(self.approving(), None, decisions=["willCreatePayment"])
        checkout.submit()
        decision = checkout.await_event("willCreatePayment").params["decisionId"]
        self.trigger.touch()
        told = len(checkout.client.transcript)
        with self.assertRaises((Ended, ConnectionError)):
            checkout.decide(decision, "abort")
        self.assertEqual(checkout.client.transcript[told:], [])
        self.assert_over()
        # It may have come to the disk or not; either way the checkout is whole, and told of once.
        self.go_on(checkout)
        if checkout.state == "awaitingDecision":
            checkout.decide(decision, "abort")
        self.assertEqual(checkout.state, "failed")
        self.assert_history(checkout)

    def test_of_a_creation_sends_nothing(self) -> None:
        self.on_a_failing_disk()
        session = self.approving()
        checkout = self.chosen(session)
        self.sandbox.hold("payment-instruments")
        checkout.submit()
        self.sandbox.requests("payment-instruments", count=1, until="arrived")
        self.trigger.touch()
        self.sandbox.release("payment-instruments")
        self.assert_over()
        self.assertEqual(self.sandbox.requests("payments"), [])
        self.go_on(checkout)
        checkout.subscribe()
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(session.payments), 1)

    def test_of_a_wiping_ends_it_too(self) -> None:
        self.on_a_failing_disk()
        checkout = self.chosen()
        self.trigger.touch()
        # Scrubbing flushes the file once the checkout that was refused is gone.
        with self.assertRaises((Ended, ConnectionError)):
            checkout.call("checkout.cancel")
        self.assert_over()
        self.go_on(checkout)
        self.assertIn(checkout.state, ("ready", "failed"))

    def test_at_the_start_is_a_failure_that_may_pass(self) -> None:
        checkout = self.chosen()
        self.daemon.kill()
        self.trigger.touch()
        done = self.daemon.refused(failing_flushes(self.trigger))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.trigger.unlink()
        self.go_on(checkout)
        self.assertEqual(checkout.update(bankId=BANK)["status"], "valid")
        self.assertIn(DATABASE, self.daemon.files())
