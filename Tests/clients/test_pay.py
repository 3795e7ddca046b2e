"""checkoutctl pay: whole payments at a terminal, and how the terminal is left."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from clients.pay import FAILING, IMPATIENT, PATIENT, REPORTING, PayTest
from clients.terminal import Terminal
from crash.durable import DurableDaemon
from support.checkout import ACH, ACH_SETTINGS, IDEAL

CANCELLED, HUNG_UP, TERMINATED, TIMED_OUT = 130, 129, 143, 4


class Banks(PayTest):
    def test_filtering_and_enter(self) -> None:
        session = self.session()
        terminal = self.choosing(session)
        self.assertIn(f"Pay EUR 12.99  {session.order_id}", terminal.display.text)
        self.assertEqual(terminal.chosen, "Ambachtsbank")
        terminal.press("CREDIT")
        terminal.wait_until(lambda: terminal.chosen == "Crédit Zilverduin", "the bank")
        self.assertNotIn("Ambachtsbank", terminal.display.text)
        terminal.press("\r")
        terminal.wait("Open this address", "Waiting for the bank")
        self.assertEqual(self.the_checkout()["state"], "awaitingRedirect")
        session.approve()
        self.assert_left(terminal, 0)
        self.assertEqual(session.payment["issuer"], "9003")
        self.assertIn("The payment is complete.", terminal.display.text)
        self.assertIn(session.payment["id"], terminal.display.text)

    def test_what_is_removed_is_shown_again(self) -> None:
        terminal = self.choosing(self.session())
        terminal.press("zee")
        terminal.wait_until(lambda: terminal.chosen == "Zeester Bank", "the bank")
        terminal.press("x")
        terminal.wait("No bank has such a name.")
        terminal.press("\r")
        terminal.wait("No bank in this list can be chosen")
        terminal.press("\x7f")
        terminal.wait_until(lambda: terminal.chosen == "Zeester Bank", "the bank")
        terminal.press("\x1b")
        terminal.wait("Ambachtsbank", "Zeester Bank")
        terminal.press("\x1b")
        terminal.wait("How do you want to pay?")

    def test_arrows_go_past_a_disabled_bank(self) -> None:
        terminal = self.choosing(self.session())
        terminal.press("\x1b[B" * 8)
        terminal.wait_until(lambda: terminal.chosen == "Noorderwind Bank", "the bank before")
        terminal.press("\x1b[B")
        terminal.wait_until(lambda: terminal.chosen == "Tulpveld Spaarbank", "the bank after")

    def test_disabled_bank_cannot_be_chosen(self) -> None:
        session = self.session()
        terminal = self.choosing(session)
        terminal.press("ooie")
        terminal.wait_until(lambda: not terminal.chosen, "no bank to be chosen")
        self.assertIn("  Ooievaar Bank  not available at present", terminal.display.lines)
        terminal.press("\r")
        terminal.wait("No bank in this list can be chosen at present.")
        self.assertEqual(self.the_checkout()["state"], "ready")
        self.assertEqual(session.payments, [])

    def test_only_method_is_not_asked_for(self) -> None:
        terminal = self.pay(self.session(paymentMethods=[IDEAL]))
        terminal.wait("Bank:", "Ambachtsbank")

    def test_amounts(self) -> None:
        for currency, amount in (("USD", "USD 12.99"), ("JPY", "JPY 1299"), ("KWD", "KWD 1.299")):
            terminal = self.pay(self.session(order={"currencyCode": currency}))
            terminal.wait(f"Pay {amount}  order-")

    def test_declined(self) -> None:
        session = self.session()
        terminal = self.at_the_bank(session)
        session.decline()
        self.assert_left(terminal, 1)
        self.assertIn("The payment failed. No money moves.", terminal.display.text)

    def test_banks_that_cannot_be_fetched_can_be_fetched_again(self) -> None:
        self.sandbox.fault("banks", status=400)
        terminal = self.pay(self.session())
        terminal.wait("How do you want to pay?")
        terminal.press("\r")
        terminal.wait("The list of banks could not be fetched.")
        terminal.press("\r")
        terminal.wait("Bank:", "Ambachtsbank")

    def test_submission_that_failed_can_be_done_again(self) -> None:
        session = self.session(paymentMethods=[{"type": IDEAL, "surcharge": 50}])
        terminal = self.pay(session)
        terminal.wait("Ambachtsbank")
        self.sandbox.fault("actions", status=400)
        terminal.press("\r")
        terminal.wait("How do you want to pay?", "The client session could not be changed")
        terminal.press("\r")
        terminal.wait("Ambachtsbank")
        terminal.press("\r")
        terminal.wait("Waiting for the bank")
        session.approve()
        self.assert_left(terminal, 0)

    def test_text_from_outside_cannot_steer_the_terminal(self) -> None:
        banks = [{"id": "1", "name": "\x1b[2J\x1b]0;x\x07\x9bEvil\u202eBank\r\n", "disabled": False}]
        terminal = self.pay(self.session(banks=banks, paymentMethods=[IDEAL]))
        terminal.wait("Evil")
        self.assertEqual(terminal.chosen, "�[2J�]0;x��Evil�Bank��")
        self.assertEqual(terminal.display.unknown, [])
        self.assertNotIn("\x1b]", terminal.written)

    def test_refused_token(self) -> None:
        session = self.session()
        session.expire()
        terminal = self.pay(session)
        self.assert_left(terminal, 1)
        self.assertIn("(unauthorized)", terminal.display.text)


class Codes(PayTest):
    def drawn(self, terminal: Terminal) -> list[str]:
        """The lines of the code, as wide as it is."""
        lines = terminal.display.lines
        first = next(index for index, line in enumerate(lines) if "█▀▀▀▀▀█" in line)
        last = max(index for index, line in enumerate(lines) if "▀▀▀▀▀▀▀" in line)
        return [line.ljust(terminal.display.columns) for line in lines[first - 1 : last + 2]]

    def test_code_is_the_address(self) -> None:
        session = self.session()
        terminal = self.at_the_bank(session)
        address = terminal.display.lines[2]
        self.assertRegex(address, f"^{self.sandbox.base}/bank/pay_[0-9a-f]+$")
        self.assertEqual(self.decoded(self.drawn(terminal)), address)

    def test_code_of_a_long_address(self) -> None:
        address = "https://bank.example.com/pay?" + "x" * 400
        session = self.session(actionTokenOverrides={"redirectUrl": address})
        terminal = self.at_the_bank(session, columns=100, rows=60)
        self.assertEqual("".join(terminal.display.lines[2:7]), address)
        self.assertEqual(self.decoded(self.drawn(terminal)), address)

    def test_window_that_is_too_small_says_so(self) -> None:
        terminal = self.at_the_bank(self.session(), columns=60, rows=12)
        terminal.wait("The code needs a window of 37 × 23", "http://")
        terminal.resize(60, 23)
        terminal.wait("Waiting for the bank", "▀▀▀▀▀▀▀")
        self.assertEqual(self.decoded(self.drawn(terminal)), terminal.display.lines[2])
        terminal.resize(60, 22)
        terminal.wait("The code needs a window of 37 × 23")


class Accounts(PayTest):
    def test_whole_payment(self) -> None:
        session = self.session()
        collector = self.collector(REPORTING)
        terminal = self.entering(session, environment=collector.environment)
        terminal.press("\x1b[B\x1b[B\r")
        terminal.wait("http://127.0.0.1:4242/account", "Waiting for the bank account")
        component = self.the_checkout()["components"][0]["componentId"]
        self.assertEqual(
            collector.called, f"/bin/bash {collector.path} --socket {self.daemon.socket_path} {component} "
        )
        self.assertEqual(collector.told["fullName"], "Mila Verhoeven")
        self.assertRegex(collector.told["clientSecret"], "^pi_.*_secret_")
        collector.go()
        terminal.wait("Example Shop may debit your bank account.", "Do you accept?")
        self.assertFalse(session.payment.get("completed"))
        terminal.press("y")
        self.assert_left(terminal, 0)
        self.assertTrue(session.payment["completed"])
        self.assertIn("the bank has still to confirm it", terminal.display.text)

    def test_validation_as_one_types(self) -> None:
        session = self.session(customer={"lastName": None, "emailAddress": None})
        terminal = self.pay(session, "--settings", self.file(json.dumps(ACH_SETTINGS)))
        terminal.wait("How do you want to pay?")
        terminal.press("\x1b[B\r")
        terminal.wait("✓ First name      Mila", "✗ Last name", "The last name is missing or not a name", "✗ E-mail")
        terminal.press("\r\r\r")
        terminal.press("O’Brien-李")
        terminal.wait("✓ Last name       O’Brien-李")
        self.assertNotIn("The last name", terminal.display.text)
        terminal.press("\tmila@")
        terminal.wait("✗ E-mail address  mila@", "The e-mail address is missing or malformed")
        terminal.press("example.com")
        terminal.wait("✓ E-mail address  mila@example.com")
        self.assertNotIn("The e-mail", terminal.display.text)
        terminal.press("\x1b[Z\x15")
        terminal.wait("✗ Last name", "The last name is missing or not a name")
        terminal.press("Verhoeven")
        terminal.wait("✓ Last name       Verhoeven")
        terminal.press("\t\r")
        terminal.wait("Waiting for the bank account")
        self.assertEqual(session.customer["lastName"], "Verhoeven")
        self.assertEqual(session.customer["emailAddress"], "mila@example.com")

    def test_invalid_details_are_not_submitted(self) -> None:
        session = self.session()
        terminal = self.entering(session)
        terminal.press("7")
        terminal.wait("First name      Mila7")
        terminal.press("\x15")
        terminal.wait("✗ First name")
        terminal.press("\t\t\r")
        terminal.press("Sofie")
        terminal.wait("✓ First name      Sofie")
        self.assertEqual(self.the_checkout()["state"], "ready")

    def test_mandate_is_declined(self) -> None:
        session = self.session()
        terminal = self.entering(session, environment=self.collector(IMPATIENT).environment)
        terminal.press("\r\r\r")
        terminal.wait("Do you accept?")
        terminal.press("n")
        self.assert_left(terminal, 1)
        self.assertIn("The payment was cancelled. No money moves.", terminal.display.text)

    def test_long_mandate_is_read_before_it_is_answered(self) -> None:
        text = "\n".join(f"Clause {number}\x1b[2J" for number in range(50))
        stripe = {"publishableKey": "pk_test_example", "mandateText": text}
        settings = self.file(json.dumps({"urlScheme": "kiosk://checkout", "stripe": stripe}))
        session = self.session(paymentMethods=[ACH])
        terminal = self.pay(
            session, "--settings", settings, rows=12, environment=self.collector(IMPATIENT).environment
        )
        terminal.wait("✓ E-mail")
        terminal.press("\r\r\r")
        terminal.wait("Clause 0�[2J", "Clause 6", "Do you accept?")
        self.assertNotIn("Clause 7", terminal.display.text)
        terminal.press("\x1b[B" * 60)
        terminal.wait("Clause 43", "Clause 49")
        terminal.press("\x1b[A")
        terminal.wait("Clause 42")
        terminal.press("y")
        self.assert_left(terminal, 0)

    def test_no_program_asks_for_the_account(self) -> None:
        session = self.session()
        terminal = self.entering(session, environment={"CHECKOUTD_COLLECTOR": "checkoutd-no-such-program"})
        terminal.press("\r\r\r")
        terminal.wait("There is no program checkoutd-no-such-program", "component.reportBankAccount")
        component = self.the_checkout()["components"][0]["componentId"]
        self.client.call(
            "component.reportBankAccount", componentId=component, outcome="succeeded", paymentId="pi_example"
        )
        terminal.wait("Do you accept?")
        terminal.press("y")
        self.assert_left(terminal, 0)

    def test_program_that_fails_is_started_again(self) -> None:
        session = self.session()
        collector = self.collector(FAILING)
        terminal = self.entering(session, environment=collector.environment)
        terminal.press("\r\r\r")
        terminal.wait("ended: no �[2Jbrowser", "Enter starts it again")
        collector.path.write_text(self.collector(IMPATIENT).path.read_text())
        terminal.press("\r")
        terminal.wait("Do you accept?")

    def test_method_that_settings_are_missing_for(self) -> None:
        terminal = self.pay(self.session())
        terminal.wait("How do you want to pay?")
        terminal.press("\x1b[B\r")
        terminal.wait("/settings/stripe/publishableKey", "How do you want to pay?")


class Leaving(PayTest):
    def test_interrupt_before_the_submission_cancels(self) -> None:
        session = self.session()
        for keys in ("", "\r"):
            terminal = self.pay(session)
            terminal.wait("How do you want to pay?")
            terminal.press(keys)
            terminal.wait("Bank:" if keys else "iDEAL")
            (live,) = self.client.call("checkout.list", states=["ready"])["checkouts"]
            terminal.press("\x03")
            self.assert_left(terminal, CANCELLED)
            self.assertIn("the checkout was cancelled; nothing was paid", terminal.display.text)
            ended = self.client.call("checkout.get", checkoutId=live["checkoutId"])
            self.assertEqual(ended["outcome"], "cancelled")
        self.assertEqual(session.payments, [])

    def test_interrupt_while_the_checkout_is_being_opened_cancels(self) -> None:
        self.sandbox.hold("configuration")
        terminal = self.pay(self.session())
        terminal.wait("Opening the checkout")
        self.sandbox.requests("configuration", count=1)
        terminal.press("\x03")
        self.assert_left(terminal, CANCELLED)
        self.sandbox.release("configuration")
        self.assertEqual(self.client.call("checkout.list", states=["ready", "starting"])["checkouts"], [])

    def test_interrupt_after_the_submission_leaves_the_payment(self) -> None:
        session = self.session()
        terminal = self.at_the_bank(session)
        checkout = self.the_checkout()
        terminal.press("\x03")
        self.assert_left(terminal, CANCELLED)
        self.assertIn(f"checkoutctl follow {checkout['checkoutId']}", terminal.display.text)
        self.assertIn(checkout["awaiting"][0]["url"], terminal.display.text)
        self.assertEqual(self.the_checkout()["state"], "awaitingRedirect")
        again = self.pay(session)
        again.wait("Waiting for the bank", checkout["awaiting"][0]["url"])
        session.approve()
        self.assert_left(again, 0)
        self.assertEqual(len(session.payments), 1)

    def test_signals_leave_the_checkout_and_restore_the_terminal(self) -> None:
        session = self.session()
        for number, status in ((signal.SIGTERM, TERMINATED), (signal.SIGHUP, HUNG_UP)):
            terminal = self.choosing(session)
            os.kill(terminal.pid, number)
            self.assert_left(terminal, status)
            self.assertEqual(self.the_checkout()["state"], "ready")
            self.assertIn("the checkout is still open", terminal.display.text)
        self.assertEqual(session.payments, [])

    def test_suspended_and_continued(self) -> None:
        terminal = self.choosing(self.session())
        pid = terminal.pid
        terminal.press("\x1a")
        terminal.wait_until(lambda: terminal.is_restored, "the terminal as it was")
        stat = Path(f"/proc/{pid}/stat")
        terminal.wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", "the program to stop")
        os.kill(pid, signal.SIGCONT)
        terminal.wait("Bank:", "Ambachtsbank")
        terminal.press("zee")
        terminal.wait_until(lambda: terminal.chosen == "Zeester Bank", "the bank")

    def test_time_is_over(self) -> None:
        terminal = self.pay(self.session(), "--timeout", "300")
        self.assert_left(terminal, TIMED_OUT)

    def test_ended_from_elsewhere(self) -> None:
        terminal = self.choosing(self.session())
        self.client.call("checkout.cancel", checkoutId=self.the_checkout()["checkoutId"])
        self.assert_left(terminal, 1)
        self.assertIn("The payment was cancelled.", terminal.display.text)

    def test_collector_does_not_outlive_it(self) -> None:
        collector = self.collector(PATIENT)
        terminal = self.entering(self.session(), environment=collector.environment)
        terminal.press("\r\r\r")
        terminal.wait("http://127.0.0.1:4242/account")
        children = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children")
        (child,) = (Path(f"/proc/{number}") for number in children.read_text().split())
        os.kill(terminal.pid, signal.SIGTERM)
        self.assert_left(terminal, TERMINATED)
        terminal.wait_until(lambda: not child.exists(), "the end of the collector")

    def test_collector_does_not_outlive_a_payment_that_others_went_on_with(self) -> None:
        terminal = self.entering(self.session(), environment=self.collector(PATIENT).environment)
        terminal.press("\r\r\r")
        terminal.wait("http://127.0.0.1:4242/account")
        children = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children")
        (child,) = (Path(f"/proc/{number}") for number in children.read_text().split())
        component = self.the_checkout()["components"][0]["componentId"]
        self.client.call("component.reportBankAccount", componentId=component, outcome="cancelled")
        self.assert_left(terminal, 1)
        terminal.wait_until(lambda: not child.exists(), "the end of the collector")


class Restarts(PayTest):
    def test_daemon_that_comes_back(self) -> None:
        self.daemon = daemon = DurableDaemon(self.sandbox.port)
        daemon.start()
        self.addCleanup(daemon.close)
        session = self.session()
        terminal = self.choosing(session)
        daemon.kill()
        terminal.press("zee")
        daemon.start()
        terminal.wait_until(lambda: terminal.chosen == "Zeester Bank", "the bank")
        terminal.press("\r")
        terminal.wait("Waiting for the bank")
        daemon.stop()
        daemon.start()
        session.approve()
        self.assert_left(terminal, 0)
        self.assertEqual(len(session.payments), 1)

    def test_daemon_that_stays_away(self) -> None:
        terminal = self.pay(self.session(), "--retry", "300")
        terminal.wait("How do you want to pay?")
        self.daemon.terminate()
        self.assert_left(terminal, 2)
        self.assertIn("cannot connect", terminal.display.text)


class Windows(PayTest):
    def test_narrow_and_low(self) -> None:
        terminal = self.choosing(self.session())
        for columns, rows in ((20, 6), (8, 3), (1, 1)):
            terminal.resize(columns, rows)
            terminal.wait_until(lambda: any(terminal.display.lines), "something")
            self.assertLessEqual(max(map(len, terminal.display.lines)), columns)
        terminal.resize(40, 8)
        terminal.wait("Pay EUR 12.99", "Bank:", "› Ambachtsbank", "more")
        terminal.press("\x1b[B" * 20)
        terminal.wait("› Zeester Bank")
        terminal.resize(80, 24)
        terminal.wait("Ambachtsbank", "› Zeester Bank", "Ctrl-C cancel")
        self.assertEqual(terminal.display.unknown, [])

    def test_without_colours(self) -> None:
        for environment, is_coloured in (({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)):
            terminal = self.pay(self.session(), environment=environment)
            terminal.wait("How do you want to pay?")
            terminal.press("\x1b[B\r")
            terminal.wait("/settings/stripe/publishableKey")
            self.assertEqual("\x1b[31m" in terminal.written, is_coloured)


class Secrets(PayTest):
    def test_arguments_have_no_token_and_no_personal_datum(self) -> None:
        session = self.session()
        collector = self.collector(REPORTING)
        terminal = self.entering(session, environment=collector.environment)
        terminal.press("\x15Sofie\r\r\r")
        terminal.wait("http://127.0.0.1:4242/account")
        shown = b""
        children = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        for pid in (terminal.pid, *map(int, children)):
            for name in ("cmdline", "environ"):
                shown += Path(f"/proc/{pid}/{name}").read_bytes()
        self.assertIn(b"pay", shown)
        secrets = (session.client_token, session.access_token, "Sofie", "Verhoeven", "example.com")
        for secret in (*secrets, collector.told["clientSecret"]):
            self.assertNotIn(secret.encode(), shown)
        self.assertNotIn(session.client_token, terminal.written)
        self.assertNotIn(collector.told["clientSecret"], terminal.written)
