"""Connections of other users: the kernel notes who connects, so a child of that user's connects and hands them over."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

_HIGHEST_DESCRIPTOR = 4096


@dataclass
class Peer:
    """A connection, and the child that made it, which stays as long as the connection does."""

    connected: socket.socket
    _pid: int
    _link: socket.socket

    def close(self) -> None:
        """Lets the child go."""
        self._link.close()
        os.waitpid(self._pid, 0)


def connected_as(path: Path, uid: int, gid: int, groups: Sequence[int]) -> Peer:
    """A connection to the socket at the path, made by that user."""
    link, child_link = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        _connect_and_stay(child_link, path, uid, gid, groups)
    child_link.close()
    _, descriptors, _, _ = socket.recv_fds(link, 1, 1)
    if not descriptors:
        link.close()
        os.waitpid(pid, 0)
        raise PermissionError(f"user {uid} could not connect to {path}")
    return Peer(socket.socket(fileno=descriptors[0]), pid, link)


def _connect_and_stay(link: socket.socket, path: Path, uid: int, gid: int, groups: Sequence[int]) -> NoReturn:
    """The child's life. It keeps none of the parent's descriptors, so that what the parent closes is closed."""
    try:
        os.closerange(3, link.fileno())
        os.closerange(link.fileno() + 1, _HIGHEST_DESCRIPTOR)
        os.setgroups(groups)
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        with socket.socket(socket.AF_UNIX) as connected:
            connected.connect(str(path))
            socket.send_fds(link, [b"c"], [connected.fileno()])
        link.recv(1)
    finally:
        os._exit(0)
