"""The client for asyncio."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from checkoutd import calls
from checkoutd.asynchronous_checkout import AsyncCheckout
from checkoutd.asynchronous_socket import AsyncSocket, pause
from checkoutd.calls import Call
from checkoutd.errors import CallError, CheckoutdError, ConnectionLost, Unreachable
from checkoutd.events import Event, Place
from checkoutd.following import Following
from checkoutd.place import default_socket
from checkoutd.timing import Deadline, Patience
from checkoutd.types import Hello, Settings, Share, Snapshot
from checkoutd.wire import Conversation, Failure, Reply

T = TypeVar("T")


class _Connection:
    """A connection that calls are made on, one after the other."""

    def __init__(self, connected: AsyncSocket) -> None:
        self._socket = connected
        self._conversation = Conversation()

    def close(self) -> None:
        self._socket.close()

    async def exchange(self, call: Call[T], deadline: Deadline) -> T:
        """Makes a call; there is no other under way."""
        _, line = self._conversation.ask(call.method, call.params)
        await self._socket.send(line, deadline)
        while True:
            for message in self._conversation.receive(await self._socket.receive(deadline)):
                if isinstance(message, Failure):
                    raise message.error
                if isinstance(message, Reply):
                    return call.read(message.result)


class _Stream:
    """The connections, one after the other, over which a checkout is followed."""

    def __init__(self, path: Path, following: Following, patience: Patience) -> None:
        self._path = path
        self._following = following
        self._patience = patience
        self._socket: AsyncSocket | None = None
        # What follows the events that were told last.
        self._failure: CheckoutdError | None = None

    def close(self) -> None:
        if self._socket:
            self._socket.close()
            self._socket = None

    async def next_events(self, deadline: Deadline) -> list[Event]:
        """The next events, of which there is at least one unless the checkout has ended."""
        while True:
            try:
                if self._failure:
                    failure, self._failure = self._failure, None
                    raise failure
                if self._socket is None:
                    self._socket = await AsyncSocket.to(self._path, deadline)
                    self._following.open()
                if output := self._following.take_output():
                    await self._socket.send(output, deadline)
                told = self._following.receive(await self._socket.receive(deadline))
                if told.is_progress:
                    self._patience.renew()
                self._failure = told.failure
                if told.events or self._following.has_ended:
                    return told.events
            except (Unreachable, ConnectionLost) as failure:
                self.close()
                await pause(self._patience.pause_after(failure), deadline)


class AsyncClient:
    """A client of the daemon. Calls at the same time have a connection each, so that whoever makes them may share it.

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
        self._idle: list[_Connection] = []

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
        deadline = Deadline(self._timeout + call.span)
        patience = Patience(self._patience)
        while True:
            try:
                return await self._try(call, deadline)
            except Unreachable as failure:
                seconds = patience.pause_after(failure)
            except ConnectionLost as failure:
                if not call.is_repeatable:
                    raise
                seconds = patience.pause_after(failure)
            await pause(seconds, deadline)

    async def _try(self, call: Call[T], deadline: Deadline) -> T:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = _Connection(await AsyncSocket.to(self.path, deadline))
        try:
            result = await connection.exchange(call, deadline)
        except CallError:
            self._idle.append(connection)
            raise
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return result

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Makes a call of the protocol by its name, as `system.status`."""
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

    async def follow(self, checkout_id: str, after: int | Place, timeout: float | None) -> AsyncIterator[Event]:
        """What `AsyncCheckout.events` says."""
        following = Following(checkout_id, after)
        with closing(_Stream(self.path, following, Patience(self._patience))) as stream:
            while not following.has_ended:
                for event in await stream.next_events(Deadline(timeout)):
                    yield event
