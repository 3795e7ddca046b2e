"""What the service manager is told and does: readiness, status, reload, watchdog, the way to the end."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time

from support.client import TIMEOUT
from support.daemon import program
from systemd.case import ServiceTest
from systemd.service import CONFIGURATION, SERVICE, SOCKET, UNITS, eventually, run, show, systemctl


class Status(ServiceTest):
    def test_text_while_it_serves_and_while_it_drains(self) -> None:
        self.connect()
        self.start()
        eventually(lambda: self.service.status, "1 connections, 1 checkouts")
        checkout = self.chosen(self.approving())
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", 1)
        systemctl("stop", "--no-block", SERVICE)
        eventually(lambda: self.service.state, "deactivating")
        self.assertEqual(self.service.status, "Draining: 1 connections")
        self.sandbox.release("payments")
        eventually(lambda: self.service.state, "inactive")
        self.assertEqual((show("Result"), show("ExecMainStatus")), ("success", "0"))

    def test_ready_means_that_it_can_be_talked_to(self) -> None:
        self.service.start()
        self.assertEqual(self.service.status, "0 connections, 0 checkouts")
        self.assertEqual(self.service.state, "active")

    def test_start_that_never_gets_ready_times_out(self) -> None:
        # Without a service manager's socket nobody is told; that looks like a start that hangs.
        self.service.change_unit("[Service]\nTimeoutStartSec=1\nExecStart=\nExecStart=/bin/sleep 60\nRestart=no\n")
        self.assertNotEqual(run("systemctl", "start", SERVICE, check=False).returncode, 0)
        self.assertEqual(show("Result"), "timeout")


class Reload(ServiceTest):
    def batch(self) -> int:
        return int(self.service.connect().call("system.hello")["limits"]["batch"])

    def setUp(self) -> None:
        super().setUp()
        self.service.configure("max-batch = 7\n")
        self.service.start()

    def test_new_configuration_is_in_force_when_it_returns(self) -> None:
        client, pid = self.service.connect(), self.service.pid
        for number in range(8, 14):
            self.service.configure(f"max-batch = {number}\n")
            systemctl("reload", SERVICE)
            self.assertEqual(self.batch(), number)
        self.assertEqual((self.service.state, self.service.pid), ("active", pid))
        self.assertEqual(client.call("system.ping"), {})

    def test_wrong_configuration_keeps_the_old_one_and_says_so(self) -> None:
        self.service.configure("max-batch = many\n")
        self.assertNotEqual(run("systemctl", "reload", SERVICE, check=False).returncode, 0)
        self.assertEqual((self.service.state, self.batch()), ("active", 7))
        self.assertRegex(self.service.status, "not changed: /etc/checkoutd/checkoutd.conf: line 2: ")
        # A newer service manager sends the signal beside the call: it is told twice then.
        told = self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e80b")
        self.assertEqual({entry["PRIORITY"] for entry in told}, {"3"})
        self.service.configure("max-batch = 8\n")
        systemctl("reload", SERVICE)
        self.assertEqual(self.batch(), 8)
        self.assertNotIn("not changed", self.service.status)

    def test_signal_does_the_same_without_a_job(self) -> None:
        self.service.configure("max-batch = 8\n")
        self.service.kill(signal.SIGHUP)
        eventually(self.batch, 8)
        self.service.configure("max-batch = many\n")
        self.service.kill(signal.SIGHUP)
        eventually(lambda: self.service.status, lambda text: "line 2" in text)
        self.assertEqual((self.service.state, self.batch(), show("NRestarts")), ("active", 8, "0"))

    def test_file_that_appears_later_is_found(self) -> None:
        CONFIGURATION.unlink()
        systemctl("restart", SERVICE)
        self.assertEqual(self.batch(), 64)
        self.service.configure("max-batch = 9\n")
        systemctl("reload", SERVICE)
        self.assertEqual(self.batch(), 9)


class Watchdog(ServiceTest):
    unit = "[Service]\nWatchdogSec=1\nTimeoutAbortSec=1\n"

    def test_daemon_that_does_nothing_is_replaced(self) -> None:
        client = self.connect()
        checkout = self.start()
        pid = self.service.pid
        self.service.kill(signal.SIGSTOP)
        client.read_to_end(2 * TIMEOUT)
        again = self.service.connect()
        self.assertEqual(again.call("checkout.get", checkoutId=checkout.id)["state"], "ready")
        self.assertNotEqual(self.service.pid, pid)
        self.assertEqual(show("NRestarts"), "1")
        self.assertIn("Watchdog timeout (limit 1s)!", self.service.log)

    def test_daemon_that_works_or_waits_is_left_alone(self) -> None:
        client = self.connect()
        client.call("system.ping")
        pid = self.service.pid
        for _ in range(6):
            self.service.configure("")
            systemctl("reload", SERVICE)
            # Longer than the watchdog's limit in all, idle for half of it at a time.
            threading.Event().wait(0.5)
        self.assertEqual((self.service.pid, show("NRestarts")), (pid, "0"))
        self.assertEqual(client.call("system.ping"), {})


class Stop(ServiceTest):
    unit = "[Service]\nTimeoutStopSec=1\n"

    def test_payment_under_way_gets_more_time_than_the_unit_gives(self) -> None:
        self.connect()
        checkout = self.chosen(self.approving())
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", 1)
        began = time.monotonic()
        stop = subprocess.Popen(["systemctl", "stop", SERVICE], stderr=subprocess.DEVNULL)
        with self.assertRaises(subprocess.TimeoutExpired):
            stop.wait(2.5)
        self.sandbox.release("payments")
        self.assertEqual(stop.wait(TIMEOUT), 0)
        self.assertLess(time.monotonic() - began, 8)
        self.assertEqual((show("Result"), len(checkout.session.payments)), ("success", 1))
        params = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 10_000}
        ended = self.service.connect().call("checkout.wait", **params)
        self.assertEqual(ended["snapshot"]["outcome"], "success")

    def test_clients_are_served_while_it_waits_for_a_payment(self) -> None:
        self.connect()
        checkout, chosen = self.chosen(self.approving()), self.chosen(self.approving())
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", 1)
        systemctl("stop", "--no-block", SERVICE)
        eventually(lambda: self.service.state, "deactivating")
        # Whoever was there, and whoever comes.
        for client in (self.client, self.service.connect()):
            self.assertEqual(client.call("system.ping"), {})
            self.assertEqual(client.call("checkout.get", checkoutId=checkout.id)["checkoutId"], checkout.id)
        # But no payment is begun, nor is anything waited for.
        self.assert_refused(
            -32005, "shutting-down", None, "component.submit", componentId=chosen.component_id
        )
        self.assert_refused(
            -32005, "shutting-down", None, "checkout.start", clientToken=self.session().client_token
        )
        self.assertEqual(self.service.state, "deactivating")
        self.sandbox.release("payments")
        eventually(lambda: self.service.state, "inactive")
        self.assertEqual((show("Result"), show("ExecMainStatus")), ("success", "0"))
        self.assertEqual(len(self.sandbox.requests("payments")), 1)

    def test_as_long_as_a_creation_may_take(self) -> None:
        creation = int(self.option("create-payment-timeout"))
        drain = int(self.option("drain-timeout"))
        self.assertGreater(drain, creation)
        for name in ("checkoutd.service", "user/checkoutd.service"):
            (stop,) = re.findall(r"^TimeoutStopSec=(\d+)s$", (UNITS / name).read_text(), re.MULTILINE)
            self.assertGreater(int(stop) * 1000, drain)

    @staticmethod
    def option(name: str) -> str:
        """The default of an option, as the command's help has it."""
        text = run(program("checkoutd"), "--help").stdout
        (value,) = re.findall(rf"--{name} MS\b[^\[]*\[(\d+)\]", text)
        return str(value)

    def test_call_under_way_is_answered(self) -> None:
        client = self.connect()
        self.sandbox.hold("configuration")
        id = client.send("checkout.start", clientToken=self.session().client_token)
        self.sandbox.requests("configuration", 1)
        systemctl("stop", SERVICE)
        self.assertEqual(client.reply(id)["error"]["code"], -32005)
        client.read_to_end()
        self.assertEqual((show("Result"), show("ActiveState", SOCKET)), ("success", "active"))

    def test_notification_from_another_process_counts_for_nothing(self) -> None:
        self.service.start()
        self.service.notify_from_within("STATUS=forged\nSTOPPING=1")
        systemctl("daemon-reload")
        self.assertEqual((self.service.state, self.service.status), ("active", "0 connections, 0 checkouts"))

    def test_signals_of_a_terminal_end_it_in_order(self) -> None:
        self.service.start()
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                self.connect().call("system.ping")
                self.service.kill(number)
                eventually(lambda: self.service.state, "inactive")
                self.assertEqual((show("Result"), show("ExecMainStatus")), ("success", "0"))
