"""The Python client while the daemon goes and comes back, and while it is too slow itself: each event once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from clients.flood import flood
from clients.library import checkoutd
from crash.case import HOW, DurableTest, eventually
from support.checkout import BANK
from support.client import TIMEOUT


def has_page(event: checkoutd.Event) -> bool:
    """Whether the event tells the address of the bank's page."""
    return event.step is not None and event.step.get("state") == "loaded"


def until_redirected(events: Iterator[checkoutd.Event]) -> list[checkoutd.Event]:
    """The events up to the bank's page."""
    seen = [next(events)]
    while not has_page(seen[-1]):
        seen.append(next(events))
    return seen


class Restarts(DurableTest):
    def setUp(self) -> None:
        super().setUp()
        self.kiosk = checkoutd.Client(self.daemon.socket_path)
        self.addCleanup(self.kiosk.close)
        self.pool = ThreadPoolExecutor()
        self.addCleanup(self.pool.shutdown)
        self.merchant = self.session()

    def paying(self) -> checkoutd.Checkout:
        """A checkout that has been submitted."""
        checkout = self.kiosk.start(self.merchant.client_token)
        banks = checkout.provide_banks()
        banks.start()
        banks.update(bank_id=BANK)
        banks.submit()
        return checkout

    def assert_whole(self, checkout: checkoutd.Checkout, events: Sequence[checkoutd.Event]) -> None:
        """These are all events there are, in order, and the last is that of a payment."""
        self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
        history = self.client.call("events.read", checkoutId=checkout.id, limit=1000)["events"]
        self.assertEqual([{"method": event.name, "params": event.params} for event in events], history)
        self.assertEqual(events[-1].outcome, "success")

    def test_events_go_on(self) -> None:
        for how in HOW:
            with self.subTest(how):
                self.merchant = self.session()
                checkout = self.paying()
                events = checkout.events(timeout=TIMEOUT)
                seen = until_redirected(events)
                self.daemon.end(how)
                # The client already tries when the daemon comes back.
                rest: Future[list[checkoutd.Event]] = self.pool.submit(list, events)
                self.daemon.start()
                self.client = self.daemon.connect()
                self.merchant.approve()
                self.assert_whole(checkout, seen + rest.result(TIMEOUT))

    def test_what_happened_meanwhile(self) -> None:
        """The checkout goes on, and ends, while nobody reads."""
        checkout = self.paying()
        events = checkout.events(timeout=TIMEOUT)
        seen = until_redirected(events)
        self.restart(signal.SIGKILL, meanwhile=self.merchant.approve)
        eventually("the end", lambda: checkout.snapshot()["state"] == "completed")
        self.restart(signal.SIGKILL)
        self.assert_whole(checkout, seen + list(events))

    def test_wait_goes_on(self) -> None:
        checkout = self.paying()
        checkout.wait("awaiting", timeout=TIMEOUT)
        waiting = self.pool.submit(checkout.wait, timeout=TIMEOUT)
        eventually("the wait", lambda: len(self.client.call("system.connections")["connections"]) >= 2)
        self.restart(signal.SIGKILL)
        self.merchant.approve()
        self.assertEqual(waiting.result(TIMEOUT)["snapshot"].get("outcome"), "success")

    def test_user_interface_crashes_and_another_takes_over(self) -> None:
        with checkoutd.Client(self.daemon.socket_path) as crashing:
            crashing.start(self.merchant.client_token, start_key="till-1").provide_banks().start()
        self.restart(signal.SIGKILL)
        checkout = self.kiosk.attach(start_key="till-1")
        banks = checkout.provide_banks()
        self.assertEqual(banks.get()["step"]["name"], "banksRetrieved")
        banks.update(bank_id=BANK)
        banks.submit()
        events = checkout.events(timeout=TIMEOUT)
        seen = until_redirected(events)
        self.merchant.approve()
        self.assert_whole(checkout, seen + list(events))

    def test_idle_connections_do_not_matter(self) -> None:
        checkout = self.kiosk.start(self.merchant.client_token, start_key="till-1")
        banks = checkout.provide_banks()
        self.restart(signal.SIGKILL)
        # A call that may not be repeated: it is known not to have been made.
        self.assertTrue(banks.start())
        self.restart(signal.SIGTERM)
        self.assertEqual(banks.update(bank_id=BANK)["status"], "valid")

    def test_patience_ends(self) -> None:
        hasty = checkoutd.Client(self.daemon.socket_path, patience=0)
        events = hasty.start(self.merchant.client_token).events(timeout=TIMEOUT)
        next(events)
        self.daemon.kill()
        with self.assertRaises(checkoutd.ConnectionLost):
            next(events)
        with self.assertRaises(checkoutd.Unreachable):
            hasty.hello()
        self.daemon.start()

    def test_asyncio(self) -> None:
        async def follow(client: Any) -> list[checkoutd.Event]:
            checkout = await client.start(self.merchant.client_token)
            banks = await checkout.provide_banks()
            await banks.start()
            await asyncio.to_thread(self.restart, signal.SIGKILL)
            await banks.update(bank_id=BANK)
            await banks.submit()
            seen = []
            async for event in checkout.events(timeout=TIMEOUT):
                seen.append(event)
                if has_page(event):
                    waiting = asyncio.create_task(checkout.wait(timeout=TIMEOUT))
                    await asyncio.to_thread(self.restart, signal.SIGKILL)
                    self.merchant.approve()
            self.assertEqual((await waiting)["matched"], "terminal")
            self.assert_whole(checkout, seen)
            return seen

        async def test() -> None:
            async with checkoutd.AsyncClient(self.daemon.socket_path) as client:
                await follow(client)

        asyncio.run(test())


class SlowReader(DurableTest):
    options: ClassVar[Sequence[str]] = ["--max-queue", "65536"]

    def test_lost_events_are_read(self) -> None:
        with checkoutd.Client(self.daemon.socket_path) as kiosk:
            checkout = kiosk.start(self.session().client_token)
            banks = checkout.provide_banks()
            banks.start()
            events = checkout.events(timeout=TIMEOUT)
            seen = [next(events) for _ in range(3)]
            flood(self.client, banks.id)
            checkout.cancel()
            seen += events
            self.assertEqual([event.seq for event in seen], list(range(1, len(seen) + 1)))
            self.assertTrue(seen[-1].is_terminal)

    def test_asyncio(self) -> None:
        async def test() -> list[int]:
            async with checkoutd.AsyncClient(self.daemon.socket_path) as kiosk:
                checkout = await kiosk.start(self.session().client_token)
                banks = await checkout.provide_banks()
                await banks.start()
                seen = []
                async for event in checkout.events(timeout=TIMEOUT):
                    seen.append(event.seq)
                    if len(seen) == 3:
                        flood(self.client, banks.id)
                        await checkout.cancel()
                return seen

        seen = asyncio.run(test())
        self.assertEqual(seen, list(range(1, len(seen) + 1)))
