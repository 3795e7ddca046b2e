"""What a client session holds when nobody says otherwise: invented people, banks and goods."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from values import JsonObject

IDEAL = "ADYEN_IDEAL"
ACH = "STRIPE_ACH"

_BANK_NAMES = {
    "9001": "Ambachtsbank",
    "9002": "Bank van de Polder",
    "9003": "Crédit Zilverduin",
    "9004": "Duinrand Bank",
    "9005": "Eikenhof Bank",
    "9006": "Grachtenlicht Bank",
    "9007": "Havenmeester Bank",
    "9008": "Korenmolen Bank",
    "9009": "Noorderwind Bank",
    "9010": "Ooievaar Bank",
    "9011": "Tulpveld Spaarbank",
    "9012": "Zeester Bank",
}
_CLOSED_BANK = "9010"


@dataclass(frozen=True)
class _Known:
    """What is known of a method by its type alone: its name, the colour of its button, and how it is mostly served."""

    name: str
    colour: str | None
    served: str = "NATIVE_SDK"


_METHODS = {
    IDEAL: _Known("iDEAL", "#CC0066"),
    ACH: _Known("ACH", None),
    "ADYEN_BLIK": _Known("BLIK", "#111111"),
    "ADYEN_MBWAY": _Known("MB WAY", "#C8102E"),
    "ADYEN_MULTIBANCO": _Known("Multibanco", "#1F5AA6"),
    "OMISE_PROMPTPAY": _Known("PromptPay", "#0B3B66"),
    "RAPYD_PROMPTPAY": _Known("PromptPay", "#0B3B66"),
    "XENDIT_OVO": _Known("OVO", "#4B2A86"),
    "XFERS_PAYNOW": _Known("PayNow", "#7D1D6B"),
    "ADYEN_AFFIRM": _Known("Affirm", "#1A1A1A", "WEB_REDIRECT"),
    "ADYEN_KLARNA": _Known("Klarna", "#6B2A45", "WEB_REDIRECT"),
    "ADYEN_TWINT": _Known("TWINT", "#262626", "WEB_REDIRECT"),
    "ADYEN_VIPPS": _Known("Vipps", "#B33A12", "WEB_REDIRECT"),
    "BUCKAROO_IDEAL": _Known("iDEAL", "#CC0066", "WEB_REDIRECT"),
    "MOLLIE_IDEAL": _Known("iDEAL", "#CC0066", "WEB_REDIRECT"),
    "PAY_NL_IDEAL": _Known("iDEAL", "#CC0066", "WEB_REDIRECT"),
    "APPLE_PAY": _Known("Apple Pay", "#000000"),
    "IPAY88_CARD": _Known("Card", "#333333", "IPAY88_SDK"),
    "KLARNA": _Known("Klarna", "#6B2A45"),
    "PAYMENT_CARD": _Known("Card", "#333333"),
    "PAYPAL": _Known("PayPal", "#1B3A8A"),
}
_SHORT_IDS = {IDEAL: "ideal", ACH: "ach"}
_WITH_ITS_ICON = "ADYEN_BLIK"
_WITHOUT_ICON = "ADYEN_MBWAY"
# A picture of one grey pixel.
_DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="


def banks() -> list[JsonObject]:
    """Twelve issuers; one is disabled, one has a diacritic in its name."""
    return [
        {"id": id, "name": name, "iconUrl": f"https://icons.example.com/{id}.png", "disabled": id == _CLOSED_BANK}
        for id, name in _BANK_NAMES.items()
    ]


def customer() -> JsonObject:
    """A customer with a complete name and address."""
    return {
        "customerId": f"customer-{secrets.token_hex(4)}",
        "firstName": "Mila",
        "lastName": "Verhoeven",
        "emailAddress": "mila.verhoeven@example.com",
    }


def order() -> JsonObject:
    """An order without its total, which follows from the line items."""
    return {
        "orderId": f"order-{secrets.token_hex(6)}",
        "currencyCode": "EUR",
        "countryCode": "NL",
        "lineItems": [
            {"itemId": "mug", "quantity": 1, "amount": 799, "name": "Mug", "description": "A blue mug"},
            {"itemId": "tea", "quantity": 2, "amount": 250, "name": "Tea", "description": "Rooibos, 100 g"},
        ],
    }


def payment_method(type: str) -> JsonObject:
    """The configuration's entry for a payment method, without its display."""
    known = _METHODS.get(type)
    short = _SHORT_IDS.get(type, type.lower())
    return {
        "type": type,
        "implementationType": known.served if known else "NATIVE_SDK",
        "id": f"config-{short}",
        "name": known.name if known else type,
        "processorConfigId": f"processor-{short}",
    }


def display(type: str) -> JsonObject | None:
    """How a button for the method looks. One has its icon in it, one has no icon, and one has nothing to show."""
    known = _METHODS.get(type)
    if known is None or known.colour is None:
        return None
    address = f"https://icons.example.com/{type.lower()}"
    icons = {name: f"{address}-{name}.png" for name in ("colored", "light", "dark")}
    button: JsonObject = {
        "iconUrl": {"colored": _DOT, "light": None, "dark": None} if type == _WITH_ITS_ICON else icons,
        "backgroundColor": {"colored": known.colour, "light": "#FFFFFF", "dark": known.colour},
        "cornerRadius": 4,
        "borderWidth": {"colored": 1, "light": 1, "dark": 0},
        "borderColor": {"colored": known.colour, "light": "#000000", "dark": known.colour},
        "text": f"Pay with {known.name}",
        "textColor": {"colored": "#FFFFFF", "light": "#000000", "dark": "#FFFFFF"},
    }
    if type == _WITHOUT_ICON:
        del button["iconUrl"]
    return {"button": button}
