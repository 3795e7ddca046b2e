"""Ended checkouts of a user: so many keep their data; the oldest that never reached a payment go first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import PressureTest, await_that
from support.client import CallError
from support.lines import JsonObject

# How many ended checkouts of a user keep their data.
ENDED = 256
PAIRS = 300


class StartAndCancel(PressureTest):
    options: ClassVar[Sequence[str]] = ()

    def states(self) -> dict[str, str]:
        """The state of every checkout that is listed."""
        states: dict[str, str] = {}
        page: JsonObject = {"next": None}
        while "next" in page:
            cursor = {"cursor": page["next"]} if page["next"] else {}
            page = self.client.call("checkout.list", limit=100, **cursor)
            states |= {entry["checkoutId"]: entry["state"] for entry in page["checkouts"]}
        return states

    def states_once_bounded(self) -> dict[str, str]:
        """The same, once no more have their data than may: what is beyond goes in the turn after an end."""

        def are_bounded() -> bool:
            return sum(state != "archived" for state in self.states().values()) <= ENDED

        await_that(are_bounded, f"{ENDED} ended checkouts have their data")
        return self.states()

    def pairs(self, *, keyed: bool) -> list[str]:
        """Starts and cancels checkouts, one after the other."""
        ids = []
        for number in range(PAIRS):
            key = {"startKey": f"key-{number}"} if keyed else {}
            started = self.client.call("checkout.start", clientToken=self.session().client_token, **key)
            self.client.call("checkout.cancel", checkoutId=started["checkoutId"])
            ids.append(started["checkoutId"])
        return ids

    def test_the_oldest_go(self) -> None:
        ids = self.pairs(keyed=False)
        states = self.states_once_bounded()
        kept = [id for id in ids if states.get(id) == "failed"]
        self.assertEqual(kept, ids[-ENDED:])
        for id in ids[:-ENDED]:
            try:
                self.assertEqual(self.client.call("checkout.get", checkoutId=id)["state"], "archived")
            except CallError as error:
                self.assertEqual(error.error_id, "unknown-checkout")

    def test_their_start_keys_are_kept(self) -> None:
        ids = self.pairs(keyed=True)
        states = self.states_once_bounded()
        for number in (0, PAIRS - ENDED - 1):
            found = self.client.call("checkout.get", checkoutId={"startKey": f"key-{number}"})
            self.assertEqual((found["checkoutId"], found["state"]), (ids[number], "archived"))
        self.assertEqual(states[ids[-ENDED]], "failed")

    def test_one_that_reached_a_payment_stays(self) -> None:
        paid = self.chosen(self.approving())
        paid.submit()
        self.assert_completed(paid.await_end(), "success")
        ids = self.pairs(keyed=False)
        states = self.states_once_bounded()
        self.assertEqual(states[paid.id], "completed")
        self.assertEqual(states[ids[-1]], "failed")


class Records(PressureTest):
    """Those of no payment go for newer ones; those of payments never do, and leave no room for a start."""

    options: ClassVar[Sequence[str]] = ("--max-records-per-uid", "2", "--max-ended-per-uid", "1")

    def cancelled(self, key: str) -> str:
        started = self.client.call("checkout.start", clientToken=self.session().client_token, startKey=key)
        self.client.call("checkout.cancel", checkoutId=started["checkoutId"])
        return str(started["checkoutId"])

    def pay(self) -> str:
        paid = self.chosen(self.approving())
        paid.submit()
        self.assert_completed(paid.await_end(), "success")
        return paid.id

    def assert_forgotten(self, id: str) -> None:
        def is_forgotten() -> bool:
            return id not in {entry["checkoutId"] for entry in self.client.call("checkout.list")["checkouts"]}

        await_that(is_forgotten, "the record is forgotten")

    def test_the_oldest_of_no_payment_goes(self) -> None:
        ids = [self.cancelled(f"key-{number}") for number in range(4)]
        self.assert_forgotten(ids[0])
        states = {entry["checkoutId"]: entry["state"] for entry in self.client.call("checkout.list")["checkouts"]}
        self.assertEqual(states, {ids[1]: "archived", ids[2]: "archived", ids[3]: "failed"})

    def test_payments_fill_them(self) -> None:
        ids = [self.pay() for _ in range(2)]
        with self.assertRaises(CallError) as caught:
            self.start()
        told = {name: caught.exception.data.get(name) for name in ("quota", "limit", "used", "uid")}
        self.assertEqual(told, {"quota": "recordsPerUid", "limit": 2, "used": 2, "uid": os.getuid()})
        self.assertEqual({entry["checkoutId"] for entry in self.client.call("checkout.list")["checkouts"]}, set(ids))
