"""What checkoutd-egress carries, for whom, and when it is there."""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

from flows.test_activation import PASS
from flows.test_egress import EgressTest
from support.client import TIMEOUT
from support.daemon import program
from support.egress import CHOSEN, FAILED, GREETING, NO_ADDRESS_TYPE, NO_COMMAND, SUCCEEDED, receive, reply, request
from support.peers import connected_as


class Connections(EgressTest):
    """What is asked of the egress itself."""

    def setUp(self) -> None:
        super().setUp()
        self.upstream = self.listen(256)
        self.port = self.upstream.getsockname()[1]
        self.egress = self.start_egress("--upstream-allow", f"http://127.0.0.1:{self.port}")

    def pair(self) -> tuple[socket.socket, socket.socket]:
        """A client's connection, and where it leads."""
        code, near = self.egress.ask("127.0.0.1", self.port)
        self.assertEqual(code, SUCCEEDED)
        far, _ = self.upstream.accept()
        far.settimeout(TIMEOUT)
        self.addCleanup(near.close)
        self.addCleanup(far.close)
        return near, far

    def await_threads(self, count: int) -> None:
        deadline = time.monotonic() + TIMEOUT
        while self.egress.thread_count != count:
            self.assertLess(time.monotonic(), deadline, f"{self.egress.thread_count} threads, not {count}")
            time.sleep(0.01)

    def test_ends_are_passed_on_each_by_itself(self) -> None:
        near, far = self.pair()
        near.sendall(b"question")
        near.shutdown(socket.SHUT_WR)
        self.assertEqual(receive(far, 100), b"question")
        far.sendall(b"answer")
        far.shutdown(socket.SHUT_WR)
        self.assertEqual(receive(near, 100), b"answer")
        self.await_threads(1)
        near, far = self.pair()
        far.sendall(b"first")
        far.shutdown(socket.SHUT_WR)
        self.assertEqual(receive(near, 100), b"first")
        near.sendall(b"then")
        near.shutdown(socket.SHUT_WR)
        self.assertEqual(receive(far, 100), b"then")
        self.await_threads(1)

    def test_much_both_ways_with_readers_that_are_slow(self) -> None:
        near, far = self.pair()
        data = os.urandom(8 << 20)
        threads = [threading.Thread(target=link.sendall, args=[data]) for link in (near, far)]
        for thread in threads:
            thread.start()
        # Far more than there is room for on the way, and the second is not read before the first is through.
        for link in (near, far):
            self.assertEqual(receive(link, len(data)), data)
        for thread in threads:
            thread.join()

    def test_client_that_has_gone_ends_it(self) -> None:
        near, far = self.pair()
        near.sendall(b"last words")
        near.close()
        self.assertEqual(receive(far, 100), b"last words")
        self.await_threads(1)

    def test_client_that_leaves_what_it_was_sent_resets(self) -> None:
        near, far = self.pair()
        far.sendall(b"unread")
        near.recv(1)
        near.close()
        with self.assertRaises(ConnectionResetError):
            far.recv(1)
        self.await_threads(1)

    def test_reset_upstream_ends_it(self) -> None:
        near, far = self.pair()
        far.sendall(b"before")
        self.assertEqual(receive(near, 6), b"before")
        far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        far.close()
        self.assertEqual(receive(near, 1), b"")
        self.await_threads(1)

    def test_client_that_does_not_wait_until_it_stands(self) -> None:
        # With a full queue nobody is refused, nor let in.
        full = self.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(3)]
        for link in waiting:
            self.addCleanup(link.close)
            link.setblocking(False)
            link.connect_ex(("127.0.0.1", port))
        self.egress = self.start_egress("--upstream-allow", f"http://127.0.0.1:{port}")
        link = self.egress.greeted()
        link.sendall(request("127.0.0.1", port))
        self.await_threads(2)
        link.close()
        self.await_threads(1)

    def test_pieces_and_pipelines(self) -> None:
        """However the messages are cut, what follows them is upstream's."""
        for cut in (1, 2, 3, 7, 1000):
            with self.subTest(cut):
                link = self.egress.connect()
                everything = GREETING + request("127.0.0.1", self.port) + b"payload"
                for start in range(0, len(everything), cut):
                    link.sendall(everything[start : start + cut])
                self.assertEqual(receive(link, 2), CHOSEN)
                self.assertEqual(reply(link), SUCCEEDED)
                far, _ = self.upstream.accept()
                self.assertEqual(receive(far, 7), b"payload")
                far.close()
                link.close()

    def test_hostile_handshakes(self) -> None:
        good = request("127.0.0.1", self.port)
        for name, sent, answer in (
            ("nothing", b"", b""),
            ("version 4", b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00", b""),
            ("HTTP", b"GET / HTTP/1.1\r\n\r\n", b""),
            ("no methods", b"\x05\x00", b"\x05\xff"),
            ("passwords alone", b"\x05\x01\x02", b"\x05\xff"),
            ("cut in the greeting", b"\x05\x03\x00", b""),
            ("cut in the request", GREETING + good[:-1], CHOSEN),
            ("cut in a name", GREETING + b"\x05\x01\x00\x03\xffabc", CHOSEN),
            ("BIND", GREETING + b"\x05\x02" + good[2:], CHOSEN + b"\x05\x07"),
            ("UDP", GREETING + b"\x05\x03" + good[2:], CHOSEN + b"\x05\x07"),
            ("another kind of address", GREETING + b"\x05\x01\x00\x02" + good[4:], CHOSEN + b"\x05\x08"),
            ("version of the request", GREETING + b"\x04" + good[1:], CHOSEN + b"\x05\x01"),
            ("reserved byte", GREETING + b"\x05\x01\x01" + good[3:], CHOSEN + b"\x05\x01"),
            ("empty name", GREETING + b"\x05\x01\x00\x03\x00\x01\xbb", CHOSEN + b"\x05\x02"),
            ("binary name", GREETING + b"\x05\x01\x00\x03\x02\xff\x00\x01\xbb", CHOSEN + b"\x05\x02"),
        ):
            with self.subTest(name):
                link = self.egress.connect()
                link.sendall(sent)
                link.shutdown(socket.SHUT_WR)
                got = receive(link, 100)
                self.assertEqual(got[: len(answer)], answer)
                self.assertEqual(len(got), len(answer) if len(answer) <= 2 else len(CHOSEN) + 10)
                link.close()
        self.assertEqual((NO_COMMAND, NO_ADDRESS_TYPE, FAILED), (7, 8, 1))
        self.await_threads(1)
        self.assertEqual(self.egress.ask("127.0.0.1", self.port)[0], SUCCEEDED)

    def test_silent_client_is_let_go_and_keeps_nobody_waiting(self) -> None:
        began = time.monotonic()
        silent = self.egress.connect()
        silent.sendall(b"\x05")
        silent.settimeout(15)
        self.pair()
        # It is still there.
        self.assertEqual(select.select([silent], [], [], 0)[0], [])
        self.assertEqual(silent.recv(1), b"")
        self.assertGreater(time.monotonic() - began, 9)

    def test_one_users_clients_leave_room_for_others(self) -> None:
        pairs = [self.pair() for _ in range(96)]
        # Everybody's, so that another user may try.
        self.egress.path.chmod(0o666)
        self.egress.path.parent.chmod(0o755)
        late = self.egress.connect()
        self.assertEqual(receive(late, 1), b"")
        peer = connected_as(self.egress.path, 4711, 4711, [])
        self.addCleanup(peer.close)
        peer.connected.settimeout(TIMEOUT)
        peer.connected.sendall(GREETING)
        self.assertEqual(receive(peer.connected, 2), CHOSEN)
        pairs[0][0].close()
        pairs[0][1].close()
        self.await_threads(97)
        self.assertEqual(self.egress.ask("127.0.0.1", self.port)[0], SUCCEEDED)

    def test_more_clients_than_there_may_be_wait(self) -> None:
        pairs = [self.pair() for _ in range(96)]
        self.egress.path.chmod(0o666)
        self.egress.path.parent.chmod(0o755)
        for _ in range(32):
            peer = connected_as(self.egress.path, 4711, 4711, [])
            self.addCleanup(peer.close)
            peer.connected.sendall(GREETING)
        self.await_threads(129)
        for number, (near, far) in enumerate(pairs):
            near.sendall(b"%03d" % number)
            self.assertEqual(receive(far, 3), b"%03d" % number)
        last = connected_as(self.egress.path, 4711, 4711, [])
        self.addCleanup(last.close)
        late = last.connected
        late.sendall(GREETING)
        late.settimeout(0.3)
        with self.assertRaises(TimeoutError):
            late.recv(1)
        late.settimeout(TIMEOUT)
        pairs[0][0].close()
        self.assertEqual(receive(late, 2), CHOSEN)

    def test_ended_connections_leave_nothing(self) -> None:
        def count() -> int:
            return len(os.listdir(f"/proc/{self.egress.process.pid}/fd"))

        def come_and_go(times: int) -> None:
            for _ in range(times):
                near, far = self.pair()
                near.close()
                far.close()
                self.egress.ask("example.com", 443)[1].close()
            self.await_threads(1)

        # The connection that found the egress started is over when a later one is, and what is opened once is open.
        come_and_go(1)
        before = count()
        come_and_go(50)
        self.assertEqual(count(), before)

    def test_told_to_end_it_ends(self) -> None:
        near, _ = self.pair()
        self.assertEqual(self.egress.stop(), 0)
        self.assertEqual(receive(near, 1), b"")

    def test_told_to_end_it_waits_for_its_clients(self) -> None:
        near, far = self.pair()
        self.egress.process.send_signal(signal.SIGTERM)
        while "waiting for connections to end" not in self.egress.log:
            self.assertIsNone(self.egress.process.poll())
        near.sendall(b"question")
        self.assertEqual(receive(far, 8), b"question")
        far.sendall(b"answer")
        self.assertEqual(receive(near, 6), b"answer")
        near.close()
        self.assertEqual(self.egress.process.wait(TIMEOUT), 0)

    def test_told_twice_it_ends_at_once(self) -> None:
        near, _ = self.pair()
        self.egress.process.send_signal(signal.SIGTERM)
        while "waiting for connections to end" not in self.egress.log:
            self.assertIsNone(self.egress.process.poll())
        self.egress.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.egress.process.wait(TIMEOUT), 0)
        self.assertEqual(receive(near, 1), b"")

    def test_client_that_says_nothing_to_upstream_is_let_go(self) -> None:
        near, far = self.pair()
        busy, there = self.pair()
        busy.sendall(b"GET / HTTP/1.1\r\n\r\n")
        near.settimeout(15)
        self.assertEqual(near.recv(1), b"")
        self.assertEqual(receive(far, 1), b"")
        there.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        self.assertEqual(receive(busy, 4), b"HTTP")


