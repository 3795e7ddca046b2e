"""What the machine says about processes: where they run, what they use, and what the others use meanwhile."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass

SERVER_CPU = 0
GENERATOR_CPU = min(1, (os.cpu_count() or 1) - 1)

_TICKS = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def on_cpu(cpu: int) -> Iterator[None]:
    """What is started inside runs on one CPU."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process and all of its threads."""
    # The clock's number as clock_getcpuclockid(3) makes it, for the scheduler's clock.
    return time.clock_gettime((~pid << 3) | 2)


@dataclass(frozen=True)
class Memory:
    """The memory of a process, in kB."""

    rss: int
    pss: int
    private_dirty: int


def memory(pid: int) -> Memory:
    """The memory of a process now."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        text = file.read()

    def read(name: str) -> int:
        found = re.search(rf"^{name}: +(\d+) kB$", text, re.MULTILINE)
        assert found, name
        return int(found[1])

    return Memory(read("Rss"), read("Pss"), read("Private_Dirty"))


def allow_descriptors() -> int:
    """Raises the limit of open descriptors as far as it goes, and returns it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class ForeignLoad:
    """How many CPUs others use, time stolen by the host included, from now on."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._start = time.monotonic()
        self._before = self._others()

    def _others(self) -> float:
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(field) for field in file.readline().split()[1:9]]
        busy = (sum(ticks) - ticks[3] - ticks[4]) / _TICKS
        return busy - cpu_seconds(self._pid) - sum(os.times()[:4])

    def cpus(self) -> float:
        """How many they used on average."""
        return max(0.0, (self._others() - self._before) / (time.monotonic() - self._start))
