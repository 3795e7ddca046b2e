"""The egress: what it connects to, and the daemon that has no other way upstream."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from support.case import DaemonTest
from support.certificates import Authority
from support.client import TIMEOUT, CallError, Client
from support.daemon import Daemon, program
from support.egress import NOT_ALLOWED, REFUSED, SUCCEEDED, UNREACHABLE, Egress
from support.sandbox import APPROVING, Sandbox, shared_sandbox

UNREACHED = "network-failed-after-retries"


class EgressTest(DaemonTest):
    """There is no daemon yet: each test starts one behind an egress of its own."""

    def setUp(self) -> None:
        self.sandbox = shared_sandbox()
        self.sandbox.reset()

    def start_egress(self, *options: str, environment: dict[str, str] | None = None) -> Egress:
        egress = Egress(*options, environment=environment)
        self.addCleanup(egress.close)
        self.addCleanup(egress.check)
        return egress

    def allowing_egress(self) -> Egress:
        return self.start_egress("--upstream-allow", f"http://127.0.0.1:{self.sandbox.port}")

    def connect_behind(self, egress: Egress | Path, *options: str, environment: dict[str, str] | None = None) -> Client:
        """A client of a daemon behind an egress, which the tests of this case use from now on."""
        path = egress if isinstance(egress, Path) else egress.path
        self.daemon: Daemon = self.start_daemon("--egress", str(path), *options, environment=environment)
        self.client = self.daemon.connect()
        return self.client

    def listen(self, backlog: int = 16) -> socket.socket:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(backlog)
        listener.settimeout(TIMEOUT)
        self.addCleanup(listener.close)
        return listener

    def directory(self) -> Path:
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        return Path(directory.name)


class Payments(EgressTest):
    def test_both_methods_as_without_it(self) -> None:
        self.connect_behind(self.allowing_egress())
        banks = self.chosen(self.approving())
        banks.submit()
        self.assert_completed(banks.await_end(), "success")
        account = self.collecting()
        account.report_account()
        account.component_call("acceptMandate")
        self.assert_completed(account.await_end(), "pending")

    def test_encryption_is_between_daemon_and_upstream(self) -> None:
        directory = self.directory()
        trusted, stranger = Authority(directory, "trusted"), Authority(directory, "stranger")
        for authority in (trusted, stranger):
            sandbox = Sandbox(authority.sign("server", "IP:127.0.0.1"))
            self.addCleanup(sandbox.close)
            allow = ("--upstream-allow", f"127.0.0.1:{sandbox.port}")
            client = self.connect_behind(self.start_egress(*allow), *allow, "--ca-file", str(trusted.certificate))
            if authority is trusted:
                checkout = self.chosen(sandbox.session(**APPROVING), client)
                checkout.submit()
                self.assert_completed(checkout.await_end(), "success")
            else:
                token = sandbox.session().client_token
                error = self.assert_refused(1006, UNREACHED, client, "checkout.start", clientToken=token)
                self.assertIn("certificate", error.data["description"])
                self.assertEqual(sandbox.all_requests(), [])

    def test_proxy_behind_it(self) -> None:
        """The egress is asked for the proxy, and allows it for being the one that is configured."""
        secret, proxy, directory = "laat-je-niet-lezen", self.listen(), self.directory()
        url = f"http://till:{secret}@127.0.0.1:{proxy.getsockname()[1]}"
        (directory / "checkoutd.proxy").write_text(url + "\n")
        environment = {"CREDENTIALS_DIRECTORY": str(directory)}
        egress = self.start_egress(environment=environment)
        self.connect_behind(egress, environment=environment)
        self.daemon.must_not_log(secret)
        starting = self.client.send("checkout.start", clientToken=self.session().client_token)
        connected, _ = proxy.accept()
        with connected:
            head = [line.decode() for line in iter(connected.makefile("rb").readline, b"\r\n")]
            self.assertTrue(head[0].startswith(f"GET {self.sandbox.base}/"), head)
            self.assertTrue(any(line.startswith("Proxy-Authorization: Basic ") for line in head), head)
            connected.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            with self.assertRaises(CallError) as caught:
                self.client.result(starting)
        self.assertEqual(caught.exception.data["httpStatus"], 404)
        self.assertEqual((self.sandbox.all_requests(), egress.log), ([], ""))

    def test_kept_connections_and_a_restart_of_the_egress(self) -> None:
        egress = self.allowing_egress()
        self.connect_behind(egress)
        checkout = self.redirected(self.session(pendingPolls=1000))
        self.sandbox.requests("status", count=2)
        self.assertEqual(egress.stop(), 0)
        egress.start()
        count = len(self.sandbox.requests("status"))
        self.sandbox.requests("status", count=count + 2)
        checkout.session.approve()
        self.assert_completed(checkout.await_end(), "success")

    def test_payment_under_way_when_the_egress_is_killed(self) -> None:
        """As when a connection breaks: it is not taken for one that was not made."""
        egress = self.allowing_egress()
        self.connect_behind(egress, "--create-payment-timeout", "1500")
        session = self.approving()
        checkout = self.chosen(session)
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", count=1)
        egress.process.kill()
        egress.process.wait(TIMEOUT)
        egress.start()
        self.sandbox.release("payments")
        checkout.await_end()
        sent = self.sandbox.requests("payments")
        self.assertEqual(len(sent), 2)
        self.assertEqual(len({one["headers"]["x-idempotency-key"] for one in sent}), 1)
        self.assertEqual(len(session.payments), 1)


class Refusals(EgressTest):
    def test_host_that_the_egress_does_not_allow(self) -> None:
        """What the daemon was told on its command line, the egress was not."""
        egress = self.start_egress()
        client = self.connect_behind(egress)
        for _ in range(2):
            token = self.session().client_token
            self.assert_refused(1005, "upstream-not-allowed", client, "checkout.start", clientToken=token)
        self.assertEqual(self.sandbox.all_requests(), [])
        line = f"<4>127.0.0.1:{self.sandbox.port}: not on the list of what may be called\n"
        self.assertEqual(egress.log, line)

    def test_name_that_leads_to_a_private_address(self) -> None:
        allow = ("--upstream-allow", f"localhost:{self.sandbox.port}")
        egress = self.start_egress(*allow)
        url = f"https://localhost:{self.sandbox.port}/x"
        self.connect_behind(egress, *allow)
        token = self.session(tokenOverrides={"configurationUrl": url}).client_token
        self.assert_refused(1005, "upstream-not-allowed", None, "checkout.start", clientToken=token)
        self.assertRegex(egress.log, r"^<4>localhost:\d+: it leads to \S+, which is not public and not on the list\n$")

    def test_name_of_a_listed_address_is_another_host(self) -> None:
        egress = self.allowing_egress()
        self.assertEqual(egress.ask("localhost", self.sandbox.port)[0], NOT_ALLOWED)
        self.assertEqual(egress.ask("127.0.0.1", self.sandbox.port)[0], SUCCEEDED)

    def test_every_reply(self) -> None:
        closed = self.listen()
        port = closed.getsockname()[1]
        closed.close()
        egress = self.start_egress(
            "--upstream-allow", f"127.0.0.1:{port}", "--upstream-allow", "no-such-host.example.com"
        )
        for host, port, expected in (
            ("127.0.0.1", port, REFUSED),
            ("::ffff:127.0.0.1", port, REFUSED),
            ("no-such-host.example.com", 443, UNREACHABLE),
            ("no-such-host.example.com", 444, NOT_ALLOWED),
            ("primer.io", 443, NOT_ALLOWED),
            ("api.primer.io.example.com", 443, NOT_ALLOWED),
            ("169.254.169.254", 80, NOT_ALLOWED),
            ("8.8.8.8", 443, NOT_ALLOWED),
            ("::1", 443, NOT_ALLOWED),
            ("0x7f.1", port, NOT_ALLOWED),
            ("a b", 443, NOT_ALLOWED),
            ("127.0.0.1", 0, NOT_ALLOWED),
        ):
            with self.subTest(host=host, port=port):
                self.assertEqual(egress.ask(host, port)[0], expected)

    def test_reasons_are_told_once_until_it_works(self) -> None:
        listener = self.listen()
        port = listener.getsockname()[1]
        listener.close()
        egress = self.start_egress("--upstream-allow", f"http://127.0.0.1:{port}")
        line = f"<5>127.0.0.1:{port}: connect: Connection refused\n"
        for _ in range(3):
            egress.ask("127.0.0.1", port)
        self.assertEqual(egress.log, line)
        again = socket.create_server(("127.0.0.1", port))
        self.addCleanup(again.close)
        self.assertEqual(egress.ask("127.0.0.1", port)[0], SUCCEEDED)
        again.close()
        egress.ask("127.0.0.1", port)
        self.assertEqual(egress.log, 2 * line)

    def test_whoever_asks_cannot_fill_the_log(self) -> None:
        egress = self.start_egress()
        for number in range(400):
            egress.ask(f"host-{number}.example.com", 443)
        self.assertEqual(len(egress.log.splitlines()), 256)


class Absence(EgressTest):
    def test_daemon_serves_without_it_and_goes_on_when_it_is_there(self) -> None:
        egress = self.allowing_egress()
        egress.stop()
        egress.path.unlink()
        client = self.connect_behind(egress)
        starting = client.send("checkout.start", clientToken=self.session().client_token)
        # It is tried again and again.
        self.await_failures(3)
        problem = f"the egress cannot be reached: connect: {os.strerror(2)}"
        self.assertEqual(self.daemon.log.count(problem), 1)
        self.assertEqual(client.call("system.ping"), {})
        self.assertEqual(self.sandbox.all_requests(), [])
        egress.start()
        self.assertEqual(client.result(starting)["state"], "ready")
        self.assertEqual(self.daemon.log.count("the egress can be reached again"), 1)

    def test_payment_that_was_not_sent_for_certain_is_sent_again(self) -> None:
        egress = self.allowing_egress()
        self.connect_behind(egress)
        checkout = self.chosen(self.approving())
        egress.stop()
        checkout.submit()
        self.await_failures(3)
        egress.start()
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(self.sandbox.requests("payments")), 1)

    def await_failures(self, count: int) -> None:
        """Waits until so many requests have failed."""
        deadline = time.monotonic() + TIMEOUT
        while self.client.call("system.status")["upstream"]["failed"] < count:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)


class Configuration(EgressTest):
    def check(self, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [str(program("checkoutd")), "--check", "--ephemeral", *options]
        return subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )

    def test_paths_that_are_none(self) -> None:
        for path in ("", "relative/socket", "/run/", "/" + 107 * "x", "/run/a\nb", "/run/é"):
            with self.subTest(path):
                done = self.check("--egress", path)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done)
                self.assertIn("--egress: expected the absolute path of a socket", done.stderr)
                if path:
                    done = self.check(CHECKOUTD_EGRESS_SOCKET=path)
                    self.assertEqual((done.returncode, done.stdout), (78, ""), done)
        file = self.directory() / "checkoutd.conf"
        file.write_text("egress = relative\n")
        done = self.check("--config", str(file))
        self.assertEqual((done.returncode, done.stdout), (78, ""), done)
        self.assertIn("line 1: --egress", done.stderr)

    def test_check_says_whether_somebody_listens(self) -> None:
        egress = self.start_egress()
        for options, environment in (
            (["--egress", str(egress.path)], {}),
            ([], {"CHECKOUTD_EGRESS_SOCKET": str(egress.path)}),
        ):
            done = self.check(*options, **environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        egress.stop()
        for path, reason in ((egress.path, 111), (egress.path.with_name("nothing"), 2)):
            done = self.check("--egress", str(path))
            self.assertEqual((done.returncode, done.stdout), (0, "The configuration is good.\n"), done)
            self.assertIn(os.strerror(reason), done.stderr)
        self.assertEqual(self.check(CHECKOUTD_EGRESS_SOCKET="").stderr, "")

    def test_path_with_characters_that_mean_something_in_an_address(self) -> None:
        egress = self.allowing_egress()
        odd = egress.path.with_name("a%20b?c#d @[1]")
        odd.symlink_to(egress.path)
        self.connect_behind(odd)
        self.assertEqual(self.start(self.session()).state, "ready")

    def test_socks_proxy_would_be_passed_over(self) -> None:
        for url in ("socks5://127.0.0.1:1080", "socks5h://127.0.0.1", "http://"):
            done = self.check("--egress", "/run/x", "--proxy", url)
            self.assertEqual((done.returncode, done.stdout), (78, ""), done)
            self.assertIn("--proxy", done.stderr)

    def test_rules_are_those_of_the_file_as_it_is_now(self) -> None:
        listener, file = self.listen(), self.directory() / "checkoutd.conf"
        port = listener.getsockname()[1]
        egress = self.start_egress("--config", str(file))
        steps = [
            (None, NOT_ALLOWED),
            (f"upstream-allow = http://127.0.0.1:{port}\n", SUCCEEDED),
            ("# none\n", NOT_ALLOWED),
            (f"idle-exit = 7\nproxy = http://a:b@127.0.0.1:{port}/\n", SUCCEEDED),
            # A mistake changes nothing.
            ("upstream-allow = http://example.com\n", SUCCEEDED),
            ("proxy = socks5://127.0.0.1:1\n", SUCCEEDED),
            ("nonsense\n", SUCCEEDED),
            ("idle-exit = 7\n", NOT_ALLOWED),
        ]
        for text, expected in steps:
            with self.subTest(text):
                if text is not None:
                    file.write_text(text)
                self.assertEqual(egress.ask("127.0.0.1", port)[0], expected)
        self.assertEqual(egress.log.count("the rules were not changed"), 3)
        self.assertEqual(egress.log.count("not on the list"), 1 + 2)

    def test_file_that_is_wrong_from_the_start_is_as_good_as_none(self) -> None:
        directory = self.directory()
        file, credential = directory / "checkoutd.conf", directory / "checkoutd.proxy"
        port, other = (self.listen().getsockname()[1] for _ in range(2))
        file.write_text(f"upstream-allow = http://127.0.0.1:{other}\nupstream-allow = *\n")
        for text, word in ((" \n", "cannot be read, or is empty"), ("socks5://127.0.0.1", "not the URL of an HTTP")):
            credential.write_text(text)
            egress = self.start_egress(
                "--config",
                str(file),
                "--upstream-allow",
                f"http://127.0.0.1:{port}",
                environment={"CREDENTIALS_DIRECTORY": str(directory)},
            )
            self.assertEqual(egress.ask("127.0.0.1", port)[0], SUCCEEDED)
            self.assertEqual(egress.ask("127.0.0.1", other)[0], NOT_ALLOWED)
            self.assertIn(word, egress.log)
            self.assertIn(f"{file}: upstream-allow: *: not a host name", egress.log)

    def test_help_and_what_makes_no_sense(self) -> None:
        def run(*options: str) -> subprocess.CompletedProcess[str]:
            command = [str(program("checkoutd-egress")), *options]
            return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)

        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("--socket PATH", "--config FILE", "--upstream-allow HOST[:PORT]", "--idle-exit SECONDS"):
            self.assertIn(name, done.stdout)
        for options in (["stray"], ["--no-such"], ["--idle-exit", "x"], ["--upstream-allow", "a b"], ["--socket"]):
            done = run(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
        done = run()
        self.assertEqual(done.returncode, 1)
        self.assertIn("--socket", done.stderr)
