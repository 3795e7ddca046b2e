"""What the first release has left is taken up: see first_release/README.md."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crash.case import DurableTest, full_history
from crash.durable import DATABASE, DurableDaemon
from crash.first_release.recorded import HERE, UPSTREAM, UPSTREAM_HOST, UPSTREAM_PORT, recorded
from crash.preload import clock_set
from support.checkout import Checkout
from support.client import Client
from support.lines import JsonObject
from support.manager import ServiceManager, carrier, sealed_file

# Upstream does not answer here, and nothing is to happen for want of that.
PATIENT = ["--drain-timeout", "0"] + [
    word
    for option in ("request", "bank-list", "create-payment", "payment", "poll")
    for word in (f"--{option}-timeout", "600000")
]
OTHER_TIMES = ("deadline", "expiresAt")
UNITS = "/usr/local/lib/systemd/system"


class Successor(DurableDaemon):
    """Today's daemon on what the release has left, at the time at which it left it."""

    def __init__(self, state: Path, left_at: float) -> None:
        super().__init__(UPSTREAM_PORT, PATIENT, state)
        self._upstream = UPSTREAM
        self._clock = clock_set(round(left_at - time.time()))

    def start(self, environment: Mapping[str, str] | None = None) -> None:
        super().start({**self._clock, **(environment or {})})


class Installed(unittest.TestCase):
    """What a package of the first release has put down is put down at the same place, with the same mode."""

    # What has joined it since.
    ADDED = frozenset(
        {
            *(f"{UNITS}/checkoutd{name}" for name in ("@.service", "@.socket", "-admin@.socket")),
            *(f"{UNITS}/checkoutd-egress@.{kind}" for kind in ("service", "socket")),
            *(f"{UNITS}/{name}.service.d/since-254.conf" for name in ("checkoutd", "checkoutd-egress")),
            "/usr/local/lib/systemd/user/checkoutd-admin.socket",
            "/usr/local/share/checkoutd/checkoutd.conf",
            "/usr/local/share/man/man1/checkoutd-collector.1",
            "/usr/local/share/man/man8/checkoutd-egress.8",
        }
    )
    # What tmpfiles.d/checkoutd.conf puts down now, if nobody has.
    MOVED = frozenset({"644 /etc/checkoutd/checkoutd.conf"})

    def test_nothing_is_missing_and_what_is_new_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            programs, target = Path(directory) / "programs", Path(directory) / "target"
            programs.mkdir()
            for name in ("checkoutd", "checkoutd-egress", "checkoutctl"):
                (programs / name).touch(mode=0o755)
            install = HERE.parents[2] / "systemd" / "install"
            subprocess.run([install, "--programs", programs, "--destdir", target], check=True, capture_output=True)
            found = {
                f"{path.lstat().st_mode & 0o7777:o} /{path.relative_to(target)}"
                for path in target.rglob("*")
                if path.is_symlink() or path.is_file()
            }
        before = set((HERE / "installed").read_text().splitlines())
        self.assertEqual(before - found, self.MOVED)
        added = {line.split()[1] for line in found - before}
        # How the collector and its client are cut into files is their own affair.
        self.assertEqual({path for path in added if not path.startswith("/usr/local/lib/checkoutd/")}, self.ADDED)


