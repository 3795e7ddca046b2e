"""What one worker runs cells on: a daemon with short time-outs, a sandbox of its own, and TLS between them if wanted."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from edge.faults import Fault
from edge.gate import Gate, GatedSandbox
from support.checkout import ACH, ACH_SETTINGS, IDEAL, Checkout
from support.daemon import Daemon
from support.families import Family
from support.sandbox import Sandbox, Session

OPTIONS = [
    *("--request-timeout", "300", "--bank-list-timeout", "300", "--create-payment-timeout", "300"),
    *("--payment-timeout", "300", "--poll-timeout", "300", "--poll-span", "3000"),
    *("--max-checkouts-per-uid", "4000"),
]


class Bench:
    """One daemon, one sandbox, one client."""

    def __init__(self, *more: str, has_tls: bool) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self._gate: Gate | None = None
        options = [*OPTIONS, *more]
        if has_tls:
            self._gate = Gate(Path(self._directory.name))
            self.sandbox: Sandbox = GatedSandbox(self._gate)
            options += ["--upstream-allow", f"127.0.0.1:{self._gate.port}", "--ca-file", str(self._gate.authority_file)]
        else:
            self.sandbox = Sandbox()
        self.daemon = Daemon(self.sandbox.port, options)
        self.client = self.daemon.connect()

    def close(self) -> None:
        """Ends everything; fails if the daemon has crashed or has written a secret."""
        try:
            self.daemon.check()
        finally:
            self.daemon.close()
            if self._gate:
                self._gate.close()
            self.sandbox.close()
            self._directory.cleanup()

    def lay(self, fault: Fault, endpoint: str, after_effect: bool) -> None:
        """Lays a fault before the next request to the endpoint."""
        if fault.arrives:
            return self.sandbox.fault(endpoint, **fault.told(after_effect))
        assert self._gate
        # Payments have connections of their own; other requests take one that was kept, if there is one.
        self._gate.spoil(fault.connection, ends_kept=endpoint not in ("payments", "resume", "complete"))

    def check_struck(self) -> None:
        """Fails if a fault that was to strike so often has not."""
        left = [fault for fault in self.sandbox.control("GET", "faults") if fault["times"] > 0]
        assert not left, f"a fault that did not strike: {left}"
        assert not (self._gate and self._gate.is_spoilt), "a connection that was to fail was never made"

    # Checkouts

    def session(self, **options: Any) -> Session:
        """A client session, whose token and customer must not appear in the log."""
        session = self.sandbox.session(**options)
        customer = session.customer
        self.daemon.must_not_log(session.client_token, session.access_token)
        self.daemon.must_not_log(customer["lastName"], customer["emailAddress"])
        return session

    def start(self, session: Session, **settings: Any) -> Checkout:
        """A checkout that is ready, its events subscribed to from the first."""
        snapshot = self.client.call("checkout.start", clientToken=session.client_token, settings=settings)
        return self.subscribed(session, snapshot["checkoutId"])

    def subscribed(self, session: Session, id: str) -> Checkout:
        """A checkout whose events come."""
        checkout = Checkout(self.client, session, id)
        checkout.subscribe()
        return checkout

    def ideal(self, session: Session, **settings: Any) -> Checkout:
        """A checkout with an iDEAL component."""
        checkout = self.start(session, **settings)
        checkout.provide(IDEAL)
        return checkout

    def filled_in(self, family: Family, session: Session) -> Checkout:
        """A checkout that only has to be submitted to be paid in that family's way."""
        checkout = self.start(session)
        checkout.provide_of(family)
        checkout.component_call("start")
        for name, value in family.data.items():
            checkout.update(**{name: value})
        return checkout

    def ach(self, session: Session) -> Checkout:
        """A checkout with an ACH component."""
        checkout = self.start(session, **ACH_SETTINGS)
        checkout.provide(ACH)
        return checkout
