"""The kiosk that is an example for Electron, whole, with as much of Electron as Node has room for."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clients.node_library import NODE, NODE_PROJECT, NODE_TESTS
from crash.case import DurableTest, eventually
from support.client import TIMEOUT, TimedOut
from support.lines import JsonObject

_BANK = "Ambachtsbank"


class Kiosk:
    """The running example."""

    def __init__(self, directory: Path, socket_path: Path, shop: str) -> None:
        self._process = subprocess.Popen(
            [NODE, "kiosk/main.js"],
            cwd=directory,
            env=os.environ | {"CHECKOUTD_SOCKET": str(socket_path), "SHOP_URL": shop},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def touch(self, name: str) -> None:
        """The shopper touches a button."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"touch": name}).encode() + b"\n")

    def until(self, is_it: Callable[[JsonObject], Any]) -> JsonObject:
        """What it shows or does next that is like this."""
        while not is_it(told := self._next()):
            pass
        return told

    def until_screen(self, name: str) -> JsonObject:
        """The next time that this screen is shown, and no other."""
        shown: JsonObject = self.until(lambda told: told.get("shown", {}).get("screens") == [name])["shown"]
        return shown

    def _next(self) -> JsonObject:
        assert self._process.stdout
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self._process.stdout], [], [], TIMEOUT)[0]:
                raise TimedOut("the kiosk shows nothing new")
            byte = self._process.stdout.read(1)
            assert byte, "the kiosk has ended"
            line += byte
        told: JsonObject = json.loads(line)
        return told

    def leave(self) -> int:
        """Closes its window."""
        assert self._process.stdin
        self._process.stdin.close()
        return self._process.wait(TIMEOUT)

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._process.wait(TIMEOUT)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            pipe.close()


class Electron(DurableTest):
    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        shutil.copytree(NODE_PROJECT / "examples" / "electron", self.directory / "kiosk")
        (self.directory / "node_modules").mkdir()
        (self.directory / "node_modules" / "checkoutd").symlink_to(NODE_PROJECT)
        (self.directory / "node_modules" / "electron").symlink_to(NODE_TESTS / "electron")
        self.shop = f"{self.sandbox.base}/sandbox/client-sessions"

    def kiosk(self) -> Kiosk:
        """The example, running."""
        kiosk = Kiosk(self.directory, self.daemon.socket_path, self.shop)
        self.addCleanup(kiosk.kill)
        return kiosk

    def at_the_bank(self, kiosk: Kiosk) -> str:
        """Chooses a bank; the payment whose page is open."""
        self.assertIn(_BANK, kiosk.until_screen("banks")["banks"])
        kiosk.touch(_BANK)
        return self.opened(kiosk)

    def opened(self, kiosk: Kiosk) -> str:
        """The payment whose page is opened next."""
        return str(kiosk.until(lambda told: "opened" in told)["opened"]).rpartition("/")[2]

    def test_pays_twice(self) -> None:
        kiosk = self.kiosk()
        kiosk.until_screen("idle")
        for answer, text in (("approve", "has arrived"), ("decline", "Nothing was taken")):
            kiosk.touch("begin")
            payment = self.at_the_bank(kiosk)
            self.sandbox.decide(payment, answer)
            kiosk.until(lambda told: "closed" in told)
            self.assertIn(text, kiosk.until_screen("end")["outcome"])
            kiosk.touch("next")
            kiosk.until_screen("idle")
        self.assertEqual(kiosk.leave(), 0)

    def test_goes_on_after_its_own_crash_and_the_daemons(self) -> None:
        first = self.kiosk()
        first.touch("begin")
        payment = self.at_the_bank(first)
        first.kill()
        self.daemon.end(signal.SIGKILL)
        second = self.kiosk()
        second.until_screen("working")
        self.daemon.start()
        self.assertEqual(self.opened(second), payment)
        self.restart()
        self.sandbox.decide(payment, "approve")
        self.assertIn("has arrived", second.until_screen("end")["outcome"])
        second.kill()
        # What has ended is shown until somebody has seen it.
        third = self.kiosk()
        self.assertIn("has arrived", third.until_screen("end")["outcome"])
        third.touch("next")
        third.until_screen("idle")
        self.assertFalse((self.directory / "sale.json").exists())

    def test_the_shopper_leaves(self) -> None:
        kiosk = self.kiosk()
        kiosk.touch("begin")
        kiosk.until_screen("banks")
        kiosk.touch("cancel")
        self.assertIn("Cancelled", kiosk.until_screen("end")["outcome"])

    def test_the_bank_page_is_closed(self) -> None:
        kiosk = self.kiosk()
        kiosk.touch("begin")
        payment = self.at_the_bank(kiosk)
        kiosk.touch("close the page")
        self.client = self.daemon.connect()
        (checkout,) = self.client.call("checkout.list")["checkouts"]
        reported = {"name": "webRedirect", "state": "dismissed"}
        eventually("it is reported", lambda: self.step(checkout["checkoutId"]) == reported)
        self.sandbox.decide(payment, "approve")
        self.assertIn("has arrived", kiosk.until_screen("end")["outcome"])

    def step(self, checkout_id: str) -> JsonObject:
        """Where the component of a checkout has got to."""
        (component,) = self.client.call("checkout.get", checkoutId=checkout_id)["components"]
        step: JsonObject = component["step"]
        return step

    def test_a_shop_that_does_not_answer(self) -> None:
        self.shop = f"{self.sandbox.base}/nothing"
        kiosk = self.kiosk()
        kiosk.touch("begin")
        self.assertIn("the shop answers", kiosk.until(lambda told: told["shown"]["problem"])["shown"]["problem"])
        # It can be tried again.
        kiosk.touch("begin")
        kiosk.until(lambda told: told["shown"]["problem"])

    def test_a_start_that_is_refused(self) -> None:
        """Nothing was taken, and that is what the shopper reads."""
        self.sandbox.fault("configuration", status=401)
        kiosk = self.kiosk()
        kiosk.touch("begin")
        self.assertIn("Nothing was taken", kiosk.until_screen("end")["outcome"])
