"""The page: its text, with the data of one collection in it, and what it is allowed to load."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from language import Language

STRIPE_SCRIPT = "https://js.stripe.com/v3/"

_TEXT = (Path(__file__).resolve().parent / "page.html").read_text()
_PART = re.compile("@([A-Z_]+)@")
# What the page shows before its script runs.
_SHOWN = {"TITLE": "title", "AGAIN": "again", "CANCEL": "cancel", "NO_SCRIPT": "noScript"}
# What Stripe's script needs, as Stripe documents it, but for the search of postal addresses.
_STRIPE_SCRIPTS = "https://js.stripe.com https://*.js.stripe.com"
_STRIPE_SOURCES = {
    "script-src": _STRIPE_SCRIPTS,
    "frame-src": f"{_STRIPE_SCRIPTS} https://hooks.stripe.com",
    "connect-src": "https://api.stripe.com",
}


@dataclass(frozen=True)
class Page:
    """The page of one collection. Its data are secret, so it is only for the browser that shows it."""

    info: Mapping[str, str]
    language: Language
    stripe_script: str = STRIPE_SCRIPT

    def render(self) -> tuple[bytes, dict[str, str]]:
        """The page, and the headers that belong to it."""
        nonce = secrets.token_urlsafe(16)
        data = {
            **self.info,
            "stripeScript": self.stripe_script,
            "language": self.language.code,
            "texts": self.language.texts,
        }
        shown = {"NONCE": nonce, "LANGUAGE": self.language.code}
        shown |= {part: self.language.texts[name] for part, name in _SHOWN.items()}
        # All in one pass: what stands in the data is never looked at.
        parts = {part: escape(text) for part, text in shown.items()} | {"DATA": _script_json(data)}
        text = _PART.sub(lambda found: parts[found[1]], _TEXT)
        return text.encode(), {"Content-Security-Policy": self._policy(nonce)}

    def _policy(self, nonce: str) -> str:
        sources = _STRIPE_SOURCES
        if self.stripe_script != STRIPE_SCRIPT:
            parts = urlsplit(self.stripe_script)
            sources = dict.fromkeys(_STRIPE_SOURCES, f"{parts.scheme}://{parts.netloc}")
        directives = {
            "default-src": "'none'",
            "script-src": f"'nonce-{nonce}' {sources['script-src']}",
            "frame-src": sources["frame-src"],
            "connect-src": f"'self' {sources['connect-src']}",
            # Stripe's script styles the frames that it adds to the page.
            "style-src": "'unsafe-inline'",
            "img-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'none'",
        }
        return "; ".join(f"{name} {allowed}" for name, allowed in directives.items())


def _script_json(value: object) -> str:
    """JSON that cannot end the element that it stands in."""
    return json.dumps(value).replace("<", "\\u003c")
