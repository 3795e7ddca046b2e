"""checkoutctl follow and wait while the daemon crashes, is gone, drops events or has none any more."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable
from typing import Any

from clients.case import CANNOT_TALK, ERROR_REPLY, EVENTS_LOST, TIMED_OUT, CtlTest, DurableCtlTest
from clients.ctl import Ctl, FakeDaemon
from crash.case import HOW, eventually, full_history
from support.checkout import Checkout
from support.daemon import Daemon
from support.lines import Event, JsonObject

# Enough to make an event a large one.
_BANKS = [{"id": str(number), "name": f"Bank {number}", "disabled": False} for number in range(9000, 9200)]


def events(lines: Iterable[str]) -> list[Event]:
    """The events about checkouts."""
    shown = [Event(**json.loads(line)) for line in lines]
    return [event for event in shown if not event.method.startswith("system.")]


def said(**members: Any) -> str:
    """A line of a daemon's."""
    return json.dumps({"jsonrpc": "2.0", **members}) + "\n"


class Survival(DurableCtlTest):
    def test_one_checkout(self) -> None:
        for how in HOW:
            with self.subTest(how):
                checkout = self.chosen()
                ctl = self.start_ctl("follow", "--json", checkout.id)
                shown: list[JsonObject] = [ctl.next_line() for _ in range(checkout.snapshot["seq"])]
                self.restart(how, checkout)
                checkout.submit()
                self.await_state("awaitingRedirect", checkout)
                self.restart(how, checkout)
                checkout.session.approve()
                outcome = self.assert_ends(ctl.finish(), 0)
                followed = [Event(**event) for event in shown] + events(outcome.output.splitlines())
                self.assertEqual(followed, full_history(checkout))

    def test_what_happened_to_all_while_the_client_was_not_connected(self) -> None:
        for how in HOW:
            with self.subTest(how):
                earlier = self.banks()
                first = earlier.snapshot["seq"]
                ctl = self.start_ctl("follow", "--json", "--wait", "checkout.didCompleteCheckout")
                self.await_subscription()
                ctl.process.send_signal(signal.SIGSTOP)
                before = self.banks()
                self.restart(how, earlier, before)
                later = self.start()
                for checkout in (before, earlier):
                    checkout.call("checkout.cancel")
                ctl.process.send_signal(signal.SIGCONT)
                self.await_subscription()
                last = self.redirected(self.approving())
                shown = events(self.assert_ends(ctl.finish(), 0).output.splitlines())
                for checkout, after in ((earlier, first), (before, 0), (later, 0), (last, 0)):
                    own = [event for event in shown if event.params["checkoutId"] == checkout.id]
                    self.assertEqual(own, full_history(checkout)[after:])

    def test_wait(self) -> None:
        checkout = self.redirected()
        ctl = self.start_ctl("wait", "--json", checkout.id)
        named = self.start_ctl("wait", "--json", checkout.id, "--wait", "checkout.didCompleteCheckout")
        for how in HOW:
            self.await_waiting(2)
            self.restart(how, checkout)
        checkout.session.approve()
        self.assertEqual(self.assert_ends(ctl.finish(), 0).value["outcome"], "success")
        self.assertEqual(self.assert_ends(named.finish(), 0).value["params"]["outcome"], "success")

    def test_daemon_that_does_not_come_back(self) -> None:
        checkout = self.start()
        for arguments, status in (
            (["--retry", "0"], CANNOT_TALK),
            (["--retry", "100"], CANNOT_TALK),
            (["--timeout", "1000"], TIMED_OUT),
        ):
            for operands in ([], [checkout.id]):
                with self.subTest(arguments=arguments, operands=operands):
                    ctl = self.start_ctl("follow", "--json", *arguments, *operands)
                    if operands:
                        ctl.next_line()
                    else:
                        self.await_subscription()
                    self.daemon.kill()
                    self.assertEqual(ctl.finish().status, status)
                    self.daemon.start()
                    self.client = self.daemon.connect()

    def test_daemon_that_stops(self) -> None:
        ctl = self.start_ctl("follow", "--json", "--retry", "0")
        self.await_subscription()
        self.daemon.terminate()
        self.assertEqual(ctl.next_line()["method"], "system.draining")
        outcome = self.assert_ends(ctl.finish(), ERROR_REPLY)
        self.assertEqual(outcome.error["data"]["errorId"], "shutting-down")

    def test_reader_that_goes_away_meanwhile(self) -> None:
        ctl = self.start_ctl("follow")
        self.await_subscription()
        self.daemon.kill()
        ctl.close_output()
        self.assertEqual(ctl.process.wait(10), 0)
        self.daemon.start()