class Activation(EgressTest):
    """The test is the service manager."""

    def test_it_ends_when_nobody_needs_it_and_loses_nobody(self) -> None:
        upstream, directory = self.listen(), self.directory()
        path = directory / "socket"
        port = upstream.getsockname()[1]
        options = ["--config", "/nowhere", "--upstream-allow", f"http://127.0.0.1:{port}", "--idle-exit", "1"]

        def listen_at(path: Path) -> socket.socket:
            listener = socket.socket(socket.AF_UNIX)
            self.addCleanup(listener.close)
            listener.bind(str(path))
            listener.listen()
            return listener

        def activate(listener: socket.socket) -> subprocess.Popen[bytes]:
            number = listener.fileno()
            command = ["bash", "-c", PASS, "bash", str(number), str(program("checkoutd-egress")), *options]
            process = subprocess.Popen(command, pass_fds=[number], stderr=subprocess.PIPE)
            self.addCleanup(process.kill)
            return process

        def connect() -> socket.socket:
            link = socket.socket(socket.AF_UNIX)
            self.addCleanup(link.close)
            link.settimeout(TIMEOUT)
            link.connect(str(path))
            return link

        listener = listen_at(path)
        process = activate(listener)
        link = connect()
        link.sendall(GREETING + request("127.0.0.1", port))
        self.assertEqual(receive(link, 2), CHOSEN)
        self.assertEqual(reply(link), SUCCEEDED)
        # A client keeps it, silent as it may be: one that nobody has asked for, and that begins later, is over before.
        other = activate(listen_at(directory / "other"))
        self.assertEqual(other.wait(TIMEOUT), 0)
        other.communicate()
        self.assertIsNone(process.poll())
        link.close()
        closed = time.monotonic()
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertGreater(time.monotonic() - closed, 0.9)
        self.assertEqual(process.communicate()[1], b"")
        link = connect()
        link.sendall(GREETING)
        process = activate(listener)
        self.assertEqual(receive(link, 2), CHOSEN)
        link.close()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIMEOUT), 0)
        process.communicate()
