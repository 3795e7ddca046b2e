"""The client for Node as the tests find it, and the Node that runs it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE_PROJECT = ROOT / "client" / "node"
NODE_TESTS = Path(__file__).resolve().parent / "node"
# Another version can be named.
NODE = os.environ.get("NODE", "node")

TIMEOUT = 120


def run_node(
    *arguments: str | Path, text: str = "", cwd: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What a run of Node leaves."""
    return subprocess.run(
        [NODE, *arguments],
        cwd=cwd,
        env=os.environ | (environment or {}),
        input=text,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def installed(directory: Path) -> Path:
    """A directory for programs in which the package is as npm installs one that is a folder."""
    (directory / "node_modules").mkdir()
    (directory / "node_modules" / "checkoutd").symlink_to(NODE_PROJECT)
    (directory / "package.json").write_text('{"type": "module"}')
    return directory
