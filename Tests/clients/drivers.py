"""The clients, made to go through transcripts: each call by what the client has for it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clients.ctl import Ctl
from clients.library import checkoutd
from clients.node_library import NODE, NODE_TESTS
from clients.transcript import CallFailed
from support.client import TIMEOUT, TimedOut
from support.daemon import program
from support.lines import JsonObject


def _snake(params: JsonObject) -> JsonObject:
    return {re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name): params[name] for name in params}


class PythonDriver:
    """What both faces of the Python client have in common, which is nearly all: the async one has to be waited for."""

    def __init__(self, client: Any, wait: Callable[[Any], Any]) -> None:
        self._client = client
        self._wait = wait
        self._components: dict[str, Any] = {}

    def call(self, method: str, params: JsonObject) -> Any:
        """The result of a call."""
        # Components of other managers have no type of their own: their calls are made by name.
        has_type = params.get("componentId") in (None, *self._components)
        typed = getattr(self, f"_{method.replace('.', '_')}", None)
        try:
            if typed and has_type:
                return typed(**_snake(params))
            if method.startswith("component.") and has_type:
                (name,) = _snake({method.partition(".")[2]: None})
                return self._on_component(name, **_snake(params))
            return self._wait(self._client.call(method, params))
        except checkoutd.CallError as error:
            raise CallFailed(error.code, dict(error.data)) from error

    def _checkout(self, checkout_id: Any) -> Any:
        if isinstance(checkout_id, dict):
            return self._wait(self._client.attach(**_snake(checkout_id)))
        return self._wait(self._client.attach(checkout_id))

    def _checkout_start(self, client_token: str, **options: Any) -> Any:
        checkout = self._wait(self._client.start(client_token, **options))
        return self._wait(checkout.snapshot())

    def _checkout_get(self, checkout_id: Any) -> Any:
        return self._wait(self._checkout(checkout_id).snapshot())

    def _checkout_wait(self, checkout_id: str, wait_ms: int, **names: list[str]) -> Any:
        return self._wait(self._checkout(checkout_id).wait(*names["for"], timeout=wait_ms / 1000))

    def _checkout_cancel(self, checkout_id: str, reason: str | None = None) -> Any:
        return {"state": self._wait(self._checkout(checkout_id).cancel(reason))}

    def _checkout_decide(self, checkout_id: str, decision_id: str, decision: str, **more: Any) -> Any:
        return self._wait(self._checkout(checkout_id).decide(decision_id, decision, **more)) or {}

    def _componentWithRedirectManager_provideBanksComponent(self, checkout_id: str, payment_method_type: str) -> Any:
        return self._keep(self._wait(self._checkout(checkout_id).provide_banks(payment_method_type)))

    def _achManager_provide(self, checkout_id: str, payment_method_type: str) -> Any:
        return self._keep(self._wait(self._checkout(checkout_id).provide_ach(payment_method_type)))

    def _keep(self, component: Any) -> JsonObject:
        self._components[component.id] = component
        return {"componentId": component.id}

    def _component_start(self, component_id: str) -> Any:
        collected = self._on_component("start", component_id)
        if isinstance(collected, list):
            return {"step": {"name": "banksRetrieved", "banks": collected}}
        return {"step": {"name": "retrievedUserDetails", "details": collected}}

    def _component_updateCollectedData(self, component_id: str, data: JsonObject) -> Any:
        return self._on_component("update", component_id, **_snake(data))

    def _on_component(self, name: str, component_id: str, **more: Any) -> Any:
        # What nothing is said of in the result is an empty object in the protocol.
        return self._wait(getattr(self._components[component_id], name)(**more)) or {}


class SyncDriver(PythonDriver):
    """The client that waits."""

    def __init__(self, socket_path: Path) -> None:
        self._sync_client = checkoutd.Client(socket_path)
        self._events: Any = None
        super().__init__(self._sync_client, lambda result: result)

    def next_event(self, checkout_id: str) -> tuple[str, JsonObject]:
        """The next event of the checkout."""
        self._events = self._events or self._checkout(checkout_id).events(timeout=TIMEOUT)
        event = next(self._events)
        return event.name, event.params

    def close(self) -> None:
        """Ends its connections."""
        if self._events:
            self._events.close()
        self._sync_client.close()


class AsyncDriver(PythonDriver):
    """The client for asyncio, in an event loop that runs while it is waited for."""

    def __init__(self, socket_path: Path) -> None:
        self._runner = asyncio.Runner()
        self._async_client = checkoutd.AsyncClient(socket_path)
        self._events: Any = None
        super().__init__(self._async_client, self._run)

    def _run(self, awaitable: Any) -> Any:
        async def wait() -> Any:
            return await awaitable

        return self._runner.run(wait())

    def next_event(self, checkout_id: str) -> tuple[str, JsonObject]:
        """The next event of the checkout."""
        self._events = self._events or self._checkout(checkout_id).events(timeout=TIMEOUT)
        event = self._run(anext(self._events))
        return event.name, event.params

    def close(self) -> None:
        """Ends its connections and the loop."""
        if self._events:
            self._run(self._events.aclose())
        self._async_client.close()
        self._runner.close()


class CtlDriver:
    """The command."""

    def __init__(self, socket_path: Path) -> None:
        self._socket_path = socket_path
        self._follower: Ctl | None = None

    def call(self, method: str, params: JsonObject) -> Any:
        """The result of a call."""
        ctl = Ctl("--socket", self._socket_path, "call", method, "-")
        try:
            outcome = ctl.finish(json.dumps(params))
        finally:
            ctl.close()
        if outcome.status == 0:
            return outcome.value
        raise CallFailed(outcome.error["code"], outcome.error["data"])

    def next_event(self, checkout_id: str) -> tuple[str, JsonObject]:
        """The next event of the checkout."""
        self._follower = self._follower or Ctl("--socket", self._socket_path, "follow", "--json", checkout_id)
        event = self._follower.next_line()
        return event["method"], event["params"]

    def close(self) -> None:
        """Ends the command that prints events."""
        if self._follower:
            self._follower.close()


class ProgramDriver:
    """A client in a program that does one step for each line it reads."""

    def __init__(self, command: Sequence[str | Path], socket_path: Path) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=os.environ | {"CHECKOUTD_SOCKET": str(socket_path)},
        )

    def call(self, method: str, params: JsonObject) -> Any:
        """The result of a call."""
        answer = self._do({"call": method, "params": params})
        if "error" in answer:
            raise CallFailed(answer["error"]["code"], answer["error"]["data"])
        return answer["result"]

    def next_event(self, checkout_id: str) -> tuple[str, JsonObject]:
        """The next event of the checkout."""
        event = self._do({"event": checkout_id})
        return event["event"], event["params"]

    def _do(self, step: JsonObject) -> JsonObject:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(step).encode() + b"\n")
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self._process.stdout], [], [], TIMEOUT)[0]:
                raise TimedOut(f"no answer to {step}")
            part = self._process.stdout.read(65536)
            assert part, "the program has ended"
            line += part
        answer: JsonObject = json.loads(line)
        assert "failure" not in answer, answer
        return answer

    def close(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._process.communicate(timeout=TIMEOUT)


class SwiftDriver(ProgramDriver):
    """The Swift client."""

    def __init__(self, socket_path: Path) -> None:
        super().__init__([program("TranscriptDriver")], socket_path)


class NodeDriver(ProgramDriver):
    """The client for Node."""

    def __init__(self, socket_path: Path) -> None:
        super().__init__([NODE, NODE_TESTS / "driver.mjs"], socket_path)
