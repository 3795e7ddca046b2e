"""The client for Node while the daemon goes and comes back, and while it reads too slowly: each event once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

from clients.drivers import NodeDriver
from clients.flood import flood
from crash.case import HOW, DurableTest, eventually
from support.checkout import BANK, IDEAL
from support.client import TIMEOUT
from support.lines import JsonObject
from support.sandbox import Session


class NodeTest(DurableTest):
    def setUp(self) -> None:
        super().setUp()
        self.driver = NodeDriver(self.daemon.socket_path)
        self.addCleanup(self.driver.close)
        self.pool = ThreadPoolExecutor()
        self.addCleanup(self.pool.shutdown)

    def provided(self, session: Session) -> tuple[str, str]:
        """A checkout and its component, whose banks are loaded."""
        checkout = self.driver.call("checkout.start", {"clientToken": session.client_token})["checkoutId"]
        provide = "componentWithRedirectManager.provide"
        component = self.driver.call(provide, {"checkoutId": checkout, "paymentMethodType": IDEAL})["componentId"]
        self.driver.call("component.start", {"componentId": component})
        return checkout, component

    def events_until(self, checkout: str, wanted: str) -> list[JsonObject]:
        """The next events, up to one that has this name or this state of its step."""
        events: list[JsonObject] = []
        found: set[str] = set()
        while wanted not in found:
            name, params = self.driver.next_event(checkout)
            events.append({"method": name, "params": params})
            found = {name, params.get("step", {}).get("state", "")}
        return events


class Restarts(NodeTest):
    def test_events_go_on(self) -> None:
        for how in HOW:
            with self.subTest(how):
                self.driver = NodeDriver(self.daemon.socket_path)
                self.addCleanup(self.driver.close)
                session = self.session()
                checkout, component = self.provided(session)
                self.driver.call("component.updateCollectedData", {"componentId": component, "data": {"bankId": BANK}})
                self.driver.call("component.submit", {"componentId": component})
                seen = self.events_until(checkout, "loaded")
                self.daemon.end(how)
                # The client already tries when the daemon comes back.
                rest = self.pool.submit(self.events_until, checkout, "checkout.didCompleteCheckout")
                self.daemon.start()
                self.client = self.daemon.connect()
                session.approve()
                seen += rest.result(TIMEOUT)
                history = self.client.call("events.read", checkoutId=checkout, limit=1000)["events"]
                self.assertEqual(seen, history)

    def test_wait_goes_on(self) -> None:
        session = self.session()
        checkout, _ = self.provided(session)
        params: JsonObject = {"checkoutId": checkout, "for": ["terminal"], "waitMs": TIMEOUT * 1000}
        waiting = self.pool.submit(self.driver.call, "checkout.wait", params)
        # Ours, the one that calls share, and that of the wait.
        eventually("the wait", lambda: len(self.client.call("system.connections")["connections"]) == 3)
        self.restart()
        self.client.call("checkout.cancel", checkoutId=checkout)
        self.assertEqual(waiting.result(TIMEOUT)["snapshot"]["outcome"], "cancelled")


class SlowReader(NodeTest):
    options: ClassVar[Sequence[str]] = ["--max-queue", "65536"]

    def test_lost_events_are_read(self) -> None:
        checkout, component = self.provided(self.session())
        seen = self.events_until(checkout, "component.didReceiveStep")
        flood(self.client, component)
        self.driver.call("checkout.cancel", {"checkoutId": checkout})
        seen += self.events_until(checkout, "checkout.didFail")
        self.assertEqual([event["params"]["seq"] for event in seen], list(range(1, len(seen) + 1)))
