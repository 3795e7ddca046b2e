"""A state is made out of a copy: it goes back in time, but pays nothing twice and calls nothing unpaid."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from crash.case import DurableTest, eventually
from crash.durable import DATABASE
from support.checkout import BANK, Checkout
from support.client import Client
from support.daemon import TIMEOUT, program
from support.manager import ServiceManager


class Restore(DurableTest):
    @property
    def copy(self) -> Path:
        return self.daemon.directory / "copy.sqlite"

    def back_up(self, *checkouts: Checkout) -> None:
        """Stops the daemon, copies its state and goes on."""
        self.daemon.stop()
        shutil.copy(self.daemon.state / DATABASE, self.copy)
        self.go_on(*checkouts)

    def go_on(self, *checkouts: Checkout) -> None:
        self.daemon.start()
        self.client = self.daemon.connect()
        for checkout in checkouts:
            checkout.client = self.client

    def run_restore(self) -> subprocess.CompletedProcess[str]:
        command = [str(program("checkoutd")), "--restore", str(self.copy), "--state-directory", str(self.daemon.state)]
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)

    def restore(self, *checkouts: Checkout) -> None:
        """Ends the daemon, puts the copy in the place of its state and goes on."""
        self.daemon.stop()
        for path in self.daemon.state.iterdir():
            path.unlink()
        done = self.run_restore()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in self.daemon.state.iterdir()], [DATABASE])
        self.assertEqual((self.daemon.state / DATABASE).stat().st_mode & 0o777, 0o600)
        self.go_on(*checkouts)

    @property
    def epoch(self) -> str:
        epoch: str = self.client.call("system.hello")["epoch"]
        return epoch

    def test_does_not_pay_twice(self) -> None:
        session = self.approving()
        checkout = self.chosen(session)
        epoch = self.epoch
        self.back_up(checkout)
        self.assertEqual(self.epoch, epoch)
        checkout.subscribe()
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        self.restore(checkout)
        self.assertNotEqual(self.epoch, epoch)
        self.assertEqual(checkout.state, "ready")
        checkout.subscribe()
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        self.assertTrue(checkout.snapshot["payment"]["existing"])
        self.assertEqual(len(session.payments), 1)

    def test_calls_nothing_unpaid_that_was_live(self) -> None:
        paid, left = self.chosen(self.approving()), self.chosen(self.approving())
        self.back_up(paid, left)
        paid.subscribe()
        paid.submit()
        self.assert_completed(paid.await_end(), "success")
        self.restore(paid, left)
        for checkout in (paid, left):
            checkout.call("checkout.cancel")
        self.restart()
        for checkout in (paid, left):
            checkout.client = self.client
            self.assertEqual(checkout.snapshot["outcome"], "unknown")
            self.assertEqual(checkout.snapshot["error"]["errorId"], "state-restored")
        # What is started after it is as ever.
        other = self.start()
        other.call("checkout.cancel")
        self.assertEqual(other.snapshot["outcome"], "cancelled")

    def test_nothing_is_sent_for_who_was_paying(self) -> None:
        session = self.approving()
        checkout = self.chosen(session)
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", count=1, until="effect")
        self.daemon.kill()
        self.sandbox.release("payments")
        self.assertEqual(len(session.payments), 1)
        # A run that is stopped at once merges the log into the database.
        self.daemon.options += ["--drain-timeout", "0"]
        self.daemon.start()
        self.back_up(checkout)
        self.restore(checkout)
        self.assertEqual(checkout.snapshot["outcome"], "unknown")
        self.assertEqual(len(self.sandbox.requests("payments")), 1)
        self.assertEqual(len(session.payments), 1)

    def test_what_is_overdue_is_wiped_before_anybody_is_served(self) -> None:
        self.daemon.options += ["--retention", "3000"]
        self.restart()
        session = self.session()
        checkout = self.start(session)
        checkout.call("checkout.cancel")
        self.back_up(checkout)
        self.assertNotEqual(self.holding(session.client_token, self.copy), 0)
        eventually("archived", lambda: checkout.state == "archived")
        self.restore(checkout)
        self.assertEqual(checkout.state, "archived")
        self.assertEqual(self.daemon.holding([session.client_token, session.access_token]), [])

    @staticmethod
    def holding(secret: str, path: Path) -> int:
        return path.read_bytes().count(secret.encode())

    def test_connections_that_were_left_are_of_another_state(self) -> None:
        """Who was connected is told so by the end of the connection, and not that it goes on."""
        manager = ServiceManager()
        self.addCleanup(manager.close)

        def leave() -> Client:
            self.daemon.start(manager.environment)
            client = self.daemon.connect()
            client.call("system.hello")
            self.daemon.stop()
            names = ["connections", "handover"]
            self.daemon.passed = [manager.stored[name] for name in names]
            return client

        def start() -> None:
            names = {"LISTEN_FDS": "2", "LISTEN_FDNAMES": "connections:handover"}
            self.daemon.start({**manager.environment, **names})
            self.daemon.passed = []

        self.daemon.stop()
        client = leave()
        shutil.copy(self.daemon.state / DATABASE, self.copy)
        start()
        # Where nothing was restored it goes on.
        self.assertEqual(client.call("system.ping"), {})
        self.daemon.stop()
        client = leave()
        for path in self.daemon.state.iterdir():
            path.unlink()
        self.assertEqual(self.run_restore().returncode, 0)
        start()
        said = client.read_to_end()
        self.assertNotIn("system.resumed", [message["method"] for message in said if "method" in message])
        self.client = self.daemon.connect()
        self.assertEqual(self.client.call("system.ping"), {})

    def test_is_refused_where_a_state_is(self) -> None:
        checkout = self.chosen()
        self.back_up(checkout)
        self.daemon.stop()
        before = self.daemon.digests()
        done = self.run_restore()
        self.assertEqual(done.returncode, 78)
        self.assertIn("holds a state already", done.stderr)
        self.assertEqual(self.daemon.digests(), before)
        self.go_on(checkout)
        self.assertEqual(checkout.update(bankId=BANK)["status"], "valid")
        done = self.run_restore()
        self.assertEqual(done.returncode, 1)
        self.assertIn("another checkoutd", done.stderr)

    def test_is_refused_for_what_is_no_whole_copy(self) -> None:
        self.chosen()
        self.back_up()
        self.daemon.stop()
        for path in self.daemon.state.iterdir():
            path.unlink()
        whole = self.copy.read_bytes()
        for name, data in {
            "cut short": whole[: len(whole) // 2],
            "a text": b"precious" * 1000,
            "nothing": b"",
            "a page lost": whole[: 3 * 4096] + bytes(4096) + whole[4 * 4096 :],
        }.items():
            with self.subTest(name):
                self.copy.write_bytes(data)
                done = self.run_restore()
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertEqual(list(self.daemon.state.iterdir()), [])
        self.copy.unlink()
        self.assertEqual(self.run_restore().returncode, 78)
        self.copy.write_bytes(whole)
        log = self.copy.with_name(self.copy.name + "-wal")
        log.write_bytes(b"of a daemon that runs")
        self.assertEqual(self.run_restore().returncode, 78)
        log.unlink()
        self.assertEqual(self.run_restore().returncode, 0)
        self.go_on()
