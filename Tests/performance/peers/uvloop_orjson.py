"""A JSON-RPC server for lines, as fast as Python goes: uvloop, orjson, one write for each read.

uvloop_orjson.py SOCKET [NOTES [BYTES]]: each publish sends so many notifications of so many bytes.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any, cast

import orjson
import uvloop

_NOTES = int(sys.argv[2]) if len(sys.argv) > 2 else 1
_BYTES = int(sys.argv[3]) if len(sys.argv) > 3 else 80
_FRAME = len(orjson.dumps({"jsonrpc": "2.0", "method": "event", "params": {"pad": ""}})) + 1

_subscribers: set[asyncio.Transport] = set()


def _publish() -> None:
    params = {"pad": "x" * max(0, _BYTES - _FRAME)}
    for _ in range(_NOTES):
        note = orjson.dumps({"jsonrpc": "2.0", "method": "event", "params": params}) + b"\n"
        for subscriber in _subscribers:
            subscriber.write(note)


class Connection(asyncio.Protocol):
    """One client."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Takes the client in."""
        self._transport = cast(asyncio.Transport, transport)
        self._rest = b""

    def connection_lost(self, error: Exception | None) -> None:
        """Forgets the client."""
        _subscribers.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        """Answers all lines that are there with one write."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._transport.write(b"".join(orjson.dumps(self._answer(orjson.loads(line))) + b"\n" for line in lines))

    def _answer(self, call: dict[str, Any]) -> dict[str, Any]:
        match call["method"]:
            case "ping":
                pass
            case "subscribe":
                _subscribers.add(self._transport)
            case "publish":
                _publish()
            case _:
                return {"jsonrpc": "2.0", "id": call["id"], "error": {"code": -32601, "message": "Method not found"}}
        return {"jsonrpc": "2.0", "id": call["id"], "result": {"ok": True, "v": 42}}


async def main(path: str) -> None:
    """Serves until it is ended."""
    server = await asyncio.get_running_loop().create_unix_server(Connection, path, backlog=1024)
    await server.serve_forever()


uvloop.run(main(sys.argv[1]))
