"""client/demo: one command that pays three times, shows how, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support.daemon import program

TIMEOUT = 60

_DEMO = Path(__file__).resolve().parents[2] / "client" / "demo"


class Demo(unittest.TestCase):
    def setUp(self) -> None:
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.process = subprocess.Popen(
            [_DEMO, "--no-build"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": directory.name, "CHECKOUTD": str(program("checkoutd"))},
            start_new_session=True,
        )
        self.addCleanup(self.assert_nothing_is_left)

    def assert_nothing_is_left(self) -> None:
        """No process of the demonstration's session runs, and no file of it is there."""
        with self.assertRaises(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_pays_three_times(self) -> None:
        output, errors = self.process.communicate(timeout=TIMEOUT)
        self.assertEqual((self.process.returncode, errors), (0, ""), output)
        ideal, listed, ach = output.splitlines()[-3:]
        self.assertRegex(ideal, r"^iDEAL +success +SUCCESS +pay_\w+ +order-\w+$")
        self.assertRegex(listed, r"^iDEAL bank list +success +SUCCESS +pay_\w+ +order-\w+$")
        self.assertRegex(ach, r"^ACH +pending +PENDING +pay_\w+ +order-\w+$")
        self.assertIn("→ component.submit  componentId: cm_", output)
        self.assertIn("← component.updateCollectedData  status: valid", output)
        self.assertIn("• checkout.didCompleteCheckout  payment: {id: pay_", output)
        self.assertNotRegex(output, r"eyJ[\w-]{8}")
        self.assertLessEqual(max(map(len, output.splitlines())), 123)

    def test_interrupted(self) -> None:
        assert self.process.stdout
        self.process.stdout.readline()
        os.killpg(self.process.pid, signal.SIGINT)
        _, errors = self.process.communicate(timeout=TIMEOUT)
        self.assertNotIn("Traceback", errors)
        self.assertEqual(self.process.returncode, 130)
