"""The process: its socket, its end, what it says of itself, what it never writes."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from support.case import DaemonTest
from support.checkout import ACH, ACH_SETTINGS
from support.client import TIMEOUT
from support.daemon import Crashed, Daemon, program
from support.lines import Message


class OwnSocket(DaemonTest):
    def run_second(self, socket_path: Path) -> subprocess.CompletedProcess[bytes]:
        command = [str(program("checkoutd")), "--socket", str(socket_path), "--ephemeral"]
        return subprocess.run(command, stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)

    def test_live_socket_is_an_error(self) -> None:
        second = self.run_second(self.daemon.socket_path)
        self.assertNotEqual(second.returncode, 0)
        self.assertIn(str(self.daemon.socket_path), second.stderr.decode())
        self.assertEqual(self.client.call("system.ping"), {})
        self.assertEqual(self.daemon.connect().call("system.ping"), {})

    def test_stale_socket_is_replaced(self) -> None:
        with TemporaryDirectory() as directory:
            path = Path(directory) / "socket"
            with socket.socket(socket.AF_UNIX) as stale:
                stale.bind(str(path))
            daemon = Daemon(self.sandbox.port, socket_path=path)
            self.addCleanup(daemon.close)
            self.assertEqual(daemon.connect().call("system.ping"), {})

    def test_socket_of_a_killed_daemon_is_replaced(self) -> None:
        killed = Daemon(self.sandbox.port)
        self.addCleanup(killed.close)
        killed.process.kill()
        killed.process.wait(TIMEOUT)
        again = Daemon(self.sandbox.port, socket_path=killed.socket_path)
        self.addCleanup(again.close)
        self.assertEqual(again.connect().call("system.ping"), {})

    def test_other_file_is_left_alone(self) -> None:
        with TemporaryDirectory() as directory:
            path = Path(directory) / "socket"
            path.write_text("precious")
            self.assertNotEqual(self.run_second(path).returncode, 0)
            self.assertEqual(path.read_text(), "precious")

    def test_mode(self) -> None:
        with TemporaryDirectory() as directory:
            path = Path(directory) / "socket"
            command = [str(program("checkoutd")), "--socket", str(path), "--ephemeral"]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait, TIMEOUT)
            self.addCleanup(process.kill)
            with socket.socket(socket.AF_UNIX) as probe:
                while probe.connect_ex(str(path)):
                    with self.assertRaises(subprocess.TimeoutExpired):
                        process.wait(0.005)
            self.assertEqual(path.stat().st_mode & 0o777, 0o660)


class Termination(DaemonTest):
    def assert_told_why(self, last: Message) -> None:
        """A connection that the daemon closes gets one line first."""
        assert isinstance(last, dict)
        self.assertEqual((last["id"], last["error"]["code"]), (None, -32005))
        self.assertEqual(last["error"]["data"]["errorId"], "shutting-down")

    def test_idle(self) -> None:
        self.client.call("system.ping")
        self.assertEqual(self.daemon.terminate(), 0)
        (last,) = self.client.read_to_end()
        self.assert_told_why(last)
        self.assertFalse(self.daemon.socket_path.exists())

    def test_those_who_said_hello_are_told(self) -> None:
        silent = self.daemon.connect()
        silent.call("system.ping")
        self.client.call("system.hello", client="test")
        self.daemon.process.send_signal(signal.SIGTERM)
        draining, last = self.client.read_to_end()
        assert isinstance(draining, dict)
        self.assertEqual((draining["method"], bool(draining["params"]["reason"])), ("system.draining", True))
        self.assert_told_why(last)
        (last,) = silent.read_to_end()
        self.assert_told_why(last)
        self.assertEqual(self.daemon.process.wait(TIMEOUT), 0)

    def test_payment_under_way_is_finished_and_calls_are_answered(self) -> None:
        session = self.session(createResponse={"status": "SUCCESS", "requiredAction": None})
        checkout = self.chosen(session)
        self.client.call("system.hello")
        waiter = self.daemon.connect()
        waiting = waiter.send("checkout.wait", **{"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 60_000})
        waiter.call("system.ping")
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", count=1, until="effect")
        self.daemon.process.send_signal(signal.SIGTERM)
        self.client.await_event("draining")
        self.assert_refused(-32005, "shutting-down", None, "checkout.start", clientToken=self.session().client_token)
        self.sandbox.release("payments")
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(waiter.reply(waiting)["error"]["code"], -32005)
        self.client.read_to_end()
        self.assertEqual(self.daemon.process.wait(TIMEOUT), 0)

    def test_start_under_way_is_answered(self) -> None:
        self.sandbox.hold("configuration")
        starting = self.client.send("checkout.start", clientToken=self.session().client_token)
        self.sandbox.requests("configuration", count=1)
        self.daemon.process.send_signal(signal.SIGTERM)
        error = self.client.reply(starting)["error"]
        self.assertEqual((error["code"], error["data"]["errorId"]), (-32005, "shutting-down"))
        self.client.close()
        self.sandbox.release("configuration")
        self.assertEqual(self.daemon.process.wait(TIMEOUT), 0)


class System(DaemonTest):
    def test_hello(self) -> None:
        hello = self.client.call("system.hello", client="test 1.0")
        self.assertEqual(hello["server"]["name"], "checkoutd")
        self.assertTrue(hello["server"]["version"])
        self.assertEqual(hello["protocol"], 1)
        self.assertEqual(hello["epoch"], self.daemon.connect().call("system.hello")["epoch"])
        self.assertNotEqual(hello["epoch"], self.start_daemon().connect().call("system.hello")["epoch"])
        self.assertEqual((hello["you"]["uid"], hello["you"]["role"]), (0, "administrator"))
        self.assertIsInstance(hello["features"], list)
        limits = hello["limits"]
        self.assertEqual((limits["line"], limits["batch"], limits["nesting"]), (1024 * 1024, 64, 64))
        self.assertTrue(all(isinstance(value, int) for value in limits.values()))

    def test_ping_and_echo(self) -> None:
        self.assertEqual(self.client.call("system.ping"), {})
        self.assertEqual(self.client.call("system.echo", a=[1, {"b": None}]), {"a": [1, {"b": None}]})

    def test_nothing_comes_unasked(self) -> None:
        self.start_daemon()
        self.client.call("system.ping")
        self.assertEqual(len(self.client.transcript), 1)

    def test_status_counts_what_there_is(self) -> None:
        before = str(self.client.call("system.status"))
        checkout = self.start()
        after = self.client.call("system.status")
        self.assertNotEqual(before, str(after))
        self.assertIn("version", after)
        self.assertNotIn(checkout.session.client_token, str(after))

    def test_description_names_every_method_and_no_reserved_code(self) -> None:
        document = self.client.call("rpc.discover")
        self.assertTrue(document["openrpc"].startswith("1."))
        methods = {method["name"]: method for method in document["methods"]}
        expected = """
            system.hello system.ping system.echo system.status system.connections system.reload rpc.discover
            checkout.start checkout.get checkout.wait checkout.list checkout.cancel checkout.decide checkout.share
            checkout.unshare componentWithRedirectManager.provideBanksComponent
            componentWithRedirectManager.provide achManager.provide component.start
            component.updateCollectedData component.submit component.get component.reportRedirect
            component.reportBankAccount component.acceptMandate component.declineMandate
            events.subscribe events.unsubscribe events.read
        """
        self.assertLessEqual(set(expected.split()), set(methods))
        for name, method in methods.items():
            self.assertIsInstance(method["params"], list, name)
            for error in method.get("errors", []):
                code = error.get("code")
                self.assertFalse(code is not None and -32768 <= code <= -32100 and code not in range(-32700, -32599))


class Privacy(DaemonTest):
    """The log of the most talkative daemon has no token, no secret and nothing of the shopper's."""

    options = ("--log-level", "debug")

    def test_ach(self) -> None:
        session = self.session(customer={"firstName": "Wilhelmientje", "lastName": "Zonnebloem-Quist"})
        checkout = self.start(session, settings=ACH_SETTINGS)
        checkout.provide(ACH)
        checkout.component_call("start")
        checkout.update(emailAddress="wilhelmientje.quist@example.com")
        checkout.submit()
        info = checkout.await_event("info bankAccountCollector").params["info"]
        self.daemon.must_not_log("Wilhelmientje", "wilhelmientje.quist@example.com", info["clientSecret"])
        self.daemon.must_not_log("pk_test_example")
        checkout.report_account()
        checkout.component_call("acceptMandate")
        checkout.await_end()

    def test_ideal(self) -> None:
        checkout = self.chosen(self.approving(), None, decisions=["willCreatePayment"], startKey="key-of-the-till")
        checkout.submit()
        checkout.decide("d1", "continue", paymentIdempotencyKey="confidential-idempotency-key")
        end = checkout.await_end()
        self.assert_completed(end, "success")
        for request in self.sandbox.all_requests():
            self.daemon.must_not_log(request["headers"]["primer-client-token"])
        (tokenized,) = self.sandbox.requests("payments")
        self.daemon.must_not_log(tokenized["body"]["paymentMethodToken"])
        (resumed,) = self.sandbox.requests("resume")
        self.daemon.must_not_log(resumed["body"]["resumeToken"])

    def test_what_upstream_was_asked_is_told(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        checkout.await_end()
        self.sandbox.fault("configuration", status=403)
        self.assert_refused(1006, "server-error", None, "checkout.start", clientToken=self.session().client_token)
        for said in (r"create was answered by upstream after \d+ ms", r"configuration failed \(status, HTTP status 403\) after \d+ ms"):
            self.assertRegex(self.daemon.log, said)

    def test_failures(self) -> None:
        token = self.session().client_token
        self.client.send_line(f'{{"jsonrpc":"2.0","id":1,"method":"checkout.start","params":{{"clientToken":"{token}"')
        self.client.read_message()
        self.sandbox.fault("configuration", status=400, body={"error": {"errorId": "X", "description": token}})
        self.assert_refused(1006, "server-error", None, "checkout.start", clientToken=token)
        checkout = self.chosen(self.session(actionTokenOverrides={"intent": "3DS_AUTHENTICATION"}))
        checkout.submit()
        self.assert_failed(checkout.await_end(), "unsupported-required-action", "unknown")

    def test_a_crash_ends_it_and_tells_nothing_of_its_memory(self) -> None:
        daemon = Daemon(self.sandbox.port)
        self.addCleanup(daemon.close)
        token = self.session().client_token
        daemon.connect().call("checkout.start", clientToken=token)
        daemon.process.send_signal(signal.SIGABRT)
        self.assertEqual(daemon.process.wait(TIMEOUT), -signal.SIGABRT)
        self.assertNotIn("Registers:", daemon.log)
        self.assertRaises(Crashed, daemon.check)
