"""The log is damaged, or cut off by a full disk: what has been paid for is not paid again, nor called unpaid."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from crash.case import DurableTest, eventually
from crash.durable import DATABASE, DurableDaemon
from crash.storage import SmallDisk
from support.checkout import BANK, IDEAL, Checkout
from support.sandbox import Session

_LOG = DATABASE + "-wal"
_FRAME = 24 + 4096
_HEADER = 32


class Damage(DurableTest):
    options = ("--create-payment-timeout", "500")

    @property
    def log(self) -> Path:
        return self.daemon.state / _LOG

    def flip(self, place: int) -> None:
        """Changes one bit of the log."""
        with self.log.open("r+b") as log:
            log.seek(place)
            (byte,) = log.read(1)
            log.seek(place)
            log.write(bytes([byte ^ 0x10]))

    def restart_after_flip(self, place: int) -> None:
        self.restart(meanwhile=lambda: self.flip(place))

    def pay(self, session: Session, **more: object) -> Checkout:
        """A new checkout of a session, to its end."""
        checkout = self.chosen(session, None, **more)
        checkout.submit()
        checkout.await_end()
        return checkout


class Bit(Damage):
    def test_after_a_success_makes_nobody_pay_again(self) -> None:
        """Wherever it is: the checkout goes back in time, and the order is neither paid twice nor called unpaid."""
        for share in (0.1, 0.3, 0.5, 0.7, 0.9):
            with self.subTest(share=share):
                session = self.approving()
                paid = self.pay(session)
                self.assertEqual(paid.snapshot["outcome"], "success")
                before = len(self.sandbox.payments())
                frames = (self.log.stat().st_size - _HEADER) // _FRAME
                self.restart_after_flip(_HEADER + int(share * frames) * _FRAME + 100)
                self.assertIn("the state is damaged", self.daemon.log)
                known = {short["checkoutId"] for short in self.client.call("checkout.list")["checkouts"]}
                paid.client = self.client
                if paid.id in known:
                    self.finish(paid)
                else:
                    paid = self.pay(session)
                self.assertIn(paid.snapshot["outcome"], ("success", "unknown"))
                self.assertEqual(len(self.sandbox.payments()), before)
                self.daemon.stop()
                for path in self.daemon.state.iterdir():
                    path.unlink()
                self.daemon.start()
                self.client = self.daemon.connect()

    def finish(self, checkout: Checkout) -> None:
        """Has it come to an end, by paying where it is not submitted yet."""
        eventually("started", lambda: checkout.state != "starting")
        if checkout.state == "ready":
            checkout.provide(IDEAL)
            if checkout.component_call("get")["step"]["name"] == "notInitialized":
                checkout.component_call("start")
            checkout.update(bankId=BANK)
            checkout.submit()
        eventually("ended", lambda: checkout.state in ("completed", "failed"))

    def test_leaves_no_cancelled_checkout_behind(self) -> None:
        """What may have gone on without being known is not called cancelled."""
        checkout = self.chosen(self.approving())
        checkout.update(bankFilterText="in")
        checkout.update(bankFilterText="")
        self.restart_after_flip(self.log.stat().st_size - 3 * _FRAME + 100)
        self.assertIn("the state is damaged", self.daemon.log)
        checkout.client = self.client
        checkout.call("checkout.cancel")
        self.assertEqual(checkout.snapshot["outcome"], "unknown")
        self.assertEqual(checkout.snapshot["error"]["errorId"], "state-restored")
        self.restart(meanwhile=lambda: None)
        checkout.client = self.client
        self.assertEqual(checkout.snapshot["outcome"], "unknown")
        self.assert_history(checkout)

    def test_is_remembered_however_often_the_start_is_cut_short(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.update(bankFilterText="in")
        checkout.update(bankFilterText="")
        self.restart_after_flip(self.log.stat().st_size - 3 * _FRAME + 100)
        self.restart()
        checkout.client = self.client
        checkout.call("checkout.cancel")
        self.assertEqual(checkout.snapshot["error"]["errorId"], "state-restored")


class Row(DurableTest):
    def test_that_cannot_be_read_is_no_end_of_the_events(self) -> None:
        checkout, other = self.chosen(self.approving()), self.chosen(self.approving())
        count = checkout.snapshot["seq"]
        self.daemon.stop()
        number = int(checkout.id.removeprefix("co_"), 16)
        with sqlite3.connect(self.daemon.state / DATABASE) as database:
            key = number - (1 << 64 if number >> 63 else 0)
            # Its second row: the last one has the state.
            query = "SELECT id FROM change WHERE checkout_id=? AND event_count & 1048575 > 0 ORDER BY id LIMIT 1 OFFSET 1"
            (row,) = database.execute(query, (key,)).fetchone()
            database.execute("UPDATE change SET body=x'c1' WHERE id=?", (row,))
        database.close()
        self.daemon.start()
        self.client = self.daemon.connect()
        checkout.client = other.client = self.client
        self.assert_refused(-32006, "store-failed", None, "events.read", checkoutId=checkout.id)
        self.assertIn("a row cannot be read", self.daemon.log)
        last = checkout.call("events.read", after=count - 1)
        self.assertEqual([event["params"]["seq"] for event in last["events"]], [count])
        # Whoever follows them is not left to believe that there were none.
        follower = self.daemon.connect()
        follower.call("events.subscribe", checkoutId=checkout.id, after=0)
        said = follower.read_to_end()
        self.assertEqual((said[-1]["id"], said[-1]["error"]["code"]), (None, -32006))
        # Everybody else is served, and so is what the checkout has still to do.
        self.assert_history(other)
        checkout.submit()
        waited = checkout.call("checkout.wait", **{"for": ["terminal"], "waitMs": 10_000})
        self.assertEqual(waited["snapshot"]["outcome"], "success")


class Start(DurableTest):
    def test_on_a_full_disk_fails_with_what_may_pass(self) -> None:
        disk = SmallDisk(self, "1m")
        disk.fill()
        full = DurableDaemon(self.sandbox.port, state=disk.path)
        self.addCleanup(full.close)
        done = full.refused()
        self.assertEqual(done.returncode, 1, done.stderr)
        disk.free()
        full.start()
        full.stop()