class FirstRelease(DurableTest):
    def setUp(self) -> None:
        upstream = socket.socket()
        self.addCleanup(upstream.close)
        # Several runs of the tests may do so at a time.
        upstream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        upstream.bind((UPSTREAM_HOST, UPSTREAM_PORT))
        upstream.listen(128)

    def succeed(self, name: str) -> JsonObject:
        """Makes ready today's daemon on a copy of what was left; returns what is recorded of it."""
        left = recorded(name)
        self.daemon = Successor(self.directory(name), left["time"])
        self.addCleanup(self.daemon.close)
        self.addCleanup(self.daemon.check)
        checkouts: JsonObject = left["checkouts"]
        return checkouts

    def directory(self, name: str) -> Path:
        """A copy of a state directory."""
        path = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="checkoutd-test-"))) / "state"
        path.mkdir(mode=0o700)
        for file in (HERE / name).glob(f"{DATABASE}*"):
            shutil.copy(file, path)
        return path

    def assert_same(self, found: Any, told: Any, where: str) -> None:
        """What was told then is told now; today's daemon may tell more."""
        if isinstance(told, dict):
            for name, value in told.items():
                if name not in OTHER_TIMES:
                    self.assertIn(name, found, where)
                    self.assert_same(found[name], value, f"{where}.{name}")
        elif isinstance(told, list):
            self.assertEqual(len(found), len(told), where)
            for place, (one, other) in enumerate(zip(found, told, strict=True)):
                self.assert_same(one, other, f"{where}[{place}]")
        else:
            self.assertEqual(found, told, where)

    def check_all(self, checkouts: JsonObject) -> None:
        """Every checkout is as it was told of, its events included."""
        listed = self.client.call("checkout.list", all=True, limit=100)["checkouts"]
        self.assertEqual(len(listed), len(checkouts))
        for name, told in checkouts.items():
            checkout = Checkout(self.client, None, told["snapshot"]["checkoutId"])  # type: ignore[arg-type]
            found = [[event.method, event.params] for event in full_history(checkout)]
            self.assert_same(checkout.snapshot, told["snapshot"], name)
            self.assert_same(found, told["events"], f"{name}, events")
            # The first release did not say of an archived one that all of its events are gone.
            snapshot = told["snapshot"]
            trimmed = snapshot["seq"] if snapshot["state"] == "archived" else told["trimmedTo"]
            self.assertEqual(checkout.call("events.read", after=0).get("trimmedTo"), trimmed, name)

    def test_states(self) -> None:
        for name in ("stopped", "killed"):
            with self.subTest(name):
                checkouts = self.succeed(name)
                for how in (signal.SIGKILL, signal.SIGTERM):
                    self.daemon.start()
                    self.client = self.daemon.connect()
                    self.check_all(checkouts)
                    self.daemon.end(how)

    def test_version_is_raised(self) -> None:
        """So that the release refuses what it could not read, and does not call it damaged."""
        checkouts = self.succeed("stopped")
        self.daemon.start()
        self.client = self.daemon.connect()
        self.check_all(checkouts)
        self.daemon.terminate()
        with sqlite3.connect(self.daemon.state / DATABASE) as database:
            ((version,),) = database.execute("PRAGMA user_version").fetchall()
        database.close()
        self.assertGreater(version, 1)

    def test_live_ones_can_be_cancelled(self) -> None:
        checkouts = self.succeed("stopped")
        self.daemon.start()
        client = self.daemon.connect()
        for name, told in checkouts.items():
            state = told["snapshot"]["state"]
            if state in ("completed", "failed", "archived"):
                continue
            with self.subTest(name):
                reply = client.call("checkout.cancel", checkoutId=told["snapshot"]["checkoutId"])
                # The ending of one is settled already; it waits for the payment method to be taken back.
                self.assertIn(reply["state"], ("cancelling", "failed", "processing"))

    # Connections

    def test_connections(self) -> None:
        checkouts = self.succeed("stopped")
        idle, slow, plain, half, skipping = self.hand_over()
        self.client = self.daemon.connect()
        self.check_all(checkouts)
        self.assertEqual(plain.call("system.ping"), {})
        # The rest of what was half sent, with what followed then; then what is new.
        rest = self.left_output()
        slow.socket.setblocking(True)
        received = b""
        while len(received) < len(rest):
            received += slow.socket.recv(len(rest) - len(received))
        self.assertEqual(received, rest)
        typed = checkouts["ready, typed"]["snapshot"]
        self.assertEqual(slow.read_message(), {"jsonrpc": "2.0", "method": "system.resumed", "params": {}})
        lost = slow.read_message()
        assert isinstance(lost, dict)
        self.assertEqual(lost["method"], "events.lost")
        self.assertEqual(lost["params"], {"checkoutId": typed["checkoutId"], "from": 13, "to": typed["seq"]})
        # Subscriptions go on after the last event that was sent, under the ids that they had.
        data = {"componentId": checkouts["ready, typed"]["componentId"], "data": {"lastName": "Duin"}}
        self.client.call("component.updateCollectedData", **data)
        self.assertEqual(slow.next_event(typed["checkoutId"]).seq, typed["seq"] + 1)
        for id in ("s1", "s2"):
            slow.call("events.unsubscribe", subscriptionId=id)
        idle.call("events.unsubscribe", subscriptionId="s1")
        # Half a line goes on in the middle of a character, and a line that is too long is skipped to its end.
        half.send_raw(b'\xa9"}}\n')
        self.assertEqual(half.reply("half")["result"], {"text": "caf\u00e9"})
        half.call("events.unsubscribe", subscriptionId="s1")
        skipping.send_raw(b'"\n')
        self.assertEqual(skipping.call("system.ping"), {})

    def left_output(self) -> bytes:
        """What the client that reads nothing has not got."""
        (count,), rest = self.split_handover()[0][3][1][:1], self.split_handover()[1]
        return rest[:count]

    @staticmethod
    def split_handover() -> tuple[list[Any], bytes]:
        """The description of the connections, and the bytes that follow it."""
        size, _, rest = (HERE / "handover").read_bytes().partition(b"\n")
        return json.loads(rest[: int(size)]), rest[int(size) :]

    def hand_over(self) -> list[Client]:
        """Starts today's daemon with the connections that were left, on this start of the machine."""
        description, rest = self.split_handover()
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().replace("-", "")
        description[2] = int(boot_id[:15], 16)
        text = json.dumps(description, ensure_ascii=False, separators=(",", ":")).encode()
        pairs = [socket.socketpair() for _ in description[3]]
        kept = carrier(description[1] % (1 << 64), [theirs for _, theirs in pairs])
        for _, theirs in pairs:
            theirs.close()
        manager = ServiceManager()
        self.addCleanup(manager.close)
        file = sealed_file(b"%d\n" % len(text) + text + rest)
        self.daemon.passed = [kept, file]
        self.daemon.start({**manager.environment, "LISTEN_FDS": "2", "LISTEN_FDNAMES": "connections:handover"})
        os.close(kept)
        os.close(file)
        clients = [Client(ours) for ours, _ in pairs]
        for client in clients:
            self.addCleanup(client.close)
        return clients
