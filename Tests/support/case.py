"""The base of all flow tests: a daemon per test, the run's sandbox, and checkouts brought to where a test begins."""

from __future__ import annotations

import unittest
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from support.checkout import ACH, ACH_SETTINGS, BANK, IDEAL, Checkout
from support.client import TIMEOUT, CallError, Client
from support.daemon import Daemon
from support.families import Family
from support.lines import Event, JsonObject
from support.sandbox import APPROVING, Session, payload, shared_sandbox

TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
CHECKOUT_ID = r"co_[0-9a-f]{16}"
COMPONENT_ID = r"cm_[0-9a-f]{16}_\d+"


class DaemonTest(unittest.TestCase):
    """A test with a daemon of its own and one client connected to it."""

    options: ClassVar[Sequence[str]] = ()

    def setUp(self) -> None:
        self.sandbox = shared_sandbox()
        self.sandbox.reset()
        self.daemon = self.start_daemon(*self.options)
        self.client = self.daemon.connect()

    def start_daemon(self, *options: str, environment: Mapping[str, str] | None = None) -> Daemon:
        """A daemon that is checked and ended after the test."""
        daemon = Daemon(self.sandbox.port, options, environment=environment)
        self.addCleanup(daemon.close)
        self.addCleanup(daemon.check)
        self.addCleanup(self.sandbox.release, "*")
        return daemon

    # Checkouts

    def session(self, **options: Any) -> Session:
        """A new client session, whose token and customer must not appear in the log."""
        session = self.sandbox.session(**options)
        self.daemon.must_not_log(session.client_token, session.access_token)
        customer = session.customer or {}
        self.daemon.must_not_log(*(customer[name] for name in ("lastName", "emailAddress") if customer.get(name)))
        return session

    def start(self, session: Session | None = None, client: Client | None = None, /, **params: Any) -> Checkout:
        """A checkout that is ready, its events subscribed to from the first."""
        session = session or self.session()
        client = client or self.client
        snapshot = client.call("checkout.start", clientToken=session.client_token, **params)
        checkout = Checkout(client, session, snapshot["checkoutId"])
        checkout.subscribe()
        return checkout

    def banks(self, session: Session | None = None, client: Client | None = None, /, **params: Any) -> Checkout:
        """A checkout whose banks are loaded."""
        checkout = self.start(session, client, **params)
        checkout.provide(IDEAL)
        checkout.component_call("start")
        checkout.events_until("step banksRetrieved")
        return checkout

    def chosen(self, session: Session | None = None, client: Client | None = None, /, **params: Any) -> Checkout:
        """A checkout that only has to be submitted to be paid with iDEAL."""
        checkout = self.banks(session, client, **params)
        checkout.update(bankId=BANK)
        checkout.events_until("validation valid")
        return checkout

    def redirected(self, session: Session | None = None, client: Client | None = None, /, **params: Any) -> Checkout:
        """A checkout whose shopper is at the bank's page."""
        checkout = self.chosen(session, client, **params)
        checkout.submit()
        checkout.await_event("step webRedirect loaded")
        return checkout

    def details(self, session: Session | None = None, client: Client | None = None, /, **params: Any) -> Checkout:
        """A checkout that knows the customer, and only has to be submitted to be paid with ACH."""
        settings = ACH_SETTINGS | params.pop("settings", {})
        checkout = self.start(session, client, settings=settings, **params)
        checkout.provide(ACH)
        checkout.component_call("start")
        checkout.events_until("step retrievedUserDetails")
        return checkout

    def collecting(self, session: Session | None = None, client: Client | None = None, /, **params: Any) -> Checkout:
        """A checkout that waits for the bank account."""
        checkout = self.details(session, client, **params)
        checkout.submit()
        checkout.await_event("info bankAccountCollector")
        return checkout

    def filled_in(self, family: Family, session: Session | None = None, /, **params: Any) -> Checkout:
        """A checkout that only has to be submitted to be paid in another family's way."""
        checkout = self.start(session or self.session(paymentMethods=[family.entry]), **params)
        checkout.provide_of(family)
        checkout.component_call("start")
        for name, value in family.data.items():
            checkout.update(**{name: value})
        return checkout

    def awaiting(self, family: Family, session: Session | None = None, /, **params: Any) -> Checkout:
        """A checkout that waits for the shopper in another family's way."""
        checkout = self.filled_in(family, session, **params)
        checkout.submit()
        checkout.call("checkout.wait", **{"for": ["awaiting"], "waitMs": round(TIMEOUT * 1000)})
        self.assertEqual(checkout.state, family.state)
        return checkout

    def approving(self) -> Session:
        """A client session whose bank approves at once."""
        return self.session(**APPROVING)

    def claims(self, **replaced: Any) -> JsonObject:
        """The claims of a good client token with some replaced; None removes."""
        merged = payload(self.session().client_token) | replaced
        return {name: value for name, value in merged.items() if value is not None}

    # Assertions

    def assert_refused(
        self, code: int, error_id: str, client: Client | None, method: str, /, **params: Any
    ) -> CallError:
        """The call is answered with that error."""
        with self.assertRaises(CallError) as caught:
            (client or self.client).call(method, **params)
        self.assertEqual((caught.exception.code, caught.exception.error_id), (code, error_id), caught.exception)
        return caught.exception

    def assert_malformed(self, method: str, /, **params: Any) -> None:
        """The call is refused because a parameter is not what the method declares, and the error says which."""
        error = self.assert_refused(-32602, "invalid-params", None, method, **params)
        self.assertTrue(error.data["path"].startswith("/params/"), error)

    def assert_unusable(self, method: str, /, **params: Any) -> None:
        """The call is refused because its parameters make no sense together, and the error says which."""
        error = self.assert_refused(1005, "invalid-value", None, method, **params)
        self.assertTrue(error.data["path"].startswith("/"), error)

    def assert_failed(self, event: Event, error_id: str, outcome: str) -> None:
        """The checkout ended with that error and outcome."""
        self.assertEqual(event.label, "didFail", event)
        self.assertEqual((event.error_id, event.params["outcome"]), (error_id, outcome), event)

    def assert_completed(self, event: Event, outcome: str) -> None:
        """The checkout was completed with that outcome."""
        self.assertEqual(event.label, "didCompleteCheckout", event)
        self.assertEqual(event.params["outcome"], outcome, event)

    def assert_labels(self, events: Sequence[Event], labels: Sequence[str]) -> None:
        """The events are these, in this order, and are numbered without a gap."""
        self.assertEqual([event.label for event in events], list(labels))
        first = events[0].seq
        self.assertEqual([event.seq for event in events], list(range(first, first + len(events))))
