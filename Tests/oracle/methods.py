"""The payment methods that schedules pay with: what upstream says of each, and what a client does with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from support.checkout import ACH, IDEAL
from support.lines import JsonObject

# A picture of one pixel, in place of a code's.
_IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
_POLLED: Mapping[str, str] = {"statusUrl": "{base}/status/{payment}"}


@dataclass(frozen=True)
class Method:
    """One payment method."""

    type: str
    provider: str
    # What the client token of its required action says beside what every one says, with places for base and payment.
    action: Mapping[str, str]
    # What a shopper may choose or type; nothing where there is nothing to.
    data: Sequence[JsonObject] = ()
    # Whether what was typed is kept in memory alone.
    is_secret: bool = False
    implementation: str = "NATIVE_SDK"

    @property
    def entry(self) -> JsonObject:
        """The method in the configuration."""
        entry = {"id": f"config-{self.type.lower()}", "type": self.type, "name": self.type}
        return entry | {"implementationType": self.implementation}

    def action_members(self, base: str, payment_id: str) -> JsonObject:
        """What the token of a payment's required action says."""
        return {name: text.format(base=base, payment=payment_id) for name, text in self.action.items()}


def _redirection(type: str) -> Mapping[str, str]:
    return {"intent": f"{type}_REDIRECTION", "redirectUrl": "{base}/bank/{payment}"} | _POLLED


METHODS = {
    method.type: method
    for method in (
        Method(
            IDEAL,
            "componentWithRedirectManager.provideBanksComponent",
            _redirection(IDEAL),
            data=({"bankId": "1121"}, {"bankId": "1122"}),
        ),
        Method(
            ACH,
            "achManager.provide",
            {
                "intent": ACH,
                "stripeClientSecret": "seti_{payment}",
                "sdkCompleteUrl": "{base}/complete/{payment}",
            },
            data=({"lastName": "Byron"}, {"lastName": "Lovelace"}, {"lastName": "King"}),
        ),
        Method(
            "MOLLIE_IDEAL",
            "nativeUIManager.provide",
            _redirection("MOLLIE_IDEAL"),
            implementation="WEB_REDIRECT",
        ),
        Method(
            "OMISE_PROMPTPAY",
            "nativeUIManager.provide",
            {"intent": "OMISE_PROMPTPAY_REDIRECTION", "qrCode": _IMAGE} | _POLLED,
        ),
        Method(
            "ADYEN_BLIK",
            "rawDataManager.provide",
            {"intent": "ADYEN_BLIK_REDIRECTION"} | _POLLED,
            data=({"otp": "493817"}, {"otp": "628194"}),
            is_secret=True,
        ),
        Method(
            "ADYEN_MBWAY",
            "rawDataManager.provide",
            {"intent": "ADYEN_MBWAY_REDIRECTION"} | _POLLED,
            data=({"phoneNumber": "+351912345678"}, {"phoneNumber": "+351913456789"}),
        ),
    )
}
