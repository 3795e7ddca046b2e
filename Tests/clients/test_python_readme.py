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
from support.case import DaemonTest
from support.sandbox import APPROVING

TIMEOUT = 120

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BLOCKS = _BLOCK.findall((PROJECT / "README.md").read_text())
# Debian's, for which client/packages has what pip needs to build without a network.
_PYTHON = "/usr/bin/python3"


class Readme(DaemonTest):
    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.environment = os.environ | {
            "PATH": f"{self.directory / 'venv' / 'bin'}:{os.environ['PATH']}",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "false",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "CHECKOUTD_SOCKET": str(self.daemon.socket_path),
        }

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
        self.assertEqual([kind for kind, _ in _BLOCKS], ["sh", "python", "python", "python"])
        (install, ideal, resume, ach) = [text for _, text in _BLOCKS]
        shutil.copytree(PROJECT, self.directory / "client" / "python")
        self.run_command(_PYTHON, "-m", "venv", "--system-site-packages", "venv")
        self.assertIn("Successfully installed checkoutd-", self.run_command("bash", "-ec", install))

        paid = self.run_command("python", "-c", ideal, text=self.session(**APPROVING).client_token + "\n")
        self.assertIn("9001 Ambachtsbank\n", paid)
        self.assertRegex(paid, r"\nopen http://\S+/bank/\S+\nthe end: success\n$")
        self.assertEqual(self.run_command("python", "-c", resume), "success SUCCESS\n1003 checkout-ended\n")
        debited = self.run_command("python", "-c", ach, text=self.session().client_token + "\n")
        self.assertEqual(debited, "who pays: Mila Verhoeven\nExample Shop may debit the account\nthe end: pending\n")

        # Type checkers see the installed package as typed.
        (self.directory / "pay.py").write_text(ideal + "\nreveal_type(checkout.wait())\n")
        told = self.run_command("mypy", "--strict", "--python-executable", "venv/bin/python", "pay.py")
        self.assertIn("checkoutd.types.Waited", told)


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
