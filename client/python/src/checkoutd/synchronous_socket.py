"""A connected socket for programs that wait in their threads, and the passing of time."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

from checkoutd.errors import ConnectionLost, TimedOut, Unreachable
from checkoutd.timing import Deadline

_CHUNK = 64 * 1024


def pause(seconds: float, deadline: Deadline) -> None:
    """Lets time pass."""
    time.sleep(deadline.at_most(seconds))


class Socket:
    """A connected socket."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected

    @classmethod
    def to(cls, path: Path, deadline: Deadline) -> Socket:
        """A new connection."""
        left = deadline.left()
        connected = socket.socket(socket.AF_UNIX)
        try:
            connected.settimeout(left)
            connected.connect(os.fspath(path))
        except BaseException as problem:
            connected.close()
            if isinstance(problem, OSError):
                raise Unreachable(f"{path}: {problem.strerror or problem}") from problem
            raise
        return cls(connected)

    def close(self) -> None:
        self._socket.close()

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Sends a line; nothing has been said unless all of it could be."""
        self._socket.settimeout(deadline.left())
        try:
            self._socket.sendall(data)
        except TimeoutError as problem:
            raise TimedOut("the daemon reads nothing") from problem
        except OSError as problem:
            raise Unreachable("the daemon has closed the connection") from problem

    def receive(self, deadline: Deadline) -> bytes:
        """The next bytes."""
        self._socket.settimeout(deadline.left())
        try:
            data = self._socket.recv(_CHUNK)
        except TimeoutError as problem:
            raise TimedOut("nothing came in time") from problem
        except OSError as problem:
            raise ConnectionLost("the connection broke") from problem
        if not data:
            raise ConnectionLost("the daemon has closed the connection")
        return data
