"""The languages that the pages speak, a file each."""

from __future__ import annotations

import json
from pathlib import Path

from values import JsonObject

_FALLBACK = "en"
_TEXTS: dict[str, JsonObject] = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in (Path(__file__).resolve().parent / "languages").glob("*.json")
}


def spoken(locale: str) -> tuple[str, JsonObject]:
    """The language of a locale, as in nl-NL, and its texts; English where there is none."""
    language = locale.replace("_", "-").partition("-")[0].lower()
    if language not in _TEXTS:
        language = _FALLBACK
    return language, _TEXTS[language]
