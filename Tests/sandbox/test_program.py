"""The program: how it starts, serves and ends."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from harness import PROGRAM, TIMEOUT, Checkout, Sandbox


def make_certificate(certificate: Path, key: Path) -> None:
    """Writes a certificate for localhost that signs itself."""
    made = f"-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout {key} -out {certificate}"
    named = "-subj /CN=localhost -addext subjectAltName=DNS:localhost -days 1"
    command = f"openssl req -x509 {made} {named}"
    subprocess.run(command.split(), check=True, capture_output=True)


class ProgramTests(unittest.TestCase):
    def start(self, *arguments: str, **options: Any) -> Sandbox:
        sandbox = Sandbox(*arguments, **options)
        self.addCleanup(sandbox.close)
        return sandbox

    def run_to_end(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(PROGRAM), *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=TIMEOUT)

    def test_says_when_it_is_ready_and_leaves_only_the_port_file(self) -> None:
        sandbox = self.start()
        self.assertEqual(sandbox.ready_line, f"primer-sandbox: ready at http://127.0.0.1:{sandbox.port}\n")
        self.assertEqual([path.name for path in Path(sandbox.directory.name).iterdir()], ["port"])

    def test_prints_a_token_and_serves_it(self) -> None:
        sandbox = self.start("--print-token")
        assert sandbox.process.stdout
        token = sandbox.process.stdout.readline().strip()
        checkout = Checkout(sandbox, {"clientToken": token, "clientSessionId": ""})
        self.assertEqual(len(checkout.configuration().body["paymentMethods"]), 2)

    def test_ends_on_either_signal(self) -> None:
        for ending in (signal.SIGTERM, signal.SIGINT):
            sandbox = Sandbox()
            sandbox.checkout()
            sandbox.process.send_signal(ending)
            self.assertEqual(sandbox.process.wait(TIMEOUT), 0)
            self.assertEqual(sandbox.close(), 0)

    def test_the_url_option_is_in_the_tokens(self) -> None:
        sandbox = self.start("--url", "sandbox.example.com")
        base = f"http://sandbox.example.com:{sandbox.port}"
        self.assertEqual(sandbox.checkout().token["pciUrl"], f"{base}/pci")
        sandbox = self.start("--url", "https://pay.example.com/base/")
        self.assertEqual(sandbox.checkout().token["coreUrl"], "https://pay.example.com/base/core")

    def test_refuses_what_it_cannot_do(self) -> None:
        self.assertEqual(self.run_to_end("--listen", "nowhere").returncode, 2)
        self.assertEqual(self.run_to_end("--tls-cert", "some.pem").returncode, 2)
        sandbox = self.start()
        refused = self.run_to_end("--listen", f"127.0.0.1:{sandbox.port}")
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr, "^primer-sandbox: .*in use")

    def test_help_describes_the_surface(self) -> None:
        described = self.run_to_end("--help").stdout
        for text in ("--port-file", "/sandbox/client-sessions", "/sandbox/hold", "afterEffect"):
            self.assertIn(text, described)

    def test_a_kept_alive_connection_gets_each_reply_in_one_piece(self) -> None:
        sandbox = self.start()
        with socket.create_connection(("127.0.0.1", sandbox.port), TIMEOUT) as sock:
            for _ in range(3):
                sock.sendall(b"GET /sandbox/payments HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % sandbox.port)
                self.assertTrue(sock.recv(65536).endswith(b"\r\n\r\n[]"))

    def test_chunked_bodies_and_expectations(self) -> None:
        sandbox = self.start()
        head = f"POST /sandbox/client-sessions HTTP/1.1\r\nHost: localhost:{sandbox.port}\r\nConnection: close\r\n"
        head += "Content-Type: application/json\r\n"
        fields = "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        with socket.create_connection(("127.0.0.1", sandbox.port), TIMEOUT) as sock:
            sock.sendall((head + fields).encode())
            self.assertIn(b"100 Continue", sock.recv(65536))
            sock.sendall(b"1\r\n{\r\n1;a=b\r\n}\r\n0\r\n\r\n")
            with sock.makefile("rb") as stream:
                self.assertIn(b"clientSessionId", stream.read())

    def test_no_http_is_answered_400(self) -> None:
        sandbox = self.start()
        start = b"GET / HTTP/1.1\r\n"
        for text in (b"hello\r\n\r\n", start + b"no header\r\n\r\n", start + b"Content-Length: x\r\n\r\n"):
            with self.subTest(text=text), socket.create_connection(("127.0.0.1", sandbox.port), TIMEOUT) as sock:
                sock.sendall(text)
                self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 400 "))

    def test_a_request_cut_short_has_no_effect(self) -> None:
        sandbox = self.start()
        head = b"POST /sandbox/client-sessions HTTP/1.1\r\n"
        for text in (head + b"Host: sandbox\r\n", head + b"Content-Length: 4\r\n\r\n{}"):
            with self.subTest(text=text), socket.create_connection(("127.0.0.1", sandbox.port), TIMEOUT) as sock:
                sock.sendall(text)
                sock.shutdown(socket.SHUT_WR)
                self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 400 "))

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl to make a certificate")
    def test_tls(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            certificate, key = Path(directory, "cert.pem"), Path(directory, "key.pem")
            make_certificate(certificate, key)
            arguments = ("--tls-cert", str(certificate), "--tls-key", str(key), "--url", "localhost")
            sandbox = self.start(*arguments, authority=certificate)
            checkout = sandbox.checkout(outcome="approve", pendingPolls=0)
            self.assertEqual(checkout.token["pciUrl"], f"https://localhost:{sandbox.port}/pci")
            payment = checkout.pay_by_ideal()
            self.assertEqual(checkout.resume(payment["id"], checkout.poll().body["id"]).body["status"], "SUCCESS")
            sandbox.fault("banks", reset=True)
            self.assertRaises(OSError, checkout.banks)
            self.assertEqual(checkout.banks().status, 200)


if __name__ == "__main__":
    unittest.main()
