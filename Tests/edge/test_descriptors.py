"""Descriptors: none left to accept with, and some sent along by clients."""

from __future__ import annotations

import os
import resource
import select
import socket
from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import Figures, PressureTest, await_that, line
from support.checkout import BANK
from support.client import TIMEOUT, Client
from support.lines import JsonObject


class NoneLeft(PressureTest):
    """The daemon's limit of open descriptors is lowered while it runs."""

    def setUp(self) -> None:
        super().setUp()
        self.checkout = self.start()
        self.figures = Figures(self.daemon.process.pid)
        self.usual = resource.prlimit(self.daemon.process.pid, resource.RLIMIT_NOFILE)

    def lower(self, limit: int) -> None:
        resource.prlimit(self.daemon.process.pid, resource.RLIMIT_NOFILE, (limit, self.usual[1]))

    def leave_none(self) -> None:
        """Takes the place of every descriptor below the limit, as many connections would."""
        numbers = sorted(int(name) for name in os.listdir(f"/proc/{self.daemon.process.pid}/fd"))
        for _ in range(numbers[-1] + 1 - len(numbers)):
            self.daemon.connect().call("system.ping")
        self.lower(max(int(name) for name in os.listdir(f"/proc/{self.daemon.process.pid}/fd")) + 1)

    def recover(self) -> None:
        resource.prlimit(self.daemon.process.pid, resource.RLIMIT_NOFILE, self.usual)

    def assert_told(self, client: Client) -> None:
        (last,) = client.read_to_end()
        assert isinstance(last, dict) and last["id"] is None
        error = last["error"]
        self.assertEqual((error["code"], error["data"]["errorId"]), (-32004, "quota-exceeded"))
        self.assertEqual(error["data"]["quota"], "descriptors")
        self.assertEqual(error["data"]["used"], error["data"]["limit"])

    def assert_at_rest(self) -> None:
        """Nothing wakes the daemon again and again: it answers calls, and uses next to no time of its own."""
        before, log, refused = self.figures.cpu_seconds, len(self.daemon.log), self.status()["refused"]
        self.assertIsNone(self.checkout.call("checkout.wait", waitMs=500, **{"for": ["terminal"]})["matched"])
        self.assertLess(self.figures.cpu_seconds - before, 0.25)
        self.assertLess(len(self.daemon.log) - log, 2000)
        self.assertLess(self.status()["refused"] - refused, 20)

    def test_each_client_is_told_and_closed(self) -> None:
        self.leave_none()
        for client in [self.daemon.connect() for _ in range(70)]:
            self.assert_told(client)
        self.assertEqual(self.status()["refusals"]["descriptors"], 70)
        self.assert_at_rest()

    def test_only_those_who_were_refused_are_counted(self) -> None:
        self.leave_none()
        for _ in range(3):
            self.assert_told(self.daemon.connect())
        self.assertEqual(self.status()["refusals"], {"descriptors": 3})
        self.assertEqual(self.status()["refused"], 3)

    def test_connections_and_checkouts_go_on(self) -> None:
        checkout = self.banks()
        self.leave_none()
        self.assert_told(self.daemon.connect())
        self.assertEqual(checkout.update(bankId=BANK)["status"], "valid")
        self.assertEqual(checkout.call("checkout.cancel")["state"], "failed")

    def test_one_that_leaves_makes_room(self) -> None:
        leaver = self.daemon.connect()
        leaver.call("system.ping")
        self.leave_none()
        self.assert_told(self.daemon.connect())
        leaver.half_close()
        leaver.read_to_end()
        self.assertEqual(self.daemon.connect().call("system.ping"), {})
        self.assert_told(self.daemon.connect())

    def test_raised_again(self) -> None:
        self.leave_none()
        for _ in range(3):
            self.assert_told(self.daemon.connect())
        self.recover()
        self.client.call("system.ping")
        before = self.daemon.descriptor_count
        for _ in range(20):
            self.assertEqual(self.daemon.connect().call("system.ping"), {})
        self.assertEqual(self.daemon.descriptor_count, before + 20)
        # The next time is as the first.
        self.leave_none()
        self.assert_told(self.daemon.connect())
        self.assert_at_rest()

    def test_limit_below_what_is_open(self) -> None:
        """Not even the one held back can be used: those who come wait, and the daemon must not spin meanwhile."""
        self.lower(5)
        waiting = [self.daemon.connect() for _ in range(5)]
        self.assertEqual(self.client.call("system.ping"), {})
        self.assert_at_rest()
        self.recover()
        for client in waiting:
            try:
                self.assertEqual(client.call("system.ping"), {})
            except BrokenPipeError:
                self.assert_told(client)

    def test_limit_below_what_is_open_and_none_left_later(self) -> None:
        self.lower(5)
        first = self.daemon.connect()
        self.assertEqual(self.client.call("system.ping"), {})
        self.recover()
        self.assertEqual(first.call("system.ping"), {})
        self.leave_none()
        self.assert_told(self.daemon.connect())


