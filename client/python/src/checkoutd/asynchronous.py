"""The client for asyncio."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeVar

from checkoutd import calls
from checkoutd.asynchronous_checkout import AsyncCheckout
from checkoutd.calls import Call
from checkoutd.errors import CallError, ConnectionLost, TimedOut, Unreachable
from checkoutd.events import Event, Replay
from checkoutd.place import default_socket
from checkoutd.timing import Patience
from checkoutd.types import Hello, Settings, Share, Snapshot
from checkoutd.wire import Conversation, Reply

T = TypeVar("T")

_CHUNK = 64 * 1024


class Connection:
    """A connected socket."""

    def __init__(self, connected: socket.socket) -> None:
        self._conversation = Conversation()
        self._socket = connected

    @classmethod
    async def to(cls, path: Path) -> Connection:
        """A new connection."""
        connected = socket.socket(socket.AF_UNIX)
        try:
            connected.setblocking(False)
            await asyncio.get_running_loop().sock_connect(connected, os.fspath(path))
        except BaseException as problem:
            connected.close()
            if isinstance(problem, OSError):
                raise Unreachable(f"{path}: {problem.strerror or problem}") from problem
            raise
        return cls(connected)

    def close(self) -> None:
        self._socket.close()

    async def send(self, data: bytes) -> None:
        """Sends a line; nothing has been said unless all of it could be."""
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, data)
        except OSError as problem:
            raise Unreachable("the daemon has closed the connection") from problem

    async def receive(self) -> bytes:
        """The next bytes."""
        try:
            data = await asyncio.get_running_loop().sock_recv(self._socket, _CHUNK)
        except OSError as problem:
            raise ConnectionLost("the connection broke") from problem
        if not data:
            raise ConnectionLost("the daemon has closed the connection")
        return data

    async def exchange(self, call: Call[T]) -> T:
        """Makes a call; there is no other under way."""
        await self.send(self._conversation.ask(call.method, call.params))
        while True:
            for message in self._conversation.receive(await self.receive()):
                if isinstance(message, Reply):
                    return call.read(message.result)


@asynccontextmanager
async def _time_limit(seconds: float | None) -> AsyncIterator[None]:
    """Says that time is over as all of this package does."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            yield
    except TimeoutError as problem:
        if limit.expired():
            raise TimedOut("what was waited for did not come in time") from problem
        raise


class _Stream:
    """The connections, one after the other, over which a replay goes."""

    def __init__(self, path: Path, replay: Replay, patience: Patience) -> None:
        self._path = path
        self._replay = replay
        self._patience = patience
        self._connection: Connection | None = None

    def close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None

    async def next_events(self) -> list[Event]:
        """The next events, of which there is at least one unless the checkout has ended."""
        while True:
            try:
                if self._connection is None:
                    self._connection = await Connection.to(self._path)
                    self._replay.open()
                if output := self._replay.take_output():
                    await self._connection.send(output)
                events = self._replay.receive(await self._connection.receive())
                self._patience.renew()
                if events or self._replay.has_ended:
                    return events
            except (Unreachable, ConnectionLost) as failure:
                self.close()
                await asyncio.sleep(self._patience.pause_after(failure))


class AsyncClient:
    """A client of the daemon for one event loop. Calls at the same time have a connection each.

    A daemon that is away is tried again for `patience` seconds. A call that nobody knows to have been made is made
    again only if that does no harm; else `ConnectionLost` is raised. The reply must come within `timeout` seconds,
    beside what the daemon waits on purpose.
    """

    def __init__(
        self, socket_path: str | os.PathLike[str] | None = None, *, timeout: float = 120, patience: float = 10
    ) -> None:
        self.path = default_socket() if socket_path is None else Path(socket_path)
        self._timeout = timeout
        self._patience = patience
        self._idle: list[Connection] = []

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections. Checkouts go on."""
        while self._idle:
            self._idle.pop().close()

    async def run(self, call: Call[T]) -> T:
        """Makes one of the calls of this package."""
        patience = Patience(self._patience)
        async with _time_limit(self._timeout + call.span):
            while True:
                try:
                    return await self._try(call)
                except Unreachable as failure:
                    pause = patience.pause_after(failure)
                except ConnectionLost as failure:
                    if not call.is_repeatable:
                        raise
                    pause = patience.pause_after(failure)
                await asyncio.sleep(pause)

    async def _try(self, call: Call[T]) -> T:
        connection = self._idle.pop() if self._idle else await Connection.to(self.path)
        try:
            result = await connection.exchange(call)
        except CallError:
            self._idle.append(connection)
            raise
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return result

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Makes a call of the protocol by its name, as in `await client.call("system.status")`."""
        call: Call[Any] = Call(method, params or {})
        return await self.run(call)

    async def hello(self, client: str | None = None) -> Hello:
        """Who the daemon is, and whom it takes us for."""
        return await self.run(calls.hello(client))

    async def start(
        self,
        client_token: str,
        *,
        settings: Settings | None = None,
        decisions: Sequence[str] | None = None,
        decision_timeout: float | None = None,
        start_key: str | None = None,
        share: Sequence[Share] | None = None,
        allow_repeat: bool | None = None,
    ) -> AsyncCheckout:
        """Starts a checkout, and waits until it is ready.

        The same `start_key` with the same parameters gives the same checkout, also after a crash and after its end.
        """
        call = calls.start(client_token, settings, decisions, decision_timeout, start_key, share, allow_repeat)
        snapshot = await self.run(call)
        return AsyncCheckout(self, snapshot["checkoutId"])

    async def attach(self, checkout_id: str | None = None, *, start_key: str | None = None) -> AsyncCheckout:
        """Takes up a checkout that was started before, here or in another process."""
        snapshot = await self.run(calls.find(checkout_id, start_key))
        return AsyncCheckout(self, snapshot["checkoutId"])

    async def checkouts(self, states: Sequence[str] | None = None) -> AsyncIterator[Snapshot]:
        """Our checkouts, or those in some states, in short: without bank lists, line items and collected data."""
        cursor: str | None = None
        while True:
            page = await self.run(calls.list_checkouts(states, cursor))
            for snapshot in page["checkouts"]:
                yield snapshot
            if (cursor := page.get("next")) is None:
                return

    async def follow(self, checkout_id: str, after: int, timeout: float | None) -> AsyncIterator[Event]:
        """What `AsyncCheckout.events` says."""
        replay = Replay(checkout_id, after)
        with closing(_Stream(self.path, replay, Patience(self._patience))) as stream:
            while not replay.has_ended:
                async with _time_limit(timeout):
                    events = await stream.next_events()
                for event in events:
                    yield event
