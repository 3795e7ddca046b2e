"""The state is copied from a daemon that runs, and a daemon goes on with the copy: no order is paid twice or called unpaid."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

from clients.ctl import Ctl, Outcome
from crash.case import DurableTest, eventually
from crash.durable import DATABASE
from support.checkout import Checkout
from support.daemon import TIMEOUT, program


class Backup(DurableTest):
    @property
    def file(self) -> Path:
        return self.daemon.directory / "copy"

    @property
    def copies(self) -> Path:
        return self.daemon.state / "backups"

    def ask(self, *options: str, file: Path | None = None) -> Outcome:
        return Ctl("backup", file or self.file, *options, "--socket", self.daemon.socket_path).finish()

    def back_up(self) -> None:
        done = self.ask()
        self.assertEqual((done.status, done.errors), (0, ""))
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(list(self.copies.iterdir()), [])

    def restore(self, copy: str = "") -> None:
        """Ends the daemon, and has another go on in an empty directory with the copy."""
        self.daemon.kill()
        self.daemon.state = self.daemon.directory / "restored"
        self.daemon.state.mkdir(mode=0o700)
        command = [program("checkoutd"), "--restore", copy or self.file, "--state-directory", self.daemon.state]
        with self.file.open() as file:
            done = subprocess.run(command, stdin=file, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.daemon.start()
        self.client = self.daemon.connect()

    def pay(self, checkout: Checkout) -> None:
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")


class Pair(Backup):
    def test_under_load_pays_nothing_twice_and_calls_nothing_unpaid(self) -> None:
        paid, paying, waiting = self.chosen(self.approving()), self.chosen(self.approving()), self.chosen(self.approving())
        left = self.chosen(self.approving())
        self.pay(paid)
        self.sandbox.hold("payments")
        paying.submit()
        self.sandbox.requests("payments", count=2, until="effect")
        epoch = self.client.call("system.hello")["epoch"]
        with Customers(self) as customers:
            self.back_up()
        self.sandbox.release("payments")
        self.assert_completed(paying.await_end(), "success")
        self.pay(waiting)
        self.restore()
        self.assertNotEqual(self.client.call("system.hello")["epoch"], epoch)

        for checkout in (paid, paying, waiting, left):
            checkout.client = self.client
        self.assertEqual(paid.snapshot["outcome"], "success")
        # Upstream has been asked for the payment; whether it was made is not for the copy to say.
        self.assertEqual(paying.snapshot["outcome"], "unknown")
        # Submitted again in the copy: the order was paid meanwhile.
        waiting.subscribe()
        self.pay(waiting)
        self.assertTrue(waiting.snapshot["payment"]["existing"])
        left.subscribe()
        self.pay(left)
        self.assertNotIn("existing", left.snapshot["payment"])
        for checkout in (paid, paying, waiting, left):
            self.assertEqual(len(checkout.session.payments), 1)
        self.assertGreater(len(customers.checkouts), 0)
        known = {short["checkoutId"]: short for short in self.client.call("checkout.list", limit=1000)["checkouts"]}
        for checkout in customers.checkouts:
            self.assertEqual(len(checkout.session.payments), 1)
            # Whoever was told of the success before the copy was whole finds it there; others were not there yet, or paying.
            if checkout.id in known:
                self.assertNotIn(known[checkout.id].get("outcome"), ("failed", "cancelled"))

    def test_holds_what_was_answered_before_it(self) -> None:
        checkouts = [self.chosen(self.approving()) for _ in range(5)]
        for checkout in checkouts[:3]:
            self.pay(checkout)
        self.back_up()
        # As another user who may not open the file would.
        self.restore("-")
        for number, checkout in enumerate(checkouts):
            checkout.client = self.client
            self.assertEqual(checkout.snapshot.get("outcome"), "success" if number < 3 else None)
            self.assert_history(checkout)

    def test_after_damage_is_gone_on_with(self) -> None:
        paid = self.chosen(self.approving())
        self.back_up()
        self.pay(paid)
        log = self.daemon.state / (DATABASE + "-wal")
        self.daemon.kill()
        whole = log.read_bytes()
        log.write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
        self.daemon.start()
        eventually("the damage is told of", lambda: "the state is damaged" in self.daemon.log)
        self.restore()
        paid.client = self.client
        paid.subscribe()
        self.pay(paid)
        self.assertTrue(paid.snapshot["payment"]["existing"])
        self.assertEqual(len(paid.session.payments), 1)


class Customers:
    """Those who pay, one after the other, while something else is done."""

    def __init__(self, test: Backup) -> None:
        self._test = test
        self._client = test.daemon.connect()
        self._is_over = threading.Event()
        self._first = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self.checkouts: list[Checkout] = []

    def __enter__(self) -> Customers:
        self._thread.start()
        self._first.wait(TIMEOUT)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join(TIMEOUT)

    def _serve(self) -> None:
        while not self._is_over.is_set():
            checkout = self._test.chosen(self._test.approving(), self._client)
            checkout.submit()
            self.checkouts.append(checkout)
            self._first.set()


class Ask(Backup):
    def test_tells_what_is_there(self) -> None:
        def copies() -> object:
            return self.client.call("system.status")["store"]["backups"]

        self.assertEqual(copies(), {"count": 0, "bytes": 0})
        made = self.client.call("system.backup", name="kept")
        self.assertEqual(Path(made["path"]), self.copies / "kept")
        self.assertEqual(copies(), {"count": 1, "bytes": made["bytes"]})
        # It stays, whatever happens.
        self.restart(signal.SIGTERM)
        self.assertEqual(copies(), {"count": 1, "bytes": made["bytes"]})

    def test_says_what_is_wrong_with_the_file(self) -> None:
        self.file.write_text("precious")
        done = self.ask()
        self.assertEqual((done.status, self.file.read_text()), (3, "precious"))
        self.assertIn("is there already", done.errors)
        self.assertFalse(self.copies.exists())
        done = self.ask(file=self.daemon.directory / "missing" / "copy")
        self.assertEqual(done.status, 2)
        # The copy was made, and is where it says.
        (copy,) = self.copies.iterdir()
        self.assertIn(str(copy), done.errors)

    def test_moves_to_another_file_system(self) -> None:
        other = Path("/dev/shm") / f"checkoutd-copy-{os.getpid()}"
        self.addCleanup(other.unlink, missing_ok=True)
        self.assertNotEqual(other.parent.stat().st_dev, self.daemon.state.stat().st_dev)
        done = self.ask("--json", file=other)
        self.assertEqual(done.value, {"file": str(other), "bytes": other.stat().st_size})
        self.assertEqual(list(self.copies.iterdir()), [])

    def test_is_for_administrators(self) -> None:
        self.assert_refused(-32002, "permission-denied", self.daemon.connect_as(61001, 61001), "system.backup", name="a")
        self.assertFalse(self.copies.exists())
