"""Restarts while the shopper is waited for, of each family of payment methods."""

from __future__ import annotations

import signal

from crash.case import HOW, DurableTest
from support.checkout import Checkout
from support.families import AWAITED, CODE, FAMILIES, ONE_TIME_CODE, VOUCHER, Family
from support.sandbox import Session


class Restarts(DurableTest):
    def test_before_the_submit(self) -> None:
        """What was typed is there again, but for what is secret."""
        for family in FAMILIES:
            with self.subTest(family.name):
                checkout = self.filled_in(family)
                before = checkout.snapshot
                self.restart_and_follow(checkout)
                (component,) = checkout.snapshot["components"]
                if family is ONE_TIME_CODE:
                    self.assertEqual((component["data"], component["submittable"]), ({}, False))
                    self.assertEqual(component["missing"], ["otp"])
                    checkout.update(**family.data)
                else:
                    self.assertEqual(component, before["components"][0])
                checkout.submit()
                self.await_wait(checkout, family)

    def await_wait(self, checkout: Checkout, family: Family) -> None:
        """Goes on to the end, as nothing had been."""
        if family is VOUCHER:
            self.assert_completed(checkout.await_end(), "pending")
            return
        self.await_state(family.state, checkout)
        checkout.session.approve()
        self.assert_completed(checkout.await_end(), "success")

    def test_while_the_shopper_is_waited_for(self) -> None:
        for family in AWAITED:
            for how in HOW:
                for decide, outcome in ((Session.approve, "success"), (Session.decline, "failed")):
                    with self.subTest(family.name, how=how.name, outcome=outcome):
                        checkout = self.awaiting(family)
                        before = checkout.snapshot
                        seq = before["seq"]
                        self.restart(how, checkout)
                        now = checkout.snapshot
                        self.assertEqual(now["awaiting"], before["awaiting"])
                        self.assertEqual((now["state"], now["payment"]), (before["state"], before["payment"]))
                        checkout.subscribe(after=seq)
                        decide(checkout.session)
                        self.assertEqual(checkout.await_end().params["outcome"], outcome)
                        self.assertEqual(len(checkout.session.payments), 1)

    def test_the_shopper_decides_while_no_daemon_runs(self) -> None:
        for family in AWAITED:
            with self.subTest(family.name):
                checkout = self.awaiting(family)
                self.restart_and_follow(checkout, meanwhile=checkout.session.approve)
                self.assert_completed(checkout.await_end(), "success")

    def test_the_code_has_the_same_text(self) -> None:
        checkout = self.awaiting(CODE)
        (told,) = [event for event in checkout.history() if event.label == "info qrCode"]
        self.restart(signal.SIGKILL, checkout)
        self.assertEqual(checkout.snapshot["awaiting"][0]["info"], told.params["info"])
        (again,) = [event for event in checkout.history() if event.label == "info qrCode"]
        self.assertEqual(again, told)

    def test_the_voucher_stays(self) -> None:
        checkout = self.filled_in(VOUCHER)
        checkout.submit()
        checkout.await_end()
        before = checkout.snapshot
        self.assertEqual(before["additionalInfo"]["kind"], "voucher")
        for how in HOW:
            self.restart(how, checkout)
            self.assertEqual(checkout.snapshot, before)

    def test_a_one_time_code_is_in_no_file(self) -> None:
        """Neither before the payment nor while it waits, nor after the restart."""
        checkout = self.filled_in(ONE_TIME_CODE)
        (code,) = ONE_TIME_CODE.data.values()
        self.assert_in_no_file(code)
        checkout.submit()
        self.await_state(ONE_TIME_CODE.state, checkout)
        self.assert_in_no_file(code)
        self.restart_and_follow(checkout)
        self.assert_in_no_file(code)
        checkout.session.approve()
        self.assert_completed(checkout.await_end(), "success")

    def assert_in_no_file(self, secret: str) -> None:
        """None of the files that the daemon keeps has it."""
        for path in self.daemon.state.rglob("*"):
            if path.is_file():
                self.assertNotIn(secret.encode(), path.read_bytes(), path.name)

    def test_a_one_time_code_is_lost_between_submit_and_tokenization(self) -> None:
        """Nothing was created: the shopper types it once more."""
        checkout = self.filled_in(ONE_TIME_CODE)
        self.sandbox.hold("payment-instruments", before_effect=True)
        checkout.submit()
        self.sandbox.requests("payment-instruments", count=1)
        self.restart_and_follow(checkout, meanwhile=lambda: self.sandbox.release("*"))
        self.assertEqual(checkout.await_event("didReceiveError").error_id, "otp-lost")
        self.await_state("ready", checkout)
        self.assertEqual(checkout.session.payments, [])
        checkout.update(**ONE_TIME_CODE.data)
        checkout.submit()
        self.await_wait(checkout, ONE_TIME_CODE)
