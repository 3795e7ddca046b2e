"""The crash sweep: both flows are paid, and the daemon dies at each point of them in turn.

`CRASH_SWEEP=full` takes every point, else a few of each flow are taken, the same in each run.
"""

from __future__ import annotations

import os
import queue
import unittest
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

from crash.flow import CANCELLED_FLOWS, FLOWS, Flow
from crash.sweep import Outcome, pay, pay_together
from support.sandbox import Sandbox

IS_FULL = os.environ.get("CRASH_SWEEP") == "full"
# Most of the time is spent waiting for the spans after which a request may be repeated.
_WORKERS = 2 * (os.cpu_count() or 1)
_STEP = 1 if IS_FULL else 13
_FURTHER_STEP = 5 if IS_FULL else 61

_AT_ONCE = [flow for flow in FLOWS if flow.handling == "auto"]

Run = Callable[[Sandbox], Outcome]


def _payment(flow: Flow, *crash_at: int) -> Run:
    return lambda sandbox: pay(sandbox, flow, *crash_at)


def _payments(crash_at: int = 0) -> Run:
    return lambda sandbox: pay_together(sandbox, _AT_ONCE, crash_at)


class Sweep(unittest.TestCase):
    sandboxes: ClassVar[queue.SimpleQueue[Sandbox]]
    crash_count: ClassVar[int] = 0
    counted: ClassVar[str] = "crash points"

    @classmethod
    def setUpClass(cls) -> None:
        cls.sandboxes = queue.SimpleQueue()
        for _ in range(_WORKERS):
            sandbox = Sandbox()
            cls.addClassCleanup(sandbox.close)
            cls.sandboxes.put(sandbox)

    @classmethod
    def tearDownClass(cls) -> None:
        print(f"\n{cls.counted}: {cls.crash_count}", flush=True)

    def run_all(self, name: str, runs: Sequence[Run]) -> None:
        """Has these runs done, several at a time; the daemon dies in each, or in one or two it is done before."""
        lives = 0
        with ThreadPoolExecutor(_WORKERS) as pool:
            for outcome in pool.map(self.by_free_sandbox, runs):
                with self.subTest(name, point=len(outcome.letters), at=outcome.letters[-8:]):
                    if outcome.faults:
                        self.fail("\n".join(outcome.faults))
                lives += outcome.crash_count == 0
                type(self).crash_count += outcome.crash_count
        self.assertLessEqual(lives, max(2, len(runs) // 20), "the daemon lived on")

    def by_free_sandbox(self, run: Run) -> Outcome:
        """One run, with a sandbox that no other uses now."""
        sandbox = self.sandboxes.get()
        try:
            return run(sandbox)
        finally:
            self.sandboxes.put(sandbox)

    def points(self, run: Run) -> int:
        """How many points there are without a crash, in which everything must be right."""
        outcome = self.by_free_sandbox(run)
        self.assertEqual((outcome.faults, outcome.crash_count), ([], 0))
        self.assertGreater(outcome.letters.count("st"), 2, outcome.letters)
        self.assertGreater(outcome.letters.count("Hp"), 7, outcome.letters)
        return len(outcome.letters)


class Crashes(Sweep):
    def sweep(self, flow: Flow, first: int, step: int, further: Callable[[int], Sequence[int]]) -> None:
        """Pays once for each point; `further` gives the points of the runs after a crash."""
        points = range(1 + first % step, self.points(_payment(flow)) + 1, step)
        runs = [_payment(flow, point, *further(point)) for point in points]
        self.run_all(flow.name, runs)

    def test_one_crash(self) -> None:
        for rotation, flow in enumerate(FLOWS):
            self.sweep(flow, 3 * rotation, _STEP, lambda point: ())

    def test_one_crash_of_cancelled_flows(self) -> None:
        for rotation, flow in enumerate(CANCELLED_FLOWS):
            self.sweep(flow, 3 * rotation, _STEP, lambda point: ())

    def test_crash_while_recovering_from_a_crash(self) -> None:
        for rotation, flow in enumerate(FLOWS):
            self.sweep(flow, 3 * rotation, _FURTHER_STEP, lambda point: [1 + point % 17])

    def test_many_at_once(self) -> None:
        """Turns of several checkouts; how many there are differs from run to run, and so does where it ends."""
        points = range(20, self.points(_payments()) * 3 // 4, 3 * _STEP)
        self.run_all("many at once", [_payments(point) for point in points])
