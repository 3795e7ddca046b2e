"""The examples of the OpenRPC document: each is a call that is made, and what is written is what comes."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clients.likeness import Likeness, Unlike
from clients.openrpc import Document
from support.case import DaemonTest
from support.checkout import ACH, ACH_SETTINGS, BANK, IDEAL, Checkout
from support.client import Client
from support.daemon import Daemon
from support.lines import JsonObject
from support.sandbox import Session

_BANKS: list[JsonObject] = [
    {"id": BANK, "name": "Ambachtsbank", "iconUrl": "https://icons.example.com/9001.png", "disabled": False},
    {"id": "9003", "name": "Crédit Zilverduin", "disabled": False},
]
_ORDER: JsonObject = {
    "orderId": "order-1001",
    "lineItems": [{"itemId": "mug", "quantity": 1, "amount": 799, "description": "Mug"}],
}


@dataclass(frozen=True)
class Scene:
    """Where an example begins: who calls, and about what."""

    client: Client
    session: Session | None = None
    checkout: Checkout | None = None

    def filled(self, params: JsonObject) -> JsonObject:
        """The parameters with the scene's own values for ids and tokens."""
        own: JsonObject = {}
        if self.session:
            own["clientToken"] = self.session.client_token
        if self.checkout:
            own |= {"checkoutId": self.checkout.id, "componentId": self.checkout.component_id}
        return {name: own.get(name, value) for name, value in params.items()}


# As the document tells of it: how its button looks would be half of every answer.
_PLAIN_IDEAL: JsonObject = {"type": IDEAL, "displayMetadata": None}


class Examples(DaemonTest):
    def start_daemon(self, *options: str, environment: Mapping[str, str] | None = None) -> Daemon:
        """A daemon that has a configuration file, which can be read again."""
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        file = Path(directory.name) / "checkoutd.conf"
        file.write_text("# All as it is by itself.\n")
        return super().start_daemon("--config", str(file), *options, environment=environment)

    def test_what_is_written_is_what_comes(self) -> None:
        document = Document(self.client.call("rpc.discover"))
        for method in document.methods:
            self.assertTrue(method["examples"], method["name"])
            for example in method["examples"]:
                with self.subTest(method["name"], example=example["name"]):
                    self.daemon = self.start_daemon()
                    self.client = self.daemon.connect()
                    self.play(document, method, example)

    def play(self, document: Document, method: JsonObject, example: JsonObject) -> None:
        """Makes the call, and looks at what comes."""
        name = method["name"]
        scene = _SCENES.get((name, example["name"]), _SCENES.get(name, Examples.alone))(self)
        params = {value["name"]: value["value"] for value in example["params"]}
        result = scene.client.call(name, **scene.filled(params))
        self.assertEqual(document.mismatches(method["result"]["schema"], result), [])
        Likeness(is_abridged="abridged" in example["name"]).check(example["result"]["value"], result)

    # Scenes

    def alone(self) -> Scene:
        """A client, and nothing else."""
        return Scene(self.client)

    def kept(self) -> Scene:
        """A daemon whose state is on the disk."""
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.daemon = self.start_daemon("--state-directory", directory.name)
        return Scene(self.daemon.connect())

    def about(self, checkout: Checkout) -> Scene:
        """A client that is new, so that what it hears is what it asked for."""
        return Scene(self.daemon.connect(), checkout=checkout)

    def small_session(self, **options: Any) -> Session:
        """A session with little in it, and nothing that differs from run to run."""
        small = {"banks": _BANKS, "order": _ORDER, "customer": {"customerId": "customer-7"}, "paymentMethods": [_PLAIN_IDEAL]}
        return self.session(**small | options)

    def new(self) -> Scene:
        """A client session."""
        return Scene(self.client, session=self.small_session())

    def ready(self) -> Scene:
        """A checkout with nothing provided."""
        return self.about(self.start(self.small_session()))

    def ready_for_ach(self) -> Scene:
        """A checkout that can be paid with ACH."""
        return self.about(self.start(self.session(), settings=ACH_SETTINGS))

    def ready_for_a_page(self) -> Scene:
        """A checkout that can be paid at a page."""
        twint = {"type": "ADYEN_TWINT", "implementationType": "WEB_REDIRECT"}
        return self.about(self.start(self.small_session(paymentMethods=[twint])))

    def ready_for_a_code(self) -> Scene:
        """A checkout that can be paid with a code of the banking app."""
        return self.about(self.start(self.small_session(paymentMethods=["ADYEN_BLIK"])))

    def provided(self) -> Scene:
        """A banks component that is not started."""
        checkout = self.start(self.small_session())
        checkout.provide(IDEAL)
        return self.about(checkout)

    def provided_for_ach(self) -> Scene:
        """A component for the customer's details that is not started."""
        checkout = self.start(self.session(), settings=ACH_SETTINGS)
        checkout.provide(ACH)
        return self.about(checkout)

    def with_banks(self) -> Scene:
        """A banks component that has its banks."""
        return self.about(self.banks(self.small_session()))

    def with_a_bank(self) -> Scene:
        """A banks component that can be submitted."""
        return self.about(self.chosen(self.small_session()))

    def submitted(self) -> Scene:
        """A checkout that has just been submitted."""
        checkout = self.chosen(self.small_session())
        checkout.submit()
        return self.about(checkout)

    def at_the_bank(self) -> Scene:
        """A checkout whose shopper is at the bank's page."""
        return self.about(self.redirected(self.small_session()))

    def paid(self) -> Scene:
        """A checkout that was paid."""
        checkout = self.redirected(self.small_session())
        checkout.session.approve()
        checkout.await_end()
        return self.about(checkout)

    def asking(self) -> Scene:
        """A checkout that asks whether the payment may be created."""
        checkout = self.chosen(self.small_session(), decisions=["willCreatePayment"])
        checkout.submit()
        checkout.await_event("willCreatePayment")
        return self.about(checkout)

    def shared(self) -> Scene:
        """A checkout that a group may look at."""
        scene = self.ready()
        assert scene.checkout
        scene.checkout.call("checkout.share", gid=1000, role="observe")
        return scene

    def at_the_collector(self) -> Scene:
        """A checkout that waits for the bank account."""
        return self.about(self.collecting())

    def at_the_mandate(self) -> Scene:
        """A checkout that waits for the mandate."""
        checkout = self.collecting()
        checkout.report_account()
        checkout.await_event("info mandate")
        return self.about(checkout)

    def subscribed(self) -> Scene:
        """A client that has subscribed to everything."""
        self.client.call("events.subscribe")
        return Scene(self.client)


