"""Plays every cell of the matrix, several at a time, each worker on a daemon and a sandbox of its own."""

from __future__ import annotations

import sys
import threading
import unittest
from concurrent.futures import Future, ThreadPoolExecutor

from edge.bench import Bench
from edge.matrix import Cell, cells
from edge.scenes import Scene
from edge.verdict import judge

# Cells mostly wait, so that there may be more workers than processors.
_WORKERS = 10
_CELLS = list(cells())


class _Workers:
    """Threads with a bench each; the cells behind TLS have a worker of their own."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._benches: list[Bench] = []
        self._plain = ThreadPoolExecutor(_WORKERS)
        self._gated = ThreadPoolExecutor(1)
        self._hurried = ThreadPoolExecutor(2)

    def submit(self, cell: Cell) -> Future[None]:
        pool = self._plain
        if not cell.fault.arrives:
            pool = self._gated
        elif cell.lasts_for_its_span:
            pool = self._hurried
        return pool.submit(self._play, cell)

    def _play(self, cell: Cell) -> None:
        bench = getattr(self._local, "bench", None)
        if bench is None:
            options = ["--attempt-span", "2000"] if cell.lasts_for_its_span else []
            bench = self._local.bench = Bench(*options, has_tls=not cell.fault.arrives)
            with self._lock:
                self._benches.append(bench)
        scene = Scene(bench, cell)
        try:
            scene.play()
            judge(scene)
        except BaseException:
            # What it has left under way must not disturb the next cell.
            self._local.bench = None
            raise

    def close(self) -> None:
        for pool in (self._plain, self._gated, self._hurried):
            pool.shutdown(cancel_futures=True)
        for bench in self._benches:
            bench.close()


_workers: _Workers | None = None
_results: dict[Cell, Future[None]] = {}


def setUpModule() -> None:
    """Begins with the cells that take longest."""
    global _workers
    _workers = _Workers()
    for cell in sorted(_CELLS, key=lambda cell: -cell.cost):
        _results[cell] = _workers.submit(cell)


def tearDownModule() -> None:
    """Ends the daemons; one that has crashed or told a secret fails the run."""
    print(f"\nupstream fault matrix: {len(_CELLS)} cells", file=sys.stderr)
    if _workers:
        _workers.close()


class CellTest(unittest.TestCase):
    """One cell."""

    def __init__(self, cell: Cell) -> None:
        super().__init__("test_outcome")
        self._cell = cell

    def test_outcome(self) -> None:
        _results[self._cell].result()

    def __str__(self) -> str:
        return self._cell.name


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    """One test for each cell."""
    return unittest.TestSuite(CellTest(cell) for cell in _CELLS)
