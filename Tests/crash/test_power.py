"""The power fails at points of every flow: what was flushed is there, of the rest a part that chance decides.

`CRASH_SWEEP=full` takes every point and twenty of these parts, else a few of each flow are taken, the same in each run.
"""

from __future__ import annotations

from collections.abc import Sequence

from crash.flow import CANCELLED_FLOWS, FLOWS, Flow
from crash.power import pay_through_power_failure
from crash.sweep import Outcome
from crash.test_sweep import IS_FULL, Run, Sweep
from support.sandbox import Sandbox

_STEP = 1 if IS_FULL else 29
_SEEDS = 20 if IS_FULL else 1
# Of all that is told and never flushed, so much is tried.
_TRIES = 12


def _failure(flow: Flow, point: int, seed: int, *, loses_flushes: bool = False) -> Run:
    def run(sandbox: Sandbox) -> Outcome:
        return pay_through_power_failure(sandbox, flow, point, seed, loses_flushes=loses_flushes)

    return run


class PowerFailure(Sweep):
    counted = "power failures"

    def test_each_flow(self) -> None:
        for rotation, flow in enumerate((*FLOWS, *CANCELLED_FLOWS)):
            count = self.points(_failure(flow, 0, 0))
            points = range(1 + 5 * rotation % _STEP, count + 1, _STEP)
            self.run_all(flow.name, [_failure(flow, point, seed) for point in points for seed in range(_SEEDS)])

    def test_it_would_be_noticed_if_nothing_was_flushed(self) -> None:
        flow = FLOWS[0]
        count = self.points(_failure(flow, 0, 0))
        outcomes = self.outcomes(
            [_failure(flow, count * (place + 6) // (_TRIES + 6), 0, loses_flushes=True) for place in range(_TRIES)]
        )
        # Few are: a payment that is made again has the key of the first, and is none.
        self.assertTrue(any(outcome.faults for outcome in outcomes))

    def outcomes(self, runs: Sequence[Run]) -> list[Outcome]:
        """What came of these runs, whatever it is."""
        return [self.by_free_sandbox(run) for run in runs]


# Those of the sweep itself are in its own module.
del Sweep