# By method, or by method and example. Where there is none a client will do.
_SCENES: dict[str | tuple[str, str], Callable[[Examples], Scene]] = {
    "system.backup": Examples.kept,
    "checkout.start": Examples.new,
    "checkout.get": Examples.paid,
    "checkout.wait": Examples.submitted,
    "checkout.list": Examples.ready,
    "checkout.cancel": Examples.ready,
    "checkout.decide": Examples.asking,
    "checkout.share": Examples.ready,
    "checkout.unshare": Examples.shared,
    "componentWithRedirectManager.provideBanksComponent": Examples.ready,
    "componentWithRedirectManager.provide": Examples.ready,
    "achManager.provide": Examples.ready_for_ach,
    "nativeUIManager.provide": Examples.ready_for_a_page,
    "rawDataManager.provide": Examples.ready_for_a_code,
    "component.start": Examples.provided,
    ("component.start", "What is known of the customer"): Examples.provided_for_ach,
    "component.updateCollectedData": Examples.with_banks,
    "component.submit": Examples.with_a_bank,
    "component.get": Examples.with_a_bank,
    "component.reportRedirect": Examples.at_the_bank,
    "component.reportBankAccount": Examples.at_the_collector,
    "component.acceptMandate": Examples.at_the_mandate,
    "component.declineMandate": Examples.at_the_mandate,
    "events.subscribe": Examples.ready,
    "events.unsubscribe": Examples.subscribed,
    "events.read": Examples.ready,
}


class Alike(unittest.TestCase):
    ALIKE: tuple[tuple[Any, Any], ...] = (
        ({"uid": 1000, "role": "user"}, {"uid": 0, "role": "user"}),
        ("2026-11-30T09:00:00.000Z", "2027-01-01T10:11:12.345Z"),
        (["co_0000000000000001", "co_0000000000000001"], ["co_00000000000000ff", "co_00000000000000ff"]),
        ("https://bank.example.com/pay_0000000000000001", "http://127.0.0.1:80/bank/pay_00000000000000ff"),
    )
    UNLIKE: tuple[tuple[Any, Any], ...] = (
        ({"seq": 1}, {"seq": 2}),
        ({"seq": 1}, {"seq": True}),
        ({"uid": 1000}, {"uid": "root"}),
        ({"seq": 1}, {}),
        ({}, {"seq": 1}),
        ([1], [1, 1]),
        ("ready", "failed"),
        ("2026-11-30T09:00:00.000Z", "today"),
        (["co_0000000000000001", "co_0000000000000001"], ["co_00000000000000ff", "co_00000000000000fe"]),
        ("co_0000000000000001", "pay_0000000000000001"),
        ("cm_0000000000000001_0", "cm_0000000000000001_1"),
        ("https://bank.example.com/pay_0000000000000001", "https://bank.example.com/"),
        ({"client": None}, {"client": ""}),
    )

    def test_what_may_differ(self) -> None:
        for written, actual in self.ALIKE:
            with self.subTest(written):
                Likeness().check(written, actual)

    def test_what_may_not(self) -> None:
        for written, actual in self.UNLIKE:
            with self.subTest(written), self.assertRaises(Unlike):
                Likeness().check(written, actual)

    def test_abridged(self) -> None:
        Likeness(is_abridged=True).check({"list": [1, 3]}, {"list": [1, 2, 3], "next": 4})
        for written in ({"list": [3, 1]}, {"list": [4]}, {"next": 5}, {"last": 4}):
            with self.subTest(written), self.assertRaises(Unlike):
                Likeness(is_abridged=True).check(written, {"list": [1, 2, 3], "next": 4})
