"""The base of the tests on a service manager: the service, as new for each test, and checkouts."""

from __future__ import annotations

import os
import unittest
from pathlib import Path
from typing import ClassVar

from support.case import DaemonTest
from support.client import Client
from support.sandbox import shared_sandbox
from systemd.service import API, Service

# Somebody of our own making who may connect, and somebody who may not.
USER, GROUP = 4711, 4711


class ServiceTest(DaemonTest):
    """A test with the service, as new; nothing has started it yet."""

    configuration: ClassVar[str] = ""
    unit: ClassVar[str] = ""

    def setUp(self) -> None:
        self.require_manager()
        self.sandbox = shared_sandbox()
        self.sandbox.reset()
        self.service = Service(self.sandbox.port, self.configuration, self.unit)
        self.addCleanup(self.service.close)
        self.addCleanup(self.service.check)
        self.addCleanup(self.sandbox.release, "*")
        # What the tests of flows expect of a daemon, the service does as well.
        self.daemon = self.service  # type: ignore[assignment]

    @staticmethod
    def require_manager() -> None:
        """Skips what would otherwise change the machine that the tests run on."""
        if os.environ.get("container") != "rig":  # noqa: SIM112
            raise unittest.SkipTest("only on the service manager that Tests/systemd/rig boots")

    def connect(self, path: Path = API) -> Client:
        """A new client of root's, which the tests of this case use from now on."""
        self.client = self.service.connect(path)
        return self.client
