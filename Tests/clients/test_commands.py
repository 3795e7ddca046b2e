"""checkoutctl's commands for people: list, show, banks, wait, cancel, connections, discover."""

from __future__ import annotations

import json
import re

from clients.case import ERROR_REPLY, TIMED_OUT, CtlTest
from clients.ctl import Outcome
from support.checkout import BANK, CLOSED_BANK


def rows(outcome: Outcome) -> list[list[str]]:
    """The cells of a table."""
    return [re.split(r" {2,}", line) for line in outcome.output.splitlines()]


class List(CtlTest):
    def test_table(self) -> None:
        self.assertEqual(
            rows(self.ctl("list")), [["CHECKOUT", "STATE", "METHOD", "OUTCOME", "PAYMENT", "ORDER", "AGE"]]
        )
        first, second = self.redirected(self.approving()), self.banks()
        first.await_end()
        head, *lines = rows(self.assert_ends(self.ctl("list"), 0))
        self.assertEqual([line[:3] for line in lines], [
            [first.id, "completed", "ADYEN_IDEAL"], [second.id, "ready", "ADYEN_IDEAL"],
        ])  # fmt: skip
        self.assertEqual(lines[0][3:6], ["success", first.session.payment["id"], first.session.order_id])
        self.assertEqual(lines[1][3:6], ["-", "-", second.session.order_id])
        self.assertRegex(lines[0][6], r"^\d s$")
        self.assertEqual(len(head), 7)

    def test_states_and_json(self) -> None:
        first, second = self.start(), self.start()
        first.call("checkout.cancel")
        for states, expected in (("failed", [first.id]), ("ready,failed", [first.id, second.id]), ("submitted", [])):
            listed = self.assert_ends(self.ctl("list", "--json", "--state", states), 0).value
            self.assertEqual([checkout["checkoutId"] for checkout in listed], expected)
        outcome = self.assert_ends(self.ctl("list", "--state", "whatever"), ERROR_REPLY)
        self.assertIn("(invalid-params)", outcome.errors)

    def test_whose(self) -> None:
        other = self.start(None, self.daemon.connect_as(4711, 4711))
        self.assertEqual(self.ctl("list", "--json").value, [])
        (listed,) = self.ctl("list", "--json", "--all").value
        self.assertEqual(listed["checkoutId"], other.id)


class Show(CtlTest):
    def test_text_leaves_out_what_shoppers_typed_and_secrets(self) -> None:
        checkout = self.collecting()
        snapshot = checkout.snapshot
        outcome = self.assert_ends(self.ctl("show", checkout.id), 0)
        shown = dict(row for row in rows(outcome) if len(row) == 2)
        self.assertEqual(shown["checkout"], checkout.id)
        self.assertEqual(shown["state"], "awaitingBankAccount")
        self.assertEqual(shown["awaiting"], "bankAccount")
        self.assertEqual(shown["order"], checkout.session.order_id)
        secrets = [snapshot["awaiting"][0]["info"]["clientSecret"], *checkout.session.customer.values()]
        for secret in secrets:
            self.assertNotIn(str(secret), outcome.output)

    def test_address_to_open(self) -> None:
        checkout = self.redirected()
        shown = dict(row for row in rows(self.ctl("show", checkout.id)) if len(row) == 2)
        self.assertEqual(shown["awaiting"], f"redirect {checkout.snapshot['awaiting'][0]['url']}")

    def test_end(self) -> None:
        checkout = self.start(None, None, startKey="till-1")
        checkout.call("checkout.cancel")
        shown = dict(row for row in rows(self.assert_ends(self.ctl("show", "key:till-1"), 0)) if len(row) == 2)
        self.assertEqual((shown["state"], shown["outcome"]), ("failed", "cancelled"))
        self.assertTrue(shown["error"].startswith("payment-cancelled"))
        self.assertEqual(shown["events"], "2")

    def test_json(self) -> None:
        checkout = self.banks()
        self.assertEqual(self.assert_ends(self.ctl("show", "--json", checkout.id), 0).value, checkout.snapshot)

    def test_unknown(self) -> None:
        for name in ("co_0123456789abcdef", "key:nothing", "nothing"):
            outcome = self.ctl("show", name)
            self.assertEqual((outcome.status, outcome.output), (ERROR_REPLY, ""))
            self.assertRegex(outcome.errors, r"^checkoutctl: .* \((unknown-checkout|invalid-params)\)\n")

    def test_names_cannot_steer_a_terminal(self) -> None:
        session = self.session(banks=[{"id": "1", "name": "Bank\x1b[2J\u202eof", "disabled": False}])
        checkout = self.start(session)
        outcome = self.assert_ends(self.ctl("banks", checkout.id), 0)
        self.assertEqual(rows(outcome)[1], ["1", "Bank\ufffd[2J\ufffdof"])


