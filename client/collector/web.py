"""The page over HTTP, on the loopback interface, for one browser of this user's."""

from __future__ import annotations

import os
import secrets
import socket
import socketserver
import ssl
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler

from outcome import REPORTED, Desk, read_outcome
from page import Page
from peer import Address, uid_of_peer

_HOST = "127.0.0.1"
_LONGEST_BODY = 16 * 1024
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class _Refused(Exception):
    """A request that is answered with a status alone."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class Server(socketserver.ThreadingTCPServer):
    """Listens at once; serves from `serve_forever`."""

    daemon_threads = True

    def __init__(self, page: Page, desk: Desk, tls: ssl.SSLContext | None) -> None:
        super().__init__((_HOST, 0), _Exchange)
        self.page = page
        self.desk = desk
        self._tls = tls
        self.path = f"/{secrets.token_urlsafe(32)}"
        self.host = f"{_HOST}:{self.server_address[1]}"
        self.origin = f"{'https' if tls else 'http'}://{self.host}"

    @property
    def url(self) -> str:
        """Where the page is."""
        return self.origin + self.path

    def get_request(self) -> tuple[socket.socket, Address]:
        """The next connection. Its handshake is made by its own thread, with the first read."""
        connected, address = super().get_request()
        if self._tls:
            connected = self._tls.wrap_socket(connected, server_side=True, do_handshake_on_connect=False)
        return connected, address

    def verify_request(self, request: object, client_address: Address) -> bool:
        """Whether the connection is one of this user's: others can read the URL in the arguments of the browser."""
        return uid_of_peer(client_address, (_HOST, self.server_address[1])) == os.geteuid()

    def handle_error(self, request: object, client_address: object) -> None:
        """Says what has gone wrong in a word: a text could hold what the shopper gave. A browser may go away."""
        if not isinstance(error := sys.exception(), OSError):
            print(f"checkoutd-collector: {type(error).__name__}", file=sys.stderr, flush=True)


class _Exchange(BaseHTTPRequestHandler):
    """One request and its answer."""

    server: Server
    timeout = 30

    def do_GET(self) -> None:
        """Gives out the page."""
        self._perform(self._show_page)

    def do_POST(self) -> None:
        """Takes the outcome."""
        self._perform(self._take_outcome)

    def _perform(self, action: Callable[[], None]) -> None:
        try:
            # A page elsewhere whose name leads here has another host.
            if self.headers.get_all("Host") != [self.server.host]:
                raise _Refused(HTTPStatus.FORBIDDEN)
            if not secrets.compare_digest(self.path.encode("latin-1"), self.server.path.encode()):
                raise _Refused(HTTPStatus.NOT_FOUND)
            action()
        except _Refused as refused:
            self._answer(refused.status)

    def _show_page(self) -> None:
        if self.server.desk.is_claimed:
            raise _Refused(HTTPStatus.GONE)
        text, headers = self.server.page.render()
        self._answer(HTTPStatus.OK, text, "text/html; charset=utf-8", headers)

    def _take_outcome(self) -> None:
        if self.headers.get_all("Origin") != [self.server.origin]:
            raise _Refused(HTTPStatus.FORBIDDEN)
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        try:
            outcome = read_outcome(self._read_body())
        except ValueError:
            raise _Refused(HTTPStatus.BAD_REQUEST) from None
        if not self.server.desk.claim():
            raise _Refused(HTTPStatus.CONFLICT)
        try:
            ending = self.server.desk.report(outcome)
            self._answer(HTTPStatus.NO_CONTENT if ending.status == REPORTED else HTTPStatus.BAD_GATEWAY)
        finally:
            self.server.desk.close()

    def _read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            raise _Refused(HTTPStatus.LENGTH_REQUIRED)
        if len(length) > 9 or int(length) > _LONGEST_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return self.rfile.read(int(length))

    def _answer(
        self, status: HTTPStatus, body: bytes = b"", type: str = "text/plain", headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (_HEADERS | (headers or {})).items():
            self.send_header(name, value)
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Type", type)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answers what is no HTTP, or has another method, without a page that would repeat it."""
        self._answer(HTTPStatus(code))

    def version_string(self) -> str:
        """What the answers say about this program."""
        return "checkoutd-collector"

    def log_message(self, format: str, *arguments: object) -> None:
        """Keeps no log: the path is a secret."""
