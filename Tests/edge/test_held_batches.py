"""Replies of a batch that has not ended are held for the client: they count, and are bounded, like all the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import MIB, Figures, PressureTest
from support.client import encode, request

MEMORY = 8 * MIB
CONNECTIONS = 40


class UnfinishedBatches(PressureTest):
    """Each batch has one member that waits, and others whose replies are long."""

    options: ClassVar[Sequence[str]] = ("--max-memory", str(MEMORY), "--max-connection-rate", "100000")

    def test_their_replies_are_bounded(self) -> None:
        checkout = self.start()
        wait = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        members = [request("checkout.wait", wait, 0)] + [request("rpc.discover", id=id) for id in range(1, 16)]
        figures = Figures(self.daemon.process.pid)
        self.client.call("rpc.discover")
        rest = figures.resident
        mutes = self.mutes(CONNECTIONS)
        for mute in mutes:
            mute.plan((encode(members) + b"\n") * 4)
        self.push_all(mutes, lambda: None)
        # The bound for what is held, once more for buffers that double, and some for what a turn says.
        self.assertLess(figures.peak - rest, 4 * MEMORY)
        self.assertEqual(self.client.call("system.ping"), {})

    def test_they_count(self) -> None:
        checkout = self.start()
        wait = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        text = "x" * 100_000
        members = [request("checkout.wait", wait, 0), request("system.echo", {"text": text}, 1)]
        (mute,) = self.mutes(1)
        mute.plan(encode(members) + b"\n")
        self.push_all([mute], lambda: None)
        self.assertGreaterEqual(self.held, len(text))
        mute.close()
        self.await_open(1)
        self.assertEqual(self.held, 0)
