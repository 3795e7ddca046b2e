"""What a client session holds when nobody says otherwise: invented people, banks and goods."""

from __future__ import annotations

import secrets

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
    """The configuration's entry for a payment method."""
    known = {
        IDEAL: {"id": "config-ideal", "name": "iDEAL", "processorConfigId": "processor-ideal"},
        ACH: {"id": "config-ach", "name": "ACH", "processorConfigId": "processor-ach"},
    }
    fallback = {"id": f"config-{type.lower()}", "name": type}
    return {"type": type, "implementationType": "NATIVE_SDK"} | known.get(type, fallback)
