"""The command line: reads the options, listens, says where, and serves until it is told to end."""

from __future__ import annotations

import argparse
import os
import signal
import ssl
import sys
import tempfile
import threading
from pathlib import Path

import control
from application import Sandbox
from wire import Server

_ENDINGS = (signal.SIGTERM, signal.SIGINT)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError("must be HOST:PORT")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="primer-sandbox",
        description="A stand-in for Primer's API: serves headless checkouts over HTTP. No money moves.",
        epilog=control.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--listen", metavar="HOST:PORT", type=_address, default="127.0.0.1:0", help="default 127.0.0.1 and a free port")
    add("--port-file", metavar="FILE", type=Path, help="file to write the port to, once listening")
    add("--tls-cert", metavar="FILE", type=Path, help="certificate chain: serve https")
    add("--tls-key", metavar="FILE", type=Path, help="the certificate's private key")
    add("--url", metavar="HOST|BASE", help="host name or base URL in tokens; default: where it listens")
    add("--print-token", action="store_true", help="open a client session and print its client token")
    options = parser.parse_args(arguments)
    if (options.tls_cert is None) != (options.tls_key is None):
        parser.error("--tls-cert and --tls-key go together")
    return options


def _tls(options: argparse.Namespace) -> ssl.SSLContext | None:
    if options.tls_cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.tls_cert, options.tls_key)
    return context


def _base(url: str | None, host: str, port: int, scheme: str) -> str:
    if url and "://" in url:
        return url.rstrip("/")
    name = url if url else {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"{scheme}://{_joined(name, port)}"


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _write_atomically(path: Path, text: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(text)
    os.replace(file.name, path)


def main(arguments: list[str]) -> int:
    """Serves until SIGTERM or SIGINT."""
    options = _options(arguments)
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
    host, port = options.listen
    try:
        tls = _tls(options)
        server = Server(host, port, tls)
    except OSError as error:
        print(f"primer-sandbox: {error}", file=sys.stderr)
        return 1
    base = _base(options.url, host, server.port, "https" if tls else "http")
    sandbox = Sandbox(base, [_joined(name, server.port) for name in (host, *_LOOPBACK)])
    server.application = sandbox
    threading.Thread(target=server.serve_forever, daemon=True).start()
    if options.print_token:
        print(sandbox.create_session({}), flush=True)
    if options.port_file:
        _write_atomically(options.port_file, f"{server.port}\n")
    print(f"primer-sandbox: ready at {base}", file=sys.stderr, flush=True)
    signal.sigwait(_ENDINGS)
    server.server_close()
    return 0
