"""The service manager's side: a socket that is passed in, and what the daemon tells of itself."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from support.case import DaemonTest
from support.client import TIMEOUT, Client
from support.daemon import Daemon, program

# The number of the process that the descriptors are for is known to that process alone.
PASS = 'exec 3<&"$1"; shift; export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=api; exec "$@"'


class ServiceManager(DaemonTest):
    """The test is the service manager: it listens, and is notified."""

    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.path = self.directory / "socket"
        self.listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.listener.close)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.notified.close)
        self.notified.bind(str(self.directory / "notify"))
        self.notified.settimeout(TIMEOUT)

    def activate(self, *options: str, number: int | None = None) -> subprocess.Popen[bytes]:
        number = self.listener.fileno() if number is None else number
        process = subprocess.Popen(
            ["bash", "-c", PASS, "bash", str(number), program("checkoutd"), "--ephemeral", *options],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"NOTIFY_SOCKET": str(self.directory / "notify")},
        )
        self.addCleanup(process.wait, TIMEOUT)
        self.addCleanup(process.kill)
        return process

    def connect_here(self) -> Client:
        client = Daemon.connect_to(self.path)
        self.addCleanup(client.close)
        return client

    def await_notification(self, line: str) -> list[str]:
        """The lines of the next message that has this one."""
        while True:
            lines = self.notified.recv(4096).decode().splitlines()
            if line in lines:
                return lines

    def test_client_from_before_the_start_is_served(self) -> None:
        early = self.connect_here()
        id = early.send("system.ping")
        self.activate()
        self.assertEqual(early.result(id), {})

    def test_ready_and_stopping(self) -> None:
        process = self.activate()
        lines = self.await_notification("READY=1")
        self.assertTrue(any(re.match(r"STATUS=.*\d", line) for line in lines), lines)
        self.assertEqual(self.connect_here().call("system.ping"), {})
        process.send_signal(signal.SIGTERM)
        self.await_notification("STOPPING=1")
        self.assertEqual(process.wait(TIMEOUT), 0)

    def test_passed_socket_stays_and_keeps_clients_for_the_next(self) -> None:
        process = self.activate()
        self.await_notification("READY=1")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertTrue(self.path.is_socket())
        waiting = self.connect_here()
        id = waiting.send("system.ping")
        self.activate()
        self.assertEqual(waiting.result(id), {})

    def test_passed_socket_comes_before_others(self) -> None:
        other = self.directory / "other"
        self.activate("--socket", str(other))
        self.await_notification("READY=1")
        self.assertEqual(self.connect_here().call("system.ping"), {})
        self.assertFalse(other.exists())

    def test_what_is_no_listener_is_refused_by_name_and_kind(self) -> None:
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        idle = socket.socket(socket.AF_UNIX)
        for each in (ours, theirs, idle):
            self.addCleanup(each.close)
        for each in (reading, writing):
            self.addCleanup(os.close, each)
        for number, kind in (
            (theirs.fileno(), "a connection, as Accept=yes passes it"),
            (reading, "a pipe"),
            (idle.fileno(), "a socket that does not listen"),
        ):
            with self.subTest(kind):
                process = self.activate(number=number)
                told = f'STATUS=socket activation: "api" is {kind}, not a Unix stream socket that listens'
                self.await_notification(told)
                self.assertEqual(process.wait(TIMEOUT), 78)

    def test_counts_are_told(self) -> None:
        self.activate()
        self.await_notification("READY=1")
        self.connect_here().call("system.ping")
        told = ""
        while "1 connection" not in told:
            told = self.notified.recv(4096).decode()
        self.assertIn("STATUS=", told)

    def test_reload_is_announced_and_over(self) -> None:
        configuration = self.directory / "checkoutd.conf"
        configuration.write_text("max-batch = 7\n")
        process = self.activate("--config", str(configuration))
        self.await_notification("READY=1")
        process.send_signal(signal.SIGHUP)
        lines = self.await_notification("RELOADING=1")
        self.assertTrue(any(re.fullmatch(r"MONOTONIC_USEC=\d+", line) for line in lines), lines)
        self.await_notification("READY=1")
