"""The daemon under test: started in a directory of its own, watched, and ended without leaving anything behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.client import Client
from support.peers import Peer, connected_as

TIMEOUT = 10.0

_ROOT = Path(__file__).resolve().parents[2]
_TICK = 0.005


class Crashed(AssertionError):
    """The daemon ended, or wrote what it never may."""


def program(name: str) -> Path:
    """A program of the build: the one the environment names, or beside the daemon it names, else the latest."""
    if named := os.environ.get(name.upper().replace("-", "_")):
        return Path(named)
    if (named := os.environ.get("CHECKOUTD")) and (beside := Path(named).with_name(name)).exists():
        return beside
    built = [path for kind in ("debug", "release") if (path := _ROOT / ".build" / kind / name).exists()]
    if not built:
        raise FileNotFoundError(f"{name} is not built; {name.upper()} can name it")
    return max(built, key=lambda path: path.stat().st_mtime)


class Daemon:
    """A running daemon that may call the sandbox alone, and keeps its state in memory unless an option says where."""

    def __init__(
        self,
        upstream_port: int,
        options: Sequence[str] = (),
        socket_path: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="checkoutd-test-")
        self.directory = Path(self._directory.name)
        self.directory.chmod(0o755)
        self.socket_path = socket_path or self.directory / "socket"
        self._log = self.directory / "stderr"
        self._secrets: set[str] = set()
        self._clients: list[Client] = []
        self._peers: list[Peer] = []
        arguments = ["--socket", str(self.socket_path)]
        if "--state-directory" not in options:
            arguments.append("--ephemeral")
        arguments += ["--upstream-allow", f"http://127.0.0.1:{upstream_port}"]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [program("checkoutd"), *arguments, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | (environment or {}),
            )
        self._await_readiness()

    def _await_readiness(self) -> None:
        for _ in range(round(TIMEOUT / _TICK)):
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(self.socket_path)) == 0:
                    self.socket_path.chmod(0o666)
                    return
            try:
                self.process.wait(_TICK)
            except subprocess.TimeoutExpired:
                continue
            log = self.log
            self.close()
            raise Crashed(f"the daemon did not start, exit status {self.process.returncode}: {log}")
        self.close()
        raise Crashed("the daemon did not listen in time")

    @property
    def log(self) -> str:
        """What it has written so far."""
        return self._log.read_text(errors="replace")

    @property
    def descriptor_count(self) -> int:
        """How many descriptors it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @staticmethod
    def connect_to(path: Path) -> Client:
        """A connection of this user's to a socket."""
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(path))
        return Client(connected)

    def connect(self) -> Client:
        """A connection of this user's."""
        return self._keep(self.connect_to(self.socket_path))

    def connect_as(self, uid: int, gid: int, groups: Sequence[int] = ()) -> Client:
        """A connection of another user's."""
        peer = connected_as(self.socket_path, uid, gid, groups)
        self._peers.append(peer)
        return self._keep(Client(peer.connected))

    def _keep(self, client: Client) -> Client:
        self._clients.append(client)
        return client

    def must_not_log(self, *secrets: str) -> None:
        """Makes it a failure if the log has these at the end."""
        self._secrets.update(secrets)

    def terminate(self) -> int:
        """Asks it to end; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(TIMEOUT)

    def check(self) -> None:
        """Fails if the daemon has crashed, or has written what it never may."""
        status, log = self.process.poll(), self.log
        if status not in (None, 0) or "Fatal error" in log:
            raise Crashed(f"the daemon crashed, exit status {status}: {log[-4000:]}")
        if leaked := [secret for secret in self._secrets if secret in log]:
            raise Crashed(f"the log has {leaked}: {log[-4000:]}")

    def close(self) -> None:
        """Ends everything at once, and removes the directory."""
        for client in self._clients:
            client.close()
        for peer in self._peers:
            peer.close()
        self.process.kill()
        self.process.wait(TIMEOUT)
        self._directory.cleanup()
