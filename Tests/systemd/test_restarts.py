"""Restarts: after one in good order nobody has lost anything, after a crash everybody can find out."""

from __future__ import annotations

import grp
import json
import os
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from crash.flow import FLOWS, Shopper
from support.checkout import BANK, IDEAL
from support.client import Client, Ended
from systemd.case import GROUP, USER, ServiceTest
from systemd.service import API, SERVICE, Service, eventually, run, show, systemctl


class Loop(threading.Thread):
    """Makes calls one after the other until told to stop, and notes what goes wrong."""

    def __init__(self, call: Callable[[int], None]) -> None:
        super().__init__()
        self._call = call
        self._is_over = threading.Event()
        self.count = 0
        self.errors: list[str] = []

    def run(self) -> None:
        """Calls."""
        while not self._is_over.is_set():
            try:
                self._call(self.count)
                self.count += 1
            except Exception as error:
                self.errors.append(repr(error))
                if len(self.errors) > 100:
                    return

    def finish(self) -> None:
        """Lets the call under way be the last."""
        self._is_over.set()
        self.join()


class Lines:
    """A connection that waits for each reply; refuses anything else than that."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(API))
        self._rest = b""

    def close(self) -> None:
        """Ends the connection."""
        self.socket.close()

    def line(self) -> Any:
        """The next line."""
        while b"\n" not in self._rest:
            data = self.socket.recv(65536)
            if not data:
                raise Ended("the connection ended")
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    def echo(self, number: int) -> None:
        """Makes a call."""
        request = {"jsonrpc": "2.0", "id": number, "method": "system.echo", "params": {"n": number, "x": "x" * 300}}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        reply = self.line()
        if reply.get("id") != number or reply["result"]["n"] != number:
            raise AssertionError(f"{number} was answered with {reply}")


def echo_once(number: int) -> None:
    """Connects for one call."""
    lines = Lines()
    lines.echo(number)
    lines.close()


def echo_half_closed(number: int) -> None:
    """Connects, sends, closes its half, reads to the end: what `nc -N` does."""
    lines = Lines()
    lines.socket.sendall(b'{"jsonrpc":"2.0","id":%d,"method":"system.ping"}\n' % number)
    lines.socket.shutdown(socket.SHUT_WR)
    if lines.line()["id"] != number:
        raise AssertionError("another's reply")
    if lines.socket.recv(1):
        raise AssertionError("there was more")
    lines.close()


class InGoodOrder(ServiceTest):
    # Beside a slow restart two loops of new connections come to more than a user may make in a second.
    configuration = "max-connection-rate = 1000000\n"
    maxDiff = None

    def lines(self) -> Lines:
        """A connection that is closed after the test."""
        lines = Lines()
        self.addCleanup(lines.close)
        return lines

    def test_eight_restarts_under_load_lose_no_call(self) -> None:
        staying = [self.lines(), self.lines()]
        loops = [Loop(staying[0].echo), Loop(staying[1].echo), Loop(echo_once), Loop(echo_half_closed)]
        for loop in loops:
            loop.start()
        pids = set()
        for _ in range(8):
            before = [loop.count for loop in loops]
            systemctl("restart", SERVICE)
            pids.add(self.service.pid)
            # The next one only when everybody has got further.
            deadline = time.monotonic() + 20
            while any(loop.count <= count for loop, count in zip(loops, before, strict=True)):
                if time.monotonic() > deadline:
                    break
                threading.Event().wait(0.01)
        for loop in loops:
            loop.finish()
        self.assertEqual([loop.errors for loop in loops], [[], [], [], []])
        self.assertEqual(len(pids), 8)
        self.assertTrue(all(loop.count > 8 for loop in loops), [loop.count for loop in loops])

    def test_half_a_line_before_and_the_other_half_after(self) -> None:
        client = self.connect()
        client.call("system.ping")
        client.send_raw(b'{"jsonrpc":"2.0","id":"half","method":"system.ec')
        systemctl("restart", SERVICE)
        client.send_raw(b'ho","params":["\xc3\xa9"]}\n')
        self.assertEqual(client.reply("half")["result"], ["é"])
        self.assertEqual(client.call("system.ping"), {})
        self.assertEqual(len(client.transcript), 3)

    def test_what_is_sent_while_there_is_no_daemon_is_answered(self) -> None:
        client = self.connect()
        client.call("system.ping")
        self.service.change_unit("[Service]\nExecStartPre=/bin/sh -c 'until [ -e /run/checkoutd/go-on ]; do :; done'\n")
        restart = subprocess.Popen(["systemctl", "restart", SERVICE])
        while self.service.state != "activating":
            self.assertIsNone(restart.poll())
        first = client.send("system.ping")
        newcomer = self.service.connect()
        second = newcomer.send("system.ping")
        open("/run/checkoutd/go-on", "w").close()
        self.addCleanup(os.unlink, "/run/checkoutd/go-on")
        self.assertEqual((client.result(first), newcomer.result(second)), ({}, {}))
        self.assertEqual(restart.wait(20), 0)

    def test_half_written_line_is_completed(self) -> None:
        reader = self.lines()
        text = "é" * 300_000
        # Far more than a socket holds: the daemon can write only part of the answers.
        for number in range(4):
            request = {"jsonrpc": "2.0", "id": number, "method": "system.echo", "params": [text]}
            reader.socket.sendall(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        watcher = self.service.connect()
        while True:
            (queued,) = [
                connection["queuedBytes"]
                for connection in watcher.call("system.connections")["connections"]
                if connection["queuedBytes"] > 0
            ] or [0]
            if queued > 1_500_000:
                break
        systemctl("restart", SERVICE)
        for number in range(4):
            reply = reader.line()
            self.assertEqual((reply["id"], reply["result"]), (number, [text]))
        reader.echo(5)

    def test_subscriptions_go_on_without_a_gap(self) -> None:
        client = self.connect()
        watcher = self.service.connect()
        watcher.call("events.subscribe", types=["component.", "checkout.didCompleteCheckout"])
        quiet = self.service.connect()
        quiet.call("system.ping")
        checkout = self.banks(self.approving())
        systemctl("restart", SERVICE)
        checkout.update(bankId=BANK)
        systemctl("restart", SERVICE)
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        seqs = [message["params"]["seq"] for message in self.events(client)]
        self.assertEqual(seqs, list(range(1, len(seqs) + 1)))
        self.assertEqual(self.count(client, "system.resumed"), 2)
        self.assertEqual(self.count(client, "system.draining"), 2)
        watcher.events_until_end(checkout.id)
        methods = {message["method"] for message in self.events(watcher)}
        self.assertIn("component.didUpdateValidationStatus", methods)
        self.assertNotIn("checkout.didTokenizePaymentMethod", methods)
        self.assertEqual(self.count(watcher, "system.resumed"), 2)
        # Who never asked hears nothing.
        self.assertEqual(quiet.call("system.ping"), {})
        self.assertEqual(len(quiet.transcript), 2)

    def test_greeting_is_kept_and_another_users_identity_too(self) -> None:
        group = grp.getgrnam("checkout-clients").gr_gid
        client = self.service.connect_as(USER, GROUP, [group])
        client.call("system.hello", client="till 7")
        systemctl("restart", SERVICE)
        self.assertEqual([client.next_event().method for _ in range(2)], ["system.draining", "system.resumed"])
        connections = self.service.connect().call("system.connections")["connections"]
        self.assertEqual([entry["client"] for entry in connections if entry["uid"] == USER], ["till 7"])
        self.assertEqual(client.call("system.hello")["you"]["uid"], USER)

    def test_waiting_call_is_told_and_the_start_goes_on(self) -> None:
        client = self.connect()
        client.call("system.ping")
        self.sandbox.hold("configuration")
        token = self.session().client_token
        id = client.send("checkout.start", clientToken=token, startKey="key")
        self.sandbox.requests("configuration", 1)
        systemctl("restart", SERVICE)
        self.assertEqual(client.reply(id)["error"]["code"], -32005)
        again = client.send("checkout.start", clientToken=token, startKey="key")
        self.sandbox.release("configuration")
        self.assertEqual(client.result(again)["state"], "ready")

    def test_client_that_leaves_meanwhile_is_forgotten(self) -> None:
        leaving, staying = self.service.connect(), self.service.connect()
        leaving.call("system.ping")
        staying.call("system.ping")
        leaving.close()
        systemctl("restart", SERVICE)
        self.assertEqual(len(staying.call("system.connections")["connections"]), 1)

    def test_nothing_stays_in_the_store(self) -> None:
        client = self.connect()
        client.call("system.ping")
        for _ in range(3):
            systemctl("restart", SERVICE)
            self.assertEqual(client.call("system.ping"), {})
            self.assertEqual(show("NFileDescriptorStore"), "0")
        client.half_close()
        client.read_to_end()

    def test_closed_connection_ends_though_it_was_handed_over(self) -> None:
        client = self.connect()
        client.call("system.ping")
        systemctl("restart", SERVICE)
        client.send_line("GET / HTTP/1.1")
        (last,) = client.read_to_end()[-1:]
        assert isinstance(last, dict)
        self.assertEqual(last["error"]["data"]["reason"], "http")

    def test_stop_ends_the_connections(self) -> None:
        client = self.connect()
        client.call("system.hello")
        systemctl("stop", SERVICE)
        messages = client.read_to_end()
        self.assertEqual([message["method"] for message in messages if isinstance(message, dict)], ["system.draining"])
        self.assertEqual(show("NFileDescriptorStore"), "0")

    def test_client_with_more_waiting_than_it_may_is_resumed(self) -> None:
        # Sixty-four calls at once, most of them in one piece, and a restart in their midst.
        reader = self.lines()
        lines = [b'{"jsonrpc":"2.0","id":%d,"method":"system.echo","params":[%d]}\n' % (n, n) for n in range(5000)]
        reader.socket.setblocking(True)
        sender = threading.Thread(target=reader.socket.sendall, args=(b"".join(lines),))
        sender.start()
        systemctl("restart", SERVICE)
        self.assertEqual([reader.line()["id"] for _ in lines], list(range(5000)))
        sender.join()

    def test_two_thousand_connections(self) -> None:
        self.service.configure("max-connections-per-uid = 2500\nmax-connection-rate = 100000\n")
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limit)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, limit[1]), limit[1]))
        many = [self.lines() for _ in range(2000)]
        for number, lines in enumerate(many):
            lines.echo(number)
        began = time.monotonic()
        systemctl("restart", SERVICE)
        self.assertLess(time.monotonic() - began, 5)
        for number, lines in enumerate(many):
            lines.echo(-number)

    @staticmethod
    def events(client: Client) -> list[dict[str, Any]]:
        """The checkouts' events that came."""
        return [
            message for message in client.transcript if isinstance(message, dict) and "seq" in message.get("params", {})
        ]

    @staticmethod
    def count(client: Client, method: str) -> int:
        """How many such notifications came."""
        return sum(isinstance(message, dict) and message.get("method") == method for message in client.transcript)


