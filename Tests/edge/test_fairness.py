"""Fairness: bounded work for each connection and turn, so that nobody waits for another's flood."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import READ, Figures, Mute, PressureTest, await_that, line
from support.client import TIMEOUT
from support.lines import JsonObject

MILLION = 1_000_000
PING = line("system.ping", id=1)


class Flood:
    """A client that pipelines lines without a pause, and counts the replies that it reads."""

    def __init__(self, mute: Mute, text: bytes, *, is_answered: bool) -> None:
        self.socket = mute.socket
        self.socket.setblocking(True)
        self.socket.settimeout(6 * TIMEOUT)
        self._text = text
        self._is_answered = is_answered
        self.reply_count = 0
        self.is_stopped = False
        self._threads = [threading.Thread(target=self._send)]
        if is_answered:
            self._threads.append(threading.Thread(target=self._read))
        for thread in self._threads:
            thread.start()

    def _send(self) -> None:
        block = self._text * 1000
        try:
            for _ in range(MILLION // 1000):
                self.socket.sendall(block)
            self.socket.shutdown(socket.SHUT_WR)
        except BrokenPipeError:
            self.is_stopped = True

    def _read(self) -> None:
        while chunk := self.socket.recv(READ):
            self.reply_count += chunk.count(b"\n")

    @property
    def is_done(self) -> bool:
        """Whether everything is sent and answered."""
        return not any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """Ends it before its time."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.join()

    def join(self) -> None:
        """Waits for the end."""
        for thread in self._threads:
            thread.join(6 * TIMEOUT)


class MillionLines(PressureTest):
    def assert_others_are_served(self, flood: Flood, counter: str) -> None:
        """Single calls are answered between the lines of the flood, and in the end none of them is missing."""
        served = 0
        seen: set[int] = set()
        await_that(lambda: self.client.call("system.status")["calls"][counter] > 1000, "the flood has begun")
        while not flood.is_done:
            seen.add(min(MILLION, self.client.call("system.status")["calls"][counter]))
            served += 1
        flood.join()
        # Not once at the end: the flood stood at many places when a call was answered.
        self.assertGreater(len(seen - {MILLION}), 20, served)
        await_that(lambda: self.client.call("system.status")["calls"][counter] >= MILLION, "all of it is taken in")

    def test_calls(self) -> None:
        (mute,) = self.mutes(1)
        flood = Flood(mute, PING, is_answered=True)
        self.assert_others_are_served(flood, "answered")
        self.assertEqual(flood.reply_count, MILLION)

    def test_notifications(self) -> None:
        (mute,) = self.mutes(1)
        flood = Flood(mute, line("system.ping"), is_answered=False)
        self.assert_others_are_served(flood, "notifications")

    def test_cancel_gets_through(self) -> None:
        checkout = self.start()
        (mute,) = self.mutes(1)
        flood = Flood(mute, PING, is_answered=True)
        await_that(lambda: flood.reply_count > 1000, "the flood has begun")
        self.assertEqual(checkout.call("checkout.cancel")["state"], "failed")
        self.assertFalse(flood.is_done)
        flood.stop()


