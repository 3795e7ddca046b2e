"""What a family of payment methods is: what it reads when it is tokenized, and what it has the customer do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from values import JsonObject, Members, bad_request

if TYPE_CHECKING:
    from model import Payment, Session
    from tokens import Addresses

_LOCALE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{2,8})*")
_PLATFORMS = ("ANDROID", "IOS", "WEB")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"<>]+")
# A browser that is sent to one of these runs what stands in it.
_SCRIPTS = ("data", "javascript", "vbscript")


@dataclass(frozen=True)
class Place:
    """Where the customer decides: on a page at /`page`/{id}, or by POST /sandbox/`control`/{id}. `page` is also the
    word that the log has for it, as in bank-page."""

    page: str
    control: str


@dataclass(frozen=True)
class Action:
    """What the customer has to do once the payment is created."""

    token: Callable[[Payment, Addresses], JsonObject]
    """What the action's client token says beside what every token says."""
    place: Place | None = None
    name: str = "USE_PRIMER_SDK"
    is_polled: bool = True
    """Whether a resume follows the decision. Where none does, the decision is the payment's end."""
    lifetime: float | None = None
    """The seconds after which the customer cannot decide any more."""


@dataclass(frozen=True)
class Family:
    """Payment methods that are paid in the same way."""

    action: Action
    read: Callable[[Session, str, Members], JsonObject]
    """Takes the family's own members from a session info; the rest of it is read here."""
    instrument_type: str = "OFF_SESSION_PAYMENT"
    provider: str | None = None
    """Who authenticates the customer, where the request has to name it."""

    def read_info(self, session: Session, type: str, info: JsonObject) -> JsonObject:
        """What is kept of a tokenization's session info. Whatever is missing, odd or unknown in it is refused."""
        members = Members(info, "sessionInfo")
        kept: JsonObject = {
            "locale": _checked(members.require("locale", str), _LOCALE.fullmatch, "locale"),
            "platform": _checked(members.require("platform", str), _PLATFORMS.__contains__, "platform"),
        }
        address = members.take("redirectionUrl", str, None)
        if address is not None:
            kept["redirectionUrl"] = _checked(address, _is_address, "redirectionUrl")
        kept |= self.read(session, type, members)
        members.finish()
        return kept


def nothing_more(session: Session, type: str, members: Members) -> JsonObject:
    """Takes nothing: the family has no members of its own in a session info."""
    return {}


def _is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None and urlsplit(text).scheme not in _SCRIPTS


def _checked(text: str, is_good: Callable[[str], object], name: str) -> str:
    if not is_good(text):
        raise bad_request(f"sessionInfo: {name} makes no sense")
    return text
