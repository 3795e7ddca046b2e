"""QR codes as PNG files: byte mode, level L, versions 1 to 6, which hold up to 134 bytes.

The mask is always the same one: readers take any, and the best would only be easier on poor cameras.
"""

from __future__ import annotations

import struct
import zlib

# For each version: the error correction codewords of a block, the blocks, and the data codewords of a block.
_VERSIONS = ((7, 1, 19), (10, 1, 34), (15, 1, 55), (20, 1, 80), (26, 1, 108), (18, 2, 68))
_BYTE_MODE = 4
_PADDING = (0xEC, 0x11)
# Level L and mask 0, with their error correction.
_FORMAT = 0b111011111000100
_FINDER = 7
_QUIET_ZONE = 4
_PIXELS = 8
_POLYNOMIAL = 0x11D

Modules = list[list[bool | None]]


def png(text: str) -> bytes:
    """The picture of the code that says the text, with the margin that readers need."""
    return _image([[bool(module) for module in row] for row in _code(text.encode())])


def _code(data: bytes) -> Modules:
    for number, (checks, blocks, size) in enumerate(_VERSIONS, 1):
        if len(data) + 2 <= blocks * size:
            modules = _patterns(number)
            _fill(modules, _codewords(data, checks, blocks, size))
            return modules
    raise ValueError(f"{len(data)} bytes are too many for a QR code of the sandbox")


def _codewords(data: bytes, checks: int, blocks: int, size: int) -> bytes:
    """The data, padded and in blocks, and behind them what corrects errors, both interleaved."""
    # Four bits of mode and eight of length shift everything by half a byte; the zeros at the end close the text.
    bits = (_BYTE_MODE << 8 | len(data)).to_bytes(2, "big") + data
    shifted = (int.from_bytes(bits, "big") << 4).to_bytes(len(bits), "big")
    padded = shifted + bytes(_PADDING[place % 2] for place in range(blocks * size - len(shifted)))
    parts = [padded[place : place + size] for place in range(0, len(padded), size)]
    corrections = [_remainder(part, checks) for part in parts]
    return bytes(byte for group in (parts, corrections) for column in zip(*group) for byte in column)


def _product(one: int, other: int) -> int:
    """In the field of 256 elements."""
    product = 0
    while other:
        if other & 1:
            product ^= one
        one = one << 1 ^ (_POLYNOMIAL if one & 0x80 else 0)
        other >>= 1
    return product


def _remainder(data: bytes, count: int) -> bytes:
    """The Reed-Solomon codewords of a block."""
    generator = [1]
    root = 1
    for _ in range(count):
        shifted = [*generator, 0]
        for place, factor in enumerate(generator):
            shifted[place + 1] ^= _product(factor, root)
        generator = shifted
        root = _product(root, 2)
    left = [*data, *bytes(count)]
    for place in range(len(data)):
        factor = left[place]
        for offset, value in enumerate(generator):
            left[place + offset] ^= _product(value, factor)
    return bytes(left[-count:])


def _patterns(version: int) -> Modules:
    """The code without its data; modules that are still to be filled are None."""
    size = 17 + 4 * version
    modules: Modules = [[None] * size for _ in range(size)]
    for place in range(size):
        modules[6][place] = modules[place][6] = place % 2 == 0
    for top, left in ((0, 0), (0, size - _FINDER), (size - _FINDER, 0)):
        _draw_finder(modules, top, left)
    if version > 1:
        _draw_rings(modules, size - 7, size - 7, 2, (True, False, True))
    _draw_format(modules)
    return modules


def _draw_rings(modules: Modules, row: int, column: int, radius: int, rings: tuple[bool, ...]) -> None:
    for y in range(-radius, radius + 1):
        for x in range(-radius, radius + 1):
            if 0 <= row + y < len(modules) and 0 <= column + x < len(modules):
                modules[row + y][column + x] = rings[max(abs(y), abs(x))]


def _draw_finder(modules: Modules, top: int, left: int) -> None:
    """A finder and the light line around it."""
    _draw_rings(modules, top + 3, left + 3, 4, (True, True, False, True, False))


def _draw_format(modules: Modules) -> None:
    """The format twice: around the first finder, and beside the two others. One module is always dark."""
    size = len(modules)
    around = [(8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 7), (8, 8), (7, 8)]
    around += [(row, 8) for row in range(5, -1, -1)]
    beside = [(row, 8) for row in range(size - 1, size - 8, -1)] + [(8, column) for column in range(size - 8, size)]
    for places in (around, beside):
        for place, (row, column) in enumerate(places):
            modules[row][column] = bool(_FORMAT >> (14 - place) & 1)
    modules[size - 8][8] = True


def _fill(modules: Modules, codewords: bytes) -> None:
    """Lays the bits in pairs of columns from the right, up and down in turn, past the pattern in column 6."""
    bits = (byte >> (7 - place) & 1 for byte in codewords for place in range(8))
    size = len(modules)
    rights = [column if column > 6 else column - 1 for column in range(size - 1, 0, -2)]
    for turn, right in enumerate(rights):
        for row in range(size) if turn % 2 else range(size - 1, -1, -1):
            for column in (right, right - 1):
                if modules[row][column] is None:
                    modules[row][column] = bool(next(bits, 0)) != ((row + column) % 2 == 0)


def _image(modules: list[list[bool]]) -> bytes:
    """A PNG file of one bit per pixel, dark on light."""
    light = [False] * _QUIET_ZONE
    empty = [[False] * (len(modules) + 2 * _QUIET_ZONE)] * _QUIET_ZONE
    rows = [*empty, *([*light, *row, *light] for row in modules), *empty]
    side = len(rows) * _PIXELS
    # A row begins with its filter, which is none; eight pixels to a module are a byte to a module.
    lines = (b"\0" + bytes(0 if dark else 255 for dark in row) for row in rows for _ in range(_PIXELS))
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
