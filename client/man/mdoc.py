"""Writes mdoc: text that says what it is given to say, whatever is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from sources import Row

_SPECIAL = {"\\": r"\e", "^": r"\(ha", "~": r"\(ti", "`": r"\(ga", "'": r"\(aq"}
_MACRO = re.compile(r"[A-Z%][a-z0-9]{1,2}|[.,:;()\[\]?!|]")
_COLUMNS = 72


def _characters(text: str, special: dict[str, str]) -> str:
    return "".join(
        special.get(character, character if character.isascii() else f"\\[u{ord(character):04X}]") for character in text
    )


def text(sentences: str) -> str:
    """Running text, each sentence in a line of its own, as is the custom."""
    lines = re.split(r"(?<=[.?!]) +(?=\S)", sentences.strip())
    return "\n".join(map(_text_line, lines))


def _text_line(line: str) -> str:
    line = _characters(line, {"\\": r"\e"})
    line = re.sub("`([^`]*)`", r"\\(oq\1\\(cq", line)
    # What is an option keeps its dashes.
    line = re.sub(r"(?<![\w\\-])--?(?=\w)", lambda dashes: dashes[0].replace("-", r"\-"), line)
    return rf"\&{line}" if line[:1] in (".", "'") else line


def literal(line: str) -> str:
    """A line that is shown as it is."""
    line = _characters(line, _SPECIAL).replace("-", r"\-")
    return rf"\&{line}" if line[:1] == "." else line


def word(argument: str) -> str:
    """One argument of a macro."""
    argument = _characters(argument, _SPECIAL | {'"': r"\(dq"}).replace("-", r"\-")
    if " " in argument or not argument:
        return f'"{argument}"'
    return rf"\&{argument}" if _MACRO.fullmatch(argument) else argument


def words(line: str) -> str:
    """Several arguments of a macro."""
    return " ".join(map(word, line.split()))


def ids(names: Iterable[str]) -> str:
    """Names with dashes, which are not broken, after each other."""
    return ",\n".join(r"\%" + literal(name) for name in names)


def display(lines: Iterable[str]) -> str:
    """Lines that are shown as they are."""
    return "\n".join([".Bd -literal -offset indent", *map(literal, lines), ".Ed"])


def option(row: Row) -> str:
    """The arguments of a macro that show an option and what it takes."""
    letter = f"Fl {row.letter} , " if row.letter else ""
    argument = f" Ar {words(row.argument)}" if row.argument else ""
    return f"{letter}Fl \\-{word(row.name)}{argument}"


def sentence(summary: str) -> str:
    """A summary of help as a sentence."""
    summary = summary[:1].upper() + summary[1:]
    return text(summary if summary.endswith(".") else f"{summary}.")


def pretty(value: Any, room: int = _COLUMNS, margin: str = "") -> list[str]:
    """JSON in lines that are not too long, where that is possible."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(margin) + len(whole) <= room or not isinstance(value, dict | list) or not value:
        return [margin + whole]
    brackets = "{}" if isinstance(value, dict) else "[]"
    members: list[tuple[str, Any]] = (
        [(json.dumps(name, ensure_ascii=False) + ": ", member) for name, member in value.items()]
        if isinstance(value, dict)
        else [("", element) for element in value]
    )
    lines = [margin + brackets[0]]
    for index, (name, member) in enumerate(members):
        first, *rest = pretty(member, room - len(name), f"{margin}  ")
        comma = "," if index < len(members) - 1 else ""
        block = [f"{margin}  {name}{first.strip()}", *rest]
        lines += [*block[:-1], block[-1] + comma]
    return [*lines, margin + brackets[1]]