class SentAlong(PressureTest):
    """What a client sends beside its bytes is closed at once: the other end of a pipe sees that."""

    options: ClassVar[Sequence[str]] = ("--max-waiting", "64")

    def setUp(self) -> None:
        super().setUp()
        self.client.call("system.ping")
        self.before = self.daemon.descriptor_count

    def pipe(self) -> tuple[int, int]:
        read_end, write_end = os.pipe()
        self.addCleanup(os.close, read_end)
        return read_end, write_end

    def assert_closed(self, read_end: int) -> None:
        """Nobody has the other end any more."""
        readable, _, _ = select.select([read_end], [], [], TIMEOUT)
        self.assertEqual(readable, [read_end])
        self.assertEqual(os.read(read_end, 1), b"")

    def test_with_each_byte_of_a_line(self) -> None:
        read_end, write_end = self.pipe()
        for byte in line("system.ping", id="bytes"):
            socket.send_fds(self.client.socket, [bytes([byte])], [write_end] * 3)
        os.close(write_end)
        self.assertEqual(self.client.result("bytes"), {})
        self.assert_closed(read_end)
        self.assertEqual(self.daemon.descriptor_count, self.before)

    def test_with_as_many_as_the_kernel_lets(self) -> None:
        read_end, write_end = self.pipe()
        socket.send_fds(self.client.socket, [line("system.ping", id="many")], [write_end] * 253)
        os.close(write_end)
        self.assertEqual(self.client.result("many"), {})
        self.assert_closed(read_end)
        self.assertEqual(self.daemon.descriptor_count, self.before)

    def test_its_own_connection(self) -> None:
        socket.send_fds(self.client.socket, [line("system.ping", id="own")], [self.client.socket.fileno()])
        self.assertEqual(self.client.result("own"), {})
        self.client.half_close()
        self.assertEqual(self.client.read_to_end(), [])
        await_that(lambda: self.daemon.descriptor_count == self.before - 1, "the connection is gone")

    def test_on_a_connection_that_is_not_read(self) -> None:
        """They wait with their bytes in the kernel, and go with the connection."""
        checkout = self.start()
        full = self.daemon.connect()
        before = self.daemon.descriptor_count
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        full.send_all([("checkout.wait", params)] * 64)
        await_that(lambda: self.in_flight == 64, "64 calls are in flight")
        before = self.daemon.descriptor_count
        read_end, write_end = self.pipe()
        socket.send_fds(full.socket, [line("system.ping", id="late")], [write_end])
        os.close(write_end)
        self.assertEqual(self.client.call("system.ping"), {})
        self.assertEqual(self.daemon.descriptor_count, before)
        full.close()
        self.assert_closed(read_end)
        await_that(lambda: self.daemon.descriptor_count == before - 1, "the connection is gone")

    def test_by_one_that_vanishes(self) -> None:
        read_end, write_end = self.pipe()
        accepted = self.status()["accepted"]
        for mute in self.mutes(20):
            socket.send_fds(mute.socket, [b'{"jsonrpc":'], [write_end])
            mute.close()
        os.close(write_end)
        self.assert_closed(read_end)
        self.await_accepted(accepted + 20)
        self.await_open(1)
        self.assertEqual(self.daemon.descriptor_count, self.before)
