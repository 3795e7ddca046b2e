"""The families of payment methods beside those of the seed pages: how each is provided, filled in and waited for."""

from __future__ import annotations

from dataclasses import dataclass, field

from support.lines import JsonObject

NATIVE_UI = "nativeUIManager.provide"
RAW_DATA = "rawDataManager.provide"


@dataclass(frozen=True, eq=False)
class Family:
    """A family, by one of its methods."""

    name: str
    type: str
    manager: str
    # What the snapshot says that it waits for, and the state meanwhile; nothing of a voucher, with which it is over.
    kind: str = ""
    served: str = "NATIVE_SDK"
    # What the shopper types, and what of it is told.
    data: JsonObject = field(default_factory=dict)
    is_secret: bool = False

    @property
    def entry(self) -> JsonObject:
        """The method as a client session offers it."""
        return {"type": self.type, "implementationType": self.served}

    @property
    def state(self) -> str:
        """The state in which the shopper is waited for."""
        return f"awaiting{self.kind.capitalize()}"

    @property
    def shown_data(self) -> JsonObject:
        """What is told of what the shopper types."""
        return {name: self.is_secret or value for name, value in self.data.items()}


REDIRECT = Family("redirect", "ADYEN_IDEAL", NATIVE_UI, "redirect", served="WEB_REDIRECT")
CODE = Family("code", "OMISE_PROMPTPAY", NATIVE_UI, "code")
VOUCHER = Family("voucher", "ADYEN_MULTIBANCO", NATIVE_UI)
ONE_TIME_CODE = Family(
    "one-time code", "ADYEN_BLIK", RAW_DATA, "confirmation", data={"otp": "493817"}, is_secret=True
)
PHONE = Family("phone", "ADYEN_MBWAY", RAW_DATA, "confirmation", data={"phoneNumber": "+351912345678"})

FAMILIES = (REDIRECT, CODE, VOUCHER, ONE_TIME_CODE, PHONE)
# Those whose shopper is waited for.
AWAITED = tuple(family for family in FAMILIES if family.kind)