class Turns(PressureTest):
    """What is done for one connection before the next has its turn, if the daemon finds everything there at once."""

    def setUp(self) -> None:
        super().setUp()
        self.figures = Figures(self.daemon.process.pid)

    def halt(self) -> None:
        """Stops the daemon, so that what is sent now is there when it goes on."""
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.daemon.process.pid, signal.SIGCONT)
        await_that(lambda: self.figures.is_stopped, "the daemon is stopped")

    def go_on(self) -> None:
        os.kill(self.daemon.process.pid, signal.SIGCONT)

    def test_one_read_for_each(self) -> None:
        """A call that comes after many full queues waits for one read of each, not for all that is in them."""
        floods = self.mutes(10)
        single = self.daemon.connect()
        single.call("system.ping")
        before = self.client.call("system.status")["calls"]["notifications"]
        note = line("system.ping")
        self.halt()
        queued = 0
        for flood in floods:
            flood.plan(note * (8 * READ // len(note)))
            queued += flood.push() // len(note)
        call = single.send("system.status")
        self.go_on()
        done = single.result(call)["calls"]["notifications"] - before
        # The status itself counts no notification; a line may be cut by the end of a read.
        self.assertLessEqual(done, len(floods) * (READ // len(note) + 1))
        self.assertLess(done, queued)

    def test_who_is_left_over_comes_first(self) -> None:
        """Where a turn is over before all have been read, the others are read before any is read twice."""
        floods = self.mutes(48)
        self.await_open(len(floods) + 1)
        # One read has whole lines, and enough of them that the first few fill the turn.
        text = line("system.status", id=1)[:-1].ljust(1023) + b"\n"
        self.halt()
        for flood in floods:
            flood.plan(text * (2 * READ // len(text)))
            self.assertEqual(flood.push(), 2 * READ)
            flood.socket.shutdown(socket.SHUT_WR)
        self.go_on()
        first, second = [], []
        for flood in floods:
            answered = [json.loads(reply)["result"]["calls"]["answered"] for reply in flood.received().splitlines()]
            self.assertEqual(len(answered), 2 * READ // len(text))
            first.append(answered[0])
            second.append(answered[READ // len(text)])
        self.assertLess(max(first), min(second))

    def test_lines_left_behind_wait_their_turn_too(self) -> None:
        """A client whose lines had been left goes on with them in turns of its own."""
        checkout = self.start()
        checkout.next_event()
        waits: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        (flood,) = self.mutes(1)
        # Sixteen calls wait, and more than the queue holds is asked for: the lines behind are left.
        flood.plan(line("checkout.wait", waits, 1) * 16 + line("system.echo", ["e" * 400], 1) * 20_000)
        flood.push()
        single = self.daemon.connect()
        for number in range(20):
            self.assertEqual(single.call("system.echo", number=number), {"number": number})
        self.assertEqual(single.call("checkout.cancel", checkoutId=checkout.id)["state"], "failed")
        self.assertFalse(flood.is_done)


class CallsUnderWay(PressureTest):
    options: ClassVar[Sequence[str]] = ()

    def test_ping_and_cancel_while_calls_wait(self) -> None:
        """Sixteen wait on each of four connections: on each of them a ping and a cancel get through."""
        checkouts = [self.start(None, self.daemon.connect()) for _ in range(4)]
        waits = []
        for checkout in checkouts:
            params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
            waits.append(checkout.client.send_all([("checkout.wait", params)] * 16))
        await_that(lambda: self.in_flight == 64, "64 calls are in flight")
        for checkout, ids in zip(checkouts, waits, strict=True):
            self.assertEqual(checkout.client.call("system.ping"), {})
            self.assertEqual(checkout.call("checkout.cancel")["state"], "failed")
            for id in ids:
                self.assertEqual(checkout.client.result(id)["matched"], "terminal")
        self.assertEqual(self.in_flight, 0)


class AllInFlight(PressureTest):
    options: ClassVar[Sequence[str]] = ("--max-waiting", "64")

    def test_others_ping_and_cancel_while_64_are_in_flight(self) -> None:
        checkout = self.start()
        full = self.daemon.connect()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        waits = full.send_all([("checkout.wait", params)] * 64)
        late = full.send("system.ping")
        await_that(lambda: self.in_flight == 64, "64 calls are in flight")
        for _ in range(3):
            self.assertEqual(self.daemon.connect().call("system.ping"), {})
        self.assert_silent([full])
        self.assertEqual(checkout.call("checkout.cancel")["state"], "failed")
        for id in waits:
            self.assertEqual(full.result(id)["matched"], "terminal")
        self.assertEqual(full.result(late), {})
