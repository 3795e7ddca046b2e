"""The client for programs that wait in their threads."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from checkoutd import calls
from checkoutd.calls import Call
from checkoutd.errors import CallError, ConnectionLost, TimedOut, Unreachable
from checkoutd.events import Event, Replay
from checkoutd.place import default_socket
from checkoutd.synchronous_checkout import Checkout
from checkoutd.timing import Deadline, Patience
from checkoutd.types import Hello, Settings, Share, Snapshot
from checkoutd.wire import Conversation, Reply

T = TypeVar("T")

_CHUNK = 64 * 1024


class Connection:
    """A connected socket."""

    def __init__(self, path: Path, deadline: Deadline) -> None:
        left = deadline.left()
        self._conversation = Conversation()
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(left)
            self._socket.connect(os.fspath(path))
        except BaseException as problem:
            self._socket.close()
            if isinstance(problem, OSError):
                raise Unreachable(f"{path}: {problem.strerror or problem}") from problem
            raise

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

    def exchange(self, call: Call[T], deadline: Deadline) -> T:
        """Makes a call; there is no other under way."""
        self.send(self._conversation.ask(call.method, call.params), deadline)
        while True:
            for message in self._conversation.receive(self.receive(deadline)):
                if isinstance(message, Reply):
                    return call.read(message.result)


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

    def next_events(self, deadline: Deadline) -> list[Event]:
        """The next events, of which there is at least one unless the checkout has ended."""
        while True:
            try:
                if self._connection is None:
                    self._connection = Connection(self._path, deadline)
                    self._replay.open()
                if output := self._replay.take_output():
                    self._connection.send(output, deadline)
                events = self._replay.receive(self._connection.receive(deadline))
                self._patience.renew()
                if events or self._replay.has_ended:
                    return events
            except (Unreachable, ConnectionLost) as failure:
                self.close()
                time.sleep(deadline.at_most(self._patience.pause_after(failure)))


class Client:
    """A client of the daemon. Threads may share it: calls at the same time have a connection each.

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

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections. Checkouts go on."""
        while self._idle:
            self._idle.pop().close()

    def run(self, call: Call[T]) -> T:
        """Makes one of the calls of this package."""
        deadline = Deadline(self._timeout + call.span)
        patience = Patience(self._patience)
        while True:
            try:
                return self._try(call, deadline)
            except Unreachable as failure:
                pause = patience.pause_after(failure)
            except ConnectionLost as failure:
                if not call.is_repeatable:
                    raise
                pause = patience.pause_after(failure)
            time.sleep(deadline.at_most(pause))

    def _try(self, call: Call[T], deadline: Deadline) -> T:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = Connection(self.path, deadline)
        try:
            result = connection.exchange(call, deadline)
        except CallError:
            self._idle.append(connection)
            raise
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return result

    def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Makes a call of the protocol by its name, as in `client.call("system.status")`."""
        call: Call[Any] = Call(method, params or {})
        return self.run(call)

    def hello(self, client: str | None = None) -> Hello:
        """Who the daemon is, and whom it takes us for."""
        return self.run(calls.hello(client))

    def start(
        self,
        client_token: str,
        *,
        settings: Settings | None = None,
        decisions: Sequence[str] | None = None,
        decision_timeout: float | None = None,
        start_key: str | None = None,
        share: Sequence[Share] | None = None,
        allow_repeat: bool | None = None,
    ) -> Checkout:
        """Starts a checkout, and waits until it is ready.

        The same `start_key` with the same parameters gives the same checkout, also after a crash and after its end.
        """
        call = calls.start(client_token, settings, decisions, decision_timeout, start_key, share, allow_repeat)
        return Checkout(self, self.run(call)["checkoutId"])

    def attach(self, checkout_id: str | None = None, *, start_key: str | None = None) -> Checkout:
        """Takes up a checkout that was started before, here or in another process."""
        return Checkout(self, self.run(calls.find(checkout_id, start_key))["checkoutId"])

    def checkouts(self, states: Sequence[str] | None = None) -> Iterator[Snapshot]:
        """Our checkouts, or those in some states, in short: without bank lists, line items and collected data."""
        cursor: str | None = None
        while True:
            page = self.run(calls.list_checkouts(states, cursor))
            yield from page["checkouts"]
            if (cursor := page.get("next")) is None:
                return

    def follow(self, checkout_id: str, after: int, timeout: float | None) -> Iterator[Event]:
        """What `Checkout.events` says."""
        replay = Replay(checkout_id, after)
        with closing(_Stream(self.path, replay, Patience(self._patience))) as stream:
            while not replay.has_ended:
                yield from stream.next_events(Deadline(timeout))
