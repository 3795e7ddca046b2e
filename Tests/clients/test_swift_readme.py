"""README.md's section about Swift followed to the letter: a package of its own, built and run."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.test_readme import section
from support.case import DaemonTest
from support.sandbox import APPROVING

# To build the library takes a fraction of that.
TIMEOUT = 300

_ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Readme(DaemonTest):
    def test_works_as_written(self) -> None:
        blocks = _BLOCK.findall(section("From Swift"))
        self.assertEqual([kind for kind, _ in blocks], ["swift", "swift", "sh"])
        (package, program, command) = [text for _, text in blocks]
        with TemporaryDirectory() as name:
            directory = Path(name) / "till"
            (directory / "Sources").mkdir(parents=True)
            (directory.parent / "checkoutd").symlink_to(_ROOT)
            (directory / "Package.swift").write_text(package)
            (directory / "Sources" / "main.swift").write_text(program)
            (directory / "token").write_text(self.session(**APPROVING).client_token + "\n")
            done = subprocess.run(
                ["bash", "-ec", command],
                cwd=directory,
                env=os.environ | {"CHECKOUTD_SOCKET": str(self.daemon.socket_path)},
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("warning:", done.stdout + done.stderr)
        self.assertIn("9001 Ambachtsbank\n", done.stdout)
        self.assertRegex(done.stdout, r"\nopen http://\S+/bank/\S+\npaid pay_\w+\n$")
