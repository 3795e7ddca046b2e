"""Ending when there is nothing to do, without losing a client."""

from __future__ import annotations

import random
import threading
import time

from support.client import Client
from systemd.case import ServiceTest
from systemd.service import SERVICE, SOCKET, eventually, show, systemctl
from systemd.test_restarts import Lines, Loop


class IdleExit(ServiceTest):
    configuration = "idle-exit = 1\n"

    def start_and_leave(self) -> int:
        client = self.service.connect()
        client.call("system.ping")
        pid = self.service.pid
        client.close()
        return pid

    def test_it_ends_and_the_next_client_starts_it_again(self) -> None:
        for _ in range(2):
            began = time.monotonic()
            pid = self.start_and_leave()
            eventually(lambda: self.service.state, "inactive")
            self.assertGreater(time.monotonic() - began, 0.9)
            self.assertEqual((show("Result"), show("ExecMainStatus")), ("success", "0"))
            self.assertEqual(show("ActiveState", SOCKET), "active")
            self.assertNotEqual(self.start_and_leave(), pid)
            eventually(lambda: self.service.state, "inactive")
        self.assertTrue(self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e80c"))

    def test_client_keeps_it(self) -> None:
        client = self.service.connect()
        client.call("system.ping")
        pid = self.service.pid
        threading.Event().wait(2.5)
        self.assertEqual((self.service.pid, client.call("system.ping")), (pid, {}))

    def test_checkout_keeps_it_until_its_data_is_wiped(self) -> None:
        self.service.configure("idle-exit = 1\nretention = 1500\n")
        self.connect()
        checkout = self.redirected(self.session(pendingPolls=1000))
        pid = self.service.pid
        self.client.close()
        threading.Event().wait(2.5)
        # The redirect's status is polled.
        self.assertEqual(self.service.pid, pid)
        client = self.connect()
        checkout.session.approve()
        ended = client.call("checkout.wait", checkoutId=checkout.id, waitMs=10_000, **{"for": ["terminal"]})
        self.assertEqual(ended["snapshot"]["outcome"], "success")
        client.close()
        eventually(lambda: self.service.state, "inactive")
        archived = self.service.connect().call("checkout.get", checkoutId=checkout.id)
        self.assertEqual(archived["state"], "archived")
        wiped = self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e808")
        self.assertEqual({int(entry["_PID"]) for entry in wiped}, {pid})

    def test_random_clients_lose_no_call(self) -> None:
        chance = random.Random(7)

        def call(number: int) -> None:
            lines = Lines()
            lines.echo(number)
            lines.close()
            # About as long as it takes to be idle, so that clients come in every moment of the end.
            threading.Event().wait(1 + chance.gauss(0.003, 0.02))

        loop = Loop(call)
        loop.start()
        eventually(lambda: loop.count, lambda count: count >= 15 or loop.errors, 60)
        loop.finish()
        self.assertEqual(loop.errors, [])
        # The test is of use only if the daemon has really ended between clients.
        starts = self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e801")
        self.assertGreater(len(starts), 3)
        self.assertEqual(show("ActiveState", SOCKET), "active")

    def test_reload_changes_it(self) -> None:
        client = self.service.connect()
        client.call("system.ping")
        self.service.configure("idle-exit = 0\n")
        systemctl("reload", SERVICE)
        pid = self.service.pid
        client.close()
        threading.Event().wait(2)
        self.assertEqual(self.service.pid, pid)
        client = self.service.connect()
        self.service.configure("idle-exit = 1\n")
        systemctl("reload", SERVICE)
        client.close()
        eventually(lambda: self.service.state, "inactive")


class Ephemeral(ServiceTest):
    configuration = "idle-exit = 1\nephemeral = yes\n"

    def test_live_checkout_in_memory_keeps_it(self) -> None:
        client: Client = self.connect()
        checkout = self.start()
        pid = self.service.pid
        client.close()
        threading.Event().wait(2)
        again = self.service.connect()
        self.assertEqual(again.call("checkout.get", checkoutId=checkout.id)["state"], "ready")
        self.assertEqual(self.service.pid, pid)
