"""The languages that the page speaks, a file each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FALLBACK = "en"


@dataclass(frozen=True)
class Language:
    """One language: its code, and what the page says in it."""

    code: str
    texts: Mapping[str, str]


_LANGUAGES = {
    path.stem: Language(path.stem, json.loads(path.read_text("utf-8")))
    for path in (Path(__file__).resolve().parent / "languages").glob("*.json")
}
CODES = sorted(_LANGUAGES)


def language_of(locale: str) -> Language:
    """The language of a locale, as in nl-NL or nl_NL.UTF-8; English where there is none."""
    return _LANGUAGES.get(locale.replace("_", "-").partition("-")[0].lower(), _LANGUAGES[_FALLBACK])
