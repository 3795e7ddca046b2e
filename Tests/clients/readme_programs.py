"""What the programs of the READMEs have in common."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from crash.case import DurableTest

_TIMEOUT = 120


class ReadmeTest(DurableTest):
    """A test that runs a README's programs."""

    def assert_survives_a_restart(self, command: Sequence[str], place: Path, environment: Mapping[str, str]) -> None:
        """A program that pays, while the daemon is killed with the shopper at the bank."""
        session = self.session()
        process = subprocess.Popen(
            command, cwd=place, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
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
        self.assertEqual(process.wait(_TIMEOUT), 0)