class Banks(CtlTest):
    def test_table(self) -> None:
        checkout = self.start()
        head, *lines = rows(self.assert_ends(self.ctl("banks", checkout.id), 0))
        self.assertEqual(head, ["ID", "NAME"])
        banks = {line[0]: line[1:] for line in lines}
        self.assertEqual(banks[BANK], ["Ambachtsbank"])
        self.assertEqual(banks[CLOSED_BANK][1:], ["disabled"])

    def test_json_and_again(self) -> None:
        checkout = self.start(None, None, startKey="till-1")
        first = self.assert_ends(self.ctl("banks", "--json", checkout.id), 0).value
        self.assertEqual(first, checkout.snapshot["components"][0]["banks"])
        self.assertEqual(self.assert_ends(self.ctl("banks", "--json", "key:till-1"), 0).value, first)
        self.assertEqual(len(self.sandbox.requests("banks")), 1)

    def test_that_somebody_else_is_loading(self) -> None:
        checkout = self.start()
        self.sandbox.hold("banks")
        first = self.start_ctl("banks", "--json", checkout.id)
        self.sandbox.requests("banks", count=1)
        second = self.start_ctl("banks", "--json", checkout.id)
        self.await_waiting(2)
        self.sandbox.release("banks")
        loaded = self.assert_ends(first.finish(), 0).value
        self.assertEqual(self.assert_ends(second.finish(), 0).value, loaded)
        self.assertIn(BANK, [bank["id"] for bank in loaded])

    def test_that_cannot_be_loaded(self) -> None:
        checkout = self.start()
        self.sandbox.fault("banks", status=403)
        outcome = self.assert_ends(self.ctl("banks", checkout.id), ERROR_REPLY)
        self.assertRegex(outcome.errors, r"\([a-z-]+\)\n")


class Wait(CtlTest):
    def test_end(self) -> None:
        checkout = self.redirected()
        ctl = self.start_ctl("wait", checkout.id)
        checkout.session.approve()
        self.assertIn(["outcome", "success"], rows(self.assert_ends(ctl.finish(), 0)))
        again = self.assert_ends(self.ctl("wait", "--json", checkout.id, "--wait", "terminal"), 0)
        self.assertEqual(again.value, checkout.snapshot)

    def test_awaiting(self) -> None:
        checkout = self.redirected()
        outcome = self.assert_ends(self.ctl("wait", "--json", checkout.id, "--wait", "awaiting"), 0)
        self.assertEqual(outcome.value["awaiting"][0]["kind"], "redirect")
        checkout.call("checkout.cancel")
        checkout.await_end()
        self.assert_ends(self.ctl("wait", checkout.id, "--wait", "awaiting"), ERROR_REPLY)

    def test_event_that_has_come_already(self) -> None:
        checkout = self.chosen()
        name = "component.didUpdateValidationStatus"
        outcome = self.assert_ends(self.ctl("wait", "--json", checkout.id, "--wait", name), 0)
        self.assertEqual((outcome.value["method"], outcome.value["params"]["seq"]), (name, 4))
        outcome = self.assert_ends(self.ctl("wait", checkout.id, "--wait", name, "--since", "4"), 0)
        self.assertRegex(outcome.output, rf"  5  {name}  valid\n$")
        ctl = self.start_ctl("wait", "--json", checkout.id, "--wait", name, "--since", "5")
        checkout.update(bankId=CLOSED_BANK)
        self.assertEqual(self.assert_ends(ctl.finish(), 0).value["params"]["seq"], 6)

    def test_event_that_never_comes(self) -> None:
        checkout = self.start()
        ctl = self.start_ctl("wait", checkout.id, "--wait", "checkout.didCompleteCheckout")
        checkout.call("checkout.cancel")
        self.assertIn("checkout.didCompleteCheckout", self.assert_ends(ctl.finish(), ERROR_REPLY).errors)

    def test_limit_of_time(self) -> None:
        checkout = self.start()
        for awaited in ("terminal", "awaiting", "checkout.didFail"):
            self.assert_ends(self.ctl("wait", checkout.id, "--wait", awaited, "--timeout", "50"), TIMED_OUT)


class Cancel(CtlTest):
    def test_state(self) -> None:
        checkout = self.start(None, None, startKey="till-1")
        outcome = self.assert_ends(self.ctl("cancel", "key:till-1", "--reason", "left"), 0)
        self.assertEqual(outcome.output, "failed\n")
        self.assertEqual(checkout.snapshot["outcome"], "cancelled")
        outcome = self.assert_ends(self.ctl("cancel", "--json", checkout.id), ERROR_REPLY)
        self.assertEqual(outcome.error["data"]["errorId"], "checkout-ended")

    def test_waits_for_the_end(self) -> None:
        checkout = self.chosen()
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", count=1)
        ctl = self.start_ctl("cancel", "--json", checkout.id, "--wait", "terminal")
        self.assertEqual(ctl.next_line(), {"state": "cancelling"})
        self.await_waiting()
        self.sandbox.release("payments")
        self.assertEqual(ctl.finish(), Outcome(0, "", ""))
        self.assertIn("outcome", checkout.snapshot)


class Connections(CtlTest):
    def test_table(self) -> None:
        self.client.call("system.hello", client="till")
        head, *lines = rows(self.assert_ends(self.ctl("connections"), 0))
        self.assertEqual(head[:4], ["PID", "UID", "COMMAND", "CLIENT"])
        self.assertIn("till", [line[3] for line in lines])
        self.assertIn("checkoutctl", [line[2] for line in lines])

    def test_all_pages(self) -> None:
        self.daemon = self.start_daemon("--max-connections-per-uid", "2000", "--max-connection-rate", "100000")
        for _ in range(1100):
            self.daemon.connect()
        self.assertEqual(len(self.assert_ends(self.ctl("connections", "--json"), 0).value), 1101)


class Discover(CtlTest):
    def test_document(self) -> None:
        document = self.client.call("rpc.discover")
        self.assertEqual(self.assert_ends(self.ctl("discover", "--json"), 0).value, document)
        indented = self.assert_ends(self.ctl("discover"), 0).output
        self.assertEqual(json.loads(indented), document)
        self.assertEqual(indented, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
