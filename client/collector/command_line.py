"""The command line: reads the options and the data, serves the page, and ends with the report."""

from __future__ import annotations

import argparse
import json
import re
import signal
import ssl
import subprocess
import sys
import threading
from typing import NoReturn

from checkoutd import AchComponent, Client
from outcome import REPORTED, Desk, Ending, ending_of
from language import CODES, language_of
from page import STRIPE_SCRIPT, Page
from web import Server

USAGE, TIMED_OUT = 3, 4

_DESCRIPTION = """\
Shows Stripe's collector of bank accounts in a browser, and tells checkoutd what came of it.

Standard input has one line: the `info` of checkout.didReceiveAdditionalInfo, of the kind bankAccountCollector, as JSON.
The first line of standard output is the address of the page, which is on this machine and for this user alone."""
_STATUSES = """\
exit status: 0 reported, 1 the daemon answered with an error, 2 it could not be talked to, 3 the command line or the
data make no sense, 4 there was no outcome in time. Ended by a signal it reports nothing."""

_MEMBERS = ("publishableKey", "clientSecret", "fullName", "emailAddress")
_LONGEST_LINE = 64 * 1024
_SCRIPT_URL = re.compile(r"(https://[\w.-]+(:\d+)?|http://127\.0\.0\.1(:\d+)?)(/[\w./~%?&=-]*)?", re.ASCII)


class _Parser(argparse.ArgumentParser):
    """A parser with the exit status of this program."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.format_usage()}{self.prog}: {message}\n")


def _script_url(text: str) -> str:
    if not _SCRIPT_URL.fullmatch(text):
        raise argparse.ArgumentTypeError("must be an https URL, or http on 127.0.0.1")
    return text


def _seconds(text: str) -> float:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("must be a number of milliseconds")
    return int(text) / 1000


def _parser() -> _Parser:
    parser = _Parser(
        prog="checkoutd-collector",
        description=_DESCRIPTION,
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("component_id", metavar="COMPONENT_ID", help="the component that the event names")
    add("--socket", metavar="PATH", help="where checkoutd listens; default as for other clients")
    add("--browser", action="store_true", help="open the page with xdg-open")
    add("--timeout", metavar="MS", type=_seconds, help="wait for the outcome so long at most; default for ever")
    add("--tls-cert", metavar="FILE", help="certificate chain for 127.0.0.1: serve https, which live keys need")
    add("--tls-key", metavar="FILE", help="the certificate's private key")
    add("--locale", metavar="LOCALE", default="en", help=f"the shopper's, as in nl-NL; it speaks {', '.join(CODES)}")
    add("--stripe-script", metavar="URL", type=_script_url, default=STRIPE_SCRIPT, help=f"default {STRIPE_SCRIPT}")
    return parser


def _read_info(parser: _Parser, has_tls: bool) -> dict[str, str]:
    """The members that the page needs. What is wrong with a line is told without repeating it."""
    try:
        info = json.loads(sys.stdin.buffer.readline(_LONGEST_LINE))
    except (ValueError, RecursionError):
        parser.error("standard input has no line of JSON")
    if not isinstance(info, dict):
        parser.error("standard input has no object")
    for name in _MEMBERS:
        if not isinstance(info.get(name), str) or not info[name]:
            parser.error(f"standard input has no {name}")
    if info["publishableKey"].startswith("pk_live_") and not has_tls:
        parser.error("Stripe takes a live key from https pages alone: --tls-cert and --tls-key are missing")
    return {name: info[name] for name in _MEMBERS}


def _tls(parser: _Parser, options: argparse.Namespace) -> ssl.SSLContext | None:
    if (options.tls_cert is None) != (options.tls_key is None):
        parser.error("--tls-cert and --tls-key go together")
    if options.tls_cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(options.tls_cert, options.tls_key)
    except OSError as error:
        parser.error(f"the certificate or its key: {error}")
    return context


def _open_browser(url: str) -> None:
    nothing = subprocess.DEVNULL
    try:
        subprocess.Popen(["xdg-open", url], stdin=nothing, stdout=nothing, start_new_session=True)
    except OSError as error:
        _say(f"xdg-open: {error.strerror}")


def _say(message: str) -> None:
    print(f"checkoutd-collector: {message}", file=sys.stderr, flush=True)


def _ended(ending: Ending) -> int:
    if ending.status != REPORTED:
        _say(ending.message)
    return ending.status


def main(arguments: list[str]) -> int:
    """Serves the page until its outcome is reported; returns the exit status."""
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, signal.SIG_DFL)
    parser = _parser()
    options = parser.parse_args(arguments)
    tls = _tls(parser, options)
    page = Page(_read_info(parser, has_tls=tls is not None), language_of(options.locale), options.stripe_script)
    # Better now than when the shopper has given an account.
    found = ending_of(AchComponent(Client(options.socket, patience=0), options.component_id).get)
    if found.status != REPORTED:
        return _ended(found)
    desk = Desk(AchComponent(Client(options.socket), options.component_id))
    server = Server(page, desk, tls)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.url, flush=True)
    if options.browser:
        _open_browser(server.url)
    ending = desk.wait(options.timeout)
    return TIMED_OUT if ending is None else _ended(ending)
