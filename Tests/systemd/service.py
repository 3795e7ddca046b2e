"""The service under test: installed as administrators install it, and watched through systemd's own tools."""

from __future__ import annotations

import functools
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from support.client import Client
from support.daemon import program
from support.peers import Peer, connected_as

TIMEOUT = 20.0

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "systemd"
STATE = Path("/var/lib/checkoutd")
CONFIGURATION = Path("/etc/checkoutd/checkoutd.conf")
API = Path("/run/checkoutd/checkoutd.sock")
ADMIN = Path("/run/checkoutd/admin.sock")
WAY_OUT = Path("/run/checkoutd/egress.sock")
SERVICE, SOCKET, ADMIN_SOCKET = "checkoutd.service", "checkoutd.socket", "checkoutd-admin.socket"
EGRESS, EGRESS_SOCKET = "checkoutd-egress.service", "checkoutd-egress.socket"
ALL = (SERVICE, SOCKET, ADMIN_SOCKET, EGRESS, EGRESS_SOCKET)

T = TypeVar("T")


class Leaked(AssertionError):
    """Something that the journal may never have."""


def run(*command: str | Path, check: bool = True, timeout: float = TIMEOUT) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=timeout, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done}")
    return done


def systemctl(*arguments: str, check: bool = True) -> str:
    """Runs systemctl; what it printed."""
    return run("systemctl", *arguments, check=check).stdout.strip()


def systemd_version() -> int:
    """Of the service manager, as 252."""
    return int(run("systemctl", "--version").stdout.split()[1])


def show(name: str, unit: str = SERVICE) -> str:
    """A property of a unit."""
    return systemctl("show", "-P", name, unit)


def eventually(probe: Callable[[], T], wanted: Callable[[T], bool] | object, timeout: float = TIMEOUT) -> T:
    """Asks until the answer is the one that is wanted."""
    deadline = time.monotonic() + timeout
    while True:
        found = probe()
        if wanted(found) if callable(wanted) else found == wanted:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {wanted}: {found!r}")


@functools.cache
def install() -> None:
    """Installs the programs of the build, once."""
    shutil.rmtree(STATE, ignore_errors=True)
    shutil.rmtree(CONFIGURATION.parent, ignore_errors=True)
    run(UNITS / "install", "--programs", programs())


def control_groups(path: str) -> list[Path]:
    """Where a control group is, in each of the hierarchies by which systemd knows processes."""
    roots = [Path("/sys/fs/cgroup", name) for name in ("", "unified", "systemd")]
    return [root / path.lstrip("/") for root in roots if (root / "cgroup.procs").exists()]


def programs() -> Path:
    """A directory that has all programs."""
    found = [program(name) for name in ("checkoutd", "checkoutd-egress", "checkoutctl")]
    if len({path.parent for path in found}) == 1:
        return found[0].parent
    together = Path("/run/checkoutd-programs")
    together.mkdir(exist_ok=True)
    for path in found:
        shutil.copy(path, together)
    return together


