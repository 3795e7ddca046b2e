"""File systems of a test's own: small ones that can be filled up, and ones that cannot be written."""

from __future__ import annotations

import errno
import subprocess
import tempfile
import unittest
from pathlib import Path


class SmallDisk:
    """A file system in memory, for one test."""

    def __init__(self, test: unittest.TestCase, size: str) -> None:
        directory = tempfile.TemporaryDirectory(prefix="checkoutd-disk-")
        test.addCleanup(directory.cleanup)
        self.path = Path(directory.name)
        mounted = self._run("mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", directory.name)
        if mounted.returncode != 0:
            test.skipTest(f"a file system cannot be mounted here: {mounted.stderr.strip()}")
        test.addCleanup(self._run, "umount", "--lazy", directory.name)
        self._filler = self.path / "filler"

    @staticmethod
    def _run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def fill(self) -> None:
        """Takes all the room that is left."""
        with self._filler.open("ab", buffering=0) as filler:
            for size in (65536, 4096, 1):
                try:
                    while True:
                        filler.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        """Gives the room back."""
        self._filler.unlink()

    def make_read_only(self) -> None:
        """Lets nobody write any more; nothing may have a file open for that."""
        self._run("mount", "-o", "remount,ro", str(self.path)).check_returncode()
