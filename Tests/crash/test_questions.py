"""Questions: what became of a payment is asked by sending its creation again, unless that has ever made a second payment."""

from __future__ import annotations

from crash.case import HOW, DurableTest
from support.checkout import Checkout
from support.lines import Event, JsonObject

SECOND: JsonObject = {"id": "second", "orderId": "order-2", "status": "SUCCESS"}


class Questions(DurableTest):
    def end_without_answer(self, answer: JsonObject | None = None) -> tuple[Checkout, Event]:
        """Pays, but the resumption's answer is lost: only a question, if one is asked, tells the outcome."""
        checkout = self.redirected()
        before = len(self.sandbox.requests("payments"))
        if answer:
            self.sandbox.fault("payments", status=201, body=answer)
        self.sandbox.fault("resume", reset=True, afterEffect=True)
        checkout.session.approve()
        end = checkout.await_end()
        self.question_count = len(self.sandbox.requests("payments")) - before
        return checkout, end

    def assert_asked(self) -> None:
        _, end = self.end_without_answer()
        self.assert_completed(end, "success")
        self.assertEqual(self.question_count, 1)

    def assert_not_asked(self) -> None:
        checkout, end = self.end_without_answer()
        self.assertEqual((end.label, end.params["outcome"], self.question_count), ("didFail", "unknown", 0))
        # Nor when the session is wanted again.
        before = len(self.sandbox.requests("payments"))
        self.assert_refused(
            1003, "session-in-use", None, "checkout.start", clientToken=checkout.session.client_token
        )
        self.assertEqual(len(self.sandbox.requests("payments")), before)

    @property
    def status(self) -> JsonObject:
        status: JsonObject = self.client.call("system.status")["questions"]
        return status

    def test_none_is_asked_after_a_second_payment_until_an_administrator_says_so(self) -> None:
        self.assert_asked()
        self.assertEqual(self.status, {"asked": True})
        checkout, end = self.end_without_answer(SECOND)
        self.assertEqual((end.params["outcome"], self.question_count), ("unknown", 1))
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assertEqual(end.params["secondPayment"]["id"], SECOND["id"])
        stopped = {"asked": False, "stoppedBy": checkout.id}
        self.assertEqual(self.status, stopped)
        self.assertIn("<2>a question has made a second payment", self.daemon.log)
        self.assert_not_asked()
        for how in HOW:
            self.restart(how)
            self.assertEqual(self.status, stopped)
            self.assert_not_asked()
        stranger = self.daemon.connect_as(61001, 61001)
        self.assert_refused(-32002, "permission-denied", stranger, "system.allowQuestions")
        self.assertNotIn("questions", stranger.call("system.status"))
        self.assertEqual(self.status, stopped)
        self.assertEqual(self.client.call("system.allowQuestions"), {})
        for how in HOW:
            self.assertEqual(self.status, {"asked": True})
            self.assert_asked()
            self.restart(how)
        # Where nothing is stopped there is nothing to do.
        self.assertEqual(self.client.call("system.allowQuestions"), {})

    def test_none_is_asked_where_they_are_not_wanted(self) -> None:
        self.daemon.options += ["--questions", "no"]
        self.restart()
        self.assertEqual(self.status, {"asked": False})
        self.assert_not_asked()
        # It is no alarm, and so not to be reset.
        self.assertEqual(self.client.call("system.allowQuestions"), {})
        self.assertEqual(self.status, {"asked": False})
