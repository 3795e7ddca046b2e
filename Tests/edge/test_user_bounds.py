"""What one user may hold beside connections and checkouts, and what is kept for others."""

from __future__ import annotations

import os
import signal
import socket
import unittest
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from edge.pressure import READ, PressureTest
from edge.test_quotas import QuotaTest
from support.checkout import Checkout
from support.client import CallError, Client

SHARES = 64
FOR_ADMINISTRATORS = 16
EAGER, CALM = 61051, 61052
GROUP = 62051


class Shares(PressureTest):
    def share(self, checkout: Checkout, uid: int) -> None:
        checkout.call("checkout.share", uid=uid, role="observe")

    def test_so_many_and_no_more(self) -> None:
        checkout = self.start()
        for uid in range(70_000, 70_000 + SHARES):
            self.share(checkout, uid)
        with self.assertRaises(CallError) as caught:
            self.share(checkout, 80_000)
        self.assertEqual((caught.exception.code, caught.exception.error_id), (-32004, "quota-exceeded"))
        told = {name: caught.exception.data.get(name) for name in ("limit", "used")}
        self.assertEqual(told, {"limit": SHARES, "used": SHARES})

    def test_one_that_is_changed_or_taken_back_makes_room(self) -> None:
        checkout = self.start()
        for uid in range(70_000, 70_000 + SHARES):
            self.share(checkout, uid)
        checkout.call("checkout.share", uid=70_000, role="drive")
        checkout.call("checkout.unshare", uid=70_001)
        self.share(checkout, 80_000)
        more = {"checkoutId": checkout.id, "gid": 5, "role": "drive"}
        self.assert_refused(-32004, "quota-exceeded", None, "checkout.share", **more)

    def test_a_start_has_no_more_either(self) -> None:
        shares = [{"uid": uid, "role": "observe"} for uid in range(70_000, 70_000 + SHARES + 1)]
        with self.assertRaises(CallError) as caught:
            self.client.call("checkout.start", clientToken=self.session().client_token, share=shares)
        self.assertIn(caught.exception.code, (-32602, -32004))


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class RateBuckets(PressureTest):
    """A user who has used up its rate is not let in because a thousand others came."""

    options: ClassVar[Sequence[str]] = ("--max-connection-rate", "2")

    def test_a_thousandth_user_makes_nobody_forgotten(self) -> None:
        # All wait to be accepted at once, so that no time passes in which a bucket could fill up again.
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        try:
            for _ in range(10):
                self.connect_as_user(EAGER)
            for uid in range(100_000, 101_100):
                self.connect_as_user(uid)
            late = [self.connect_as_user(EAGER) for _ in range(10)]
        finally:
            os.kill(self.daemon.process.pid, signal.SIGCONT)
        # A bucket as good as new lets four in.
        self.assertLess(sum(not self.is_refused(connected) for connected in late), 4)

    def connect_as_user(self, uid: int) -> socket.socket:
        connected = socket.socket(socket.AF_UNIX)
        self.addCleanup(connected.close)
        with acting_as(uid):
            connected.connect(str(self.daemon.socket_path))
        return connected

    @staticmethod
    def is_refused(connected: socket.socket) -> bool:
        connected.shutdown(socket.SHUT_WR)
        connected.settimeout(10)
        return b"connectionRate" in connected.recv(READ)


@contextmanager
def acting_as(uid: int) -> Iterator[None]:
    """What is connected to within, that user connects to."""
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


class KeptForAdministrators(QuotaTest):
    options: ClassVar[Sequence[str]] = ("--max-connections", "20", "--max-connections-per-uid", "100")

    def test_users_leave_sixteen(self) -> None:
        """Of the twenty the test has one; others get those that are not kept, and administrators the rest."""
        let_in = [self.is_let_in(self.eager()) for _ in range(20)]
        self.assertLessEqual(sum(let_in), 20 - FOR_ADMINISTRATORS)
        for client in [self.daemon.connect() for _ in range(FOR_ADMINISTRATORS - 1)]:
            self.assertEqual(client.call("system.ping"), {})
        self.assertIsNotNone(self.client.call("system.status"))

    @staticmethod
    def is_let_in(client: Client) -> bool:
        try:
            return bool(client.call("system.ping") == {})
        except (AssertionError, OSError):
            return False


class AllCheckouts(QuotaTest):
    """The bound for all users together: who has most is refused, a new user's first checkout is not."""

    options: ClassVar[Sequence[str]] = ("--max-checkouts", "4")

    def test_one_user_does_not_take_all(self) -> None:
        eager, calm = self.eager(), self.calm()
        started, refused = 0, None
        while refused is None and started < 10:
            try:
                eager.call("checkout.start", clientToken=self.session().client_token)
                started += 1
            except CallError as error:
                refused = error
        assert refused
        self.assertLessEqual(started, 4)
        self.assertEqual((refused.code, refused.data.get("quota")), (-32004, "checkouts"))
        self.assertEqual(calm.call("checkout.start", clientToken=self.session().client_token)["state"], "ready")
