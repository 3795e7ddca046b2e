"""Descriptors that are no client's: what a payment needs is there, however many connect."""

from __future__ import annotations

import os
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

from edge.pressure import allow_descriptors
from support.case import DaemonTest
from support.daemon import program

CALM, GROUP = 61042, 62041


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class DescriptorsSetAside(DaemonTest):
    """Clients may fill every place there is for them: what a payment needs is not theirs."""

    options: ClassVar[Sequence[str]] = ("--max-connections-per-uid", "4000", "--max-connection-rate", "100000")
    LIMIT = 256

    def setUp(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            limited = Path(directory, "checkoutd")
            limited.write_text(f"#!/bin/sh\nulimit -n {self.LIMIT}\nexec '{program('checkoutd')}' \"$@\"\n")
            limited.chmod(0o755)
            with patch.dict(os.environ, CHECKOUTD=str(limited)):
                super().setUp()

    def test_a_payment_goes_through(self) -> None:
        allow_descriptors()
        calm = self.daemon.connect_as(CALM, GROUP)
        checkout = self.chosen(self.approving(), calm)
        clients = [self.daemon.connect() for _ in range(2 * self.LIMIT)]
        # The last of them is told that there is no room, once all before it have been seen to.
        refusal = clients[-1].read_message()
        assert isinstance(refusal, dict)
        self.assertEqual((refusal["error"]["code"], refusal["error"]["data"]["quota"]), (-32004, "descriptors"))
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
