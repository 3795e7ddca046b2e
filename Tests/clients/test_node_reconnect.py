"""The client for Node while it reads too slowly: each event once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from clients.drivers import NodeDriver
from clients.flood import flood
from crash.case import DurableTest
from support.checkout import IDEAL


class SlowReader(DurableTest):
    options: ClassVar[Sequence[str]] = ["--max-queue", "65536"]

    def test_lost_events_are_read(self) -> None:
        driver = NodeDriver(self.daemon.socket_path)
        self.addCleanup(driver.close)
        checkout = driver.call("checkout.start", {"clientToken": self.session().client_token})["checkoutId"]
        provide = "componentWithRedirectManager.provide"
        component = driver.call(provide, {"checkoutId": checkout, "paymentMethodType": IDEAL})["componentId"]
        driver.call("component.start", {"componentId": component})
        seen = [driver.next_event(checkout)[1]["seq"] for _ in range(3)]
        flood(self.client, component)
        driver.call("checkout.cancel", {"checkoutId": checkout})
        name = ""
        while name != "checkout.didFail":
            name, params = driver.next_event(checkout)
            seen.append(params["seq"])
        self.assertEqual(seen, list(range(1, len(seen) + 1)))