class LeftOver(ServiceTest):
    """Descriptors that nobody can go on with."""

    unit = "[Service]\nNotifyAccess=all\n"

    def leave(self, *names: str) -> None:
        """Has the service manager keep sockets under these names, as an earlier version might have."""
        for name in names:
            ours, theirs = socket.socketpair()
            self.service.notify_from_within(f"FDSTORE=1\nFDNAME={name}\nFDPOLL=0", theirs.fileno())
            theirs.close()
            self.left.append(ours)

    def setUp(self) -> None:
        self.left: list[socket.socket] = []
        super().setUp()

    def tearDown(self) -> None:
        for left in self.left:
            left.close()

    def test_they_are_let_go_and_told_of(self) -> None:
        client = self.connect()
        client.call("system.ping")
        names = ("handover", "connections")
        self.leave(*names)
        self.assertEqual(show("NFileDescriptorStore"), str(len(names)))
        systemctl("restart", SERVICE)
        for left in self.left:
            left.settimeout(20)
            self.assertEqual(left.recv(1), b"")
        self.assertEqual(show("NFileDescriptorStore"), "0")
        self.assertTrue(self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e80e"))
        # What could be gone on with is gone on with.
        self.assertEqual(client.call("system.ping"), {})

    def test_others_are_refused_by_name_and_kind(self) -> None:
        """No version leaves anything under another name, so that is what somebody has set up wrongly."""
        self.connect().call("system.ping")
        self.leave("cart")
        run("systemctl", "restart", SERVICE, check=False)
        self.assertEqual((show("Result"), show("ExecMainStatus")), ("exit-code", "78"))
        self.assertIn('"cart" is a connection', self.service.status)
        self.assertEqual(show("NRestarts"), "0")
        # The service manager has let go of it: the next start is good.
        systemctl("reset-failed", SERVICE)
        self.assertEqual(self.connect().call("system.ping"), {})


class AfterACrash(ServiceTest):
    # A creation that may have been done is repeated when the first request must be over.
    configuration = "create-payment-timeout = 1000\n"

    def test_clients_see_the_end_and_find_everything_again(self) -> None:
        client = self.connect()
        checkout = self.banks()
        history = checkout.history()
        self.service.kill(signal.SIGKILL)
        client.read_to_end()
        again = self.service.connect()
        read = again.call("events.read", checkoutId=checkout.id, after=0)
        self.assertEqual([event["params"]["seq"] for event in read["events"]], [event.seq for event in history])
        self.assertEqual(show("NRestarts"), "1")

    def test_kills_under_load_leave_every_client_with_the_right_outcome(self) -> None:
        automatic = [flow for flow in FLOWS if flow.handling == "auto"]
        sessions = [self.sandbox.session(**flow.session) for flow in automatic for _ in range(3)]
        flows = [flow for flow in automatic for _ in range(3)]
        shoppers = [
            Shopper(Revived(self.service), session, flow)  # type: ignore[arg-type]
            for session, flow in zip(sessions, flows, strict=True)
        ]
        results: list[Any] = [None] * len(shoppers)

        def pay(place: int) -> None:
            results[place] = shoppers[place].pay()

        threads = [threading.Thread(target=pay, args=[place]) for place in range(len(shoppers))]
        for thread in threads:
            thread.start()
        for _ in range(5):
            client = self.service.connect()
            client.call("system.ping")
            self.service.kill(signal.SIGKILL)
            client.read_to_end()
        for thread in threads:
            thread.join(120)
        for flow, session, result in zip(flows, sessions, results, strict=True):
            with self.subTest(flow.name):
                self.assertIsNotNone(result)
                # The answer to a payment's creation may have been lost with the daemon.
                self.assertIn(result["outcome"], (flow.outcome, "unknown"))
                self.assertLessEqual(len(session.payments), 1)
        self.assertGreater(sum(shopper.crash_count for shopper in shoppers), 0)
        eventually(lambda: show("NRestarts"), "5")

    def test_provided_component_is_there_again(self) -> None:
        self.connect()
        checkout = self.start()
        checkout.provide(IDEAL)
        component = checkout.component_id
        self.service.kill(signal.SIGKILL)
        checkout.client = self.service.connect()
        checkout.provide(IDEAL)
        self.assertEqual(checkout.component_id, component)


class Revived:
    """The service as a shopper sees it: somebody else starts it again."""

    def __init__(self, service: Service) -> None:
        self._service = service

    @property
    def run(self) -> int:
        """Nobody needs to know which run it is."""
        return 0

    def connect(self) -> Client:
        """A connection; made even while there is no daemon."""
        return self._service.connect()

    def revive(self, crashed: int, environment: Mapping[str, str]) -> None:
        """Nothing: the service manager does that."""
