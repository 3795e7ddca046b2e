"""HTTP/1.1 over TCP or TLS: a thread per connection, connections kept alive, one write per reply.

A server hands each `Request` to an application, a plain function, and sends the `Response` that it returns. The
response's `Delivery` says how much of it is sent and how the connection ends, so that an application can break off.
"""

from __future__ import annotations

import socket
import socketserver
import ssl
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import BinaryIO
from urllib.parse import parse_qsl, urlsplit

_MAX_LINE = 64 * 1024
_MAX_HEADERS = 128
_MAX_BODY = 16 * 1024 * 1024
_BODILESS = (204, 304)


class MalformedRequest(Exception):
    """Bytes that are no HTTP/1.1 request, or are too many."""


@dataclass
class Request:
    """One request. Header names are in lower case, values of the same name joined; `params` are the variable parts of
    the path."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    keep_alive: bool
    params: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Delivery:
    """How much of a response is sent, and whether the connection is reset after it."""

    head: bool = True
    body_bytes: int | None = None
    reset: bool = False


WHOLE = Delivery()


@dataclass(frozen=True)
class Response:
    """One response."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delivery: Delivery = WHOLE

    def head(self, keep_alive: bool) -> bytes:
        """The status line and the headers."""
        fields = {"Content-Type": self.content_type, "Content-Length": str(len(self.body))}
        if self.status in _BODILESS:
            fields = {}
        if not keep_alive:
            fields["Connection"] = "close"
        lines = [f"HTTP/1.1 {self.status} {_reason(self.status)}"]
        lines += [f"{name}: {value}" for name, value in (fields | dict(self.headers)).items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


Application = Callable[[Request], Response]


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unnamed"


def _text(line: bytes) -> str:
    if not line.endswith(b"\n"):
        raise MalformedRequest("a line is cut short or too long")
    return line.decode("latin-1").rstrip("\r\n")


def _read_line(stream: BinaryIO) -> str:
    return _text(stream.readline(_MAX_LINE))


def _read_headers(stream: BinaryIO) -> dict[str, str]:
    headers: dict[str, str] = {}
    while line := _read_line(stream):
        name, colon, value = line.partition(":")
        if not colon or len(headers) == _MAX_HEADERS:
            raise MalformedRequest("a header line makes no sense")
        name, value = name.lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _read_exactly(stream: BinaryIO, count: int) -> bytes:
    if not 0 <= count <= _MAX_BODY:
        raise MalformedRequest("the body is too large")
    body = stream.read(count)
    if len(body) < count:
        raise MalformedRequest("the body is cut short")
    return body


def _read_chunks(stream: BinaryIO) -> bytes:
    body = b""
    while count := int(_read_line(stream).partition(";")[0], 16):
        body += _read_exactly(stream, count)
        if _read_line(stream) or len(body) > _MAX_BODY:
            raise MalformedRequest("a chunk makes no sense")
    _read_headers(stream)
    return body


def _read_body(stream: BinaryIO, headers: Mapping[str, str]) -> bytes:
    try:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return _read_chunks(stream)
        return _read_exactly(stream, int(headers.get("content-length", "0")))
    except ValueError:
        raise MalformedRequest("a length is no number") from None


def _read_request(stream: BinaryIO, sock: socket.socket) -> Request | None:
    """The next request of a connection, or None when the peer has ended it."""
    line = stream.readline(_MAX_LINE)
    if not line:
        return None
    method, *rest = _text(line).split(" ")
    if len(rest) != 2 or not rest[1].startswith("HTTP/1."):
        raise MalformedRequest("the request line makes no sense")
    headers = _read_headers(stream)
    if headers.get("expect", "").lower() == "100-continue":
        sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    target = urlsplit(rest[0])
    return Request(
        method=method,
        path=target.path,
        query=dict(parse_qsl(target.query, keep_blank_values=True)),
        headers=headers,
        body=_read_body(stream, headers),
        keep_alive=rest[1] == "HTTP/1.1" and headers.get("connection", "").lower() != "close",
    )


def _deliver(sock: socket.socket, response: Response, keep_alive: bool) -> bool:
    """Sends what is to be sent in one write. Returns whether the connection goes on."""
    delivery = response.delivery
    goes_on = keep_alive and delivery == WHOLE
    head = response.head(goes_on) if delivery.head else b""
    body = b"" if response.status in _BODILESS else response.body[: delivery.body_bytes]
    sock.sendall(head + body)
    if delivery.reset:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return goes_on


class _Connection(socketserver.BaseRequestHandler):
    """One connection, from the handshake to its end."""

    server: Server

    def handle(self) -> None:
        try:
            with self._secured() as sock, sock.makefile("rb") as stream:
                while self._exchange(sock, stream):
                    pass
        except OSError:
            pass  # The peer went away, which is its right.

    def _secured(self) -> socket.socket:
        sock: socket.socket = self.request
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.server.tls.wrap_socket(sock, server_side=True) if self.server.tls else sock

    def _exchange(self, sock: socket.socket, stream: BinaryIO) -> bool:
        try:
            request = _read_request(stream, sock)
        except MalformedRequest as error:
            return _deliver(sock, Response(400, str(error).encode(), "text/plain"), keep_alive=False)
        if request is None:
            return False
        return _deliver(sock, self.server.application(request), request.keep_alive)


class Server(socketserver.ThreadingTCPServer):
    """Listens at once; serves from `serve_forever`. The application may be set in between."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 1024
    application: Application

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.tls = tls
        super().__init__((host, port), _Connection)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Closes without the shutdown that would send a FIN ahead of a reset."""
        self.close_request(request)
