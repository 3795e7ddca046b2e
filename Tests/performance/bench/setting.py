"""What a run measures with: programs, places, and how long it takes its time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.daemon import Daemon, Sandbox
from bench.generator import Generator
from bench.servers import Process, Server


def say(text: str) -> None:
    """Tells whoever runs it; figures alone go to the standard output."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Setting:
    """The programs, the places and the effort of a run."""

    daemon: Path
    # Where the C programs and the Python environment are.
    tools: Path
    # For sockets and logs; short, for a socket's path may not be long.
    scratch: Path
    # For what is to be durable: on a disk.
    disk: Path
    generator: Generator
    rounds: int
    is_quick: bool
    sandbox: Sandbox

    def start(self, stack: ExitStack, server: Server, extra: Sequence[str] = ()) -> Process:
        """Starts a server until the stack is left."""
        process = Process(server, self.scratch / server.name, extra)
        stack.callback(process.stop)
        return process

    def start_daemon(self, stack: ExitStack, name: str, *options: str) -> Daemon:
        """Starts the daemon until the stack is left."""
        daemon = Daemon(self.daemon, self.sandbox, self.scratch / name, options or ("--ephemeral",))
        stack.callback(daemon.stop)
        return daemon

    def state(self, name: str) -> tuple[str, ...]:
        """The options that keep the state in a new directory on the disk."""
        directory = self.disk / f"{name}-state"
        directory.mkdir()
        return ("--state-directory", str(directory))
