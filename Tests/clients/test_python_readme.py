"""client/python/README.md followed to the letter, in an environment of its own; and what type checkers say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.library import PROJECT
from clients.readme_programs import ReadmeTest
from support.sandbox import APPROVING

TIMEOUT = 120

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INSTALL, _IDEAL, _RESUME, _ACH = [text for _, text in _BLOCK.findall((PROJECT / "README.md").read_text())]
# Debian's Python, and what pip needs to build without a network: client/packages has it.
_PYTHON_FROM = "/usr/bin"
_WHEELS = "/usr/share/python-wheels"


class Readme(ReadmeTest):
    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.environment = os.environ | {
            "PATH": f"{self.directory / 'venv' / 'bin'}:{_PYTHON_FROM}:{os.environ['PATH']}",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": _WHEELS,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PYTHONUNBUFFERED": "1",
            "CHECKOUTD_SOCKET": str(self.daemon.socket_path),
        }

    def install(self) -> None:
        """Does what the README says of that."""
        shutil.copytree(PROJECT, self.directory / "client" / "python")
        self.assertIn("Successfully installed checkoutd-", self.run_command("bash", "-ec", _INSTALL))

    def run_command(self, *command: str | Path, text: str = "") -> str:
        """What a command prints."""
        done = subprocess.run(
            command,
            cwd=self.directory,
            env=self.environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_works_as_written(self) -> None:
        self.install()
        paid = self.run_command("python", "-c", _IDEAL, text=self.session(**APPROVING).client_token + "\n")
        self.assertIn("9001 Ambachtsbank\n", paid)
        self.assertRegex(paid, r"\nopen http://\S+/bank/\S+\nthe end: success\n$")
        first = self.run_command("python", "-c", _RESUME)
        self.assertRegex(first, r"^1 checkout.didLoadAvailablePaymentMethods\n")
        self.assertTrue(first.endswith(" checkout.didCompleteCheckout\nsuccess SUCCESS\n1003 checkout-ended\n"), first)
        # It has kept its place, so that nothing is left to tell.
        self.assertEqual(self.run_command("python", "-c", _RESUME), "success SUCCESS\n1003 checkout-ended\n")
        debited = self.run_command("python", "-c", _ACH, text=self.session().client_token + "\n")
        self.assertEqual(debited, "who pays: Mila Verhoeven\nExample Shop may debit the account\nthe end: pending\n")

        # Type checkers see the installed package as typed.
        (self.directory / "pay.py").write_text(_IDEAL + "\nreveal_type(checkout.wait())\n")
        told = self.run_command("mypy", "--strict", "--python-executable", "venv/bin/python", "pay.py")
        self.assertIn("checkoutd.types.Waited", told)

    def test_survives_a_restart(self) -> None:
        self.install()
        self.assert_survives_a_restart(["python", "-c", _IDEAL], self.directory, self.environment)


class Types(unittest.TestCase):
    def test_strict(self) -> None:
        with TemporaryDirectory() as cache:
            done = subprocess.run(
                ["mypy", "--strict", "--cache-dir", cache],
                cwd=PROJECT,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_needs_nothing_but_the_standard_library(self) -> None:
        sources = [path.read_text() for path in PROJECT.rglob("src/checkoutd/*.py")]
        imported = {name for text in sources for name in re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)}
        self.assertLessEqual(imported - {"checkoutd"}, sys.stdlib_module_names)
        self.assertFalse([text for text in sources if "splitlines" in text])
