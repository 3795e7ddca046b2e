"""A checkout and its components, for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal

from checkoutd import calls
from checkoutd.events import Event, Place
from checkoutd.timing import Deadline
from checkoutd.types import (
    Bank,
    CollectorError,
    Component,
    Decision,
    Payment,
    Snapshot,
    UserDetails,
    Validation,
    Waited,
)

if TYPE_CHECKING:
    from checkoutd.asynchronous import AsyncClient


class AsyncCheckout:
    """A checkout in the daemon. Letting go of this object ends nothing."""

    def __init__(self, client: AsyncClient, id: str) -> None:
        self._client = client
        self.id = id

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    async def snapshot(self) -> Snapshot:
        """The checkout as it is now."""
        return await self._client.run(calls.find(self.id, None))

    async def provide_banks(self, payment_method_type: str = "ADYEN_IDEAL") -> AsyncBanksComponent:
        """The component that collects the shopper's bank: the same one each time."""
        return AsyncBanksComponent(
            self._client, await self._client.run(calls.provide_banks(self.id, payment_method_type))
        )

    async def provide_ach(self, payment_method_type: str = "STRIPE_ACH") -> AsyncAchComponent:
        """The component that collects the shopper's name and email address: the same one each time."""
        return AsyncAchComponent(self._client, await self._client.run(calls.provide_ach(self.id, payment_method_type)))

    def events(self, after: int | Place = 0, *, timeout: float | None = None) -> AsyncIterator[Event]:
        """The events after a number or a place, each once and in order, up to the terminal one.

        The iterator connects again by itself, and goes on where it was. Events that the daemon keeps no longer are told
        of by one named `events.lost`. It raises `TimedOut` when no event comes for `timeout` seconds.
        """
        return self._client.follow(self.id, after, timeout)

    async def wait(self, *events: str, timeout: float | None = None) -> Waited:
        """Waits for `terminal` (the default), for `awaiting`, or for one of some events.

        Comes back also when the checkout ends without it; raises `TimedOut` after `timeout` seconds.
        """
        deadline = Deadline(timeout)
        while True:
            seconds = deadline.at_most(calls.LONGEST_WAIT)
            waited = await self._client.run(calls.wait(self.id, events, seconds))
            if calls.is_over(waited):
                return waited

    async def cancel(self, reason: str | None = None) -> str:
        """Cancels it, if that is possible still; the state that it is in now."""
        return await self._client.run(calls.cancel(self.id, reason))

    async def decide(
        self,
        decision_id: str,
        decision: Decision,
        *,
        payment_idempotency_key: str | None = None,
        message: str | None = None,
        client_token: str | None = None,
        payment: Payment | None = None,
    ) -> None:
        """Takes a decision that an event has asked for."""
        await self._client.run(
            calls.decide(self.id, decision_id, decision, payment_idempotency_key, message, client_token, payment)
        )

    async def share(self, role: Literal["observe", "drive"], *, uid: int | None = None, gid: int | None = None) -> None:
        """Lets a user or a group see the checkout, or drive it."""
        await self._client.run(calls.share(self.id, role, uid, gid))

    async def unshare(self, *, uid: int | None = None, gid: int | None = None) -> None:
        """Takes that back."""
        await self._client.run(calls.unshare(self.id, uid, gid))


class _Component:
    """What both components have."""

    def __init__(self, client: AsyncClient, id: str) -> None:
        self._client = client
        self.id = id

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    async def get(self) -> Component:
        """The component as it is now."""
        return await self._client.run(calls.get_component(self.id))

    async def submit(self) -> None:
        """Pays with what was collected. From here the daemon goes on by itself."""
        await self._client.run(calls.submit(self.id))


class AsyncBanksComponent(_Component):
    """Collects the shopper's bank."""

    async def start(self) -> list[Bank]:
        """Loads the banks; once only, unless it fails."""
        return await self._client.run(calls.start_banks(self.id))

    async def update(self, *, bank_id: str | None = None, bank_filter_text: str | None = None) -> Validation:
        """Chooses a bank, or filters the banks by a text: one of both."""
        return await self._client.run(calls.update(self.id, bankId=bank_id, bankFilterText=bank_filter_text))

    async def report_redirect(self, outcome: Literal["presented", "dismissed"]) -> None:
        """Says that the bank's page is shown, or no more."""
        await self._client.run(calls.report_redirect(self.id, outcome))


class AsyncAchComponent(_Component):
    """Collects who the shopper is, then what became of the bank account and the mandate."""

    async def start(self) -> UserDetails:
        """What is known of the shopper; once only, unless it fails."""
        return await self._client.run(calls.start_ach(self.id))

    async def update(
        self, *, first_name: str | None = None, last_name: str | None = None, email_address: str | None = None
    ) -> Validation:
        """Takes what the shopper typed: one of the three."""
        return await self._client.run(
            calls.update(self.id, firstName=first_name, lastName=last_name, emailAddress=email_address)
        )

    async def report_bank_account(
        self,
        outcome: Literal["succeeded", "pendingVerification", "failed", "cancelled"],
        *,
        payment_id: str | None = None,
        error: CollectorError | None = None,
    ) -> None:
        """Says what became of Stripe's collector: `payment_id` if it succeeded, `error` if it failed."""
        await self._client.run(calls.report_bank_account(self.id, outcome, payment_id, error))

    async def accept_mandate(self) -> None:
        """The shopper accepts the mandate."""
        await self._client.run(calls.answer_mandate(self.id, accepted=True))

    async def decline_mandate(self) -> None:
        """The shopper declines the mandate."""
        await self._client.run(calls.answer_mandate(self.id, accepted=False))
