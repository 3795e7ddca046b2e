"""A connected socket for asyncio, and the passing of time."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from checkoutd.errors import ConnectionLost, TimedOut, Unreachable
from checkoutd.timing import Deadline

_CHUNK = 64 * 1024


@asynccontextmanager
async def _until(deadline: Deadline) -> AsyncIterator[None]:
    """Says that time is over as all of this package does."""
    limit = asyncio.timeout(deadline.left())
    try:
        async with limit:
            yield
    except TimeoutError as problem:
        if limit.expired():
            raise TimedOut("what was waited for did not come in time") from problem
        raise


async def pause(seconds: float, deadline: Deadline) -> None:
    """Lets time pass."""
    await asyncio.sleep(deadline.at_most(seconds))


class AsyncSocket:
    """A connected socket."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected

    @classmethod
    async def to(cls, path: Path, deadline: Deadline) -> AsyncSocket:
        """A new connection."""
        connected = socket.socket(socket.AF_UNIX)
        try:
            connected.setblocking(False)
            async with _until(deadline):
                await asyncio.get_running_loop().sock_connect(connected, os.fspath(path))
        except BaseException as problem:
            connected.close()
            if isinstance(problem, OSError) and not isinstance(problem, TimedOut):
                raise Unreachable(f"{path}: {problem.strerror or problem}") from problem
            raise
        return cls(connected)

    def close(self) -> None:
        self._socket.close()

    async def send(self, data: bytes, deadline: Deadline) -> None:
        """Sends a line; nothing has been said unless all of it could be."""
        try:
            async with _until(deadline):
                await asyncio.get_running_loop().sock_sendall(self._socket, data)
        except TimedOut:
            raise
        except OSError as problem:
            raise Unreachable("the daemon has closed the connection") from problem

    async def receive(self, deadline: Deadline) -> bytes:
        """The next bytes."""
        try:
            async with _until(deadline):
                data = await asyncio.get_running_loop().sock_recv(self._socket, _CHUNK)
        except TimedOut:
            raise
        except OSError as problem:
            raise ConnectionLost("the connection broke") from problem
        if not data:
            raise ConnectionLost("the daemon has closed the connection")
        return data
