"""checkoutctl follow: events as they happen, to the end of a checkout, of the daemon or of whoever reads them."""

from __future__ import annotations

import json
import signal
import subprocess

from clients.case import CANNOT_TALK, ERROR_REPLY, CtlTest
from clients.ctl import Ctl
from support.client import TIMEOUT
from support.daemon import Daemon, program
from support.lines import Event


class OneCheckout(CtlTest):
    def test_events_from_the_first_to_the_terminal_one_as_they_happen(self) -> None:
        checkout = self.chosen()
        ctl = self.start_ctl("follow", checkout.id)
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
        outcome = self.assert_ends(self.ctl("follow", checkout.id), 0)
        self.assertEqual([Event(**json.loads(line)) for line in outcome.output.splitlines()], checkout.history())

    def test_unknown_checkout(self) -> None:
        outcome = self.assert_ends(self.ctl("follow", "co_0123456789abcdef"), ERROR_REPLY)
        self.assertEqual(outcome.error["data"]["errorId"], "unknown-checkout")

    def test_limit_of_time(self) -> None:
        checkout = self.start()
        outcome = self.ctl("--timeout", "100", "follow", checkout.id)
        self.assertEqual(outcome.status, CANNOT_TALK)
        self.assertEqual(len(outcome.output.splitlines()), 1)

    def test_head_takes_what_it_wants(self) -> None:
        """Nothing more happens to the checkout: the client notices by itself that nobody reads."""
        checkout = self.start()
        script = 'set -o pipefail; "$0" --socket "$1" follow "$2" | head -n 1'
        shell = ["bash", "-c", script, str(program("checkoutctl")), str(self.daemon.socket_path), checkout.id]
        run = subprocess.run(shell, capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertEqual(json.loads(run.stdout)["method"], "checkout.didLoadAvailablePaymentMethods")


class AllCheckouts(CtlTest):
    def test_events_of_every_checkout_from_now_on(self) -> None:
        earlier = self.start()
        ctl = self.start_ctl("follow")
        self.await_subscription()
        checkout = self.start()
        self.assertEqual(ctl.next_line()["params"]["checkoutId"], checkout.id)
        earlier.call("checkout.cancel")
        last = ctl.next_line()
        self.assertEqual((last["method"], last["params"]["checkoutId"]), ("checkout.didFail", earlier.id))
        ctl.process.send_signal(signal.SIGINT)
        self.assertEqual(ctl.finish().status, -signal.SIGINT)

    def test_end_of_the_daemon(self) -> None:
        ctl = self.start_ctl("follow")
        self.await_subscription()
        self.daemon.terminate()
        self.assertEqual(ctl.next_line()["method"], "system.draining")
        outcome = self.assert_ends(ctl.finish(), ERROR_REPLY)
        self.assertEqual(outcome.error["data"]["errorId"], "shutting-down")

    def test_crash_of_the_daemon(self) -> None:
        daemon = Daemon(self.sandbox.port)
        self.addCleanup(daemon.close)
        checkout = daemon.connect().call("checkout.start", clientToken=self.session().client_token)
        ctl = Ctl("--socket", daemon.socket_path, "follow", checkout["checkoutId"])
        self.addCleanup(ctl.close)
        ctl.next_line()
        daemon.process.kill()
        self.assert_ends(ctl.finish(), CANNOT_TALK)

    def test_nobody_reads_any_more(self) -> None:
        ctl = self.start_ctl("follow")
        self.await_subscription()
        ctl.close_output()
        self.assertEqual(ctl.process.wait(TIMEOUT), 0)

    def await_subscription(self) -> None:
        """Waits until the client under test has subscribed: only then are events sent to it."""
        for _ in range(1000):
            others = self.client.call("system.connections")["connections"]
            if any(other["comm"] == "checkoutctl" and other["subscriptions"] == 1 for other in others):
                return
        self.fail("the client has not subscribed")
