"""The daemon beside the sandbox, and checkouts brought to where a measurement begins."""

from __future__ import annotations

import contextlib
import functools
import http.client
import json
import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.machine import GENERATOR_CPU, on_cpu
from bench.servers import TIMEOUT, DidNotRun, FanOut, Process, Request, Server

ACH = "STRIPE_ACH"
IDEAL = "ADYEN_IDEAL"

_SANDBOX = Path(__file__).resolve().parents[3] / "client" / "sandbox" / "primer-sandbox"
_ACH_SETTINGS = {"urlScheme": "kiosk://checkout", "stripe": {"publishableKey": "pk_test", "merchantName": "Shop"}}
_PROVIDERS = {ACH: "achManager.provide", IDEAL: "componentWithRedirectManager.provide"}
_UPDATE = (
    '{"jsonrpc":"2.0","id":%ID%,"method":"component.updateCollectedData",'
    '"params":{"componentId":"COMPONENT","data":{"firstName":"NAME"}}}'
)
# What the descriptors of a server are for, beside connections.
_OTHER_DESCRIPTORS = 300
_MOST_CONNECTIONS = 10_000
_MOST_CHECKOUTS = 1_000_000


class Sandbox:
    """The stand-in for Primer's API, on the generator's CPU."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._listen = "127.0.0.1:0"
        self.start()

    @classmethod
    def at(cls, port: int) -> Sandbox:
        """One that runs already; whoever calls this only asks it."""
        sandbox = cls.__new__(cls)
        sandbox.port = port
        sandbox._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        return sandbox

    def start(self) -> None:
        """Starts it, again at the same port."""
        port_file = self._directory / "sandbox-port"
        port_file.unlink(missing_ok=True)
        command = [sys.executable, str(_SANDBOX), "--listen", self._listen, "--port-file", str(port_file)]
        with on_cpu(GENERATOR_CPU):
            self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr
        if not self._process.stderr.readline():
            raise DidNotRun("the sandbox did not start")
        self.port = int(port_file.read_text())
        self._listen = f"127.0.0.1:{self.port}"
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)

    def stop(self) -> None:
        """Ends it."""
        self._connection.close()
        self._process.terminate()
        self._process.communicate(timeout=TIMEOUT)

    def client_token(self) -> str:
        """The token of a new client session, with twelve banks."""
        token: str = self._call("POST", "client-sessions", {})["clientToken"]
        return token

    def forget_requests(self) -> None:
        """Empties its log of requests."""
        self._call("DELETE", "requests", None)

    def _call(self, method: str, path: str, body: Any) -> Any:
        text = None if body is None else json.dumps(body)
        self._connection.request(method, f"/sandbox/{path}", text, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise DidNotRun(f"the sandbox answered {response.status}")
        return json.loads(answer)


@contextlib.contextmanager
def acting_as(uid: int) -> Iterator[None]:
    """What is connected to within, that user connects to; 0 is whoever runs this."""
    if uid == 0:
        yield
        return
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


class Caller:
    """A connection that makes one call at a time."""

    def __init__(self, path: Path, uid: int = 0) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(TIMEOUT)
        with acting_as(uid):
            self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")

    def close(self) -> None:
        """Ends the connection."""
        self._lines.close()
        self._socket.close()

    def call(self, method: str, /, **params: Any) -> Any:
        """The result of a call; lines that come before it are passed over."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._socket.sendall(json.dumps(message).encode() + b"\n")
        while line := self.line():
            reply = json.loads(line)
            if "id" not in reply:
                continue
            if "error" in reply:
                raise DidNotRun(f"{method}: {reply['error']}")
            return reply["result"]
        raise DidNotRun(f"{method}: the daemon closed the connection")

    def line(self) -> bytes:
        """The next line."""
        return self._lines.readline()


@dataclass(frozen=True)
class Checkout:
    """A live checkout and its component."""

    id: str
    component_id: str


@functools.cache
def options_of(program: Path) -> str:
    """What the program says about its options."""
    return subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout


