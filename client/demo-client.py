#!/usr/bin/env python3
"""The client of the demonstration: one connection, three checkouts, everything shown as it happens.

    demo-client.py SOCKET SANDBOX
"""

from __future__ import annotations

import json
import shutil
import socket
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

JsonObject = dict[str, Any]

TIMEOUT = 30.0
LONGEST_STRING = 60
LONGEST_LIST = 2
PIPE_WIDTH = 123
SECRETS = ("clientToken", "clientSecret")
# In every event, and the same each time.
UNSHOWN = ("checkoutId", "componentId", "seq", "time")
COLORS = {"→": 36, "←": 32, "•": 33, "✗": 31, "#": 1}


def show(sign: str, name: str, content: JsonObject | None = None) -> None:
    """One line about a call, its answer or an event."""
    line = f"{name}  {members(shortened(content))}" if content else name
    width = shutil.get_terminal_size((PIPE_WIDTH, 0)).columns - 3
    line = line if len(line) <= width else line[: width - 1] + "…"
    print(f"\x1b[{COLORS[sign]}m{sign}\x1b[0m" if sys.stdout.isatty() else sign, line, flush=True)


def heading(text: str) -> None:
    """What the next lines are about."""
    print(flush=True)
    show("#", text)


def shortened(value: Any, name: str = "") -> Any:
    """A value with long texts and lists cut off, and secrets most of all."""
    if isinstance(value, str):
        length = 8 if name in SECRETS else LONGEST_STRING
        return value if len(value) <= length else f"{value[:length]}…"
    if isinstance(value, list):
        rest = len(value) - LONGEST_LIST
        shown = [shortened(element) for element in value[:LONGEST_LIST]]
        return [*shown, f"… {rest} more"] if rest > 0 else shown
    if isinstance(value, dict):
        return {name: shortened(member, name) for name, member in value.items()}
    return value


def members(value: JsonObject) -> str:
    """The members of an object for people to read."""
    return ", ".join(f"{name}: {readable(member)}" for name, member in value.items())


def readable(value: Any) -> str:
    """A value for people to read: JSON with as few marks as will do."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{', '.join(map(readable, value))}]"
    return f"{{{members(value)}}}" if isinstance(value, dict) else json.dumps(value)


class Failed(Exception):
    """The demonstration did not go as it should."""


class Connection:
    """A connection to the daemon: one JSON text a line, both ways."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(TIMEOUT)
        self._connect(path)
        self._lines = self._socket.makefile("rb")
        self._last_id = 0
        self._events: list[JsonObject] = []

    def _connect(self, path: str) -> None:
        """The socket appears a moment before it is listened on."""
        deadline = time.monotonic() + TIMEOUT
        while (error := self._socket.connect_ex(path)) != 0:
            if time.monotonic() > deadline:
                raise Failed(f"cannot connect, error {error}")
            time.sleep(0.01)

    def call(self, method: str, **params: Any) -> Any:
        """Makes a call; shows it, what happens meanwhile, and its answer."""
        self._last_id += 1
        show("→", method, params)
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            message = self._next_message()
            if message.get("id") != self._last_id:
                self._events.append(message)
            elif "error" in message:
                show("✗", method, message["error"])
                raise Failed(f"{method} was refused")
            else:
                show("←", method, message["result"])
                return message["result"]

    def await_event(self, is_wanted: Callable[[JsonObject], bool]) -> JsonObject:
        """The next wanted event's parameters; the daemon goes on by itself in the meantime."""
        while True:
            event = self._events.pop(0) if self._events else self._next_message()
            if is_wanted(event):
                params: JsonObject = event["params"]
                return params

    def _next_message(self) -> JsonObject:
        line = self._lines.readline()
        if not line:
            raise Failed("the daemon closed the connection")
        message: JsonObject = json.loads(line)
        if "method" in message:
            params = {name: value for name, value in message["params"].items() if name not in UNSHOWN}
            show("•", message["method"], params)
        return message


def step(name: str, state: str | None = None) -> Callable[[JsonObject], bool]:
    """Wants a component to come to a step."""
    wanted = {"name": name} | ({"state": state} if state else {})
    return lambda event: wanted.items() <= event["params"].get("step", {}).items()


def info(kind: str) -> Callable[[JsonObject], bool]:
    """Wants the shopper to be asked for something."""
    return lambda event: bool(event["params"].get("info", {}).get("kind") == kind)


def is_end(event: JsonObject) -> bool:
    """Wants the last event of the checkout."""
    return event["method"] in ("checkout.didCompleteCheckout", "checkout.didFail")


def client_session(sandbox: str, **description: Any) -> str:
    """What the merchant's server does: opens a client session, and hands its token to the client."""
    headers = {"Content-Type": "application/json"}
    body = json.dumps(description).encode()
    asked = urllib.request.Request(f"{sandbox}/sandbox/client-sessions", body, headers)
    with urllib.request.urlopen(asked, timeout=TIMEOUT) as response:
        return str(json.load(response)["clientToken"])


