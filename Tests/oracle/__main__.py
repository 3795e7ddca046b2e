"""The command line: runs schedules, prints a line for each, and keeps the log of those that have failed."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from oracle.schedule import Schedule

_SHOWN = 6
_LENGTH = 1500


@dataclass(frozen=True)
class _Ending:
    seed: int
    summary: str
    problems: list[str]
    log: str


def _run(seed: int, sync: str | None) -> _Ending:
    schedule = Schedule(seed, sync)
    try:
        schedule.run()
        log = "\n".join([*schedule.story, "", schedule.runs.log])
        return _Ending(seed, schedule.summary, schedule.problems, log)
    finally:
        schedule.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="oracle", description="Runs random schedules against the daemon.")
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("end", type=int, help="the seed after the last")
    parser.add_argument("--sync", choices=["normal", "always"], help="when commits are flushed; else chance decides")
    parser.add_argument("--jobs", type=int, default=2, help="so many at once (2)")
    parser.add_argument("--logs", type=Path, default=Path("."), help="where the logs of failed seeds go (.)")
    return parser.parse_args()


def main() -> int:
    """Runs all seeds; the exit status says whether all were well."""
    arguments = _arguments()
    failed = 0
    with ProcessPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.first, arguments.end)
        for ending in pool.map(_run, seeds, [arguments.sync] * len(seeds)):
            print(f"{'FAILED' if ending.problems else 'passed'}: seed {ending.seed}: {ending.summary}", flush=True)
            if not ending.problems:
                continue
            failed += 1
            for problem in ending.problems[:_SHOWN]:
                print(f"    {problem[:_LENGTH]}", flush=True)
            arguments.logs.mkdir(parents=True, exist_ok=True)
            log = arguments.logs / f"failed-{ending.seed}.log"
            log.write_text(ending.log)
            print(f"    its log is {log}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
