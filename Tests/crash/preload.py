"""The library `crashpoint.c`: built once a run, told what to do by the environment, read back from its trace."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

_SOURCE = Path(__file__).with_name("crashpoint.c")
_COUNT_SIZE = 8


@functools.cache
def _library() -> Path:
    directory = tempfile.mkdtemp(prefix="checkoutd-crashpoint-")
    atexit.register(shutil.rmtree, directory)
    library = Path(directory) / "crashpoint.so"
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", _SOURCE, "-o", library, "-ldl"], check=True
    )
    return library


def clock_set(seconds: int) -> Mapping[str, str]:
    """The environment of a program whose time of day is so far ahead of the truth, or behind it."""
    return {"LD_PRELOAD": str(_library()), "CLOCK_OFFSET": str(seconds)}


def journalled(path: Path, *, loses_flushes: bool = False) -> Mapping[str, str]:
    """The environment of a program that writes down what it does to its database, to be played by `disk.py`."""
    flushes = {"DISK_FLUSHES": "lost"} if loses_flushes else {}
    return {"LD_PRELOAD": str(_library()), "DISK_JOURNAL": str(path)} | flushes


def failing_flushes(trigger: Path) -> Mapping[str, str]:
    """The environment of a program none of whose flushes succeeds while that file is there."""
    return {"LD_PRELOAD": str(_library()), "FLUSHES_FAIL": str(trigger)}


def started_again(boot_id: str) -> Mapping[str, str]:
    """The environment of a program on a machine that was started again since."""
    return {"LD_PRELOAD": str(_library()), "BOOT_ID_HIDDEN": "1", "CHECKOUTD_BOOT_ID": boot_id}


class Trace:
    """The points that a program has come to, as letters that `crashpoint.c` explains; it dies at one of them."""

    def __init__(self, path: Path, crash_at: int = 0) -> None:
        path.touch()
        self._path = path
        self.crash_at = crash_at

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of that program."""
        points = {"CRASHPOINT_TRACE": str(self._path), "CRASHPOINT_AT": str(self.crash_at)}
        return {"LD_PRELOAD": str(_library())} | points

    @property
    def letters(self) -> str:
        """One for each point so far."""
        data = self._path.read_bytes()
        count = int.from_bytes(data[:_COUNT_SIZE], "little")
        return data[_COUNT_SIZE : _COUNT_SIZE + count].decode("ascii")
