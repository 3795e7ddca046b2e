"""A service manager as far as the descriptors go that one run of the daemon leaves to the next."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

_CAPACITY = 16
_SEALS = 0xF  # F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE
_ADD_SEALS = 1033
_PASSING = 'export LISTEN_PID=$$; exec "$@"'


class ServiceManager:
    """Keeps what the daemon stores, and says yes to whatever it asks."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="checkoutd-manager-")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(Path(self._directory.name) / "notify"))
        self.stored: dict[str, int] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program finds in its environment that this manager starts."""
        return {"NOTIFY_SOCKET": self._socket.getsockname(), "FDSTORE": str(_CAPACITY)}

    def _listen(self) -> None:
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(self._socket, 65536, _CAPACITY)
            except OSError:
                return
            lines = dict(line.split("=", 1) for line in data.decode().splitlines())
            if "FDSTORE" in lines:
                (self.stored[lines["FDNAME"]],) = descriptors
                continue
            # A barrier is over when nobody has its descriptor any more.
            for descriptor in descriptors:
                os.close(descriptor)

    def close(self) -> None:
        """Ends it, with all that it keeps."""
        self._socket.close()
        for descriptor in self.stored.values():
            os.close(descriptor)
        self._directory.cleanup()


def sealed_file(data: bytes) -> int:
    """A file in memory that nobody can change any more."""
    descriptor = os.memfd_create("handover", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(descriptor, data)
    fcntl.fcntl(descriptor, _ADD_SEALS, _SEALS)
    return descriptor


def carrier(label: int, connections: Sequence[socket.socket]) -> int:
    """Connections on their way to the daemon, in one descriptor."""
    kept, sender = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    socket.send_fds(sender, [struct.pack("=Q", label)], [connection.fileno() for connection in connections])
    sender.close()
    return kept.detach()


def passing(command: Sequence[str], descriptors: Sequence[int]) -> list[str]:
    """The command that has a program get these descriptors, as its third and on."""
    redirections = " ".join(f"{3 + place}<&{descriptor}" for place, descriptor in enumerate(descriptors))
    return ["bash", "-c", f"exec {redirections}; {_PASSING}", "bash", *command]
