"""What a disk holds after a power failure: what was flushed, and of the rest a part that chance decides."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_RECORD = struct.Struct("<cQQI")
_SECTOR = 512
# How much of what was not flushed survives, of a file or of the directory.
SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)
NOTHING = (0.0,)


@dataclass
class _Operation:
    """Something that was done to a file, or to the directory."""

    kind: str
    place: int
    data: bytes
    inode: int = 0


@dataclass
class _File:
    flushed: bytearray = field(default_factory=bytearray)
    pending: list[_Operation] = field(default_factory=list)


class Disk:
    """A directory that was empty, as the journal of `crashpoint.c` says what was done to its database."""

    def __init__(self, journal: bytes) -> None:
        self._files: dict[int, _File] = {}
        self._names: dict[str, int] = {}
        self._pending: list[_Operation] = []
        for operation in _operations(journal):
            self._do(operation)

    def _do(self, operation: _Operation) -> None:
        if operation.kind == "c":
            # The inode may have been another file's.
            self._files[operation.inode] = _File()
        if operation.kind in "clu":
            self._pending.append(operation)
        elif operation.kind in "wt":
            self._files[operation.inode].pending.append(operation)
        elif operation.kind == "f":
            file = self._files[operation.inode]
            for done in file.pending:
                _apply(file.flushed, done)
            file.pending = []
        elif operation.kind == "F":
            for done in self._pending:
                _rename(self._names, done)
            self._pending = []

    def after_power_failure(self, chance: random.Random, shares: Sequence[float]) -> dict[str, bytes]:
        """The files that are found then."""
        names = dict(self._names)
        share = chance.choice(shares)
        for operation in self._pending:
            if chance.random() < share:
                _rename(names, operation)
        return {name: self._remains(self._files[inode], chance, shares) for name, inode in sorted(names.items())}

    @staticmethod
    def _remains(file: _File, chance: random.Random, shares: Sequence[float]) -> bytes:
        data = bytearray(file.flushed)
        share = chance.choice(shares)
        for operation in file.pending:
            for part in _sectors(operation):
                if chance.random() < share:
                    _apply(data, part)
        return bytes(data)


def power_failure(journal: Path, state: Path, chance: random.Random, shares: Sequence[float] = SHARES) -> None:
    """Puts a state directory into the state in which a power failure leaves it."""
    survivors = Disk(journal.read_bytes()).after_power_failure(chance, shares)
    for path in state.iterdir():
        path.unlink()
    for name, data in survivors.items():
        (state / name).write_bytes(data)
        (state / name).chmod(0o600)


def _operations(journal: bytes) -> Iterator[_Operation]:
    place = 0
    while place < len(journal):
        kind, inode, offset, size = _RECORD.unpack_from(journal, place)
        place += _RECORD.size
        yield _Operation(kind.decode(), offset, journal[place : place + size], inode)
        place += size


def _sectors(operation: _Operation) -> Iterator[_Operation]:
    """The parts of which each may be on the disk without the others."""
    if operation.kind == "t":
        yield operation
        return
    start = operation.place
    end = start + len(operation.data)
    while start < end:
        stop = min(end, (start // _SECTOR + 1) * _SECTOR)
        yield _Operation("w", start, operation.data[start - operation.place : stop - operation.place])
        start = stop


def _apply(data: bytearray, operation: _Operation) -> None:
    size = operation.place
    if operation.kind == "w":
        size += len(operation.data)
    if len(data) < size:
        data.extend(bytes(size - len(data)))
    if operation.kind == "t":
        del data[size:]
    else:
        data[operation.place : size] = operation.data


def _rename(names: dict[str, int], operation: _Operation) -> None:
    name = operation.data.decode()
    if operation.kind == "u":
        names.pop(name, None)
    else:
        names[name] = operation.inode