class Loss(CtlTest):
    def updated(self, checkout: Checkout, count: int) -> None:
        """Has so many times three events happen, one of them large."""
        for _ in range(count):
            checkout.update(bankFilterText="Bank")

    def assert_lost(self, lines: list[JsonObject], checkout: Checkout) -> list[JsonObject]:
        """Each event of the checkout was shown or told to be lost, in their order; those that were told to be lost."""
        own: list[JsonObject] = [line for line in lines if line["params"]["checkoutId"] == checkout.id]
        seq = 0
        for line in own:
            params: Any = line["params"]
            self.assertEqual(params.get("from", params.get("seq")), seq + 1, line)
            seq = params.get("to", params.get("seq"))
        self.assertEqual(seq, checkout.snapshot["seq"])
        return [line["params"] for line in own if line["method"] == "events.lost"]

    def test_events_that_were_dropped_are_read_again(self) -> None:
        self.daemon = self.start_daemon("--max-queue", "65536")
        self.client = self.daemon.connect()
        ctl = self.start_ctl("follow", "--json", "--wait", "checkout.didFail")
        self.await_subscription()
        checkout = self.banks(self.session(banks=_BANKS))
        ctl.process.send_signal(signal.SIGSTOP)
        self.updated(checkout, 100)
        (connection,) = self.connections()
        self.assertGreater(connection["lost"], 0)
        ctl.process.send_signal(signal.SIGCONT)
        checkout.call("checkout.cancel")
        shown = events(self.assert_ends(ctl.finish(), 0).output.splitlines())
        self.assertEqual([event.seq for event in shown], list(range(1, checkout.snapshot["seq"] + 1)))

    def test_events_that_the_daemon_has_no_more(self) -> None:
        self.daemon = self.start_daemon("--max-events", "100")
        self.client = self.daemon.connect()
        checkout = self.banks()
        self.updated(checkout, 100)
        checkout.call("checkout.cancel")
        outcome = self.ctl("follow", "--json", checkout.id)
        self.assertEqual(outcome.status, EVENTS_LOST)
        (lost, *_) = self.assert_lost([json.loads(line) for line in outcome.output.splitlines()], checkout)
        self.assertIn(f"events {lost['from']} to {lost['to']} of {checkout.id} were lost", outcome.errors)
        for_people = self.ctl("follow", checkout.id)
        self.assertEqual((for_people.status, for_people.errors), (EVENTS_LOST, outcome.errors))
        self.assertNotIn("events.lost", for_people.output)

    def test_events_of_all_that_the_daemon_has_no_more(self) -> None:
        self.daemon = self.start_daemon("--max-queue", "65536", "--max-events", "100")
        self.client = self.daemon.connect()
        ctl = self.start_ctl("follow", "--json", "--wait", "checkout.didFail")
        self.await_subscription()
        checkout = self.banks(self.session(banks=_BANKS))
        ctl.process.send_signal(signal.SIGSTOP)
        self.updated(checkout, 100)
        ctl.process.send_signal(signal.SIGCONT)
        checkout.call("checkout.cancel")
        outcome = ctl.finish()
        self.assertEqual(outcome.status, EVENTS_LOST)
        self.assertTrue(self.assert_lost([json.loads(line) for line in outcome.output.splitlines()], checkout))

    def test_events_that_were_wiped(self) -> None:
        self.daemon = self.start_daemon("--retention", "1000")
        self.client = self.daemon.connect()
        checkout = self.start()
        checkout.call("checkout.cancel")
        eventually("the checkout is archived", lambda: checkout.state == "archived")
        outcome = self.ctl("follow", "--json", checkout.id)
        self.assertEqual(outcome.status, EVENTS_LOST)
        self.assertEqual(outcome.value["params"], {"checkoutId": checkout.id, "from": 1, "to": 2})
        self.assert_silent("follow", checkout.id, "--since", "2")

    def assert_silent(self, *arguments: str) -> None:
        outcome = self.ctl(*arguments)
        self.assertEqual((outcome.status, outcome.output, outcome.errors), (0, "", ""))

    def test_state_that_was_reset(self) -> None:
        ctl = self.start_ctl("follow", "--json", "--wait", "checkout.didLoadAvailablePaymentMethods")
        self.await_subscription()
        self.daemon.terminate()
        again = Daemon(self.sandbox.port, socket_path=self.daemon.socket_path)
        self.addCleanup(again.close)
        again.connect().call("checkout.start", clientToken=self.session().client_token)
        outcome = ctl.finish()
        self.assertEqual(outcome.status, EVENTS_LOST)
        self.assertIn("reset", outcome.errors)
        self.assertEqual(json.loads(outcome.output.splitlines()[-1])["params"]["seq"], 1)


class Gaps(CtlTest):
    def test_is_filled_even_if_nobody_told_of_it(self) -> None:
        fake = FakeDaemon(self.directory() / "socket")
        self.addCleanup(fake.close)
        ctl = Ctl("--socket", fake.path, "follow", "--json", "--retry", "0", "--wait", "checkout.didFail")
        self.addCleanup(ctl.close)
        first, second, third = [
            {"method": name, "params": {"checkoutId": "co_1", "seq": seq}}
            for seq, name in enumerate(("component.didReceiveStep", "component.didReceiveError", "checkout.didFail"), 1)
        ]
        fake.answer(
            said(id=1, result={"epoch": "1"}),
            said(id=2, result={"checkouts": []}),
            said(id=3, result={"snapshots": []}) + said(**first) + said(**third),
            said(id=4, result={"from": 2, "to": 3, "ended": True}) + said(**second) + said(**third),
        )
        lines = self.assert_ends(ctl.finish(), 0).output.splitlines()
        self.assertEqual([json.loads(line) for line in lines], [first, second, third])


class FirstConnection(CtlTest):
    def test_is_tried_once(self) -> None:
        ctl = Ctl("--socket", "/nonexistent/socket", "follow", "--retry", "86400000")
        self.addCleanup(ctl.close)
        self.assert_ends(ctl.finish(), CANNOT_TALK)
