"""Upstream's slots: configurations leave room for payments, and go round between those who wait."""

from __future__ import annotations

import os
import unittest
from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import PressureTest
from support.client import Client
from support.sandbox import Session

# Of all slots, those for configurations, bank lists, actions and validation.
SLOTS = 48
FLOOD = 300
EAGER, CALM = 61031, 61032
GROUP = 62031


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class Slots(PressureTest):
    options: ClassVar[Sequence[str]] = ("--max-waiting", "400", "--max-in-flight", "500", "--request-timeout", "60000")

    def setUp(self) -> None:
        super().setUp()
        self.eager = self.daemon.connect_as(EAGER, GROUP)
        self.calm = self.daemon.connect_as(CALM, GROUP)

    def flood(self) -> None:
        """One user starts hundreds of checkouts, none of which gets its configuration."""
        self.sandbox.hold("configuration", before_effect=True)
        self.start_held(self.eager, [self.session() for _ in range(FLOOD)])
        self.sandbox.requests("configuration", count=SLOTS)

    @staticmethod
    def start_held(client: Client, sessions: list[Session]) -> list[int]:
        """Sends the starts; a round trip makes sure that all have begun."""
        ids = client.send_all([("checkout.start", {"clientToken": session.client_token}) for session in sessions])
        client.call("system.ping")
        return ids

    def test_a_payment_finds_one_whatever_else_waits(self) -> None:
        checkout = self.chosen(self.approving(), self.calm)
        self.sandbox.reset()
        self.flood()
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        self.assertLessEqual(len(self.sandbox.requests("configuration")), SLOTS)

    def test_those_who_wait_take_turns(self) -> None:
        """Another user's configuration is fetched with the next that are, not behind three hundred."""
        self.flood()
        session = self.session()
        (start,) = self.start_held(self.calm, [session])
        self.sandbox.release("configuration")
        self.assertEqual(self.calm.result(start, 60)["state"], "ready")
        asked = [entry["headers"]["primer-client-token"] for entry in self.sandbox.requests("configuration")]
        self.assertLess(asked.index(session.access_token), 2 * SLOTS)
