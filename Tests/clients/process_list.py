"""What everyone on the machine can see of the commands of an example: their arguments."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from support.daemon import program

_OWN = ("checkoutd", "checkoutctl")


class ProcessList:
    """The arguments of commands, as /proc shows them when they are started.

    A stand-in for each command comes first in PATH, writes down what the system tells of it, and becomes the command.
    """

    def __init__(self, directory: Path, *names: str) -> None:
        self._stand_ins = directory / "stand-ins"
        self._stand_ins.mkdir()
        self._list = directory / "process-list"
        self._list.touch()
        for name in names:
            real = program(name) if name in _OWN else shutil.which(name)
            assert real, f"there is no {name}"
            stand_in = self._stand_ins / name
            stand_in.write_text(
                "#!/bin/bash\n"
                "mapfile -d '' -t shown </proc/$$/cmdline\n"
                f"printf '%s\\n' \"${{shown[*]:1}}\" >>'{self._list}'\n"
                f"exec '{real}' \"$@\"\n"
            )
            stand_in.chmod(0o755)

    @property
    def path(self) -> str:
        """The PATH of an example."""
        return f"{self._stand_ins}:{os.environ['PATH']}"

    @property
    def shown(self) -> str:
        """What could be seen so far, a line for each command."""
        return self._list.read_text()
