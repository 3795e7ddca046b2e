"""Where the daemon listens."""

from __future__ import annotations

import os
from pathlib import Path


def default_socket() -> Path:
    """`$CHECKOUTD_SOCKET`; else the user's own daemon, for users other than root, if it is there; else the system's."""
    if named := os.environ.get("CHECKOUTD_SOCKET"):
        return Path(named)
    if os.geteuid() != 0 and (directory := os.environ.get("XDG_RUNTIME_DIR")):
        own = Path(directory, "checkoutd", "checkoutd.sock")
        if own.exists():
            return own
    return Path("/run/checkoutd/checkoutd.sock")
