"""Reading without a subscription: events.read, checkout.wait, checkout.list."""

from __future__ import annotations

from typing import Any

from support.case import DaemonTest
from support.checkout import BANK, Checkout
from support.client import encode
from support.lines import JsonObject


class Read(DaemonTest):
    def test_in_a_batch(self) -> None:
        checkout = self.banks()
        call = {"jsonrpc": "2.0", "method": "events.read", "params": {"checkoutId": checkout.id}}
        self.client.send_line(encode([call | {"id": 1}, call | {"id": 2}]))
        batch = self.client.read_message()
        assert isinstance(batch, list)
        alone = checkout.call("events.read")
        self.assertEqual([reply["result"] for reply in batch], [alone, alone])

    def test_all_and_from_an_event_on(self) -> None:
        checkout = self.chosen()
        read = checkout.call("events.read")
        self.assertEqual([event["params"]["seq"] for event in read["events"]], [1, 2, 3, 4, 5])
        self.assertEqual((read["next"], read["ended"]), (5, False))
        self.assertNotIn("trimmedTo", read)
        later = checkout.call("events.read", after=3)
        self.assertEqual(later["events"], read["events"][3:])

    def test_same_as_what_subscribers_got(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        checkout.await_end()
        live = [message for message in self.client.transcript if isinstance(message, dict) and "method" in message]
        read = checkout.call("events.read", after=0)
        self.assertEqual(read["events"], [{"method": event["method"], "params": event["params"]} for event in live])
        self.assertTrue(read["ended"])

    def test_pages(self) -> None:
        checkout = self.chosen()
        seen: list[int] = []
        after = 0
        for _ in range(3):
            page = checkout.call("events.read", after=after, limit=2)
            seen += [event["params"]["seq"] for event in page["events"]]
            after = page["next"]
        self.assertEqual(seen, [1, 2, 3, 4, 5])
        rest = checkout.call("events.read", after=after, limit=2)
        self.assertEqual((rest["events"], rest["next"]), ([], 5))

    def test_types(self) -> None:
        checkout = self.chosen()
        read = checkout.call("events.read", types=["component.didReceiveStep"])
        self.assertEqual([event["params"]["seq"] for event in read["events"]], [2, 3])
        self.assertEqual(read["next"], 5)

    def test_waits_for_the_next_event(self) -> None:
        checkout = self.banks()
        other = self.daemon.connect()
        waiting = other.send("events.read", checkoutId=checkout.id, after=3, waitMs=60_000)
        other.call("system.ping")
        checkout.update(bankId=BANK)
        read = other.result(waiting)
        # Both events of the turn, not the first alone.
        self.assertEqual([event["params"]["seq"] for event in read["events"]], [4, 5])
        self.assertEqual((read["next"], read["ended"]), (5, False))

    def test_waits_no_longer_than_asked(self) -> None:
        checkout = self.banks()
        read = checkout.call("events.read", after=3, waitMs=50)
        self.assertEqual((read["events"], read["next"], read["ended"]), ([], 3, False))

    def test_does_not_wait_after_the_end(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel")
        read = checkout.call("events.read", after=2, waitMs=300_000)
        self.assertEqual((read["events"], read["ended"]), ([], True))

    def test_parameters_are_checked(self) -> None:
        checkout = self.start()
        cases: list[JsonObject] = [
            {"after": -1},
            {"after": "0"},
            {"after": 1.5},
            {"limit": 0},
            {"waitMs": 300_001},
            {"waitMs": -1},
            {"types": "component."},
            {"types": [1]},
        ]
        for params in cases:
            with self.subTest(params):
                self.assert_malformed("events.read", checkoutId=checkout.id, **params)
        for types in (["component"], ["checkout.didNothing"], ["component.didReceiveStep", "."]):
            with self.subTest(types):
                self.assert_malformed("events.read", checkoutId=checkout.id, types=types)


class Wait(DaemonTest):
    def wait(self, checkout: Checkout, *conditions: str, wait_ms: int = 10_000) -> JsonObject:
        result: JsonObject = checkout.call("checkout.wait", **{"for": list(conditions)}, waitMs=wait_ms)
        return result

    def test_terminal(self) -> None:
        checkout = self.redirected()
        other = self.daemon.connect()
        params: dict[str, Any] = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 60_000}
        waiting = other.send("checkout.wait", **params)
        checkout.session.approve()
        result = other.result(waiting)
        self.assertEqual((result["matched"], result["snapshot"]["state"]), ("terminal", "completed"))

    def test_terminal_after_the_end_answers_at_once(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel")
        result = self.wait(checkout, "terminal", wait_ms=300_000)
        self.assertEqual((result["matched"], result["snapshot"]["state"]), ("terminal", "failed"))

    def test_awaiting(self) -> None:
        checkout = self.chosen()
        checkout.submit()
        result = self.wait(checkout, "awaiting", "terminal")
        self.assertEqual((result["matched"], result["snapshot"]["state"]), ("awaiting", "awaitingRedirect"))
        self.assertEqual(self.wait(checkout, "awaiting")["matched"], "awaiting")

    def test_event(self) -> None:
        checkout = self.banks()
        other = self.daemon.connect()
        name = "component.didUpdateValidationStatus"
        waiting = other.send("checkout.wait", **{"checkoutId": checkout.id, "for": [name], "waitMs": 60_000})
        other.call("system.ping")
        checkout.update(bankId=BANK)
        self.assertEqual(other.result(waiting)["matched"], name)

    def test_time_is_up(self) -> None:
        checkout = self.start()
        result = self.wait(checkout, "terminal", wait_ms=50)
        self.assertEqual((result["matched"], result["snapshot"]["state"]), (None, "ready"))

    def test_parameters_are_checked(self) -> None:
        checkout = self.start()
        cases: list[JsonObject] = [
            {"for": "terminal", "waitMs": 1},
            {"for": ["terminal"], "waitMs": 300_001},
            {"for": ["terminal"], "waitMs": "1"},
            {"for": ["terminal"]},
            {"waitMs": 1},
        ]
        for params in cases:
            with self.subTest(params):
                self.assert_malformed("checkout.wait", checkoutId=checkout.id, **params)
        for words in ([], ["checkout.didNothing"], ["terminal", "component."]):
            with self.subTest(words):
                self.assert_malformed("checkout.wait", **{"checkoutId": checkout.id, "for": words, "waitMs": 1})


class List(DaemonTest):
    def ids(self, **params: Any) -> list[str]:
        return [short["checkoutId"] for short in self.client.call("checkout.list", **params)["checkouts"]]

    def test_pages(self) -> None:
        started = [self.start().id for _ in range(5)]
        pages: list[list[str]] = []
        cursor: JsonObject = {}
        for _ in range(3):
            page = self.client.call("checkout.list", limit=2, **cursor)
            pages.append([short["checkoutId"] for short in page["checkouts"]])
            cursor = {"cursor": page["next"]} if "next" in page else {}
        self.assertEqual([len(page) for page in pages], [2, 2, 1])
        self.assertEqual(cursor, {})
        self.assertCountEqual(sum(pages, []), started)

    def test_states(self) -> None:
        ready, cancelled = self.start(), self.start()
        cancelled.call("checkout.cancel")
        self.assertEqual(self.ids(states=["ready"]), [ready.id])
        self.assertEqual(self.ids(states=["failed"]), [cancelled.id])
        self.assertCountEqual(self.ids(states=["failed", "ready"]), [ready.id, cancelled.id])
        self.assertEqual(self.ids(states=["awaitingMandate"]), [])

    def test_short_form(self) -> None:
        checkout = self.chosen()
        (short,) = self.client.call("checkout.list")["checkouts"]
        self.assertEqual((short["checkoutId"], short["state"], short["seq"]), (checkout.id, "ready", 5))
        self.assertNotIn("lineItems", short["clientSession"])
        for component in short["components"]:
            self.assertNotIn("banks", component)
            self.assertNotIn("data", component)

    def test_parameters_are_checked(self) -> None:
        cases: list[JsonObject] = [
            {"states": ["lost"]},
            {"states": "ready"},
            {"limit": 0},
            {"limit": 1001},
            {"cursor": 1},
            # No page gives these.
            {"cursor": "nowhere"},
            {"cursor": "-1"},
            {"cursor": ""},
            {"cursor": "18446744073709551616"},
        ]
        for params in cases:
            with self.subTest(params):
                self.assert_malformed("checkout.list", **params)
