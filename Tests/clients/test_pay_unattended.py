"""checkoutctl pay with nobody to ask: what it is given, what it prints, how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from clients.case import ERROR_REPLY, OUTCOME_UNKNOWN, TIMED_OUT, USAGE
from clients.ctl import Ctl
from clients.pay import IMPATIENT, PayTest
from crash.durable import DurableDaemon
from support.checkout import ACH, ACH_SETTINGS, BANK, CLOSED_BANK, IDEAL
from support.client import TIMEOUT
from support.daemon import program
from support.sandbox import APPROVING, DECLINING, Session

INTERRUPTED = 130


class UnattendedTest(PayTest):
    """A test in which nobody sits at a terminal."""

    def start_pay(self, session: Session, *options: str | Path, environment: dict[str, str] | None = None) -> Ctl:
        """A payment that is under way, with the token in a file."""
        token = self.file(session.client_token)
        return self.start_ctl("pay", "--token-file", token, *options, environment=environment)

    def with_bank(self, id: str) -> tuple[str | Path, ...]:
        """The options that name a bank, which stands in a file."""
        return "--data", self.file(json.dumps({"bankId": id}))

    def ach(self, session: Session, data: Any, *options: str, rest: str = IMPATIENT) -> Ctl:
        """A payment by ACH that is under way."""
        settings = self.file(json.dumps(ACH_SETTINGS))
        collector = self.collector(rest)
        ctl = self.start_pay(session, "--settings", settings, *options, "--data", "-", environment=collector.environment)
        ctl.send(json.dumps(data))
        return ctl


class Banks(UnattendedTest):
    def test_page_and_outcome(self) -> None:
        session = self.session(**APPROVING)
        outcome = self.assert_ends(self.start_pay(session, *self.with_bank(BANK)).finish(), 0)
        payment = session.payment["id"]
        self.assertEqual(
            outcome.output.splitlines(),
            [f"redirect {self.sandbox.base}/bank/{payment}", f"success {payment} SUCCESS"],
        )
        self.assertEqual(session.payment["issuer"], BANK)

    def test_lines_of_json(self) -> None:
        session = self.session()
        ctl = self.start_pay(session, *self.with_bank(BANK), "--json")
        page = ctl.next_line()
        checkout = self.the_checkout()
        self.assertEqual(
            page, {"page": "redirect", "url": checkout["awaiting"][0]["url"], "checkoutId": checkout["checkoutId"]}
        )
        session.approve()
        outcome = self.assert_ends(ctl.finish(), 0).value
        self.assertEqual(list(outcome), ["outcome", "checkoutId", "payment"])
        self.assertEqual((outcome["outcome"], outcome["payment"]["id"]), ("success", session.payment["id"]))

    def test_bank_on_standard_input(self) -> None:
        session = self.session(**APPROVING)
        ctl = self.start_pay(session, "--data", "-")
        self.assert_ends(ctl.finish(json.dumps({"bankId": BANK})), 0)
        self.assertEqual(session.payment["issuer"], BANK)

    def test_token_on_standard_input(self) -> None:
        session = self.session(**APPROVING)
        self.assert_ends(self.start_ctl("pay", *self.with_bank(BANK)).finish(session.client_token + "\n"), 0)

    def test_same_key_is_the_same_payment(self) -> None:
        session = self.session(**APPROVING)
        options = (*self.with_bank(BANK), "--start-key", "till-1")
        first, second = (self.assert_ends(self.start_pay(session, *options).finish(), 0) for _ in range(2))
        self.assertEqual(second.output, f"success {session.payment['id']} SUCCESS\n")
        self.assertEqual(first.output.splitlines()[-1] + "\n", second.output)

    def test_failed_payment(self) -> None:
        outcome = self.start_pay(self.session(**DECLINING), *self.with_bank(BANK), "--json").finish()
        self.assertEqual(outcome.status, 1)
        last = json.loads(outcome.output.splitlines()[-1])
        self.assertEqual((last["outcome"], last["error"]["errorId"]), ("failed", "failed-to-resume-payment"))

    def test_unknown_outcome(self) -> None:
        for is_json in (False, True):
            with self.subTest(is_json=is_json):
                session = self.session()
                options = ("--json",) if is_json else ()
                ctl = self.start_pay(session, *self.with_bank(BANK), *options)
                ctl.process.stdout.readline()  # type: ignore[union-attr]
                # The shopper is at the bank, and may approve still.
                (checkout,) = self.client.call("checkout.list", states=["awaitingRedirect"])["checkouts"]
                self.client.call("checkout.cancel", checkoutId=checkout["checkoutId"])
                outcome = ctl.finish()
                self.assertEqual(outcome.status, OUTCOME_UNKNOWN, outcome)
                last = outcome.output.splitlines()[-1]
                if is_json:
                    told = json.loads(last)
                    self.assertEqual((told["outcome"], told["orderId"]), ("unknown", session.order_id))
                else:
                    self.assertTrue(last.startswith("unknown "), last)
                    self.assertIn(f"look up order {session.order_id} at Primer", outcome.errors)

    def test_bank_that_cannot_be_chosen(self) -> None:
        for bank in (CLOSED_BANK, "no-such-bank"):
            session = self.session()
            outcome = self.assert_ends(self.start_pay(session, *self.with_bank(bank), "--json").finish(), ERROR_REPLY)
            self.assertEqual(outcome.error["data"]["errorId"], "invalid-collected-data")
            self.assertEqual(session.payments, [])
            # Nobody would go on with it: the session can be paid in another checkout.
            self.start(session)

    def test_submission_that_failed(self) -> None:
        self.sandbox.fault("actions", status=400)
        session = self.session(paymentMethods=[{"type": "ADYEN_IDEAL", "surcharge": 50}])
        outcome = self.assert_ends(self.start_pay(session, *self.with_bank(BANK), "--json").finish(), ERROR_REPLY)
        self.assertEqual(outcome.error["errorId"], "failed-to-create-session")
        self.assertEqual(self.the_checkout()["outcome"], "cancelled")

    def test_nobody_reads_the_output(self) -> None:
        session = self.session(**DECLINING)
        ctl = self.start_pay(session, *self.with_bank(BANK))
        ctl.close_output()
        self.assertEqual(ctl.process.wait(TIMEOUT), 1)


class Accounts(UnattendedTest):
    def test_whole_payment(self) -> None:
        session = self.session()
        data = {"firstName": "Sofie", "emailAddress": "sofie@example.com", "acceptMandate": True}
        outcome = self.assert_ends(self.ach(session, data).finish(), 0)
        payment = session.payment["id"]
        self.assertEqual(
            outcome.output.splitlines(), ["bankAccount http://127.0.0.1:4242/account", f"pending {payment} PENDING"]
        )
        names = [session.customer[name] for name in ("firstName", "lastName", "emailAddress")]
        self.assertEqual(names, ["Sofie", "Verhoeven", "sofie@example.com"])

    def test_mandate_is_declined(self) -> None:
        outcome = self.ach(self.session(), {"acceptMandate": False}, "--json").finish()
        self.assertEqual((outcome.status, outcome.errors), (1, ""))
        self.assertEqual(json.loads(outcome.output.splitlines()[-1])["outcome"], "cancelled")

    def test_mandate_that_nobody_answers_waits_for_somebody(self) -> None:
        session = self.session()
        ctl = self.ach(session, {}, "--json")
        ctl.next_line()
        checkout = self.the_checkout()
        (component,) = [one["componentId"] for one in checkout["components"] if one["paymentMethodType"] == ACH]
        self.client.call("events.subscribe", checkoutId=checkout["checkoutId"], after=0)
        self.client.await_event("info mandate", checkout["checkoutId"])
        self.client.call("component.acceptMandate", componentId=component)
        outcome = ctl.finish()
        self.assertEqual(outcome.status, 0, outcome)
        self.assertIn(f"component.acceptMandate for {component}", outcome.errors)

    def test_invalid_details(self) -> None:
        outcome = self.assert_ends(self.ach(self.session(), {"firstName": "7", "lastName": " "}, "--json").finish(), 1)
        errors = outcome.error["data"]["validationErrors"]
        self.assertEqual([error["field"] for error in errors], ["firstName", "lastName"])
        for_people = self.ach(self.session(), {"firstName": "7", "lastName": " "}).finish().errors
        for error in errors:
            self.assertIn(f"; {error['field']}: {error['description']}", for_people)


class Endings(UnattendedTest):
    def test_time_is_over(self) -> None:
        session = self.session()
        first = self.start_pay(session, *self.with_bank(BANK), "--json")
        first.next_line()
        # It finds the payment, for which it needs nobody but the daemon, and waits for the bank in vain.
        outcome = self.start_pay(session, *self.with_bank(BANK), "--timeout", "3000").finish()
        self.assertEqual(outcome.status, TIMED_OUT, outcome)
        checkout = self.the_checkout()
        self.assertEqual(checkout["state"], "awaitingRedirect")
        self.assertIn(f"checkoutctl follow {checkout['checkoutId']}", outcome.errors)
        session.approve()
        self.assert_ends(first.finish(), 0)

    def test_interrupt_leaves_what_is_submitted(self) -> None:
        session = self.session()
        ctl = self.start_pay(session, *self.with_bank(BANK), "--json")
        ctl.next_line()
        ctl.process.send_signal(signal.SIGINT)
        self.assertEqual(ctl.finish().status, INTERRUPTED)
        again = self.start_pay(session, *self.with_bank(BANK), "--json")
        again.next_line()
        session.approve()
        self.assertEqual(self.assert_ends(again.finish(), 0).value["outcome"], "success")
        self.assertEqual(len(session.payments), 1)


class Restarts(UnattendedTest):
    def test_daemon_that_comes_back(self) -> None:
        daemon = DurableDaemon(self.sandbox.port)
        daemon.start()
        self.addCleanup(daemon.close)
        for end in (signal.SIGKILL, signal.SIGTERM):
            session = self.sandbox.session()
            token = self.file(session.client_token)
            ctl = Ctl("--socket", daemon.socket_path, "pay", "--token-file", token, *self.with_bank(BANK), "--json")
            self.addCleanup(ctl.close)
            ctl.next_line()
            daemon.end(end)
            daemon.start()
            session.approve()
            outcome = self.assert_ends(ctl.finish(), 0).value
            self.assertEqual(outcome["outcome"], "success")


class Usage(UnattendedTest):
    def assert_wrong(self, *arguments: str | Path, text: str = "") -> None:
        outcome = self.start_ctl("pay", *arguments).finish(text)
        self.assert_ends(outcome, USAGE)
        self.assertEqual(self.client.call("checkout.list")["checkouts"], [])

    def test_wrong_command_lines(self) -> None:
        token = self.file(self.session().client_token)
        self.assert_wrong("9001", text="x")
        self.assert_wrong("--token-file", "-", "--data", "-", text="{}")
        self.assert_wrong("--data", "-", text="{}")
        self.assert_wrong("--token-file", token, "--settings", "-", "--data", "-", text="{}")
        self.assert_wrong("--token-file", token, "--data", "/nonexistent/data")
        self.assert_wrong(*self.with_bank(BANK), text=" ")
        for data in ("", "[]", '{"bankId":1}', '{"acceptMandate":"yes"}', '{"paymentMethodType":true}'):
            self.assert_wrong("--token-file", token, "--data", "-", text=data)
        for settings in ("", "[]", '{"paymentHandling":"manual"}'):
            self.assert_wrong("--token-file", token, *self.with_bank(BANK), "--settings", self.file(settings))

    def test_data_that_nobody_collects(self) -> None:
        for data in ('{"bankId":"1","firstName":"A"}', '{"x":"y"}', '{"bankId":"1","paymentMethodType":"X"}'):
            with self.subTest(data):
                session = self.session(paymentMethods=[IDEAL])
                outcome = self.start_pay(session, "--data", self.file(data)).finish()
                self.assert_ends(outcome, USAGE)
                self.assertIn("no payment method of this checkout collects", outcome.errors)
                # Nobody would go on with it: the session can be paid in another checkout.
                self.start(session)

    def test_token_as_argument(self) -> None:
        token = self.session().client_token
        for arguments in ((token,), ("--token-file", token), ("--data", token)):
            outcome = self.assert_ends(self.start_ctl("pay", *arguments).finish(), USAGE)
            self.assertNotIn(token, outcome.errors)

    def test_nobody_to_ask(self) -> None:
        session = self.session()
        run = subprocess.run(
            [program("checkoutctl"), "--socket", self.daemon.socket_path, "pay"],
            input=session.client_token,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            start_new_session=True,
            check=False,
        )
        self.assertEqual((run.returncode, run.stdout), (USAGE, ""))
        self.assertIn("there is no terminal to ask on", run.stderr)
        self.assertEqual(self.client.call("checkout.list")["checkouts"], [])
