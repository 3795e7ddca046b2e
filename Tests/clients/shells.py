"""Shells that complete a command line, and tell what they would offer."""

from __future__ import annotations

import os
import pty
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

TIMEOUT = 20

COMPLETION = Path(__file__).resolve().parents[2] / "client" / "completion"

_DONE = "-- done --"
# What is completed is written down as it is offered; ^X^D says that all is said, and empties the line. That it can be
# typed to is said once the line editor has the terminal: before that ^D would be the end.
_ZSH = f"""
fpath=({COMPLETION} $fpath)
autoload -Uz compinit && compinit -u -D
unsetopt auto_list auto_menu list_beep
bindkey -e
zstyle ':completion:*' verbose no
compadd() {{
  local -a found
  builtin compadd -A found "$@"
  (( $#found )) && print -rl -- $found >>$OFFERED
  builtin compadd "$@"
}}
zle-line-init() {{ print -r -- {shlex.quote(_DONE)} >>$OFFERED }}
end-of-offer() {{ print -r -- {shlex.quote(_DONE)} >>$OFFERED; zle kill-whole-line }}
zle -N zle-line-init
zle -N end-of-offer
bindkey '^X^D' end-of-offer
PS1= PS2=
"""


def bash_offers(words: Sequence[str], directory: Path) -> list[str]:
    """What bash offers for the last word, in a directory."""
    script = """
        source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _checkoutctl
        printf "%s\\n" "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-uc", script, "bash", COMPLETION / "checkoutctl.bash", "checkoutctl", *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
        cwd=directory,
    )
    assert not done.stderr, done.stderr
    return done.stdout.split()


class Zsh:
    """An interactive zsh at a terminal of its own."""

    def __init__(self, directory: Path) -> None:
        self._offered = directory / "offered"
        os.mkfifo(self._offered)
        self._reader = os.open(self._offered, os.O_RDONLY | os.O_NONBLOCK)
        # Held open, so that the end of one offer is not the end of all.
        self._writer = os.open(self._offered, os.O_WRONLY)
        (directory / ".zshrc").write_text(_ZSH)
        (directory / "work").mkdir()
        environment = os.environ | {"ZDOTDIR": str(directory), "OFFERED": str(self._offered), "TERM": "dumb"}
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(directory / "work")
            os.execvpe("zsh", ["zsh", "-d", "-i"], environment)
        self._read()

    def offers(self, line: str) -> list[str]:
        """What it offers for the last word of a line, each once."""
        os.write(self._terminal, f"{line}\t\x18\x04".encode())
        return sorted(set(self._read()))

    def _read(self) -> list[str]:
        text, deadline = "", time.monotonic() + TIMEOUT
        while not text.endswith(f"{_DONE}\n"):
            readable, _, _ = select.select([self._reader, self._terminal], [], [], deadline - time.monotonic())
            if not readable:
                raise TimeoutError(f"zsh said {text!r}")
            for descriptor in readable:
                piece = os.read(descriptor, 65_536)
                # What it shows is read too, so that it never waits for a reader.
                text += piece.decode() if descriptor == self._reader else ""
        return text.removesuffix(f"{_DONE}\n").split()

    def close(self) -> None:
        """Ends it."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        for descriptor in (self._terminal, self._reader, self._writer):
            os.close(descriptor)


def spoken(words: Sequence[str]) -> str:
    """A command line of these words."""
    return " ".join(["checkoutctl", *words])