class Service:
    """The installed service, as new; its clients, and what the journal has of it."""

    def __init__(self, upstream_port: int = 9, configuration: str = "", unit: str = "") -> None:
        install()
        self._clients: list[Client] = []
        self._peers: list[Peer] = []
        self._secrets: set[str] = set()
        self._upstream = f"upstream-allow = http://127.0.0.1:{upstream_port}\n"
        self.socket_path = API
        self.stop()
        shutil.rmtree(STATE, ignore_errors=True)
        self.configure(configuration)
        self.change_unit(unit)
        run("journalctl", "--sync")
        run("journalctl", "--rotate")
        run("journalctl", "--vacuum-time=1us")
        systemctl("start", SOCKET, ADMIN_SOCKET, EGRESS_SOCKET)

    # Unit and configuration

    def configure(self, text: str) -> None:
        """Writes the configuration file."""
        CONFIGURATION.write_text(self._upstream + text)

    def change_unit(self, text: str, unit: str = SERVICE) -> None:
        """Replaces the drop-in of the test."""
        drop_ins = Path("/run/systemd/system") / f"{unit}.d"
        if not text and not drop_ins.exists():
            return
        shutil.rmtree(drop_ins, ignore_errors=True)
        if text:
            drop_ins.mkdir(parents=True)
            (drop_ins / "test.conf").write_text(text)
        systemctl("daemon-reload")

    # Life

    @property
    def pid(self) -> int:
        """The main process; 0 if there is none."""
        return int(show("MainPID"))

    @property
    def state(self) -> str:
        """As `active`."""
        return show("ActiveState")

    @property
    def status(self) -> str:
        """The status text."""
        return show("StatusText")

    def start(self) -> None:
        """Starts it, and comes back when it is ready."""
        systemctl("start", SERVICE)

    def stop(self) -> None:
        """Stops it and its sockets."""
        systemctl("stop", *ALL)
        run("systemctl", "reset-failed", *ALL, check=False)

    def kill(self, number: signal.Signals, pid: int = 0) -> None:
        """Sends a signal to its main process alone."""
        os.kill(pid or self.pid, number)

    def run_within(self, script: str, *arguments: str, descriptors: Sequence[int] = (), unit: str = SERVICE) -> str:
        """Runs Python in another process of the service's, and returns what that prints."""
        join = (
            "import os, socket, sys\n[open(group, 'w').write(str(os.getpid())) for group in sys.argv[1].split(':')]\n"
        )
        groups = ":".join(str(place / "cgroup.procs") for place in control_groups(show("ControlGroup", unit)))
        command = [sys.executable, "-c", join + script, groups, *arguments]
        done = subprocess.run(
            command, pass_fds=descriptors, timeout=TIMEOUT, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def notify_from_within(self, text: str, *descriptors: int) -> None:
        """Sends a notification from another process of the service's."""
        script = (
            "link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
            "link.connect('/run/systemd/notify')\n"
            "socket.send_fds(link, [sys.argv[2].encode()], list(map(int, sys.argv[3:])))\n"
            # What comes from a process that is gone by then is nobody's: it stays until it was heard.
            "end, barrier = os.pipe()\n"
            "socket.send_fds(link, [b'BARRIER=1'], [barrier])\n"
            "os.close(barrier)\n"
            "os.read(end, 1)\n"
        )
        self.run_within(script, text, *map(str, descriptors), descriptors=descriptors)

    # Clients

    def connect(self, path: Path = API) -> Client:
        """A connection of root's."""
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(path))
        return self._keep(Client(connected))

    def connect_as(self, uid: int, gid: int, groups: Sequence[int] = (), path: Path = API) -> Client:
        """A connection of another user's."""
        peer = connected_as(path, uid, gid, groups)
        self._peers.append(peer)
        return self._keep(Client(peer.connected))

    def _keep(self, client: Client) -> Client:
        self._clients.append(client)
        return client

    # The journal

    def journal(self, *matches: str, unit: str = SERVICE) -> list[dict[str, Any]]:
        """The daemon's own entries, or the egress's, since they were installed anew."""
        run("journalctl", "--sync")
        text = run("journalctl", "-q", "-o", "json", "-u", unit, *matches).stdout
        entries: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
        name = unit.removesuffix(".service")
        return [entry for entry in entries if entry.get("SYSLOG_IDENTIFIER") == name or "CODE_FILE" in entry]

    @property
    def log(self) -> str:
        """Everything that the journal has of the units, all fields of all entries."""
        run("journalctl", "--sync")
        return run("journalctl", "-q", "-a", "-o", "export", "-u", SERVICE, "-u", EGRESS).stdout

    def must_not_log(self, *secrets: str) -> None:
        """Makes it a failure if the journal has these at the end."""
        self._secrets.update(secrets)

    def check(self) -> None:
        """Fails if the journal or the status text has what it never may."""
        log = self.log + self.status
        if leaked := [secret for secret in self._secrets if secret in log]:
            raise Leaked(f"the journal has {leaked}")
        if "Fatal error" in log:
            raise AssertionError(f"the daemon crashed: {log[-4000:]}")

    def close(self) -> None:
        """Ends everything."""
        for client in self._clients:
            client.close()
        for peer in self._peers:
            peer.close()
        self.stop()
        self.change_unit("")
        self.change_unit("", EGRESS)


def is_silent(client: Client, seconds: float) -> bool:
    """Whether nothing comes, not even the end."""
    readable, _, _ = select.select([client.socket], [], [], seconds)
    return not readable
