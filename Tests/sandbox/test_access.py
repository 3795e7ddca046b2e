"""A page from elsewhere, in a browser on this machine, must not reach the sandbox."""

from __future__ import annotations

import socket
import unittest

from harness import TIMEOUT, SandboxTestCase, target


class AccessTests(SandboxTestCase):
    def test_the_host_is_the_sandbox(self) -> None:
        port = self.sandbox.port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
            with self.subTest(host):
                self.assertEqual(self.sandbox.send("GET", "/sandbox/payments", None, {"Host": host}).status, 200)
        for host in ("", "example.com", f"example.com:{port}", "127.0.0.1", f"127.0.0.1:{port}."):
            with self.subTest(host):
                refused = self.sandbox.send("GET", "/sandbox/payments", None, {"Host": host})
                self.assert_refused(refused, 403, "Forbidden")

    def test_there_is_one_host(self) -> None:
        host = f"Host: 127.0.0.1:{self.sandbox.port}\r\n"
        for hosts in ("", host + host, host + "Host: example.com\r\n"):
            with self.subTest(hosts), socket.create_connection(("127.0.0.1", self.sandbox.port), TIMEOUT) as sock:
                sock.sendall(f"GET /sandbox/payments HTTP/1.1\r\n{hosts}\r\n".encode())
                self.assertTrue(sock.recv(65536).startswith(b"HTTP/1.1 403 "))

    def test_pages_from_elsewhere_change_nothing(self) -> None:
        port = self.sandbox.port
        checkout = self.sandbox.checkout()
        payment = checkout.pay_by_ideal()
        page = target(checkout.token["redirectUrl"])
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        for origin in ("null", "", "https://example.com", f"https://127.0.0.1:{port}", "http://localhost"):
            with self.subTest(origin):
                refused = self.sandbox.send("POST", page, b"outcome=approve", form | {"Origin": origin})
                self.assert_refused(refused, 403, "Forbidden")
                for method, path in (("POST", "/sandbox/client-sessions"), ("DELETE", "/sandbox/requests")):
                    self.assert_refused(self.sandbox.send(method, path, {}, {"Origin": origin}), 403, "Forbidden")
        own = form | {"Origin": f"http://127.0.0.1:{port}"}
        self.assertEqual(self.sandbox.send("POST", page, b"outcome=approve", own).status, 303)
        self.assertEqual(self.sandbox.payments_of(checkout)[0]["id"], payment["id"])

    def test_the_content_type_is_the_right_one(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.pay_by_ideal()
        page = target(checkout.token["redirectUrl"])
        cases = [(page, b"outcome=approve", "application/json"), (page, b"outcome=approve", "text/plain")]
        cases += [("/sandbox/client-sessions", b"{}", wrong) for wrong in ("text/plain", "", "application/jsonp")]
        for path, body, wrong in cases:
            with self.subTest(path=path, type=wrong):
                refused = self.sandbox.send("POST", path, body, {"Content-Type": wrong})
                self.assert_refused(refused, 415, "UnsupportedMediaType")
        described = {"Content-Type": "Application/JSON; charset=utf-8"}
        self.assertEqual(self.sandbox.send("POST", "/sandbox/client-sessions", b"{}", described).status, 200)


if __name__ == "__main__":
    unittest.main()
