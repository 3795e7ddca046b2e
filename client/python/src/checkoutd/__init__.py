"""Client of checkoutd, the daemon that drives Primer headless checkouts.

`Client` is for programs with threads, or with one; `AsyncClient` has the same methods for asyncio. Both hold no state
of a checkout: that lives in the daemon, and `attach` takes it up again in any process.
"""

from checkoutd.asynchronous import AsyncClient
from checkoutd.asynchronous_checkout import AsyncAchComponent, AsyncBanksComponent, AsyncCheckout
from checkoutd.errors import CallError, CheckoutdError, ConnectionLost, ProtocolError, TimedOut, Unreachable
from checkoutd.events import Event, Place
from checkoutd.place import default_socket
from checkoutd.synchronous import Client
from checkoutd.synchronous_checkout import AchComponent, BanksComponent, Checkout
from checkoutd.types import (
    AdditionalInfo,
    Awaited,
    Bank,
    ClientSession,
    CollectorError,
    Component,
    ErrorData,
    Hello,
    Payment,
    PaymentMethod,
    Settings,
    Share,
    Snapshot,
    Step,
    StripeSettings,
    UserDetails,
    Validation,
    ValidationError,
    Waited,
)

__all__ = [
    "AchComponent",
    "AdditionalInfo",
    "AsyncAchComponent",
    "AsyncBanksComponent",
    "AsyncCheckout",
    "AsyncClient",
    "Awaited",
    "Bank",
    "BanksComponent",
    "CallError",
    "Checkout",
    "CheckoutdError",
    "Client",
    "ClientSession",
    "CollectorError",
    "Component",
    "ConnectionLost",
    "ErrorData",
    "Event",
    "Hello",
    "Payment",
    "PaymentMethod",
    "Place",
    "ProtocolError",
    "Settings",
    "Share",
    "Snapshot",
    "Step",
    "StripeSettings",
    "TimedOut",
    "Unreachable",
    "UserDetails",
    "Validation",
    "ValidationError",
    "Waited",
    "default_socket",
]
