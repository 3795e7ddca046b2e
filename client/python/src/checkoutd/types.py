"""What the daemon's results and events hold, named as in the protocol. A later daemon may add members."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

State = Literal[
    "starting",
    "ready",
    "submitted",
    "awaitingDecision",
    "awaitingRedirect",
    "awaitingBankAccount",
    "awaitingMandate",
    "processing",
    "cancelling",
    "completed",
    "failed",
    "archived",
]
Outcome = Literal["success", "pending", "handledByClient", "failed", "cancelled", "unknown"]
Decision = Literal["continue", "abort", "continueWithNewClientToken", "complete"]


class StripeSettings(TypedDict, total=False):
    """What ACH needs."""

    publishableKey: str
    mandateText: str
    merchantName: str


class Settings(TypedDict, total=False):
    """How a checkout is to go."""

    paymentHandling: Literal["auto", "manual"]
    locale: str
    urlScheme: str
    stripe: StripeSettings


class Share(TypedDict):
    """Who else may see a checkout, by `uid` or by `gid`, or drive it."""

    role: Literal["observe", "drive"]
    uid: NotRequired[int]
    gid: NotRequired[int]


class Hello(TypedDict):
    """Who the daemon is, and whom it takes the client for."""

    server: dict[str, str]
    protocol: int
    epoch: str
    limits: dict[str, int]
    you: dict[str, Any]
    features: list[str]


class Bank(TypedDict):
    """A bank to choose."""

    id: str
    name: str
    iconUrlStr: NotRequired[str]
    isDisabled: bool


class UserDetails(TypedDict):
    """Who pays."""

    firstName: str
    lastName: str
    emailAddress: str


class Step(TypedDict):
    """Where a component has got to."""

    name: str
    banks: NotRequired[list[Bank]]
    details: NotRequired[UserDetails]
    state: NotRequired[str]
    url: NotRequired[str]


class ValidationError(TypedDict):
    """What is wrong with something collected."""

    errorId: str
    description: str
    diagnosticsId: NotRequired[str]
    inputElementType: NotRequired[str]
    field: NotRequired[str]


class Validation(TypedDict):
    """What became of collected data; for a filter also the banks that it left."""

    status: Literal["valid", "invalid", "error"]
    errors: NotRequired[list[ValidationError]]
    banks: NotRequired[list[Bank]]


class CollectorError(TypedDict):
    """What the collector of bank accounts said went wrong."""

    errorId: str
    description: str


class ErrorData(TypedDict, total=False):
    """An error in full; those of upstream are in the members that begin with `server`."""

    errorId: str
    description: str
    recoverySuggestion: str
    diagnosticsId: str
    path: str
    limit: int
    used: int
    retryAfterMs: int
    reason: str
    checkoutId: str
    httpStatus: int
    serverErrorId: str
    serverDescription: str
    serverDiagnosticsId: str
    serverValidationErrors: list[str]
    validationErrors: list[ValidationError]


class PaymentMethod(TypedDict):
    """A way to pay that the client session allows."""

    type: str
    manager: str
    name: NotRequired[str]
    implementationType: NotRequired[str]


class ClientSession(TypedDict, total=False):
    """What is paid for, and by whom."""

    orderId: str | None
    currencyCode: str | None
    totalAmount: int | None
    lineItems: list[dict[str, Any]]
    customer: dict[str, Any]


class Payment(TypedDict, total=False):
    """A payment at Primer."""

    id: str | None
    orderId: str | None
    status: str | None


class Component(TypedDict):
    """A component of a checkout."""

    componentId: str
    component: str
    paymentMethodType: str
    step: Step
    submittable: bool
    missing: list[str]
    banks: NotRequired[list[Bank]]
    details: NotRequired[UserDetails]
    validation: NotRequired[dict[str, Any]]
    data: NotRequired[dict[str, str]]


class AdditionalInfo(TypedDict):
    """What a client needs to show Stripe's collector of bank accounts, or the mandate."""

    kind: Literal["bankAccountCollector", "mandate"]
    publishableKey: NotRequired[str]
    clientSecret: NotRequired[str]
    returnUrl: NotRequired[str]
    fullName: NotRequired[str]
    emailAddress: NotRequired[str]
    text: NotRequired[str]
    merchantName: NotRequired[str]


class Awaited(TypedDict):
    """What a client must do for a checkout to go on."""

    kind: Literal["decision", "redirect", "bankAccount", "mandate"]
    since: str
    deadline: NotRequired[str]
    decisionId: NotRequired[str]
    paymentMethodType: NotRequired[str]
    paymentMethodTokenData: NotRequired[dict[str, Any]]
    resumeToken: NotRequired[str]
    url: NotRequired[str]
    info: NotRequired[AdditionalInfo]


class Snapshot(TypedDict):
    """A checkout as it is now."""

    checkoutId: str
    state: State
    seq: int
    owner: dict[str, int]
    createdAt: str
    paymentHandling: Literal["auto", "manual"]
    components: list[Component]
    awaiting: list[Awaited]
    expiresAt: NotRequired[str]
    availablePaymentMethods: NotRequired[list[PaymentMethod]]
    clientSession: NotRequired[ClientSession]
    payment: NotRequired[Payment]
    outcome: NotRequired[Outcome]
    error: NotRequired[ErrorData]
    redacted: NotRequired[bool]


class Waited(TypedDict):
    """What a wait ended with; `matched` is null if the checkout ended without it."""

    snapshot: Snapshot
    matched: str | None
