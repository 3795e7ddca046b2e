"""The crash sweep: both flows are paid, and the daemon dies at each point of them in turn.

`CRASH_SWEEP=full` takes every point, else a few of each flow are taken, the same in each run.
"""

from __future__ import annotations

import os
import queue
import unittest
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

from crash.flow import FLOWS, Flow
from crash.sweep import Outcome, pay
from support.sandbox import Sandbox

_IS_FULL = os.environ.get("CRASH_SWEEP") == "full"
# Most of the time is spent waiting for the spans after which a request may be repeated.
_WORKERS = 2 * (os.cpu_count() or 1)
_STEP = 1 if _IS_FULL else 11
_FURTHER_STEP = 5 if _IS_FULL else 67


class Sweep(unittest.TestCase):
    sandboxes: ClassVar[queue.SimpleQueue[Sandbox]]
    point_count: ClassVar[int] = 0

    @classmethod
    def setUpClass(cls) -> None:
        cls.sandboxes = queue.SimpleQueue()
        for _ in range(_WORKERS):
            sandbox = Sandbox()
            cls.addClassCleanup(sandbox.close)
            cls.sandboxes.put(sandbox)

    @classmethod
    def tearDownClass(cls) -> None:
        print(f"\ncrash points: {cls.point_count}", flush=True)

    def pay(self, flow: Flow, *crash_at: int) -> Outcome:
        """Pays by whichever sandbox is free."""
        sandbox = self.sandboxes.get()
        try:
            return pay(sandbox, flow, *crash_at)
        finally:
            self.sandboxes.put(sandbox)

    def pay_all(self, flow: Flow, runs: Sequence[tuple[int, ...]]) -> Iterable[tuple[tuple[int, ...], Outcome]]:
        """Pays once for each run's points, several at a time."""
        with ThreadPoolExecutor(_WORKERS) as pool:
            yield from zip(runs, pool.map(lambda points: self.pay(flow, *points), runs), strict=True)

    def sweep(self, flow: Flow, runs: Sequence[tuple[int, ...]]) -> None:
        for points, outcome in self.pay_all(flow, runs):
            with self.subTest(flow.name, points=points, at=outcome.letters[-8:]):
                if outcome.faults:
                    self.fail("\n".join(outcome.faults))
                self.assertGreaterEqual(outcome.crash_count, 1, "the daemon lived on")
                type(self).point_count += outcome.crash_count

    def points(self, flow: Flow) -> int:
        """How many points a flow has without a crash, in which everything must be right."""
        outcome = self.pay(flow)
        self.assertEqual((outcome.faults, outcome.crash_count), ([], 0))
        self.assertGreater(outcome.letters.count("st"), 4, outcome.letters)
        self.assertGreater(outcome.letters.count("Hp"), 8, outcome.letters)
        return len(outcome.letters)

    def test_one_crash(self) -> None:
        for rotation, flow in enumerate(FLOWS):
            points = range(1 + rotation * _STEP // len(FLOWS), self.points(flow) + 1, _STEP)
            self.sweep(flow, [(point,) for point in points])

    def test_crash_while_recovering_from_a_crash(self) -> None:
        for rotation, flow in enumerate(FLOWS):
            points = range(1 + rotation, self.points(flow) + 1, _FURTHER_STEP)
            self.sweep(flow, [(point, 1 + point % 17) for point in points])
