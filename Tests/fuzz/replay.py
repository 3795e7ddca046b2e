"""Conversations with a running daemon, and what must hold for each of them."""

from __future__ import annotations

import collections
from contextlib import suppress
from typing import Any

from mutation import Line, Mutation
from support.client import Client, Ended
from support.daemon import Daemon
from support.lines import JsonObject, Message
from support.sandbox import APPROVING, Sandbox

_CLOSING = -32007
_PATIENCE = 20.0
# What is kept of what was sent, should the daemon fail.
_KEPT_LINES = 400


class Replay:
    """Holds one conversation after another, and watches all events on another connection."""

    def __init__(self, daemon: Daemon, sandbox: Sandbox, mutation: Mutation) -> None:
        self._daemon = daemon
        self._sandbox = sandbox
        self._mutation = mutation
        self._observer = daemon.connect()
        self._observer.call("events.subscribe")
        self.recent: collections.deque[bytes] = collections.deque(maxlen=_KEPT_LINES)
        self.lines = self.replies = self.connections = 0

    def play(self) -> None:
        """One conversation, from connecting to its end."""
        session = self._sandbox.session(**APPROVING)
        names = {"token": session.client_token, "checkout": "co_0123456789abcdef", "decision": "d1"}
        names |= {"component": "cm_0123456789abcdef_0", "subscription": "s1"}
        client = self._daemon.connect_to(self._daemon.socket_path)
        self.connections += 1
        expected: list[str] = []
        try:
            with suppress(BrokenPipeError, ConnectionResetError):
                for line in self._mutation.conversation():
                    self._send(client, line, names)
                    if line.id:
                        expected.append(line.id)
                    if self._mutation.random.random() < 0.8:
                        self._learn(client, line, names)
            self._end(client, expected)
        finally:
            client.close()
        self._observer.transcript.clear()
        self._observer.call("system.ping")
        self._observer.arrived_events()
        assert self._daemon.process.poll() is None, "the daemon has ended"

    def finish(self) -> None:
        """The last look."""
        self._observer.call("system.status")
        self._observer.close()

    def _send(self, client: Client, line: Line, names: dict[str, str]) -> None:
        data = line.data
        for name, value in names.items():
            data = data.replace(b"{%s}" % name.encode(), value.encode())
        self.recent.append(data)
        self.lines += 1
        for piece in self._mutation.pieces(data + b"\n"):
            client.send_raw(piece)

    def _learn(self, client: Client, line: Line, names: dict[str, str]) -> None:
        """Waits for the answer, if there must be one, and takes the names in what has come."""
        if line.id and not _is_closing(client.transcript):
            reply = _reply(client, line.id)
            if isinstance(result := reply.get("result"), dict):
                _note(result, names)
        for message in client.transcript[-8:]:
            if isinstance(message, dict) and isinstance(params := message.get("params"), dict):
                _note(params, names)

    def _end(self, client: Client, expected: list[str]) -> None:
        """Closes at once, or says that nothing more comes and reads on until everything is answered: once."""
        if self._mutation.random.random() < 0.2:
            return
        with suppress(OSError):
            client.half_close()
        # With a subscription the connection stays; without one it ends by itself.
        for id in expected:
            if not _replies(client)[id] and not _is_closing(client.transcript):
                _reply(client, id)
        ids = _replies(client)
        self.replies += ids.total()
        assert all(ids[id] <= 1 for id in expected), f"answered twice: {[id for id in expected if ids[id] > 1]}"


def _replies(client: Client) -> collections.Counter[str]:
    """How often each call has been answered."""
    return collections.Counter(
        message["id"]
        for message in client.transcript
        if isinstance(message, dict) and isinstance(message.get("id"), str) and "method" not in message
    )


def _reply(client: Client, id: str) -> JsonObject:
    try:
        return client.reply(id, _PATIENCE)
    except Ended:
        # The daemon closes a connection only after it has said so.
        assert _is_closing(client.transcript), f"{id} was not answered; the last lines were {client.transcript[-4:]}"
        return {}


def _is_closing(transcript: list[Message]) -> bool:
    last = transcript[-1] if transcript else {}
    return isinstance(last, dict) and last.get("error", {}).get("code") == _CLOSING


def _note(members: dict[str, Any], names: dict[str, str]) -> None:
    for member, name in (
        ("checkoutId", "checkout"),
        ("componentId", "component"),
        ("decisionId", "decision"),
        ("subscriptionId", "subscription"),
    ):
        if isinstance(value := members.get(member), str):
            names[name] = value
