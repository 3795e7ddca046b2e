"""client/node/README.md: its programs are run to the letter."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.node_library import NODE, NODE_PROJECT, TIMEOUT, installed, run_node
from crash.case import DurableTest
from support.sandbox import APPROVING

_README = (NODE_PROJECT / "README.md").read_text()
_IDEAL, _RESUME, _ACH = re.findall(r"^```js\n(.*?)^```$", _README, re.MULTILINE | re.DOTALL)


class Readme(DurableTest):
    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = installed(Path(directory.name))

    def run_program(self, program: str, text: str = "") -> str:
        """What a program prints."""
        path = self.directory / "program.js"
        path.write_text(program)
        done = run_node(
            path, text=text, cwd=self.directory, environment={"CHECKOUTD_SOCKET": str(self.daemon.socket_path)}
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_works_as_written(self) -> None:
        paid = self.run_program(_IDEAL, self.session(**APPROVING).client_token + "\n")
        self.assertIn("9001 Ambachtsbank\n", paid)
        self.assertRegex(paid, r"\nopen http://\S+/bank/\S+\nthe end: success\n$")

        first = self.run_program(_RESUME)
        self.assertRegex(first, r"^1 checkout.didLoadAvailablePaymentMethods\n")
        self.assertTrue(first.endswith(" checkout.didCompleteCheckout\nsuccess SUCCESS\n1003 checkout-ended\n"), first)
        # It has kept its place, so that nothing is left to tell.
        self.assertEqual(self.run_program(_RESUME), "success SUCCESS\n1003 checkout-ended\n")

        debited = self.run_program(_ACH, self.session().client_token + "\n")
        self.assertEqual(debited, "who pays: Mila Verhoeven\nExample Shop may debit the account\nthe end: pending\n")

    def test_survives_a_restart(self) -> None:
        """The daemon is killed while the shopper is at the bank."""
        session = self.session()
        (self.directory / "program.js").write_text(_IDEAL)
        process = subprocess.Popen(
            [NODE, "program.js"],
            cwd=self.directory,
            env=os.environ | {"CHECKOUTD_SOCKET": str(self.daemon.socket_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        assert process.stdin and process.stdout
        with process.stdin, process.stdout:
            process.stdin.write(session.client_token + "\n")
            process.stdin.close()
            while not process.stdout.readline().startswith("open "):
                self.assertIsNone(process.poll())
            self.restart(meanwhile=session.approve)
            self.assertEqual(process.stdout.readline(), "the end: success\n")
        self.assertEqual(process.wait(TIMEOUT), 0)
