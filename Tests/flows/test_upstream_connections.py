"""How upstream is reached: whose certificates are trusted, and through which proxy."""

from __future__ import annotations

import base64
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

from support.case import DaemonTest
from support.certificates import Authority
from support.checkout import BANK, IDEAL, Checkout
from support.client import TIMEOUT, CallError, Client
from support.daemon import Daemon
from support.sandbox import APPROVING, Sandbox

HERE, ELSEWHERE = "IP:127.0.0.1", "DNS:api.example.com"


class Certificates(DaemonTest):
    """The daemon's file of trusted certificates has one authority; sandboxes have certificates of all kinds."""

    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.trusted = Authority(self.directory, "trusted")

    def secure_sandbox(self, certificate: tuple[Path, Path]) -> Sandbox:
        sandbox = Sandbox(certificate)
        self.addCleanup(sandbox.close)
        return sandbox

    def trusting_daemon(self, sandbox: Sandbox, *options: str) -> Daemon:
        return self.start_daemon("--upstream-allow", f"127.0.0.1:{sandbox.port}", *options)

    def test_signed_by_an_authority_that_is_trusted(self) -> None:
        sandbox = self.secure_sandbox(self.trusted.sign("server", HERE))
        daemon = self.trusting_daemon(sandbox, "--ca-file", str(self.trusted.certificate))
        checkout = self.chosen(sandbox.session(**APPROVING), daemon.connect())
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")

    def test_all_others_are_refused_before_a_request(self) -> None:
        trusting = ("--ca-file", str(self.trusted.certificate))
        other = Authority(self.directory, "other")
        cases = {
            "signed by another authority": (other.sign("stranger", HERE), trusting),
            "not told whom to trust": (self.trusted.sign("unknown", HERE), ()),
            "of another host": (self.trusted.sign("elsewhere", ELSEWHERE), trusting),
            "expired": (self.trusted.sign("expired", HERE, days="-1"), trusting),
        }
        for name, (certificate, options) in cases.items():
            with self.subTest(name):
                sandbox = self.secure_sandbox(certificate)
                client = self.trusting_daemon(sandbox, *options).connect()
                token = sandbox.session().client_token
                error = self.assert_refused(
                    1006, "network-failed-after-retries", client, "checkout.start", clientToken=token
                )
                self.assertIn("certificate", error.data["description"])
                self.assertEqual(sandbox.all_requests(), [])


class Proxies(DaemonTest):
    """A listener stands where a proxy would be."""

    def setUp(self) -> None:
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.listener.settimeout(TIMEOUT)
        self.proxy = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def pay(self, client: Client) -> Checkout:
        checkout = self.start(self.approving(), client)
        checkout.provide(IDEAL)
        checkout.component_call("start")
        checkout.update(bankId=BANK)
        checkout.submit()
        return checkout

    def test_those_of_the_environment_are_ignored(self) -> None:
        names = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        daemon = self.start_daemon(environment={**dict.fromkeys(names, self.proxy), "no_proxy": ""})
        checkout = self.pay(daemon.connect())
        self.assert_completed(checkout.await_end(), "success")
        self.listener.setblocking(False)
        with self.assertRaises(BlockingIOError):
            self.listener.accept()

    def test_the_one_of_the_option_is_used(self) -> None:
        client = self.start_daemon("--proxy", self.proxy).connect()
        session = self.session()
        starting = client.send("checkout.start", clientToken=session.client_token)
        connected, _ = self.listener.accept()
        with connected:
            line = connected.makefile("rb").readline().decode()
            self.assertEqual(line.split()[1].partition("/client-sdk/")[0], self.sandbox.base)
            connected.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            with self.assertRaises(CallError) as caught:
                client.result(starting)
        self.assertEqual((caught.exception.code, caught.exception.data["httpStatus"]), (1006, 404))
        self.assertEqual(self.sandbox.all_requests(), [])

    def test_one_with_a_password_is_a_credential(self) -> None:
        secret = "kannst-du-nicht-lesen"
        with TemporaryDirectory() as directory:
            url = self.proxy.replace("//", f"//till:{secret}@")
            Path(directory, "checkoutd.proxy").write_text(f"{url}\n")
            daemon = self.start_daemon(environment={"CREDENTIALS_DIRECTORY": directory})
        daemon.must_not_log(secret)
        session = self.session()
        client = daemon.connect()
        starting = client.send("checkout.start", clientToken=session.client_token)
        connected, _ = self.listener.accept()
        with connected:
            head = connected.makefile("rb")
            lines = [line.decode().strip() for line in iter(head.readline, b"\r\n")]
            connected.sendall(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
            with self.assertRaises(CallError) as caught:
                client.result(starting)
        given = base64.b64encode(f"till:{secret}".encode()).decode()
        self.assertIn(f"Proxy-Authorization: Basic {given}", lines)
        self.assertNotIn(secret, str(caught.exception))
