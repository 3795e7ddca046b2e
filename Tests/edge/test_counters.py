"""`system.status` and `system.connections` in full: each counter moves when its thing happens, and reads well."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

from clients.case import CtlTest
from edge.pressure import PressureTest, await_that, line
from support.checkout import BANK, IDEAL
from support.lines import JsonObject

NOBODY = 65_534
USER, GROUP = 61021, 62021


class Status(PressureTest):
    options: ClassVar[Sequence[str]] = ("--max-waiting", "4", "--max-checkouts-per-uid", "3", "--max-line", "65536")

    @property
    def all(self) -> JsonObject:
        status: JsonObject = self.client.call("system.status")
        return status

    def assert_moves(self, path: str, by: int, before: JsonObject) -> None:
        """That number has changed by so much since then."""
        self.assertEqual(_at(self.all, path) - _at(before, path), by, path)

    def test_members(self) -> None:
        status = self.all
        everyones = ["uptimeMs", "version", "checkouts", "subscriptions", "upstream", "store"]
        self.assertCountEqual(status, [*everyones, "events", "connections", "calls", "questions"])
        self.assertEqual(
            status["store"], {"kind": "memory", "health": "ok", "backups": {"count": 0, "bytes": 0}}
        )
        self.assertLessEqual(status["uptimeMs"], self.all["uptimeMs"])
        wanted = {"open": 1, "accepted": 2, "refused": 0, "refusals": {}, "heldBytes": 0}
        await_that(lambda: self.status() == wanted, "only this connection is left")

    def test_calls(self) -> None:
        before = self.all
        sent: list[tuple[str, bytes, int]] = [
            ("notifications", line("system.ping"), 1),
            ("failedNotifications", line("system.ping", [1, 2]), 1),
            ("failedNotifications", line("no.such"), 1),
            ("droppedResponses", b'{"jsonrpc":"2.0","id":9,"result":{}}\n', 1),
            ("invalidRequests", b'{"jsonrpc":"2.0","id":10}\n', 1),
            ("invalidRequests", b"[1,2]\n", 2),
            ("invalidRequests", b"{nonsense\n", 1),
        ]
        counts = dict.fromkeys(("notifications", "failedNotifications", "droppedResponses", "invalidRequests"), 0)
        for name, text, by in sent:
            self.client.send_raw(text)
            counts[name] += by
        # One that fails is a notification too.
        counts["notifications"] += counts["failedNotifications"]
        for name, by in counts.items():
            self.assert_moves(f"calls.{name}", by, before)
        now = self.all
        self.client.call("system.ping")
        self.assert_moves("calls.answered", 2, now)

    def test_checkouts_subscriptions_and_events(self) -> None:
        before = self.all
        checkout = self.start()
        self.assertEqual(self.all["checkouts"], {"ready": 1})
        self.assert_moves("subscriptions", 1, before)
        self.assert_moves("events.published", 1, before)
        self.client.call("events.subscribe")
        self.assert_moves("subscriptions", 2, before)
        checkout.call("checkout.cancel")
        self.assertEqual(self.all["checkouts"], {"failed": 1})
        self.assert_moves("events.published", 2, before)

    def test_upstream(self) -> None:
        before = self.all["upstream"]
        self.assertEqual((before["lastSuccessAt"], before["lastFailureAt"]), (None, None))
        checkout = self.start()
        now = self.all["upstream"]
        self.assertEqual((now["succeeded"], now["failed"], now["underWay"]), (1, 0, 0))
        self.assertRegex(now["lastSuccessAt"], r"Z$")
        checkout.provide(IDEAL)
        self.sandbox.hold("banks")
        loading = self.client.send("component.start", componentId=checkout.component_id)
        self.sandbox.requests("banks", count=1)
        self.assertEqual(self.all["upstream"]["underWay"], 1)
        self.sandbox.release("banks")
        self.client.result(loading)
        now = self.all["upstream"]
        self.assertEqual((now["succeeded"], now["underWay"], now["queued"]), (2, 0, 0))
        self.sandbox.fault("configuration", status=403)
        token = self.session().client_token
        self.assertIn("error", self.client.reply(self.client.send("checkout.start", clientToken=token)))
        now = self.all["upstream"]
        self.assertEqual((now["succeeded"], now["failed"]), (2, 1))
        self.assertRegex(now["lastFailureAt"], r"Z$")

    def test_refused_connections(self) -> None:
        before = self.all
        http, flood = self.daemon.connect(), self.daemon.connect()
        http.send_line("GET / HTTP/1.1\r")
        http.read_to_end()
        flood.send_raw(b"x" * (16 * 65_536 + 1))
        flood.read_to_end()
        wanted = {"http": 1, "line-flood": 1}
        if os.geteuid() == 0:
            self.daemon.connect_as(NOBODY, NOBODY).read_to_end()
            wanted["permission-denied"] = 1
        self.assertEqual(self.status()["refusals"], wanted)
        self.assert_moves("connections.refused", len(wanted), before)

    def test_refused_calls(self) -> None:
        """A call that a quota refuses is counted by the quota's name."""
        checkout = self.start()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        ids = self.client.send_all([("checkout.wait", params)] * 7)
        for id in ids[4:]:
            self.assertIn("error", self.client.reply(id))
        checkout.call("checkout.cancel")
        for _ in range(3):
            self.start()
        token = self.session().client_token
        self.assert_refused(-32004, "quota-exceeded", None, "checkout.start", clientToken=token)
        counted = self.client.call("system.status")["calls"]["refused"]
        self.assertEqual(counted, {"waiting": 3, "checkoutsPerUid": 1})

    def test_a_user_is_shown_the_own(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root can be several users")
        user = self.daemon.connect_as(USER, GROUP)
        self.start()
        status = user.call("system.status")
        self.assertCountEqual(status, ["uptimeMs", "version", "checkouts", "subscriptions", "upstream", "store"])
        self.assertEqual((status["checkouts"], status["subscriptions"]), ({}, 0))
        self.assertEqual(status["upstream"], {"underWay": 0})
        mine = self.start(None, user)
        status = user.call("system.status")
        self.assertEqual((status["checkouts"], status["subscriptions"]), ({"ready": 1}, 1))
        self.sandbox.hold("banks")
        mine.provide(IDEAL)
        loading = user.send("component.start", componentId=mine.component_id)
        self.sandbox.requests("banks", count=1)
        self.assertEqual(user.call("system.status")["upstream"], {"underWay": 1})
        self.sandbox.release("banks")
        user.result(loading)


class ConnectionList(PressureTest):
    options: ClassVar[Sequence[str]] = ("--max-waiting", "4", "--max-queue", "65536")

    def test_every_member(self) -> None:
        checkout = self.banks()
        other = self.daemon.connect()
        other.call("system.hello", client="harbour-kiosk")
        entry = self.entries()[1]
        self.assertCountEqual(
            entry,
            ["pid", "uid", "comm", "client", "queuedBytes", "inFlight", "lost", "subscriptions", "lastRefusal"],
        )
        self.assertEqual((entry["pid"], entry["uid"], entry["client"]), (os.getpid(), os.geteuid(), "harbour-kiosk"))
        self.assertTrue(entry["comm"])
        unused: Any = {name: entry[name] for name in ("queuedBytes", "inFlight", "lost", "subscriptions")}
        self.assertEqual(set(unused.values()), {0})
        other.call("events.subscribe", checkoutId=checkout.id)
        other.call("events.subscribe")
        self.assertEqual(self.entries()[1]["subscriptions"], 2)
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        other.send_all([("checkout.wait", params)] * 3)
        await_that(lambda: self.entries()[1]["inFlight"] == 3, "3 calls are in flight")
        updates: JsonObject = {"componentId": checkout.component_id, "data": {"bankId": BANK}}

        def has_lost() -> bool:
            self.client.send_all([("component.updateCollectedData", updates)] * 50)
            return bool(self.entries()[1]["lost"] > 0)

        await_that(has_lost, "events are lost")
        self.assertGreaterEqual(self.entries()[1]["queuedBytes"], 65_536)
        self.assertEqual(self.status()["heldBytes"], self.entries()[1]["queuedBytes"])
        self.assertEqual(self.client.call("system.status")["events"]["lost"], self.entries()[1]["lost"])

    def test_last_refusal(self) -> None:
        checkout = self.start()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        self.assertIsNone(self.entries()[0]["lastRefusal"])
        other = self.daemon.connect()
        ids = other.send_all([("checkout.wait", params)] * 5)
        self.assertIn("error", other.reply(ids[4]))
        self.assertIn(self.entries()[1]["lastRefusal"], ("waiting", "quota-exceeded"))

    def test_many_with_long_names(self) -> None:
        """However many there are, the list can be had."""
        daemon = self.start_daemon("--max-line-out", "131072", "--max-connection-rate", "100000")
        administrator = daemon.connect()
        hello = line("system.hello", {"client": "n" * 255}, 1)
        for mute in self.mutes(200, daemon):
            mute.socket.send(hello)
        listed: list[JsonObject] = []

        def are_all_listed() -> bool:
            page = administrator.call("system.connections")
            listed[:] = page["connections"]
            while "next" in page:
                page = administrator.call("system.connections", cursor=page["next"])
                listed.extend(page["connections"])
            return sum(entry["client"] is not None for entry in listed) == 200

        await_that(are_all_listed, "all are listed")


class Readable(CtlTest):
    """What `checkoutctl status` prints is for people: names and numbers, no JSON."""

    options: ClassVar[Sequence[str]] = ("--max-connections-per-uid", "20")

    def rows(self) -> dict[str, str]:
        outcome = self.assert_ends(self.ctl("status"), 0)
        self.assertNotRegex(outcome.output, r'[{}\[\]"]')
        return dict(text.split(maxsplit=1) for text in outcome.output.splitlines())

    def test_every_member_has_a_row(self) -> None:
        self.assertEqual([name.removesuffix("Ms") for name in self.client.call("system.status")], list(self.rows()))

    def test_counters(self) -> None:
        rows = self.rows()
        self.assertEqual(rows["checkouts"], "none")
        self.assertIn("refusals none", rows["connections"])
        self.assertIn("lastSuccessAt never", rows["upstream"])
        checkout = self.start()
        checkout.call("checkout.cancel")
        http = self.daemon.connect()
        http.send_line("GET / HTTP/1.1\r")
        http.read_to_end()
        self.client.send_line("{nonsense")
        rows = self.rows()
        self.assertEqual(rows["checkouts"], "failed 1")
        self.assertEqual(rows["events"], "published 2, lost 0")
        self.assertRegex(rows["connections"], r"^open \d+, accepted \d+, refused 1, refusals http 1, heldBytes \d+$")
        self.assertRegex(rows["calls"], r"invalidRequests 1, refused none$")
        self.assertRegex(rows["upstream"], r"succeeded 1, failed 0, lastSuccessAt \d{4}-\S+Z, lastFailureAt never$")
        self.assertEqual(rows["store"], "kind memory, health ok, backups count 0, bytes 0")


def _at(status: JsonObject, path: str) -> int:
    """The number at a place in the status."""
    value: Any = status
    for name in path.split("."):
        value = value[name]
    return int(value)
