"""checkoutctl pay with a daemon that drops events, or has methods that are newer than the command."""

from __future__ import annotations

import json
from typing import Any

from clients.case import CtlTest
from clients.ctl import Ctl, FakeDaemon
from support.lines import JsonObject

_PAGE = "https://bank.example.com/page"
_REDIRECT = {"name": "webRedirect", "state": "loaded", "url": _PAGE}


def said(**members: Any) -> str:
    """A line of a daemon's."""
    return json.dumps({"jsonrpc": "2.0", **members}) + "\n"


def event(seq: int, method: str, **members: Any) -> str:
    """An event of the checkout's component."""
    return said(method=method, params={"checkoutId": "co_1", "componentId": "cm_1", "seq": seq, **members})


class LossTest(CtlTest):
    def setUp(self) -> None:
        super().setUp()
        self.fake = FakeDaemon(self.directory() / "socket")
        self.addCleanup(self.fake.close)

    def pay(self, data: str = '{"bankId":"0"}') -> Ctl:
        """A payment with what a shopper has given already, if nothing is said with a bank."""
        files = ("--token-file", self.file("token"), "--data", self.file(data))
        ctl = Ctl("--socket", self.fake.path, "pay", *files, "--retry", "0")
        self.addCleanup(ctl.close)
        return ctl

    def answers(self, *after: str) -> None:
        """What the daemon says up to the submission, and then."""
        method = {"type": "ADYEN_IDEAL", "name": "iDEAL", "manager": "componentWithRedirectManager"}
        snapshot = {"checkoutId": "co_1", "state": "ready", "seq": 1, "availablePaymentMethods": [method]}
        banks = [{"id": "0", "name": "Bank"}]
        state = {"step": {"name": "banksRetrieved", "banks": banks}, "banks": banks, "missing": ["bankId"]}
        self.fake.answer(
            said(id=1, result=snapshot),
            said(id=2, result=snapshot),
            said(id=3, result={"epoch": "e"}),
            said(id=4, result={"componentId": "cm_1", "component": "BanksComponent", "state": state}),
            said(id=5, result={"from": 2, "to": 1, "ended": False}),
            said(id=6, result={"status": "valid"}),
            *after,
        )

    def test_an_event_that_comes_before_the_new_subscription(self) -> None:
        ctl = self.pay()
        lost = {"checkoutId": "co_1", "from": 2, "to": 3}
        self.answers(
            said(id=7, result={}) + said(method="events.lost", params=lost),
            event(4, "checkout.didStartTokenization")
            + said(id=8, result={"from": 2, "to": 4, "ended": False})
            + event(2, "component.didReceiveStep", step={"name": "webRedirect", "state": "loading"})
            + event(3, "component.didReceiveStep", step=_REDIRECT)
            + event(4, "checkout.didStartTokenization"),
            said(id=9, result={})
            + event(5, "checkout.didCompleteCheckout", outcome="success", payment={"id": "p", "status": "SUCCESS"}),
        )
        outcome = self.assert_ends(ctl.finish(), 0)
        self.assertEqual(outcome.output.splitlines(), [f"redirect {_PAGE}", "success p SUCCESS"])

    def test_what_is_kept_no_longer_stands_in_the_snapshot(self) -> None:
        ctl = self.pay()
        lost = {"checkoutId": "co_1", "from": 2, "to": 4}
        awaited = {"kind": "redirect", "url": _PAGE}
        waiting = {"checkoutId": "co_1", "state": "awaitingRedirect", "seq": 4, "awaiting": [awaited]}
        gone = said(method="events.lost", params=lost)
        self.answers(
            said(id=7, result={}) + gone,
            said(id=8, result={"from": 2, "to": 4, "ended": False, "trimmedTo": 4}) + gone,
            said(id=9, result=waiting),
            said(id=10, result={})
            + event(5, "checkout.didCompleteCheckout", outcome="success", payment={"id": "p", "status": "SUCCESS"}),
        )
        outcome = self.assert_ends(ctl.finish(), 0)
        self.assertEqual(outcome.output.splitlines(), [f"redirect {_PAGE}", "success p SUCCESS"])


class NewMethodTest(LossTest):
    """An old command pays with what a newer daemon has: it knows fields, steps and what is awaited, and no names."""

    def new_method(self, fields: list[JsonObject], *after: str) -> None:
        """What a daemon with a new method says up to the submission, and then."""
        method = {"type": "NEW_METHOD", "name": "New", "manager": "newManager"}
        snapshot = {"checkoutId": "co_1", "state": "ready", "seq": 1, "availablePaymentMethods": [method]}
        state = {"fields": fields, "step": {"name": "notInitialized"}, "missing": [row["name"] for row in fields]}
        self.fake.answer(
            said(id=1, result=snapshot),
            said(id=2, result=snapshot),
            said(id=3, result={"epoch": "e"}),
            said(id=4, result={"componentId": "cm_1", "component": "NewComponent", "state": state}),
            said(id=5, result={"from": 2, "to": 1, "ended": False}),
            said(id=6, result={"step": {"name": "ready"}}),
            said(id=7, result={**state, "step": {"name": "ready"}}),
            *after,
        )

    def test_fields_that_it_does_not_know_and_a_code(self) -> None:
        ctl = self.pay('{"shoeSize":"42"}')
        code = {"kind": "qrCode", "imageUrl": "https://codes.example.com/1", "expiresAt": "2030-01-01T00:00:00Z"}
        field = {"name": "shoeSize", "kind": "digits", "label": "Shoe size", "isSecret": False, "required": True}
        self.new_method(
            [field],
            said(id=8, result={"status": "valid"}),
            said(id=9, result={})
            + event(2, "component.didReceiveStep", step={"name": "awaitingCode"})
            + event(3, "checkout.didReceiveAdditionalInfo", info=code)
            + event(4, "checkout.didCompleteCheckout", outcome="success", payment={"id": "p", "status": "SUCCESS"}),
        )
        outcome = self.assert_ends(ctl.finish(), 0)
        self.assertEqual(outcome.output.splitlines(), [f"code {code['imageUrl']}", "success p SUCCESS"])

    def test_nothing_to_collect_and_a_voucher(self) -> None:
        ctl = self.pay("{}")
        voucher = {"kind": "voucher", "reference": "123456789", "entity": "11249"}
        payment = {"id": "p", "status": "PENDING"}
        self.new_method(
            [],
            said(id=8, result={})
            + event(2, "component.didReceiveStep", step={"name": "somethingNew"})
            + event(3, "checkout.didReceiveAdditionalInfo", info=voucher)
            + event(4, "checkout.didCompleteCheckout", outcome="pending", payment=payment, additionalInfo=voucher),
        )
        outcome = self.assert_ends(ctl.finish(), 0)
        self.assertEqual(outcome.output.splitlines(), ["voucher 123456789 11249", "pending p PENDING"])
