"""The servers side by side: how each is started, and what is asked of it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.machine import SERVER_CPU, on_cpu

TIMEOUT = 15.0

_PEERS = Path(__file__).resolve().parents[1] / "peers"
# What Redis puts around a message of a few hundred bytes on the channel below.
_REDIS_FRAME = len("*3\r\n$7\r\nmessage\r\n$5\r\nnotes\r\n$200\r\n\r\n")


class DidNotRun(Exception):
    """Something could not be measured."""


@dataclass(frozen=True)
class Request:
    """One request as the generator sends it, and how its answer is recognised."""

    texts: tuple[str, ...]
    error: str = '"error"'
    id_key: str = ""
    lines_per_reply: int = 1
    values: Path | None = None


@dataclass(frozen=True)
class FanOut:
    """A request that all subscribers hear of, and how they subscribe."""

    request: Request
    subscribe: str
    notes: int
    subscribe_lines: int = 1
    lines_per_note: int = 1


@dataclass(frozen=True)
class Server:
    """A server: its command, with the socket's path for {socket}, and its requests."""

    name: str
    command: tuple[str, ...]
    ping: Request
    fan_out: FanOut | None = None


@dataclass
class Process:
    """A running server, on the servers' CPU."""

    server: Server
    socket_path: Path
    extra: Sequence[str] = ()
    _process: subprocess.Popen[bytes] = field(init=False)
    first_reply_ms: float = field(init=False)

    def __post_init__(self) -> None:
        self.socket_path.unlink(missing_ok=True)
        command = [part.replace("{socket}", str(self.socket_path)) for part in (*self.server.command, *self.extra)]
        log = self.socket_path.with_suffix(".log")
        with log.open("wb") as output, on_cpu(SERVER_CPU):
            start = time.perf_counter()
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            self._await_reply(start, log)
        except BaseException:
            self.stop()
            raise

    def _await_reply(self, start: float, log: Path) -> None:
        while not self._answers():
            if self._process.poll() is not None or time.perf_counter() - start > TIMEOUT:
                raise DidNotRun(f"{self.server.name} did not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.0001)
        self.first_reply_ms = (time.perf_counter() - start) * 1000

    def _answers(self) -> bool:
        """Whether a request is answered without an error."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(TIMEOUT)
            if probe.connect_ex(str(self.socket_path)) != 0:
                return False
            try:
                probe.sendall(self.server.ping.texts[0].replace("%ID%", "1").encode() + b"\n")
                answer = probe.recv(4096)
            except OSError:
                return False
            return bool(answer) and self.server.ping.error.encode() not in answer

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def kill(self) -> None:
        """Ends it as a crash would."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Ends it, at once if it takes too long."""
        self._process.terminate()
        try:
            self._process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def check(self) -> None:
        """Fails if it has ended by itself."""
        if self._process.poll() is not None:
            raise DidNotRun(f"{self.server.name} ended with status {self._process.returncode}")


def _call(method: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": "%ID%", "method": method}).replace('"%ID%"', "%ID%")


def limit(program: Path, notes: int, note_bytes: int) -> Server:
    """The least that a server for lines can do."""
    ping = Request((_call("ping"),))
    publish = Request(("P" + _call("publish"),))
    command = (str(program), "{socket}", str(notes), str(note_bytes))
    return Server("limit", command, ping, FanOut(publish, "S", notes))


def _json_lines(name: str, command: Sequence[str], notes: int, note_bytes: int) -> Server:
    ping, publish = Request((_call("ping"),), id_key='"id":'), Request((_call("publish"),), id_key='"id":')
    subscribe = _call("subscribe").replace("%ID%", "0")
    command = (*command, "{socket}", str(notes), str(note_bytes))
    return Server(name, command, ping, FanOut(publish, subscribe, notes))


def redis(notes: int, note_bytes: int) -> Server | str:
    """Redis, in memory only; each publish is so many messages."""
    if not shutil.which("redis-server"):
        return "redis-server is not installed"
    message = "PUBLISH notes " + "x" * max(1, note_bytes - _REDIS_FRAME)
    publish = Request(("\n".join([message] * notes),), "-ERR", lines_per_reply=notes)
    fan_out = FanOut(publish, "SUBSCRIBE notes", notes, subscribe_lines=6, lines_per_note=7)
    return Server("redis", _redis_command("--appendonly", "no"), Request(("PING",), "-ERR"), fan_out)


def redis_set(durable_in: Path | None) -> Server | str:
    """Redis, setting keys; durable means that each turn is flushed to the disk."""
    if not shutil.which("redis-server"):
        return "redis-server is not installed"
    options: tuple[str, ...] = ("--appendonly", "no")
    if durable_in:
        durable_in.mkdir(parents=True, exist_ok=True)
        options = ("--appendonly", "yes", "--appendfsync", "always", "--dir", str(durable_in))
    request = Request(("SET key:%ID% 0123456789012345678901234567890123456789",), "-ERR")
    return Server("redis-aof" if durable_in else "redis-set", _redis_command(*options), request)


def _redis_command(*options: str) -> tuple[str, ...]:
    command = ("redis-server", "--port", "0", "--unixsocket", "{socket}", "--maxclients", "10000", "--save", "")
    return (*command, "--auto-aof-rewrite-percentage", "0", *options)


def uvloop(python: Path, notes: int, note_bytes: int) -> Server | str:
    """uvloop and orjson, in an environment of their own."""
    if not python.exists():
        return "uvloop and orjson could not be installed"
    return _json_lines("uvloop+orjson", (str(python), str(_PEERS / "uvloop_orjson.py")), notes, note_bytes)


def node(notes: int, note_bytes: int) -> Server | str:
    """Node."""
    if not shutil.which("node"):
        return "nodejs is not installed"
    return _json_lines("node", ("node", str(_PEERS / "node_lines.js")), notes, note_bytes)


def go(directory: Path, notes: int, note_bytes: int) -> Server | str:
    """Go, built in the directory given."""
    if not shutil.which("go"):
        return "golang-go is not installed"
    program = directory / "go_lines"
    source = _PEERS / "go_lines"
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=source, env=environment, check=True)
    return _json_lines("go", (str(program),), notes, note_bytes)

