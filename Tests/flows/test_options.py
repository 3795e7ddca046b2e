"""The command line and the configuration file: what is taken, what is refused and how, what a reload changes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from support.case import DaemonTest
from support.client import TIMEOUT
from support.daemon import Daemon, program

USAGE, CONFIGURATION = 2, 78


class OptionsTest(DaemonTest):
    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "checkoutd.conf"

    def run_checkoutd(self, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [str(program("checkoutd")), *options]
        return subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )

    def check(self, *options: str) -> subprocess.CompletedProcess[str]:
        return self.run_checkoutd("--check", "--ephemeral", *options)

    def configured(self, text: str) -> list[str]:
        self.path.write_text(text)
        return ["--config", str(self.path)]

    def assert_good(self, done: subprocess.CompletedProcess[str]) -> None:
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertTrue(done.stdout)

    def assert_ends(self, done: subprocess.CompletedProcess[str], status: int, *words: str) -> None:
        self.assertEqual((done.returncode, done.stdout), (status, ""), done)
        for word in words:
            self.assertIn(word, done.stderr)


class CommandLine(OptionsTest):
    def test_help_and_version(self) -> None:
        for options in (["--help"], ["-h"], ["--help", "--no-such-file", "--config", "/nowhere"][:1]):
            done = self.run_checkoutd(*options)
            self.assert_good(done)
            for name in (
                "--config FILE",
                "--check",
                "--socket PATH",
                "--upstream-allow HOST[:PORT]",
                "--max-line BYTES",
            ):
                self.assertIn(name, done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)
        for options in (["--version"], ["-V"]):
            self.assertRegex(self.run_checkoutd(*options).stdout, r"^checkoutd \d+\.\d+\.\d+\n$")

    def test_what_makes_no_sense_is_usage(self) -> None:
        cases = {
            "unknown": (["--no-such-option"], "--no-such-option"),
            "unknown letter": (["-x"], "-x"),
            "operand": (["stray"], "arguments"),
            "no value": (["--socket"], "--socket"),
            "value for a switch": (["--ephemeral=1"], "--ephemeral"),
            "empty": (["--socket", ""], "--socket"),
            "not a number": (["--max-line", "many"], "--max-line"),
            "too small": (["--max-line", "1023"], "1024"),
            "too large": (["--max-batch", "10001"], "10000"),
            "negative": (["--poll-span", "-1"], "--poll-span"),
            "no level": (["--log-level", "loud"], "--log-level"),
            "ambiguous": (["--max", "1"], "--max"),
        }
        for name, (options, word) in cases.items():
            with self.subTest(name):
                self.assert_ends(self.check(*options), USAGE, word)
                self.assert_ends(self.run_checkoutd("--ephemeral", *options), USAGE, word)

    def test_values_are_not_repeated(self) -> None:
        self.assertNotIn("4711-confidential", self.check("--max-line", "4711-confidential").stderr)

    def test_a_password_is_no_argument(self) -> None:
        done = self.check("--proxy", "http://till:geheim-4711@127.0.0.1:1")
        self.assert_ends(done, USAGE, "--proxy", "checkoutd.proxy")
        self.assertNotIn("4711", done.stderr)
        self.assert_good(self.check(*self.configured("proxy = http://till:geheim-4711@127.0.0.1:1\n")))

    def test_a_credential_that_says_nothing_is_wrong(self) -> None:
        directory = str(self.path.parent)
        credential = self.path.with_name("checkoutd.proxy")
        for text, status in (("http://127.0.0.1:1\n", 0), ("\n", CONFIGURATION)):
            credential.write_text(text)
            done = self.run_checkoutd("--check", "--ephemeral", CREDENTIALS_DIRECTORY=directory)
            self.assertEqual(done.returncode, status, done)
        self.assertIn("checkoutd.proxy", done.stderr)
        done = self.run_checkoutd("--check", "--ephemeral", "--proxy", "http://a", CREDENTIALS_DIRECTORY=directory)
        self.assert_good(done)

    def test_check_leaves_no_socket(self) -> None:
        path = self.path.with_name("socket")
        self.assert_good(self.check("--socket", str(path)))
        self.assertFalse(path.exists())

    def test_several_sockets(self) -> None:
        path = self.path.with_name("second")
        daemon = self.start_daemon("--socket", str(path))
        # Who is answered knows that all of them listen.
        epoch = daemon.connect().call("system.hello")["epoch"]
        other = Daemon.connect_to(path)
        self.addCleanup(other.close)
        self.assertEqual(other.call("system.hello")["epoch"], epoch)
        self.assertEqual(daemon.terminate(), 0)
        self.assertFalse(path.exists())


class ConfigurationFile(OptionsTest):
    def test_options_and_comments(self) -> None:
        text = "# What this till allows\n\nmax-batch = 7\n\tmax-line=4096  \r\n  max-queue =70000\n"
        limits = self.start_daemon(*self.configured(text)).connect().call("system.hello")["limits"]
        self.assertEqual((limits["batch"], limits["line"], limits["queue"]), (7, 4096, 70_000))

    def test_command_line_goes_over_the_file(self) -> None:
        options = ["--max-batch", "9", *self.configured("max-batch = 7\nmax-line = 4096\n")]
        limits = self.start_daemon(*options).connect().call("system.hello")["limits"]
        self.assertEqual((limits["batch"], limits["line"]), (9, 4096))

    def test_ephemeral_and_upstream(self) -> None:
        text = f"ephemeral = yes\nupstream-allow = 127.0.0.1:{self.sandbox.port}\nupstream-allow = *.example.com\n"
        self.assert_good(self.run_checkoutd("--check", *self.configured(text)))

    def test_what_is_wrong_is_told_by_its_line(self) -> None:
        cases = {
            "unknown": "max-line = 4096\nno-such = 1\n",
            "not in a file": "max-line = 4096\nconfig = other\n",
            "no equals sign": "\nmax-line 4096\n",
            "bad value": "max-line = 4096\nmax-batch = none\n",
            "empty value": "\nsocket =\n",
            "no value": "\n= 4096\n",
            "bad switch": "\nephemeral = perhaps\n",
        }
        for name, text in cases.items():
            with self.subTest(name):
                for done in (self.check(*self.configured(text)), self.run_checkoutd(*self.configured(text))):
                    self.assert_ends(done, CONFIGURATION, str(self.path), "line 2")

    def test_file_that_cannot_be_read(self) -> None:
        self.assert_ends(self.check("--config", str(self.path)), CONFIGURATION, str(self.path))
        self.path.write_bytes(b"max-line = \xff\n")
        self.assert_ends(self.check("--config", str(self.path)), CONFIGURATION, str(self.path))
        self.assert_ends(self.check("--config", str(self.path.parent)), CONFIGURATION)

    def test_upstream_that_makes_no_sense(self) -> None:
        for entry in ("http://example.com", "*.com", "example.com:0", "exa mple.com", "https://example.com/x"):
            with self.subTest(entry):
                self.assert_ends(
                    self.check(*self.configured(f"upstream-allow = {entry}\n")), CONFIGURATION, "upstream-allow"
                )
                self.assert_ends(self.check("--upstream-allow", entry), CONFIGURATION, "upstream-allow")

    def test_certificates_that_are_not_there(self) -> None:
        self.assert_ends(self.check("--ca-file", str(self.path)), CONFIGURATION, str(self.path))


class RefusedAlike(OptionsTest):
    """What one of `--check`, the start and a reload refuses, the others refuse with the same words."""

    CASES: ClassVar[dict[str, str]] = {
        "ephemeral =": "ephemeral",
        "proxy = banana": "proxy",
        "proxy = http://127.0.0.1:99999": "proxy",
        "upstream-allow = example.com:99999": "upstream-allow",
        "ca-file = /nowhere/certificates.pem": "ca-file",
        "ca-file = /etc/hostname": "ca-file",
        "egress = run/egress": "egress",
        "max-batch = 0": "max-batch",
        "max-bach = 7": "max-batch?",
        "max-batch": "expected option = value",
    }

    def test_check_start_and_reload(self) -> None:
        daemon = self.start_daemon(*self.configured("max-batch = 7\n"))
        client = daemon.connect()
        for line, word in self.CASES.items():
            with self.subTest(line):
                options = self.configured(f"# This till\n{line}\n")
                checked, started = self.check(*options), self.run_checkoutd("--ephemeral", *options)
                error = self.assert_refused(1007, "invalid-configuration", client, "system.reload")
                self.assert_ends(checked, CONFIGURATION, f"{self.path}: line 2: ", word)
                self.assert_ends(started, CONFIGURATION, error.data["description"])
                self.assertIn(error.data["description"], checked.stderr)
                self.assertEqual(error.data["line"], 2)
        self.assertEqual(daemon.connect().call("system.hello")["limits"]["batch"], 7)

    def test_credential(self) -> None:
        credential = self.path.with_name("checkoutd.proxy")
        credential.write_text("http://127.0.0.1:1\n")
        environment = {"CREDENTIALS_DIRECTORY": str(credential.parent)}
        daemon = self.start_daemon(*self.configured("max-batch = 7\n"), environment=environment)
        client = daemon.connect()
        for text in ("\n", "banana-4711\n", "http://till:geheim-4711@127.0.0.1:99999\n"):
            with self.subTest(text):
                credential.write_text(text)
                error = self.assert_refused(1007, "invalid-configuration", client, "system.reload")
                done = self.run_checkoutd("--check", "--ephemeral", "--config", str(self.path), **environment)
                self.assert_ends(done, CONFIGURATION, error.data["description"], "checkoutd.proxy")
                self.assertNotIn("4711", done.stderr)
        credential.write_text("http://127.0.0.1:2\n")
        self.assertEqual(client.call("system.reload"), {"needsRestart": ["proxy"]})


class Reload(OptionsTest):
    def setUp(self) -> None:
        super().setUp()
        self.daemon = self.start_daemon(*self.configured("max-batch = 7\n"))
        self.client = self.daemon.connect()

    @property
    def batch(self) -> int:
        return int(self.daemon.connect().call("system.hello")["limits"]["batch"])

    def test_by_a_call(self) -> None:
        self.path.write_text("max-batch = 8\nmax-checkouts-per-uid = 1\n")
        self.assertEqual(self.client.call("system.reload"), {})
        self.assertEqual(self.batch, 8)
        self.start()
        token = self.session().client_token
        self.assert_refused(-32004, "quota-exceeded", None, "checkout.start", clientToken=token)

    def test_what_waits_for_a_restart_is_told(self) -> None:
        self.path.write_text("max-batch = 8\nstate-directory = /nowhere\nupstream-allow = example.com\n")
        expected = {"needsRestart": ["state-directory", "upstream-allow"]}
        for _ in range(2):
            self.assertEqual(self.client.call("system.reload"), expected)
        self.assertEqual(self.batch, 8)
        self.assertIn("state-directory, upstream-allow", self.daemon.log)
        self.path.write_text("max-batch = 8\n")
        self.assertEqual(self.client.call("system.reload"), {})

    def test_by_a_signal(self) -> None:
        self.path.write_text("max-batch = 8\n")
        self.daemon.process.send_signal(signal.SIGHUP)
        while self.batch != 8:
            self.assertIsNone(self.daemon.process.poll())

    def test_wrong_one_changes_nothing_and_says_why(self) -> None:
        self.path.write_text("max-batch = 8\nmax-line = none\n")
        error = self.assert_refused(1007, "invalid-configuration", None, "system.reload")
        self.assertRegex(error.data["description"], re.escape(str(self.path)) + ": line 2: ")
        self.assertEqual((error.data["line"], error.data["option"]), (2, "max-line"))
        self.assertEqual(self.batch, 7)
        self.daemon.process.send_signal(signal.SIGHUP)
        while "line 2" not in self.daemon.log:
            self.assertIsNone(self.daemon.process.poll())
        self.assertEqual(self.batch, 7)

    def test_command_line_still_goes_over_the_file(self) -> None:
        daemon = self.start_daemon("--max-line", "4096", *self.configured("max-batch = 7\n"))
        client = daemon.connect()
        self.path.write_text("max-batch = 8\nmax-line = 8192\n")
        self.assertEqual(client.call("system.reload"), {})
        limits = daemon.connect().call("system.hello")["limits"]
        self.assertEqual((limits["batch"], limits["line"]), (8, 4096))

    def test_without_a_file(self) -> None:
        client = self.start_daemon().connect()
        error = self.assert_refused(1007, "invalid-configuration", client, "system.reload")
        self.assertEqual(error.data.keys(), {"errorId", "description"})
        self.assertEqual(client.call("system.ping"), {})

    def test_clients_and_checkouts_stay(self) -> None:
        checkout = self.banks()
        self.path.write_text("max-batch = 8\n")
        self.assertEqual(self.daemon.connect().call("system.reload"), {})
        checkout.update(bankFilterText="bank")
        self.assertEqual(checkout.next_event().seq, 4)
