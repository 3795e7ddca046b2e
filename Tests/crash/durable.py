"""A daemon that keeps its state on disk: it may be killed, stopped and started again."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from support.daemon import TIMEOUT, Crashed, Daemon, program
from support.manager import passing

DATABASE = "checkoutd.sqlite"

_TICK = 0.005


class DurableDaemon(Daemon):
    """A daemon with a state directory, to be started. Its runs share that, the socket and the log."""

    def __init__(
        self,
        upstream_port: int,
        options: Sequence[str] = (),
        state: Path | None = None,
    ) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="checkoutd-test-")
        self.directory = Path(self._directory.name)
        self.directory.chmod(0o755)
        self.socket_path = self.directory / "socket"
        self.state = state or self.directory / "state"
        self.state.mkdir(mode=0o700, exist_ok=True)
        self._log = self.directory / "stderr"
        self._secrets = set()
        self._clients = []
        self._peers = []
        self._reviving = threading.Lock()
        # What is done between a crash and the start after it.
        self.meanwhile: Callable[[], None] = lambda: None
        # Descriptors that the next run inherits, as its third and on.
        self.passed: Sequence[int] = ()
        self.options = list(options)
        self._upstream = f"http://127.0.0.1:{upstream_port}"

    def start(self, environment: Mapping[str, str] | None = None) -> None:
        """Starts the program, which must not be running."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command(self.socket_path),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | (environment or {}),
                pass_fds=self.passed,
            )
        self._await_readiness()

    def _await_readiness(self) -> None:
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(self.socket_path)) == 0:
                    self.socket_path.chmod(0o666)
                    return
            try:
                status = self.process.wait(_TICK)
            except subprocess.TimeoutExpired:
                continue
            raise Crashed(f"the daemon did not start, exit status {status}: {self.log[-4000:]}")
        raise Crashed("the daemon did not listen in time")

    def _command(self, socket_path: Path) -> list[str]:
        command = [str(program("checkoutd")), "--socket", str(socket_path), "--state-directory", str(self.state)]
        command += ["--upstream-allow", self._upstream, *self.options]
        return passing(command, self.passed) if self.passed else command

    def refused(self, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """A further run on the same directory, which should end by itself."""
        command = self._command(self.directory / "second")
        more = os.environ | (environment or {})
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, env=more)

    def start_to_crash(self, environment: Mapping[str, str]) -> None:
        """Starts the program, which may be killed before it is ready."""
        try:
            self.start(environment)
        except Crashed:
            self.await_crash()

    def await_crash(self) -> None:
        """Comes back when it has been killed; fails if it ends in any other way."""
        status = self.process.wait(TIMEOUT)
        if status != -signal.SIGKILL:
            raise Crashed(f"the daemon ended with status {status}: {self.log[-4000:]}")

    @property
    def run(self) -> subprocess.Popen[bytes]:
        """The program as it runs now, or did; waits while someone starts it."""
        with self._reviving:
            return self.process

    def revive(self, crashed: subprocess.Popen[bytes], environment: Mapping[str, str]) -> None:
        """Starts the program again after that run of it, unless someone else has done so."""
        with self._reviving:
            if self.process is crashed:
                self.await_crash()
                self.meanwhile()
                self.start_to_crash(environment)

    def kill(self) -> None:
        """Lets it crash."""
        self.process.kill()
        self.process.wait(TIMEOUT)

    def stop(self) -> None:
        """Has it end in good order."""
        status = self.terminate()
        if status != 0:
            raise Crashed(f"the daemon ended with status {status}: {self.log[-4000:]}")

    def end(self, how: signal.Signals) -> None:
        """Ends it by that signal."""
        if how == signal.SIGKILL:
            self.kill()
        else:
            self.stop()

    def files(self) -> dict[str, bytes]:
        """What the files of the state directory hold."""
        return {path.name: path.read_bytes() for path in sorted(self.state.iterdir()) if path.is_file()}

    def holding(self, secrets: Iterable[str]) -> list[tuple[str, str]]:
        """Which of the secrets stand in which files."""
        files = self.files()
        return [(name, secret) for secret in secrets for name, data in files.items() if secret.encode() in data]

    def digests(self) -> dict[str, str]:
        """The files of the state directory that hold something, in short."""
        return {name: hashlib.sha256(data).hexdigest() for name, data in self.files().items() if data}
