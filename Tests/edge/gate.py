"""A sandbox behind TLS: each new connection to it may break off, or present a certificate that nobody trusts."""

from __future__ import annotations

import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

from support.certificates import Authority
from support.sandbox import TIMEOUT, Sandbox

_PROGRAM = Path(__file__).resolve().parents[2] / "client" / "sandbox" / "primer-sandbox"
_CHUNK = 64 * 1024


class Gate:
    """Takes TLS connections and passes on what comes over them, in the clear."""

    def __init__(self, directory: Path) -> None:
        authority = Authority(directory, "authority")
        self.authority_file = authority.certificate
        self._trusted = _context(authority, "trusted")
        self._untrusted = _context(Authority(directory, "stranger"), "untrusted")
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._faults: list[str] = []
        self._target = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])

    def lead_to(self, port: int) -> None:
        """Opens the gate."""
        self._target = port
        threading.Thread(target=self._serve, daemon=True).start()

    def spoil(self, fault: str, *, ends_kept: bool) -> None:
        """Makes the next connection fail; connections that were kept end if need be, so that there is a next one."""
        with self._lock:
            self._faults.append(fault)
            kept = list(self._open) if ends_kept else []
        for connection in kept:
            _shut(connection)

    @property
    def is_spoilt(self) -> bool:
        """Whether a connection is still to fail."""
        with self._lock:
            return bool(self._faults)

    def close(self) -> None:
        """Takes no more connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                accepted, _ = self._listener.accept()
                with self._lock:
                    fault = self._faults.pop(0) if self._faults else ""
                if fault == "no-tls":
                    accepted.close()
                    continue
                context = self._untrusted if fault else self._trusted
                threading.Thread(target=self._take, args=(accepted, context), daemon=True).start()

    def _take(self, accepted: socket.socket, context: ssl.SSLContext) -> None:
        with (
            suppress(OSError),
            context.wrap_socket(accepted, server_side=True) as near,
            socket.create_connection(("127.0.0.1", self._target)) as far,
        ):
            with self._lock:
                self._open.add(near)
            back = threading.Thread(target=_pass_on, args=(far, near), daemon=True)
            back.start()
            _pass_on(near, far)
            back.join()
            with self._lock:
                self._open.discard(near)


class GatedSandbox(Sandbox):
    """A sandbox whose tokens lead to a gate."""

    def __init__(self, gate: Gate) -> None:
        self.scheme = "http"
        with tempfile.TemporaryDirectory() as directory:
            port_file = Path(directory) / "port"
            base = f"https://127.0.0.1:{gate.port}"
            self._process = subprocess.Popen(
                [sys.executable, _PROGRAM, "--port-file", port_file, "--url", base], stderr=subprocess.PIPE, text=True
            )
            assert self._process.stderr
            self._process.stderr.readline()
            self.port = int(port_file.read_text())
        self._connection = HTTPConnection("127.0.0.1", self.port, timeout=3 * TIMEOUT)
        gate.lead_to(self.port)


def _context(authority: Authority, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.sign(name, "IP:127.0.0.1"))
    return context


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
    _shut(source)
    _shut(target)


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
