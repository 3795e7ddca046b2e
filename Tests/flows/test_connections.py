"""Connections: their full close, the common tools, HTTP, descriptors that come along."""

from __future__ import annotations

import os
import socket
import subprocess
import time

from support.case import DaemonTest
from support.checkout import BANK
from support.client import TIMEOUT, Client, encode, request
from support.daemon import program
from support.lines import JsonObject, parse

PING = encode(request("system.ping", id=1))


class FullClose(DaemonTest):
    def test_descriptors_are_given_back(self) -> None:
        self.client.call("system.ping")
        before = self.daemon.descriptor_count
        clients = [self.daemon.connect() for _ in range(20)]
        for client in clients:
            client.call("system.ping")
        self.assertEqual(self.daemon.descriptor_count, before + 20)
        for client in clients:
            client.close()
        deadline = time.monotonic() + TIMEOUT
        while self.daemon.descriptor_count > before and time.monotonic() < deadline:
            self.client.call("system.ping")
        self.assertEqual(self.daemon.descriptor_count, before)

    def test_what_was_submitted_goes_on(self) -> None:
        checkout = self.chosen(self.approving())
        self.client.send("component.submit", componentId=checkout.component_id)
        self.client.close()
        other = self.daemon.connect()
        result = other.call("checkout.wait", **{"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 10_000})
        self.assertEqual(result["snapshot"]["outcome"], "success")

    def test_what_was_waited_for_is_no_burden(self) -> None:
        checkout = self.start()
        for _ in range(20):
            leaver = self.daemon.connect()
            params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
            leaver.send_all([("checkout.wait", params)] * 16)
            leaver.call("system.ping")
            leaver.close()
        checkout.call("checkout.cancel")
        self.assertEqual(checkout.state, "failed")


class Tools(DaemonTest):
    lines = PING + b"\n" + encode(request("system.echo", ["x"], 2)) + b"\n"

    def run_tool(self, *command: str, sent: bytes) -> list[JsonObject]:
        done = subprocess.run(command, input=sent, stdout=subprocess.PIPE, check=True, timeout=TIMEOUT)
        messages = [parse(line) for line in done.stdout.splitlines()]
        return [message for message in messages if isinstance(message, dict)]

    def test_netcat(self) -> None:
        answers = self.run_tool("nc", "-N", "-U", str(self.daemon.socket_path), sent=self.lines)
        self.assertEqual([answer["result"] for answer in answers], [{}, ["x"]])

    def test_socat(self) -> None:
        answers = self.run_tool("socat", "-t", "3600", "-", f"UNIX-CONNECT:{self.daemon.socket_path}", sent=self.lines)
        self.assertEqual([answer["result"] for answer in answers], [{}, ["x"]])

    def test_whole_checkout_through_a_pipe(self) -> None:
        session = self.approving()
        key = {"checkoutId": {"startKey": "pipe"}}
        wait = {"waitMs": 20_000}
        lines = [
            request("checkout.start", {"clientToken": session.client_token, "startKey": "pipe"}, 1),
            request("checkout.wait", key | wait | {"for": ["checkout.didLoadAvailablePaymentMethods"]}, 2),
            request("checkout.wait", key | wait | {"for": ["terminal"]}, 3),
        ]
        driver = self.daemon.connect()
        tool = subprocess.Popen(
            ["nc", "-N", "-U", str(self.daemon.socket_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        assert tool.stdin and tool.stdout
        tool.stdin.write(b"".join(encode(line) + b"\n" for line in lines))
        tool.stdin.close()
        self.addCleanup(tool.stdout.close)
        ready = [parse(tool.stdout.readline().rstrip(b"\n")) for _ in range(2)]
        provided = driver.call("componentWithRedirectManager.provide", **key, paymentMethodType="ADYEN_IDEAL")
        component = {"componentId": provided["componentId"]}
        driver.call("component.start", **component)
        driver.call("component.updateCollectedData", **component, data={"bankId": BANK})
        driver.call("component.submit", **component)
        (ended,) = [parse(line.rstrip(b"\n")) for line in tool.stdout]
        self.assertEqual({message["id"] for message in ready if isinstance(message, dict)}, {1, 2})
        assert isinstance(ended, dict)
        self.assertEqual((ended["id"], ended["result"]["snapshot"]["outcome"]), (3, "success"))

    def test_command_line_client(self) -> None:
        answered = subprocess.run(
            [program("checkoutctl"), "--socket", str(self.daemon.socket_path), "call", "system.ping"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=True,
            timeout=TIMEOUT,
        )
        self.assertEqual(answered.stdout.strip(), b"{}")


class Http(DaemonTest):
    """A page in a browser must not be able to make calls."""

    def assert_told_and_closed(self, client: Client) -> None:
        (last,) = client.read_to_end()
        assert isinstance(last, dict)
        error = last["error"]
        self.assertEqual((last["id"], error["code"], error["data"]["errorId"]), (None, -32007, "closing"))
        self.assertEqual(error["data"]["reason"], "http")

    def test_every_method_of_http(self) -> None:
        for method in ("GET", "POST", "OPTIONS", "PUT", "CONNECT"):
            for version in ("HTTP/1.0", "HTTP/1.1"):
                with self.subTest(method=method, version=version):
                    client = self.daemon.connect()
                    client.send_line(f"{method} /some/path {version}\r\nHost: localhost\r\n\r")
                    self.assert_told_and_closed(client)

    def test_calls_in_a_body_are_not_made(self) -> None:
        checkout = self.start()
        body = encode(request("checkout.cancel", {"checkoutId": checkout.id}, 1))
        client = self.daemon.connect()
        client.send_line(f"POST / HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        self.assert_told_and_closed(client)
        self.assertEqual(checkout.state, "ready")

    def test_after_calls_too(self) -> None:
        client = self.daemon.connect()
        client.call("system.ping")
        client.send_line("GET / HTTP/1.1\r")
        self.assert_told_and_closed(client)

    def test_what_was_called_before_is_answered(self) -> None:
        client = self.daemon.connect()
        client.send_raw(PING + b"\nGET / HTTP/1.1\r\n\r\n" + PING + b"\n")
        answer, last = client.read_to_end()
        self.assertEqual(answer, {"jsonrpc": "2.0", "id": 1, "result": {}})
        assert isinstance(last, dict)
        self.assertEqual(last["error"]["data"]["reason"], "http")


class Descriptors(DaemonTest):
    def test_those_sent_along_are_closed(self) -> None:
        self.client.call("system.ping")
        before = self.daemon.descriptor_count
        read_end, write_end = os.pipe()
        for id in range(2, 12):
            line = encode(request("system.ping", id=f"fd{id}")) + b"\n"
            socket.send_fds(self.client.socket, [line], [read_end] * 16)
            self.assertEqual(self.client.result(f"fd{id}"), {})
        self.assertEqual(self.daemon.descriptor_count, before)
        os.close(read_end)
        os.close(write_end)
