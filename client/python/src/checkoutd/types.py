"""What the daemon's results and events hold, named as in the protocol. A later daemon may add members and words.

Made by client/models/generate.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

State = (
    Literal[
        "starting",
        "ready",
        "submitted",
        "awaitingDecision",
        "awaitingRedirect",
        "awaitingBankAccount",
        "awaitingMandate",
        "awaitingCode",
        "awaitingConfirmation",
        "processing",
        "cancelling",
        "completed",
        "failed",
        "archived",
    ] | str
)

Outcome = Literal["success", "pending", "handledByClient", "failed", "cancelled", "unknown"] | str

Decision = Literal["continue", "abort", "continueWithNewClientToken", "complete"]


class Settings(TypedDict):
    """How a checkout is to go."""

    # auto (the default): the daemon creates the payment; manual: your backend does.
    paymentHandling: NotRequired[Literal["auto", "manual"]]
    # The shopper's language and region, as in nl-NL.
    locale: NotRequired[str]
    # Where a page or Stripe's collector returns to.
    urlScheme: NotRequired[str]
    # What ACH needs.
    stripe: NotRequired[StripeSettings]


class StripeSettings(TypedDict):
    """What ACH needs."""

    publishableKey: NotRequired[str]
    mandateText: NotRequired[str]
    merchantName: NotRequired[str]


class Bank(TypedDict):
    """A bank to choose."""

    id: str
    name: str
    iconUrlStr: NotRequired[str]
    isDisabled: bool


class UserDetails(TypedDict):
    """Who pays."""

    firstName: NotRequired[str | None]
    lastName: NotRequired[str | None]
    emailAddress: NotRequired[str | None]
    phoneNumber: NotRequired[str]


class Field(TypedDict):
    """Something that a component collects."""

    name: str
    kind: Literal["text", "email", "phone", "digits", "choice"] | str
    label: str
    isSecret: bool
    required: bool


class Step(TypedDict):
    """Where a component has got to."""

    # notInitialized, loading, ready, banksRetrieved, retrievedUserDetails, didCollectUserDetails, webRedirect,
    # awaitingCode or awaitingConfirmation.
    name: str
    # Of banksRetrieved.
    banks: NotRequired[list[Bank]]
    # Of retrievedUserDetails.
    details: NotRequired[UserDetails]
    # Of webRedirect.
    state: NotRequired[Literal["loading", "loaded", "dismissed", "success", "failure"] | str]
    # Of webRedirect, when loaded: the page to show to the shopper.
    url: NotRequired[str]


class ValidationError(TypedDict):
    """What is wrong with something collected."""

    errorId: str
    description: str
    diagnosticsId: NotRequired[str]
    inputElementType: NotRequired[str]
    field: NotRequired[str]


class ErrorData(TypedDict):
    """An error in full; those of upstream are in the members that begin with `server`."""

    # What went wrong; clients switch on it.
    errorId: str
    # For people to read.
    description: NotRequired[str]
    # What to do about it.
    recoverySuggestion: NotRequired[str]
    # To be found in the journal.
    diagnosticsId: NotRequired[str]
    # JSON pointer to the parameter.
    path: NotRequired[str]
    # Who has the payment method; or
    manager: NotRequired[Literal["nativeUIManager", "rawDataManager", "componentWithRedirectManager", "achManager"] | str]
    # why nobody has.
    reason: NotRequired[(
        Literal[
            "backend-driven",
            "needs-vendor-sdk",
            "card-data",
            "unknown-implementation",
            "no-component",
            "started-before-upgrade",
        ] | str
    )]
    # When the client token expired, and
    expiresAt: NotRequired[str]
    # what the daemon's clock says: a wrong one is the usual cause.
    time: NotRequired[str]
    # What is not on the allow list.
    host: NotRequired[str]
    # What upstream answered with.
    httpStatus: NotRequired[int]
    # Upstream's own errorId.
    serverErrorId: NotRequired[str]
    # Upstream's own text.
    serverDescription: NotRequired[str]
    # To quote to upstream.
    serverDiagnosticsId: NotRequired[str]
    # Upstream's own findings.
    serverValidationErrors: NotRequired[list[str]]
    # What is wrong with the collected data.
    validationErrors: NotRequired[list[ValidationError]]
    limit: NotRequired[int]
    used: NotRequired[int]
    retryAfterMs: NotRequired[int]
    checkoutId: NotRequired[str]


class PaymentMethod(TypedDict):
    """A way to pay that the client session allows."""

    # As in ADYEN_IDEAL.
    type: str
    name: NotRequired[str]
    manager: Literal["nativeUIManager", "rawDataManager", "componentWithRedirectManager", "achManager"] | str
    implementationType: NotRequired[str]
    # How its button looks.
    display: NotRequired[dict[str, Any]]
    # What it costs extra, in minor units.
    surcharge: NotRequired[int]


class ClientSession(TypedDict):
    """What is paid for, and by whom."""

    orderId: NotRequired[Any]
    currencyCode: NotRequired[Any]
    # Minor units, as are all amounts.
    totalAmount: NotRequired[Any]
    countryCode: NotRequired[str]
    # Each with type and amount.
    fees: NotRequired[list[dict[str, Any]]]
    # amount, methodId, methodName.
    shipping: NotRequired[dict[str, Any]]
    taxes: NotRequired[int]
    lineItems: NotRequired[list[dict[str, Any]]]
    customer: NotRequired[dict[str, Any]]


class Payment(TypedDict):
    """A payment at Primer."""

    id: NotRequired[str | None]
    orderId: NotRequired[str | None]
    status: NotRequired[str | None]
    # It was made before this checkout's creation: the order is paid, this checkout took nothing.
    existing: NotRequired[bool]


class Component(TypedDict):
    """A component of a checkout."""

    componentId: str
    component: str
    paymentMethodType: str
    # What it collects: a form needs no more.
    fields: list[Field]
    step: Step
    banks: NotRequired[list[Bank]]
    details: NotRequired[UserDetails]
    # By field: status, errors.
    validation: NotRequired[dict[str, Any]]
    # What was accepted.
    data: NotRequired[dict[str, Any]]
    submittable: bool
    missing: list[str]


class AdditionalInfo(TypedDict):
    """What a client has to show the shopper."""

    kind: Literal["bankAccountCollector", "mandate", "qrCode", "voucher"] | str
    # Of a code: base64 of a PNG, JPEG, GIF or WebP file; or
    image: NotRequired[str]
    # where one is, which the daemon never fetches.
    imageUrl: NotRequired[str]
    # Of a voucher: what the shopper pays with.
    reference: NotRequired[str]
    # Of a voucher: who is paid.
    entity: NotRequired[str]
    # Of a code a time; of a voucher as upstream wrote it.
    expiresAt: NotRequired[str]
    # Of a voucher, in minor units.
    amount: NotRequired[int | None]
    # Of a voucher.
    currencyCode: NotRequired[str | None]
    # For the collector: Stripe's key.
    publishableKey: NotRequired[str]
    # For the collector: the intent's secret.
    clientSecret: NotRequired[str]
    # For the collector: where it returns to.
    returnUrl: NotRequired[str]
    # For the collector: the account's owner.
    fullName: NotRequired[str]
    # For the collector: the owner's.
    emailAddress: NotRequired[str]
    # The mandate to be shown, if settings have one; or
    text: NotRequired[str]
    # whom the mandate is for.
    merchantName: NotRequired[str]


class Snapshot(TypedDict):
    """A checkout as it is now."""

    checkoutId: str
    # For the owner and administrators.
    startKey: NotRequired[str]
    state: State
    # The number of the latest event.
    seq: int
    owner: dict[str, Any]
    createdAt: str
    expiresAt: NotRequired[str]
    paymentHandling: Literal["auto", "manual"] | str
    # session: another token of the client session is recognised; token: this one alone.
    paymentProtection: NotRequired[Literal["session", "token"] | str]
    availablePaymentMethods: NotRequired[list[PaymentMethod]]
    unavailablePaymentMethods: NotRequired[list[dict[str, Any]]]
    clientSession: NotRequired[ClientSession]
    # As component.get tells of each.
    components: list[Component]
    # What a client must do for the checkout to go on.
    awaiting: list[Awaited]
    payment: NotRequired[Payment]
    secondPayment: NotRequired[Payment]
    outcome: NotRequired[Outcome]
    error: NotRequired[ErrorData]
    # A voucher's.
    additionalInfo: NotRequired[AdditionalInfo]
    redacted: NotRequired[bool]
    # Of a start with allowRepeat: what it overrides.
    repeats: NotRequired[dict[str, Any]]


class Awaited(TypedDict):
    """What a client must do for a checkout to go on."""

    kind: Literal["decision", "redirect", "bankAccount", "mandate", "code", "confirmation"] | str
    since: str
    deadline: NotRequired[str]
    decisionId: NotRequired[str]
    # Of a redirect: the page to show to the shopper.
    url: NotRequired[str]
    # Of a bank account, a mandate or a code.
    info: NotRequired[AdditionalInfo]
    paymentMethodType: NotRequired[str]
    paymentMethodTokenData: NotRequired[dict[str, Any]]
    resumeToken: NotRequired[str]


class Share(TypedDict):
    """Who else may see a checkout, by `uid` or by `gid`, or drive it."""

    # A user; or
    uid: NotRequired[int]
    # a group.
    gid: NotRequired[int]
    role: Literal["observe", "drive"]


class CollectorError(TypedDict):
    """What the collector of bank accounts said went wrong."""

    errorId: str
    description: NotRequired[str]


class Hello(TypedDict):
    """Who the daemon is, and whom it takes the client for."""

    server: dict[str, Any]
    protocol: int
    # New whenever the state was reset.
    epoch: str
    limits: dict[str, Any]
    you: dict[str, Any]
    features: list[str]


class Waited(TypedDict):
    """What a wait ended with; `matched` is null if the checkout ended without it."""

    snapshot: Snapshot
    # What it was; null if the time ran out or the checkout ended without it.
    matched: str | None


class Validation(TypedDict):
    """What became of collected data; for a filter also the banks that it left."""

    status: Literal["valid", "invalid", "error"] | str
    errors: NotRequired[list[ValidationError]]
    # What was read, where a component tells it.
    data: NotRequired[dict[str, Any]]
    # The banks that a filter left.
    banks: NotRequired[list[Bank]]
