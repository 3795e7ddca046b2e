"""The Python client as the tests import it: from its sources."""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "client" / "python"
sys.path.insert(0, str(PROJECT / "src"))

import checkoutd  # noqa: E402

__all__ = ["PROJECT", "checkoutd"]
