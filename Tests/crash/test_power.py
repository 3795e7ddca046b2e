"""The power fails at points of every flow: what was flushed is there, of the rest a part that chance decides.

`CRASH_SWEEP=full` takes every point and five of these parts, else a few of each flow are taken, the same in each run.
"""

from __future__ import annotations

from collections.abc import Sequence

from crash.flow import CANCELLED_FLOWS, FLOWS, Flow
from crash.power import pay_through_power_failure
from crash.sweep import Outcome
from crash.test_sweep import IS_FULL, Run, Sweep
from support.sandbox import Sandbox

_STEP = 1 if IS_FULL else 29
_SEEDS = 5 if IS_FULL else 1
# So many points at the end of a flow are looked at for what has to be there: the daemon stops, and everything was told.
_LAST = 4


def _failure(flow: Flow, point: int, seed: int, **how: bool) -> Run:
    def run(sandbox: Sandbox) -> Outcome:
        return pay_through_power_failure(sandbox, flow, point, seed, **how)

    return run


class PowerFailure(Sweep):
    counted = "power failures"

    def test_each_flow(self) -> None:
        for rotation, flow in enumerate((*FLOWS, *CANCELLED_FLOWS)):
            count = self.points(_failure(flow, 0, 0))
            points = range(1 + 5 * rotation % _STEP, count + 1, _STEP)
            self.run_all(flow.name, [_failure(flow, point, seed) for point in points for seed in range(_SEEDS)])

    def test_what_was_told_is_there_because_it_was_flushed(self) -> None:
        """At the end of a flow, and if the disk has nothing but what was flushed: with flushes all, without them none."""
        for flow in FLOWS:
            count = self.points(_failure(flow, 0, 0))
            points = range(count - _LAST + 1, count + 1)
            with self.subTest(flow.name):
                kept = self.outcomes([_failure(flow, point, 0, is_harshest=True) for point in points])
                self.assertEqual([fault for outcome in kept for fault in outcome.faults], [])
                lost = self.outcomes(
                    [_failure(flow, point, 0, is_harshest=True, loses_flushes=True) for point in points]
                )
                # A run may have a few points less than another, and be over before.
                self.assertTrue(any(outcome.crash_count for outcome in lost))
                for outcome in lost:
                    self.assertEqual(bool(outcome.faults), outcome.crash_count > 0, outcome)

    def outcomes(self, runs: Sequence[Run]) -> list[Outcome]:
        """What came of these runs, whatever it is."""
        return [self.by_free_sandbox(run) for run in runs]


# Those of the sweep itself are in its own module.
del Sweep
