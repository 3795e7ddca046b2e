"""What documents say of the tree is so: links lead to files of it, and a hop's function is in its file.

Run as a program it prints what is wrong, a line each, and fails if there is anything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
_HOP = re.compile(r"^\| `([\w/+-]+\.swift)` \| `(\w+)` \|", re.MULTILINE)
_NAMED = re.compile(r"`((?:Sources|Tests|client|systemd)/[\w./+-]+|[A-Z]\w+/[\w+]+\.swift)`")
# Where a file's name means one of this tree; elsewhere it may be one of Primer's, or of a reader's own program.
_OF_THIS_TREE = ("Sources/README.md", "Sources/design.md", "Tests/README.md", ".github/")


def documents(root: Path) -> Iterator[Path]:
    """Every document of the tree."""
    for path in sorted(root.rglob("*.md")):
        if path.relative_to(root).parts[0] not in (".build", ".git"):
            yield path


def problems(root: Path) -> Iterator[str]:
    """What is not as the documents say."""
    for path in documents(root):
        text = path.read_text()
        name = path.relative_to(root)
        for target in _LINK.findall(text):
            if "://" in target or target.startswith("mailto:"):
                continue
            found = (path.parent / target).resolve()
            if not found.is_relative_to(root):
                yield f"{name}: {target} is outside the tree"
            elif not found.exists():
                yield f"{name}: {target} is not there"
        for file, function in _HOP.findall(text):
            source = root / "Sources" / file
            if not source.exists():
                yield f"{name}: {file} is not there"
            elif not re.search(rf"\bfunc {function}\b", source.read_text()):
                yield f"{name}: {file} has no function {function}"
        for named in _NAMED.findall(text) if str(name).startswith(_OF_THIS_TREE) else ():
            if not (root / named).exists() and not (root / "Sources" / named).exists():
                yield f"{name}: {named} is not there"


def main() -> int:
    """Checks the tree that this file lies in."""
    wrong = list(problems(Path(__file__).resolve().parents[2]))
    print("".join(f"{line}\n" for line in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
