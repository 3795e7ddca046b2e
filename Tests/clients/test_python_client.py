"""The Python client against a daemon, both faces: what transcripts cannot show."""

from __future__ import annotations

import asyncio
import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from clients.ctl import FakeDaemon
from clients.library import checkoutd
from crash.case import eventually
from support.case import DaemonTest
from support.client import TIMEOUT


class Sync(DaemonTest):
    def setUp(self) -> None:
        super().setUp()
        self.kiosk = checkoutd.Client(self.daemon.socket_path, timeout=TIMEOUT)
        self.addCleanup(self.kiosk.close)

    def test_two_clients_on_one_checkout(self) -> None:
        session = self.session()
        first = self.kiosk.start(session.client_token, start_key="till-1")
        component = first.provide_banks()
        with checkoutd.Client(self.daemon.socket_path) as other:
            second = other.attach(start_key="till-1")
            self.assertEqual((second.id, second.provide_banks().id), (first.id, component.id))
            seen, also_seen = first.events(timeout=TIMEOUT), second.events(timeout=TIMEOUT)
            component.start()
            second.provide_banks().update(bank_id="9001")
            component.submit()
            self.assertEqual(second.wait("awaiting", timeout=TIMEOUT)["matched"], "awaiting")
            session.approve()
            events = list(seen)
            self.assertEqual(events, list(also_seen))
            self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
            self.assertEqual((events[-1].is_terminal, events[-1].outcome), (True, "success"))
            self.assertEqual(events[-1].payment, second.snapshot()["payment"])
            self.assertIsNone(events[-1].error)
            self.assertEqual(list(second.events(after=events[-3].seq)), events[-2:])
            self.assertEqual(list(second.events(after=events[-1].seq)), [])

    def test_calls_at_the_same_time(self) -> None:
        checkout = self.kiosk.start(self.session().client_token)
        with ThreadPoolExecutor() as pool:
            waiting = [pool.submit(checkout.wait, timeout=TIMEOUT) for _ in range(3)]
            self.assertEqual(checkout.cancel("The shopper left"), "failed")
            for waited in waiting:
                self.assertEqual(waited.result(TIMEOUT)["snapshot"]["outcome"], "cancelled")

    def test_wait_that_ends_without_it(self) -> None:
        checkout = self.kiosk.start(self.session().client_token)
        checkout.cancel()
        self.assertIsNone(checkout.wait("awaiting", timeout=TIMEOUT)["matched"])

    def test_lists_and_sharing(self) -> None:
        checkouts = {self.kiosk.start(self.session().client_token).id for _ in range(3)}
        self.assertEqual({snapshot["checkoutId"] for snapshot in self.kiosk.checkouts()}, checkouts)
        self.assertEqual(list(self.kiosk.checkouts(["failed"])), [])
        (one, *_) = checkouts
        checkout = self.kiosk.attach(one)
        checkout.share("observe", uid=65533)
        checkout.unshare(uid=65533)
        with self.assertRaises(checkoutd.CallError) as caught:
            checkout.share("observe")
        self.assertTrue(caught.exception.data["path"])

    def test_long_list_is_read_page_by_page(self) -> None:
        pages = [{"checkouts": [1, 2], "next": "c"}, {"checkouts": [3]}]
        with mock.patch.object(checkoutd.Client, "run", side_effect=pages):
            self.assertEqual(list(self.kiosk.checkouts()), [1, 2, 3])

    def test_hello_and_any_call(self) -> None:
        self.assertEqual(self.kiosk.hello("till")["you"]["uid"], os.getuid())
        self.assertEqual(self.kiosk.call("system.echo", {"a": "\u2028\u0085"}), {"a": "\u2028\u0085"})

    def test_one_connection_serves_calls_in_turn(self) -> None:
        for _ in range(5):
            self.kiosk.call("system.ping")
            with self.assertRaises(checkoutd.CallError):
                self.kiosk.attach("co_0123456789abcdef")
        connections = self.client.call("system.connections")["connections"]
        self.assertEqual(len(connections), 2)

    def test_misuse(self) -> None:
        checkout = self.kiosk.start(self.session().client_token)
        with self.assertRaises(ValueError):
            checkout.provide_banks().update(bank_id="9001", bank_filter_text="a")
        with self.assertRaises(ValueError):
            self.kiosk.attach()

    def test_events_of_what_is_not_there(self) -> None:
        events = checkoutd.Checkout(self.kiosk, "co_0123456789abcdef").events(timeout=TIMEOUT)
        with self.assertRaises(checkoutd.CallError) as caught:
            next(events)
        self.assertEqual(caught.exception.error_id, "unknown-checkout")

    def test_events_that_were_wiped(self) -> None:
        self.daemon = self.start_daemon("--retention", "1000")
        with checkoutd.Client(self.daemon.socket_path, timeout=TIMEOUT) as kiosk:
            checkout = kiosk.start(self.session().client_token)
            checkout.cancel()
            eventually("the checkout is archived", lambda: checkout.snapshot()["state"] == "archived")
            seq = checkout.snapshot()["seq"]
            (lost,) = checkout.events(after=1, timeout=TIMEOUT)
            self.assertEqual((lost.name, lost.params["from"], lost.seq), ("events.lost", 2, seq))
            self.assertEqual(list(checkout.events(after=lost.place, timeout=TIMEOUT)), [])

    def test_collector_that_fails(self) -> None:
        settings: checkoutd.Settings = {
            "urlScheme": "kiosk://checkout",
            "stripe": {"publishableKey": "pk_test_example", "mandateText": "We may debit your account."},
        }
        checkout = self.kiosk.start(self.session().client_token, settings=settings)
        ach = checkout.provide_ach()
        ach.start()
        ach.submit()
        checkout.wait("awaiting", timeout=TIMEOUT)
        error: checkoutd.CollectorError = {"errorId": "stripe-declined", "description": "The bank refused"}
        ach.report_bank_account("failed", error=error)
        *_, last = checkout.events(timeout=TIMEOUT)
        self.assertEqual((last.error or {}).get("errorId"), "stripe-declined")

    def test_time_outs(self) -> None:
        checkout = self.kiosk.start(self.session().client_token)
        with self.assertRaises(checkoutd.TimedOut):
            checkout.wait(timeout=0.05)
        with self.assertRaises(checkoutd.TimedOut):
            list(checkout.events(timeout=0.05))
        self.sandbox.hold("banks")
        with checkoutd.Client(self.daemon.socket_path, timeout=0.05) as hasty:
            banks = hasty.attach(checkout.id).provide_banks()
            with self.assertRaises(checkoutd.TimedOut):
                banks.start()
            # A late reply is nobody's: the next call has a connection of its own.
            self.assertEqual(banks.get()["componentId"], banks.id)


