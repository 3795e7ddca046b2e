"""A Debian with nothing on it but a service manager, booted by `Tests/systemd/rig`, and packages for it."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import socket
import subprocess
from pathlib import Path

from support.client import Client
from support.daemon import program

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
TIMEOUT = 120.0
BASE = BUILD / "packages-base"
RIG = ROOT / "Tests" / "systemd" / "rig"

_CLONE_NEWNET = 0x40000000


def run(
    *command: str | Path, check: bool = True, timeout: float = TIMEOUT, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end."""
    done = subprocess.run(
        list(map(str, command)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done


def programs() -> Path:
    """The directory of the programs that are packed."""
    return program("checkoutd").resolve().parent


@functools.cache
def packages(version: str = "") -> Path:
    """A directory with the packages of a version, or of the one that the changelog names."""
    output = BUILD / ("packages" + (f"-{version}" if version else ""))
    options = ["--version", version] if version else []
    run(ROOT / "systemd" / "package", "--output", output, "--programs", programs(), *options, timeout=600)
    return output


def package(name: str, version: str = "") -> Path:
    """The file of a package."""
    (found,) = packages(version).glob(f"{name}_*.deb")
    return found


def daemon_packages(version: str = "") -> list[Path]:
    """The packages that make a machine hold checkouts."""
    return [package(name, version) for name in ("checkoutd", "checkoutctl")]


@functools.cache
def base() -> Path:
    """A Debian with a service manager, and in its cache what the packages depend on; made once, and kept."""
    run(ROOT / "Tests" / "systemd" / "root", BASE, timeout=900)
    needed = "".join(run("dpkg-deb", "-f", file, "Depends").stdout for file in daemon_packages())
    fetched = BASE / "var" / "cache" / "fetched-for-checkoutd"
    if fetched.exists() and fetched.read_text() == needed:
        return BASE
    for file in daemon_packages():
        shutil.copy(file, BASE / "tmp")
    names = [f"/tmp/{file.name}" for file in daemon_packages()]
    # Where it runs the rig has no network.
    run("chroot", BASE, "apt-get", "install", "-y", "--download-only", "--no-install-recommends", *names, timeout=600)
    for file in (BASE / "tmp").iterdir():
        file.unlink()
    fetched.write_text(needed)
    return BASE


class Machine:
    """A booted machine; this thread's sockets of the Internet are on its network until it is ended."""

    def __init__(self) -> None:
        self._environment = {
            "RIG_NAME": f"packages-{os.getpid()}",
            "RIG_ROOT": str(base()),
            "RIG_RW": f"{ROOT}:{programs()}",
        }
        self._clients: list[Client] = []
        run(RIG, "up", environment=self._environment)
        self._pid = run(RIG, "pid", environment=self._environment).stdout.strip()
        self._host = os.open("/proc/self/ns/net", os.O_RDONLY)
        with open(f"/proc/{self._pid}/ns/net", "rb") as network:
            _enter(network.fileno())

    def close(self) -> None:
        """Ends it without a trace."""
        for client in self._clients:
            client.close()
        _enter(self._host)
        os.close(self._host)
        run(RIG, "down", environment=self._environment)

    # Commands

    def run(self, *command: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command on it."""
        return run(RIG, "exec", *command, check=check, environment=self._environment)

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        """Starts a command on it."""
        return subprocess.Popen(
            [str(word) for word in (RIG, "exec", *command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **self._environment},
        )

    def installation(self, *files: Path) -> list[str]:
        """The command that installs packages, with what they depend on."""
        names = []
        for file in files:
            shutil.copy(file, self.path(f"/tmp/{file.name}"))
            names.append(f"/tmp/{file.name}")
        return ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends", *names]

    def show(self, name: str, unit: str = "checkoutd.service") -> str:
        """A property of a unit."""
        return self.run("systemctl", "show", "-P", name, unit).stdout.strip()

    # Files and clients

    def path(self, path: str) -> Path:
        """Where a path of its is here."""
        return Path(f"/proc/{self._pid}/root{path}")

    def connect(self, path: str = "/run/checkoutd/checkoutd.sock") -> Client:
        """A connection of root's."""
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(self.path(path)))
        self._clients.append(Client(connected))
        return self._clients[-1]

    def must_not_log(self, *secrets: str) -> None:
        """What the journal may not have is for other parts of the tests."""


def _enter(network: int) -> None:
    # os.setns is not there before Python 3.12.
    if ctypes.CDLL(None, use_errno=True).setns(network, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")

