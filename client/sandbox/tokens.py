"""Client tokens: issued for a session or for a payment's required action, and read back.

A client token is a JWT whose payload names the addresses to call and the access token to call them with.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass

from families import Place
from model import Access, Ledger, Payment, Session
from values import JsonObject, encode, merge


@dataclass(frozen=True)
class Addresses:
    """The addresses that the sandbox gives out, all below one base."""

    base: str

    @property
    def configuration(self) -> str:
        return f"{self.base}/client-sdk/configuration"

    @property
    def core(self) -> str:
        return f"{self.base}/core"

    @property
    def pci(self) -> str:
        return f"{self.base}/pci"

    def status(self, payment: Payment) -> str:
        return f"{self.base}/status/{payment.id}"

    def complete(self, payment: Payment) -> str:
        return f"{self.base}/complete/{payment.id}"

    def page(self, place: Place, payment: Payment) -> str:
        return f"{self.base}/{place.page}/{payment.id}"

    def code_image(self, place: Place, payment: Payment) -> str:
        return f"{self.page(place, payment)}/code.png"


def _part(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode("ascii")


def read_payload(token: str) -> JsonObject | None:
    """The payload of a client token; the signature is not looked at. None when there is no such payload."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        payload = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None
    return payload if isinstance(payload, dict) else None


class TokenIssuer:
    """Issues client tokens and remembers their access tokens in the ledger."""

    def __init__(self, ledger: Ledger, addresses: Addresses) -> None:
        self._ledger = ledger
        self._addresses = addresses
        self._key = secrets.token_bytes(32)

    def for_session(self, session: Session) -> str:
        """A token to begin a checkout with."""
        access = self._access(session, session.script.expires_in)
        payload = self._common(access) | {"intent": "CHECKOUT", "paymentFlow": "DEFAULT"}
        return self._sign(merge(payload, session.script.token_overrides))

    def for_action(self, payment: Payment) -> str:
        """A token for a payment's required action. From now on the payment's calls need its access token."""
        access = self._access(payment.session, payment.session.script.action_expires_in)
        payment.access = access
        payment.told = payment.action.token(payment, self._addresses)
        payload = self._common(access) | payment.told
        return self._sign(merge(payload, payment.session.script.action_token_overrides))

    def _access(self, session: Session, expires_in: float) -> Access:
        access = Access(secrets.token_hex(16), session, int(time.time() + expires_in))
        session.tokens.append(access)
        self._ledger.access[access.value] = access
        return access

    def _common(self, access: Access) -> JsonObject:
        return {
            "accessToken": access.value,
            "configurationUrl": self._addresses.configuration,
            "coreUrl": self._addresses.core,
            "pciUrl": self._addresses.pci,
            "env": "SANDBOX",
            "exp": access.expires_at,
        }

    def _sign(self, payload: JsonObject) -> str:
        signed = f"{_part(encode({'alg': 'HS256', 'typ': 'JWT'}))}.{_part(encode(payload))}"
        return f"{signed}.{_part(hmac.digest(self._key, signed.encode('ascii'), hashlib.sha256))}"