class Async(DaemonTest):
    def test_time_outs_and_cancellation(self) -> None:
        async def test() -> None:
            async with checkoutd.AsyncClient(self.daemon.socket_path) as client:
                checkout = await client.start(self.session().client_token)
                with self.assertRaises(checkoutd.TimedOut):
                    await checkout.wait(timeout=0.05)
                with self.assertRaises(checkoutd.TimedOut):
                    async for _ in checkout.events(timeout=0.05):
                        pass
                with self.assertRaises(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await checkout.wait()
                self.assertEqual((await checkout.snapshot())["state"], "ready")
                self.assertEqual([snapshot["checkoutId"] async for snapshot in client.checkouts()], [checkout.id])

        asyncio.run(test())

    def test_many_at_the_same_time(self) -> None:
        sessions = [self.approving() for _ in range(8)]

        async def pay(client: checkoutd.AsyncClient, token: str) -> str | None:
            checkout = await client.start(token)
            banks = await checkout.provide_banks()
            await banks.start()
            await banks.update(bank_id="9001")
            await banks.submit()
            events = [event async for event in checkout.events(timeout=TIMEOUT)]
            self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
            return events[-1].outcome

        async def test() -> list[str | None]:
            async with checkoutd.AsyncClient(self.daemon.socket_path) as client:
                return await asyncio.gather(*(pay(client, session.client_token) for session in sessions))

        self.assertEqual(asyncio.run(test()), ["success"] * 8)


class NoDaemon(unittest.TestCase):
    def setUp(self) -> None:
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "socket"

    def test_nobody_there(self) -> None:
        with self.assertRaises(checkoutd.Unreachable) as caught:
            checkoutd.Client(self.path, patience=0).hello()
        self.assertIn(str(self.path), str(caught.exception))
        with self.assertRaises(checkoutd.Unreachable):
            asyncio.run(checkoutd.AsyncClient(self.path, patience=0).hello())
        with self.assertRaises(checkoutd.TimedOut):
            checkoutd.Client(self.path, timeout=0.03).hello()

    def fake(self, text: str) -> None:
        """Somebody listens who says this once and hangs up."""
        daemon = FakeDaemon(self.path)
        self.addCleanup(daemon.close)
        pool = ThreadPoolExecutor()
        self.addCleanup(pool.shutdown)
        pool.submit(daemon.say, text)

    def test_lost_reply_to_what_may_not_be_repeated(self) -> None:
        self.fake("")
        client = checkoutd.Client(self.path)
        with self.assertRaises(checkoutd.ConnectionLost):
            checkoutd.Checkout(client, "co_1").cancel()

    def test_nonsense(self) -> None:
        self.fake("HTTP/1.1 400 Bad Request\n")
        with self.assertRaises(checkoutd.ProtocolError):
            checkoutd.Client(self.path).hello()

    def test_place(self) -> None:
        with mock.patch.dict(os.environ, {"CHECKOUTD_SOCKET": "/somewhere"}):
            self.assertEqual(checkoutd.Client().path, Path("/somewhere"))
        own = self.path.parent / "checkoutd" / "checkoutd.sock"
        with mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": str(self.path.parent)}):
            os.environ.pop("CHECKOUTD_SOCKET", None)
            with mock.patch("os.geteuid", return_value=1000):
                self.assertEqual(checkoutd.default_socket(), Path("/run/checkoutd/checkoutd.sock"))
                own.parent.mkdir()
                own.touch()
                self.assertEqual(checkoutd.default_socket(), own)
            with mock.patch("os.geteuid", return_value=0):
                self.assertEqual(checkoutd.default_socket(), Path("/run/checkoutd/checkoutd.sock"))
