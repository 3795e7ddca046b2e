"""client/node/README.md: its programs are run to the letter."""

from __future__ import annotations

import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.node_library import NODE, NODE_PROJECT, installed, run_node
from clients.readme_programs import ReadmeTest
from support.sandbox import APPROVING

_README = (NODE_PROJECT / "README.md").read_text()
_IDEAL, _RESUME, _ACH = re.findall(r"^```js\n(.*?)^```$", _README, re.MULTILINE | re.DOTALL)


class Readme(ReadmeTest):
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
        (self.directory / "program.js").write_text(_IDEAL)
        environment = os.environ | {"CHECKOUTD_SOCKET": str(self.daemon.socket_path)}
        self.assert_survives_a_restart([NODE, "program.js"], self.directory, environment)