def is_durable(program: Path) -> bool:
    """Whether the program can keep its state on the disk."""
    return "--state-directory" in options_of(program) and "--sync" in options_of(program)


class Daemon:
    """A running daemon with room for many connections and checkouts."""

    def __init__(
        self,
        program: Path,
        sandbox: Sandbox,
        socket_path: Path,
        options: Sequence[str] = ("--ephemeral",),
        prefix: Sequence[str] = (),
    ) -> None:
        self._sandbox = sandbox
        most = min(_MOST_CONNECTIONS, os.sysconf("SC_OPEN_MAX") - _OTHER_DESCRIPTORS)
        command = [*prefix, str(program), "--socket", "{socket}"]
        command += ["--upstream-allow", f"http://127.0.0.1:{sandbox.port}"]
        command += ["--max-connections", str(most), "--max-connections-per-uid", str(most)]
        if "--max-checkouts " in options_of(program):
            command += ["--max-checkouts", str(_MOST_CHECKOUTS)]
        if "--max-connection-rate" in options_of(program):
            command += ["--max-connection-rate", str(_MOST_CHECKOUTS)]
        command += ["--max-checkouts-per-uid", str(_MOST_CHECKOUTS), "--log-level", "warning", *options]
        ping = Request(('{"jsonrpc":"2.0","id":%ID%,"method":"system.ping"}',), id_key='"id":')
        self.process = Process(Server(socket_path.name, tuple(command), ping), socket_path)

    def stop(self) -> None:
        """Ends it."""
        self.process.stop()

    def make_checkouts(self, count: int, kind: str, uid: int = 0) -> Iterator[Checkout]:
        """Starts checkouts of a user's, each with one loaded component."""
        caller = Caller(self.process.socket_path, uid)
        for number in range(1, count + 1):
            if number % 1000 == 0:
                self._sandbox.forget_requests()
            token = self._sandbox.client_token()
            started = caller.call("checkout.start", clientToken=token, settings=_ACH_SETTINGS)
            id = started["checkoutId"]
            component = caller.call(_PROVIDERS[kind], checkoutId=id, paymentMethodType=kind)["componentId"]
            caller.call("component.start", componentId=component)
            yield Checkout(id, component)
        caller.close()

    def make_records(self, count: int) -> None:
        """Starts checkouts, each with a key, and cancels them."""
        caller = Caller(self.process.socket_path)
        for number in range(1, count + 1):
            if number % 1000 == 0:
                self._sandbox.forget_requests()
            key = str(uuid.uuid4())
            caller.call("checkout.start", clientToken=self._sandbox.client_token(), startKey=key)
            caller.call("checkout.cancel", checkoutId={"startKey": key})
        caller.close()

    def note_size(self, checkout: Checkout) -> tuple[int, int]:
        """How many events one update publishes, and how many bytes each has on average."""
        caller = Caller(self.process.socket_path)
        read = {"checkoutId": checkout.id, "types": ["component.didUpdateValidationStatus"]}
        before = len(caller.call("events.read", **read)["events"])
        caller.call("component.updateCollectedData", componentId=checkout.component_id, data={"firstName": "Ada"})
        events = caller.call("events.read", **read)["events"][before:]
        caller.close()
        # As a notification it has the version too, and a line feed.
        sizes = [len(json.dumps(event, separators=(",", ":")) + '"jsonrpc":"2.0",\n') for event in events]
        return len(events), round(sum(sizes) / len(sizes))


def update(component: str, values: Path | None = None) -> Request:
    """An update of collected data, in turn two names; of one component, or of each connection's own."""
    component = "%VALUE%" if values else component
    texts = tuple(_UPDATE.replace("COMPONENT", component).replace("NAME", name) for name in ("Ada", "Grace"))
    return Request(texts, id_key='"id":', values=values)


def validation_events(checkout: Checkout, notes: int) -> FanOut:
    """Updates of one component, with subscribers to its checkout."""
    params = {"checkoutId": checkout.id, "types": ["component.didUpdateValidationStatus"]}
    subscribe = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "events.subscribe", "params": params})
    return FanOut(update(checkout.component_id), subscribe, notes)
