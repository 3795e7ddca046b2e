"""The runs of the daemon on one state directory: killed, stopped, started again, and now and then two at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from support.client import Client
from support.daemon import program

START_TIMEOUT = 15
STOP_TIMEOUT = 12


@dataclass
class Run:
    """One process of the daemon."""

    process: subprocess.Popen[bytes]
    socket_path: Path

    @property
    def is_ended(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    @property
    def listens(self) -> bool:
        """Whether it takes connections."""
        with socket.socket(socket.AF_UNIX) as probe:
            return not self.is_ended and probe.connect_ex(str(self.socket_path)) == 0


class Runs:
    """One run after the other. `report` is told what must not happen."""

    def __init__(self, upstream_port: int, options: Sequence[str], report: Callable[[str], None]) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="checkoutd-oracle-")
        self.state = Path(self._directory.name, "state")
        self.state.mkdir(mode=0o700)
        self.options = list(options)
        # How many times it has been started.
        self.generation = 0
        self.end_count = 0
        self.run: Run | None = None
        self._upstream = f"127.0.0.1:{upstream_port}"
        self._report = report
        self._log = Path(self._directory.name, "log")

    @property
    def log(self) -> str:
        """What all runs have written."""
        return self._log.read_text(errors="replace")

    def start(self, *, is_race: bool = False) -> None:
        """Starts it; in a race two at once, of which exactly one runs."""
        self.generation += 1
        runs = [self._launch(f"socket-{self.generation}-{place}") for place in range(2 if is_race else 1)]
        deadline = time.monotonic() + START_TIMEOUT
        while not self._is_decided(runs):
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        living = [run for run in runs if run.listens]
        if len(living) == 1 and all(run.is_ended for run in runs if run is not living[0]):
            self.run = living[0]
            return
        statuses = [run.process.poll() for run in runs]
        self._report(f"of {len(runs)} daemons {len(living)} serve, exit statuses {statuses}: {self.log[-600:]}")
        for run in runs:
            run.process.kill()
            run.process.wait()
        if is_race:
            self.start()
        else:
            self.run = None

    @staticmethod
    def _is_decided(runs: Sequence[Run]) -> bool:
        ended = sum(run.is_ended for run in runs)
        return ended == len(runs) or (ended == len(runs) - 1 and any(run.listens for run in runs))

    def _launch(self, name: str) -> Run:
        path = Path(self._directory.name, name)
        command: list[str | Path] = [program("checkoutd"), "--socket", path, "--state-directory", self.state]
        command += ["--upstream-allow", self._upstream, *self.options]
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | {"SWIFT_BACKTRACE": "enable=no"},
            )
        return Run(process, path)

    def end(self, how: signal.Signals) -> None:
        """Kills it, or tells it to end, which it must do in good order."""
        assert self.run
        process = self.run.process
        self.end_count += 1
        process.send_signal(how)
        try:
            status = process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._report(f"after {how.name} it still runs")
            process.kill()
            process.wait()
            return
        if status != (-how if how == signal.SIGKILL else 0):
            self._report(f"after {how.name} its exit status is {status}: {self.log[-600:]}")

    def connect(self) -> Client | None:
        """A connection, or nothing while there is no daemon."""
        if self.run is None:
            return None
        connected = socket.socket(socket.AF_UNIX)
        if connected.connect_ex(str(self.run.socket_path)) != 0:
            connected.close()
            return None
        return Client(connected)

    def close(self) -> None:
        """Ends everything at once, and removes the directory."""
        if self.run:
            self.run.process.kill()
            self.run.process.wait()
        with suppress(OSError):
            self._directory.cleanup()
