"""Where the files are that the first release has left, and what it was told when it made them."""

from __future__ import annotations

import json
from pathlib import Path

from support.lines import JsonObject

HERE = Path(__file__).resolve().parent
# Of the machine it pretended to run on.
BOOT_ID = "12345678-1234-4234-8234-123456789abc"
# An address that is this machine's and that nothing else listens at.
UPSTREAM_HOST, UPSTREAM_PORT = "127.76.0.1", 47811
UPSTREAM = f"http://{UPSTREAM_HOST}:{UPSTREAM_PORT}"


def recorded(name: str) -> JsonObject:
    """When a state was left, and what was told of its checkouts."""
    read: JsonObject = json.loads((HERE / name / "recorded.json").read_text())
    return read
