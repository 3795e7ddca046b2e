"""Quotas of a user: one who fills them keeps nobody else out, and each refusal says which, how much, and whose."""

from __future__ import annotations

import os
import unittest
from collections.abc import Sequence
from typing import ClassVar

from edge.pressure import PressureTest, await_that
from support.client import Client
from support.lines import JsonObject

EAGER, CALM = 61011, 61012
GROUP = 62011


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class QuotaTest(PressureTest):
    quota: ClassVar[str] = ""
    limit: ClassVar[int] = 0

    def eager(self) -> Client:
        return self.daemon.connect_as(EAGER, GROUP)

    def calm(self) -> Client:
        return self.daemon.connect_as(CALM, GROUP)

    def assert_names_all(self, error: JsonObject, used: int | None = None) -> None:
        """The error says what is full, how much there is and is used, and who uses it."""
        self.assertEqual((error["code"], error["data"]["errorId"]), (-32004, "quota-exceeded"))
        told = {name: error["data"].get(name) for name in ("quota", "limit", "used", "uid")}
        wanted = {"quota": self.quota, "limit": self.limit, "used": self.limit if used is None else used, "uid": EAGER}
        self.assertEqual(told, wanted)

    def refusal(self, client: Client) -> JsonObject:
        """The one line that a refused connection gets."""
        (last,) = client.read_to_end()
        assert isinstance(last, dict) and last["id"] is None
        error: JsonObject = last["error"]
        return error


class Connections(QuotaTest):
    options: ClassVar[Sequence[str]] = ("--max-connections-per-uid", "4")
    quota = "connectionsPerUid"
    limit = 4

    def test_the_others_have_their_own(self) -> None:
        kept = [self.eager() for _ in range(4)]
        for client in kept:
            self.assertEqual(client.call("system.ping"), {})
        for _ in range(3):
            self.assert_names_all(self.refusal(self.eager()))
        calm = [self.calm() for _ in range(4)]
        for client in calm:
            self.assertEqual(client.call("system.ping"), {})
        self.assertEqual(self.status()["refusals"], {"connectionsPerUid": 3})

    def test_one_that_leaves_makes_room_for_one(self) -> None:
        kept = [self.eager() for _ in range(4)]
        for client in kept:
            client.call("system.ping")
        kept[0].half_close()
        kept[0].read_to_end()
        self.assertEqual(self.eager().call("system.ping"), {})
        self.assert_names_all(self.refusal(self.eager()))


class Checkouts(QuotaTest):
    options: ClassVar[Sequence[str]] = ("--max-checkouts-per-uid", "2")
    quota = "checkoutsPerUid"
    limit = 2

    def test_the_others_have_their_own(self) -> None:
        eager, calm = self.eager(), self.calm()
        mine = [self.start(None, eager) for _ in range(2)]
        token = self.session().client_token
        self.assert_names_all(eager.reply(eager.send("checkout.start", clientToken=token))["error"])
        # Another connection of the same user's has no more.
        again = self.eager()
        self.assert_names_all(again.reply(again.send("checkout.start", clientToken=token))["error"])
        self.assertEqual(calm.call("checkout.start", clientToken=token)["state"], "ready")
        self.assertEqual(self.start(None, calm).state, "ready")
        mine[0].call("checkout.cancel")
        self.assertEqual(self.start(None, eager).state, "ready")

    def test_a_share_does_not_count(self) -> None:
        eager, calm = self.eager(), self.calm()
        for _ in range(2):
            self.start(None, calm, share=[{"uid": EAGER, "role": "drive"}])
        for _ in range(2):
            self.assertEqual(self.start(None, eager).state, "ready")


class Rate(QuotaTest):
    """A bucket that holds twice what comes in a second."""

    options: ClassVar[Sequence[str]] = ("--max-connection-rate", "2")
    quota = "connectionRate"
    limit = 2

    def test_the_others_have_their_own(self) -> None:
        refused = []

        def is_refused() -> bool:
            client = self.eager()
            client.half_close()
            refused.extend(client.read_to_end())
            return len(refused) >= 3

        await_that(is_refused, "the rate is exceeded")
        for last in refused:
            assert isinstance(last, dict)
            self.assert_names_all(last["error"])
        self.assertEqual(self.calm().call("system.ping"), {})
        self.assertEqual(self.status()["refusals"], {"connectionRate": len(refused)})

    def test_twice_the_rate_at_once(self) -> None:
        for client in [self.calm() for _ in range(4)]:
            self.assertEqual(client.call("system.ping"), {})

    def test_those_who_wait_are_let_in_again(self) -> None:
        def is_let_in() -> bool:
            client = self.eager()
            client.half_close()
            return client.read_to_end() == []

        await_that(lambda: not is_let_in(), "the rate is exceeded")
        await_that(is_let_in, "there is room again")


class All(QuotaTest):
    # Sixteen of them are kept for administrators.
    options: ClassVar[Sequence[str]] = ("--max-connections", "19")

    def test_nobody_in_particular_uses_them(self) -> None:
        clients = [self.eager(), self.calm()]
        for client in clients:
            client.call("system.ping")
        error = self.refusal(self.eager())
        told = {name: error["data"].get(name) for name in ("quota", "limit", "used", "uid")}
        self.assertEqual(told, {"quota": "connections", "limit": 19, "used": 3, "uid": None})
