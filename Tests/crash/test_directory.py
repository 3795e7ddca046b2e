"""State directories that cannot be used: refused with a reason, and left exactly as they are."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

from crash.case import DurableTest
from crash.durable import DATABASE, DurableDaemon
from crash.preload import Trace
from crash.storage import SmallDisk
from support.daemon import TIMEOUT, program

PAGE = 4096


class DirectoryTest(DurableTest):
    def assert_refused_start(self, why: str, daemon: DurableDaemon | None = None) -> str:
        """A start on the directory fails, says why, and changes nothing."""
        daemon = daemon or self.daemon
        before = daemon.digests()
        done = daemon.refused()
        self.assertNotIn(done.returncode, (0, 2), done.stderr)
        self.assertGreater(done.returncode, 0, f"killed by a signal: {done.stderr}")
        self.assertRegex(done.stderr, why)
        self.assertNotIn("Fatal error", done.stderr)
        self.assertLess(len(done.stderr.splitlines()), 6, done.stderr)
        self.assertEqual(daemon.digests(), before)
        return done.stderr


class TwoDaemons(DirectoryTest):
    def test_second_is_refused_and_first_is_unharmed(self) -> None:
        checkout = self.chosen(self.approving())
        done = self.daemon.refused()
        self.assertGreater(done.returncode, 0)
        self.assertIn("another checkoutd", done.stderr)
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        history = checkout.history()
        self.restart(signal.SIGKILL, checkout)
        self.assertEqual(self.assert_history(checkout), history)

    def test_second_can_have_it_when_the_first_is_killed(self) -> None:
        checkout = self.chosen()
        self.daemon.kill()
        second = DurableDaemon(self.sandbox.port, state=self.daemon.state)
        self.addCleanup(second.close)
        second.start()
        checkout.client = second.connect()
        self.assertEqual(checkout.state, "ready")
        self.assert_refused_start("another checkoutd")
        second.kill()
        self.daemon.start()


class Removed(DirectoryTest):
    def test_while_it_is_in_use_is_noticed_before_a_payment(self) -> None:
        for name in (DATABASE, f"{DATABASE}-wal"):
            with self.subTest(name):
                session = self.approving()
                checkout = self.chosen(session, None, decisions=["willCreatePayment"])
                checkout.submit()
                checkout.await_event("willCreatePayment")
                (self.daemon.state / name).unlink()
                decision = {"checkoutId": checkout.id, "decisionId": "d1", "decision": "continue"}
                self.assert_refused(-32006, "store-failed", None, "checkout.decide", **decision)
                self.assertIn(name, self.client.call("system.status")["store"]["health"])
                self.assertEqual((session.payments, self.sandbox.requests("payments")), ([], []))
                self.daemon.kill()
                for path in self.daemon.state.iterdir():
                    path.unlink()
                self.daemon.start()
                self.client = self.daemon.connect()
                self.sandbox.reset()


class Place(DirectoryTest):
    def run_with(self, *options: str, user: int | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """A run that should end by itself."""
        command = [str(program("checkoutd")), "--socket", str(self.daemon.directory / "other"), *options]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
            env=os.environ | environment,
            user=user,
        )

    def test_missing_directory(self) -> None:
        missing = self.daemon.directory / "missing"
        done = self.run_with("--state-directory", str(missing))
        self.assertGreater(done.returncode, 0)
        self.assertIn(str(missing), done.stderr)
        self.assertFalse(missing.exists())

    def test_file_instead_of_a_directory(self) -> None:
        file = self.daemon.directory / "file"
        file.write_text("precious")
        done = self.run_with("--state-directory", str(file))
        self.assertGreater(done.returncode, 0)
        self.assertIn(str(file), done.stderr)
        self.assertEqual(file.read_text(), "precious")

    def test_directory_of_the_environment(self) -> None:
        self.chosen()
        done = self.run_with(STATE_DIRECTORY=str(self.daemon.state))
        self.assertIn("another checkoutd", done.stderr)

    def test_directory_of_the_user(self) -> None:
        home = self.daemon.directory / "home"
        home.mkdir(mode=0o755)
        (home / "checkoutd").write_text("precious")
        done = self.run_with(user=1001, XDG_STATE_HOME=str(home))
        self.assertGreater(done.returncode, 0)
        self.assertIn(str(home / "checkoutd"), done.stderr)

    def test_files_are_for_its_user_alone(self) -> None:
        self.chosen()
        self.assertIn(DATABASE, self.daemon.files())
        for path in self.daemon.state.iterdir():
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)

    def test_new_database_outlives_a_power_failure(self) -> None:
        """It is flushed before it is given its name, and so is the directory that has the name, before anything else."""
        daemon = DurableDaemon(self.sandbox.port)
        self.addCleanup(daemon.close)
        trace = Trace(daemon.directory / "trace")
        daemon.start(trace.environment)
        self.assertRegex(trace.letters, "^d+yllY")

    def test_read_only_directory(self) -> None:
        disk = SmallDisk(self, "24m")
        daemon = DurableDaemon(self.sandbox.port, state=disk.path)
        self.addCleanup(daemon.close)
        daemon.start()
        daemon.connect().call("checkout.start", clientToken=self.session().client_token)
        daemon.stop()
        disk.make_read_only()
        self.assertIn(str(disk.path), self.assert_refused_start("written|writable|read-only", daemon))


class Damage(DirectoryTest):
    @property
    def database(self) -> Path:
        return self.daemon.state / DATABASE

    def stop_with_state(self) -> None:
        """Ends the daemon; all that it knew is in the one file."""
        self.chosen()
        self.collecting()
        self.daemon.stop()
        with sqlite3.connect(self.database) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        self.remove_log()

    def remove_log(self) -> None:
        for name in ("-wal", "-shm"):
            Path(f"{self.database}{name}").unlink(missing_ok=True)

    def damaged(self, damage: Callable[[bytearray], object]) -> None:
        """Does that to the bytes of the file."""
        data = bytearray(self.database.read_bytes())
        damage(data)
        self.database.write_bytes(data)

    def changed(self, *statements: str) -> None:
        """Runs statements on the database."""
        connection = sqlite3.connect(self.database, isolation_level=None)
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def test_no_database(self) -> None:
        self.stop_with_state()
        contents = {
            "text": b"These are the accounts of 1999, and nobody has a copy.\n" * 200,
            "noise": bytes(range(256)) * 64,
            "zeros": bytes(3 * PAGE),
        }
        for name, content in contents.items():
            with self.subTest(name):
                self.database.write_bytes(content)
                self.assert_refused_start("damaged|database")

    def test_damaged_pages(self) -> None:
        self.stop_with_state()
        good = self.database.read_bytes()

        def overwrite(start: int, end: int | None) -> Callable[[bytearray], object]:
            def damage(data: bytearray) -> None:
                stop = len(data) if end is None else end
                data[start:stop] = b"\xa5" * (stop - start)

            return damage

        def truncate(size: int) -> Callable[[bytearray], object]:
            def damage(data: bytearray) -> None:
                del data[size:]

            return damage

        damages = {
            "magic": overwrite(0, 16),
            "header": overwrite(16, 100),
            "schema": overwrite(100, PAGE),
            "second half": overwrite(len(good) // 2 // PAGE * PAGE, None),
            "all but the first page": overwrite(PAGE, None),
            "cut within the first page": truncate(PAGE // 2),
            "cut after the first page": truncate(PAGE),
            "cut by half": truncate(len(good) // 2 // PAGE * PAGE),
        }
        for name, damage in damages.items():
            with self.subTest(name):
                self.database.write_bytes(good)
                self.damaged(damage)
                self.assert_refused_start("damaged")
        self.database.write_bytes(good)
        self.daemon.start()

    def test_each_page(self) -> None:
        """Whichever page is lost, the daemon refuses the file or does not need the page; it never crashes."""
        self.stop_with_state()
        good = self.database.read_bytes()
        refusals = 0
        for start in range(PAGE, len(good), PAGE):
            with self.subTest(page=start // PAGE + 1):
                data = bytearray(good)
                data[start : start + PAGE] = bytes(PAGE)
                self.database.write_bytes(data)
                refusals += self.is_refused()
                self.remove_log()
        self.assertGreater(refusals, 2)
        self.database.write_bytes(good)
        self.daemon.start()

    def is_refused(self) -> bool:
        """Whether a start fails, as it should; else what there is can be read."""
        try:
            self.daemon.start()
        except AssertionError:
            self.assertGreater(self.daemon.process.wait(TIMEOUT), 0, self.daemon.log[-2000:])
            return True
        client = self.daemon.connect()
        for short in client.call("checkout.list")["checkouts"]:
            client.call("checkout.get", checkoutId=short["checkoutId"])
            client.call("events.read", checkoutId=short["checkoutId"])
        self.daemon.kill()
        return False

    def test_rows_that_make_no_sense(self) -> None:
        self.stop_with_state()
        good = self.database.read_bytes()
        statements = {
            "state": "UPDATE change SET body = x'ffff' WHERE id = (SELECT max(id) FROM change)",
            "half a state": "UPDATE change SET body = substr(body, 1, length(body) / 2)",
            "nothing": "UPDATE checkout SET body = x''",
            "text": "UPDATE checkout SET body = CAST(replace(CAST(body AS TEXT), 'http', x'ffffffff') AS BLOB)",
            "no row": "DELETE FROM change",
        }
        for name, statement in statements.items():
            with self.subTest(name):
                self.database.write_bytes(good)
                self.changed(statement)
                self.assert_refused_start("damaged")

    def test_tables_that_are_missing(self) -> None:
        self.stop_with_state()
        good = self.database.read_bytes()
        for table in ("checkout", "part", "change", "record", "meta"):
            with self.subTest(table):
                self.database.write_bytes(good)
                self.changed(f"DROP TABLE {table}")
                self.assert_refused_start("damaged")

    def test_database_of_another_program(self) -> None:
        self.stop_with_state()
        self.database.unlink()
        self.changed("CREATE TABLE accounts(name TEXT)", "INSERT INTO accounts VALUES('Mila')")
        self.assert_refused_start("damaged|database")

    def test_newer_schema(self) -> None:
        self.stop_with_state()
        self.changed("PRAGMA user_version=999")
        message = self.assert_refused_start("newer")
        self.assertIn("999", message)
