"""The egress under test: started on a socket of its own, and asked with SOCKS."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from support.daemon import Crashed, program

TIMEOUT = 10.0

GREETING = b"\x05\x01\x00"
CHOSEN = b"\x05\x00"
SUCCEEDED, FAILED, NOT_ALLOWED, UNREACHABLE, REFUSED, NO_COMMAND, NO_ADDRESS_TYPE = 0, 1, 2, 4, 5, 7, 8


class Egress:
    """A running egress."""

    def __init__(self, *options: str, environment: Mapping[str, str] | None = None) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="checkoutd-test-")
        self.path = Path(self._directory.name) / "egress.sock"
        self._log = self.path.with_name("stderr")
        # What this machine is configured for is not under test.
        self._options = ["--socket", str(self.path), "--config", "/nowhere/checkoutd.conf", *options]
        self._environment = dict(environment or {})
        self._links: list[socket.socket] = []
        self.start()

    def start(self) -> None:
        """Starts it, also once more."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [program("checkoutd-egress"), *self._options],
                stdin=subprocess.DEVNULL,
                stderr=log,
                env=os.environ | self._environment,
            )
        deadline = time.monotonic() + TIMEOUT
        while True:
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(self.path)) == 0:
                    return
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Crashed(f"the egress did not start: {self.log}")
            time.sleep(0.005)

    def stop(self) -> int:
        """Tells it to end at once; its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(TIMEOUT)

    @property
    def log(self) -> str:
        """What it has written so far."""
        return self._log.read_text(errors="replace")

    @property
    def thread_count(self) -> int:
        """How many threads it has."""
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def connect(self) -> socket.socket:
        """A connection on which nothing has been said."""
        link = socket.socket(socket.AF_UNIX)
        self._links.append(link)
        link.settimeout(TIMEOUT)
        link.connect(str(self.path))
        return link

    def greeted(self) -> socket.socket:
        """A connection on which it can be said where to connect to."""
        link = self.connect()
        link.sendall(GREETING)
        assert receive(link, 2) == CHOSEN
        return link

    def ask(self, host: str, port: int) -> tuple[int, socket.socket]:
        """Asks for a connection; the reply, and the connection if there is one."""
        link = self.greeted()
        link.sendall(request(host, port))
        return reply(link), link

    def check(self) -> None:
        """Fails if it has crashed."""
        status = self.process.poll()
        if status not in (None, 0) or "Fatal error" in self.log:
            raise Crashed(f"the egress crashed, exit status {status}: {self.log[-4000:]}")

    def close(self) -> None:
        """Ends everything at once."""
        for link in self._links:
            link.close()
        self.process.kill()
        self.process.wait(TIMEOUT)
        self._directory.cleanup()


def request(host: str, port: int) -> bytes:
    """A request to connect; names are sent as names, addresses as addresses."""
    for kind, family in ((1, socket.AF_INET), (4, socket.AF_INET6)):
        try:
            address = socket.inet_pton(family, host)
        except OSError:
            continue
        return b"\x05\x01\x00" + bytes([kind]) + address + port.to_bytes(2, "big")
    name = host.encode()
    return b"\x05\x01\x00\x03" + bytes([len(name)]) + name + port.to_bytes(2, "big")


def reply(link: socket.socket) -> int:
    """What a request is answered with."""
    message = receive(link, 10)
    assert len(message) == 10, message
    assert (message[0], message[2], message[3]) == (5, 0, 1), message
    return message[1]


def receive(link: socket.socket, count: int) -> bytes:
    """So many bytes, or what there is before the end, in good order or not."""
    data = b""
    while len(data) < count:
        try:
            piece = link.recv(count - len(data))
        except ConnectionResetError:
            break
        if not piece:
            break
        data += piece
    return data
