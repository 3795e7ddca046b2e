"""Close means closed: nothing of a connection is left that its peer has closed, whatever its calls wait for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from edge.pressure import PressureTest, await_that, line
from support.checkout import IDEAL
from support.lines import JsonObject

COUNT = 40


def unix_socket_count(pid: int) -> int:
    """How many of a process's descriptors are Unix sockets: those to upstream come and go by themselves."""
    inodes = {row.split()[6] for row in Path("/proc/net/unix").read_text().splitlines()[1:]}
    count = 0
    for entry in os.scandir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(entry.path)
        except FileNotFoundError:
            continue
        count += target.startswith("socket:[") and target[8:-1] in inodes
    return count


class CallsUnderWay(PressureTest):
    """Calls that wait for upstream, which does not answer, and whose callers leave."""

    options: ClassVar[Sequence[str]] = ("--max-connection-rate", "100000", "--request-timeout", "60000")

    def leave(self, texts: Sequence[bytes], endpoint: str) -> None:
        """Connections that each send one of these, and are closed once it is under way."""
        before = unix_socket_count(self.daemon.process.pid)
        mutes = self.mutes(len(texts))
        self.await_open(len(texts) + 1)
        for mute, text in zip(mutes, texts, strict=True):
            mute.plan(text)
        self.push_all(mutes, lambda: None)
        await_that(lambda: self.in_flight == len(texts), "all calls are in flight")
        self.sandbox.requests(endpoint, count=1)
        for mute in mutes:
            mute.close()
        await_that(lambda: self.status()["open"] == 1, "the connections are gone")
        await_that(lambda: self.in_flight == 0, "nothing is in flight any more", 3)
        self.assertEqual(self.held, 0)
        await_that(lambda: unix_socket_count(self.daemon.process.pid) == before, "the descriptors are closed", 3)

    def test_starts(self) -> None:
        # libcurl opens a pair of sockets with its first request, and keeps it.
        self.start()
        self.sandbox.requests("configuration", count=1)
        self.sandbox.hold("configuration")
        tokens = [self.session().client_token for _ in range(COUNT)]
        self.leave([line("checkout.start", {"clientToken": token}, 1) for token in tokens], "configuration")
        self.assertEqual(len(self.client.call("checkout.list")["checkouts"]), COUNT + 1)
        self.sandbox.release("configuration")

        def are_ready() -> bool:
            return all(entry["state"] == "ready" for entry in self.client.call("checkout.list")["checkouts"])

        await_that(are_ready, "the starts go on without their callers")

    def test_components(self) -> None:
        components = []
        for _ in range(COUNT):
            checkout = self.start()
            checkout.provide(IDEAL)
            components.append(checkout.component_id)
        self.sandbox.hold("banks")
        self.leave([line("component.start", {"componentId": id}, 1) for id in components], "banks")

    def test_members_of_batches(self) -> None:
        checkout = self.start()
        wait: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        batch = line("checkout.wait", wait, 1)[:-1], line("rpc.discover", id=2)[:-1]
        self.sandbox.requests("configuration", count=1)
        self.leave([b"[" + b",".join(batch) + b"]\n"] * COUNT, "configuration")