def approve_at_the_page(daemon: Connection, component: str) -> JsonObject:
    """The shopper comes to the page that the payment waits for, and approves it there."""
    page = daemon.await_event(step("webRedirect", "loaded"))["step"]["url"]
    daemon.call("component.reportRedirect", componentId=component, outcome="presented")
    heading("The shopper approves at the bank's page")
    decision = urllib.parse.urlencode({"outcome": "approve"}).encode()
    urllib.request.urlopen(page, decision, TIMEOUT).close()
    return daemon.await_event(is_end)


def pay_with_ideal(daemon: Connection, sandbox: str) -> JsonObject:
    """The shopper pays at iDEAL's own page, which is where the banks are now."""
    method = {"type": "ADYEN_IDEAL", "implementationType": "WEB_REDIRECT"}
    token = client_session(sandbox, paymentMethods=[method])
    settings = {"locale": "nl-NL", "urlScheme": "kiosk://checkout"}
    checkout = daemon.call("checkout.start", clientToken=token, settings=settings)["checkoutId"]
    component = daemon.call(
        "nativeUIManager.provide", checkoutId=checkout, paymentMethodType="ADYEN_IDEAL"
    )["componentId"]
    daemon.call("component.start", componentId=component)
    daemon.call("component.submit", componentId=component)
    return approve_at_the_page(daemon, component)


def pay_with_bank_list(daemon: Connection, sandbox: str) -> JsonObject:
    """The shopper looks for a bank in a list, chooses it, and approves the payment at the bank's page."""
    token = client_session(sandbox)
    checkout = daemon.call("checkout.start", clientToken=token, settings={"locale": "nl-NL"})["checkoutId"]
    component = daemon.call(
        "componentWithRedirectManager.provideBanksComponent", checkoutId=checkout, paymentMethodType="ADYEN_IDEAL"
    )["componentId"]
    daemon.call("component.start", componentId=component)
    found = daemon.call("component.updateCollectedData", componentId=component, data={"bankFilterText": "credit"})
    bank = found["banks"][0]["id"]
    daemon.call("component.updateCollectedData", componentId=component, data={"bankId": bank})
    daemon.call("component.submit", componentId=component)
    return approve_at_the_page(daemon, component)


def pay_with_ach(daemon: Connection, sandbox: str) -> JsonObject:
    """The shopper corrects a name, gives a bank account, and accepts the mandate."""
    token = client_session(sandbox)
    stripe = {"publishableKey": "pk_test_example", "merchantName": "Example Shop"}
    settings = {"urlScheme": "kiosk://checkout", "stripe": stripe}
    checkout = daemon.call("checkout.start", clientToken=token, settings=settings)["checkoutId"]
    component = daemon.call("achManager.provide", checkoutId=checkout, paymentMethodType="STRIPE_ACH")["componentId"]
    daemon.call("component.start", componentId=component)
    daemon.call("component.updateCollectedData", componentId=component, data={"firstName": "Mila-Sofie"})
    daemon.call("component.submit", componentId=component)
    daemon.await_event(info("bankAccountCollector"))
    heading("The shopper gives a bank account in Stripe's collector")
    daemon.call("component.reportBankAccount", componentId=component, outcome="succeeded", paymentId="pi_example")
    daemon.await_event(info("mandate"))
    heading("The shopper accepts the mandate")
    daemon.call("component.acceptMandate", componentId=component)
    return daemon.await_event(is_end)


def summary(name: str, end: JsonObject) -> str:
    """What became of a payment."""
    payment = end.get("payment") or {}
    return f"{name:17}{end['outcome']:9}{payment.get('status')}  {payment.get('id')}  {payment.get('orderId')}"


def main(path: str, sandbox: str) -> int:
    """Pays three times; says whether all payments ended as they should."""
    try:
        daemon = Connection(path)
        heading("A client connects, and asks for all events")
        daemon.call("system.hello", client="demo")
        daemon.call("events.subscribe")
        heading("iDEAL")
        ideal = pay_with_ideal(daemon, sandbox)
        heading("iDEAL, by a bank list")
        listed = pay_with_bank_list(daemon, sandbox)
        heading("ACH")
        ach = pay_with_ach(daemon, sandbox)
    except KeyboardInterrupt:
        return 130
    except (Failed, OSError) as error:
        print(f"demo-client: {error}", file=sys.stderr)
        return 1
    heading("All payments")
    print(summary("iDEAL", ideal))
    print(summary("iDEAL bank list", listed))
    print(summary("ACH", ach))
    # An ACH debit is on its way for days; the checkout is complete all the same.
    outcomes = [end["outcome"] for end in (ideal, listed, ach)]
    return 0 if outcomes == ["success", "success", "pending"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
