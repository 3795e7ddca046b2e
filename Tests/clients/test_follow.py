"""checkoutctl follow: events as they happen, to the end of a checkout, of the daemon or of whoever reads them."""

from __future__ import annotations

import json
import signal
import subprocess

from clients.case import ERROR_REPLY, TIMED_OUT, CtlTest
from clients.ctl import Outcome
from support.client import TIMEOUT
from support.daemon import program
from support.lines import Event


class OneCheckout(CtlTest):
    def test_events_from_the_first_to_the_terminal_one_as_they_happen(self) -> None:
        checkout = self.chosen()
        ctl = self.start_ctl("follow", "--json", checkout.id)
        shown = [ctl.next_line() for _ in range(5)]
        self.assertEqual(shown[-1]["params"]["status"], "valid")
        checkout.submit()
        checkout.await_event("step webRedirect loaded")
        while Event(**shown[-1]).label != "step webRedirect loaded":
            shown.append(ctl.next_line())
        checkout.session.approve()
        outcome = self.assert_ends(ctl.finish(), 0)
        shown += map(json.loads, outcome.output.splitlines())
        self.assertEqual([Event(**event) for event in shown], checkout.history())
        self.assertTrue(Event(**shown[-1]).is_terminal)

    def test_checkout_that_has_ended(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        checkout.await_end()
        outcome = self.assert_ends(self.ctl("follow", "--json", checkout.id), 0)
        self.assertEqual([Event(**json.loads(line)) for line in outcome.output.splitlines()], checkout.history())

    def test_unknown_checkout(self) -> None:
        outcome = self.assert_ends(self.ctl("follow", "--json", "co_0123456789abcdef"), ERROR_REPLY)
        self.assertEqual(outcome.error["data"]["errorId"], "unknown-checkout")

    def test_limit_of_time(self) -> None:
        checkout = self.start()
        outcome = self.ctl("--timeout", "100", "follow", "--json", checkout.id)
        self.assertEqual(outcome.status, TIMED_OUT)
        self.assertEqual(len(outcome.output.splitlines()), 1)

    def test_by_start_key(self) -> None:
        checkout = self.start(None, None, startKey="till-1")
        checkout.call("checkout.cancel")
        outcome = self.assert_ends(self.ctl("follow", "--json", "key:till-1"), 0)
        self.assertEqual([Event(**json.loads(line)) for line in outcome.output.splitlines()], checkout.history())

    def test_since_an_event(self) -> None:
        checkout = self.redirected(self.approving())
        checkout.await_end()
        history = checkout.history()
        outcome = self.assert_ends(self.ctl("follow", "--json", "--since", "4", checkout.id), 0)
        self.assertEqual([Event(**json.loads(line)) for line in outcome.output.splitlines()], history[4:])
        outcome = self.ctl("follow", "--since", str(len(history)), checkout.id)
        self.assertEqual(outcome, Outcome(0, "", ""))

    def test_since_an_event_that_has_not_happened(self) -> None:
        outcome = self.assert_ends(self.ctl("follow", "--since", "99", self.start().id), ERROR_REPLY)
        self.assertIn("is beyond the checkout's latest event (/params/after)", outcome.errors)

    def test_until_an_event(self) -> None:
        checkout = self.chosen()
        outcome = self.ctl("follow", "--json", checkout.id, "--wait", "component.didUpdateValidationStatus")
        last = json.loads(self.assert_ends(outcome, 0).output.splitlines()[-1])
        self.assertEqual((last["params"]["seq"], last["params"]["status"]), (4, "validating"))
        ctl = self.start_ctl("follow", checkout.id, "--wait", "checkout.didCompleteCheckout")
        checkout.call("checkout.cancel")
        ended = ctl.finish()
        self.assertEqual(ended.status, ERROR_REPLY)
        self.assertIn("checkout.didCompleteCheckout", ended.errors)
        self.assertEqual(len(ended.output.splitlines()), len(checkout.history()))
        self.assert_ends(self.ctl("follow", checkout.id, "--wait", "terminal"), 0)

    def test_lines_for_people_without_what_shoppers_chose(self) -> None:
        session = self.approving()
        checkout = self.redirected(session)
        checkout.await_end()
        output = self.assert_ends(self.ctl("follow", checkout.id), 0).output
        rows = [line.split("  ") for line in output.splitlines()]
        history = checkout.history()
        self.assertEqual([(row[1], row[2]) for row in rows], [(str(event.seq), event.method) for event in history])
        self.assertEqual([row[0] for row in rows], [event.params["time"][11:] for event in history])
        self.assertEqual(rows[3][3:], ["validating"])
        self.assertEqual(rows[-1][3:], ["success", session.payment["id"], "SUCCESS"])
        self.assertNotIn("bankId", output)

    def test_secrets_are_not_shown_to_people(self) -> None:
        checkout = self.collecting()
        (info,) = [event.params["info"] for event in checkout.history() if "info" in event.params]
        outcome = self.ctl("follow", checkout.id, "--wait", "checkout.didReceiveAdditionalInfo")
        self.assertIn("bankAccountCollector", self.assert_ends(outcome, 0).output)
        for secret in (info["clientSecret"], info["emailAddress"], *info["fullName"].split()):
            self.assertNotIn(secret, outcome.output)

    def test_head_takes_what_it_wants(self) -> None:
        """Nothing more happens to the checkout: the client notices by itself that nobody reads."""
        checkout = self.start()
        script = 'set -o pipefail; "$0" --socket "$1" follow --json "$2" | head -n 1'
        shell = ["bash", "-c", script, str(program("checkoutctl")), str(self.daemon.socket_path), checkout.id]
        run = subprocess.run(shell, capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertEqual(json.loads(run.stdout)["method"], "checkout.didLoadAvailablePaymentMethods")


class AllCheckouts(CtlTest):
    def test_events_of_every_checkout_from_now_on(self) -> None:
        earlier = self.start()
        ctl = self.start_ctl("follow", "--json")
        self.await_subscription()
        checkout = self.start()
        self.assertEqual(ctl.next_line()["params"]["checkoutId"], checkout.id)
        earlier.call("checkout.cancel")
        last = ctl.next_line()
        self.assertEqual((last["method"], last["params"]["checkoutId"]), ("checkout.didFail", earlier.id))
        ctl.process.send_signal(signal.SIGINT)
        self.assertEqual(ctl.finish().status, -signal.SIGINT)

    def test_lines_for_people(self) -> None:
        ctl = self.start_ctl("follow", "--wait", "checkout.didFail")
        self.await_subscription()
        first, second = self.start(), self.start()
        first.call("checkout.cancel")
        rows = [line.split("  ")[1:4] for line in self.assert_ends(ctl.finish(), 0).output.splitlines()]
        loaded = "checkout.didLoadAvailablePaymentMethods"
        self.assertEqual(rows, [[first.id, "1", loaded], [second.id, "1", loaded], [first.id, "2", "checkout.didFail"]])

    def test_only_own_checkouts_unless_more_are_wanted(self) -> None:
        for arguments, is_seen in (([], False), (["--shared"], False), (["--all"], True)):
            with self.subTest(arguments):
                ctl = self.start_ctl("follow", "--json", *arguments, "--wait", "checkout.didFail")
                self.await_subscription()
                other = self.start(None, self.daemon.connect_as(4711, 4711))
                other.call("checkout.cancel")
                own = self.start()
                own.call("checkout.cancel")
                lines = self.assert_ends(ctl.finish(), 0).output.splitlines()
                shown = {json.loads(line)["params"]["checkoutId"] for line in lines}
                self.assertEqual(shown, {other.id} if is_seen else {own.id})

    def test_nobody_reads_any_more(self) -> None:
        ctl = self.start_ctl("follow", "--json")
        self.await_subscription()
        ctl.close_output()
        self.assertEqual(ctl.process.wait(TIMEOUT), 0)
