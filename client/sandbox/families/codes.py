"""Methods that show the customer a QR code, to be read by the app of a bank or of a wallet."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from families.family import Action, Family, Place, nothing_more
from qr_code import png
from values import JsonObject

if TYPE_CHECKING:
    from model import Payment
    from tokens import Addresses

PLACE = Place("wallet", "codes")
AS_IMAGE, AS_URL = "image", "url"
_SECONDS = 15 * 60


def code_image(payment: Payment, addresses: Addresses) -> bytes:
    """The code as a PNG file: it says where the wallet's page is."""
    return png(addresses.page(PLACE, payment))


def _token(payment: Payment, addresses: Addresses) -> JsonObject:
    token: JsonObject = {
        "intent": f"{payment.instrument.method_type}_REDIRECTION",
        "statusUrl": addresses.status(payment),
    }
    if payment.lapses_at is not None:
        token["expiration"] = payment.lapses_at
    if payment.session.script.code_as == AS_URL:
        return token | {"qrCodeUrl": addresses.code_image(PLACE, payment)}
    return token | {"qrCode": base64.b64encode(code_image(payment, addresses)).decode("ascii")}


QR_CODE = Family(Action(_token, PLACE, lifetime=_SECONDS), nothing_more)
