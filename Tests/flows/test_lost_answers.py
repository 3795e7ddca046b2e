"""Answers that never come, come late or make no sense, at each step of a payment."""

from __future__ import annotations

from typing import Any

from support.case import DaemonTest
from support.checkout import Checkout
from support.lines import Event, JsonObject
from support.sandbox import APPROVING, Session

MADE: JsonObject = {"createResponse": {"status": "SUCCESS", "requiredAction": None}}


class Creation(DaemonTest):
    options = ("--create-payment-timeout", "300")

    def submit(self, session: Session, fault: JsonObject) -> Event:
        checkout = self.chosen(session)
        self.sandbox.fault("payments", **fault)
        checkout.submit()
        return checkout.await_end()

    def assert_one_payment(self, session: Session, count: int) -> None:
        """There is one payment, and the requests for it had one key."""
        requests = self.sandbox.requests("payments")
        self.assertEqual(len(requests), count)
        self.assertEqual(len({request["headers"]["x-idempotency-key"] for request in requests}), 1)
        self.assertEqual(len(session.payments), 1)

    def test_answer_is_lost_after_the_effect(self) -> None:
        faults: list[JsonObject] = [
            {"reset": True},
            {"reset": "after-headers"},
            {"truncate": True},
            {"status": 502},
            {"body": "<html></html>", "contentType": "text/html"},
            {"redirect": "https://example.com/"},
            {"delayMs": 1500},
        ]
        for fault in faults:
            with self.subTest(fault):
                self.sandbox.reset()
                session = self.session(**APPROVING)
                end = self.submit(session, fault | {"afterEffect": True})
                self.assert_failed(end, "outcome-unknown", "unknown")
                self.assertEqual(end.params["payment"]["id"], session.payment["id"])
                self.assertEqual(end.params["payment"]["status"], "PENDING")
                self.assert_one_payment(session, count=2)

    def test_payment_turns_out_to_be_made(self) -> None:
        for legacy in (False, True):
            with self.subTest(legacy=legacy):
                self.sandbox.reset()
                session = self.session(**MADE, legacyIdempotency=legacy)
                end = self.submit(session, {"reset": True, "afterEffect": True})
                self.assert_completed(end, "success")
                self.assertEqual(end.params["payment"]["id"], session.payment["id"])
                self.assert_one_payment(session, count=2)

    def test_payment_turns_out_to_be_declined(self) -> None:
        session = self.session(createResponse={"status": "FAILED", "requiredAction": None})
        end = self.submit(session, {"reset": True, "afterEffect": True})
        self.assert_failed(end, "payment-failed", "failed")
        self.assertEqual(end.params["payment"]["status"], "FAILED")
        self.assert_one_payment(session, count=2)

    def test_request_is_lost_before_the_effect(self) -> None:
        session = self.session(**APPROVING)
        self.assert_completed(self.submit(session, {"reset": True}), "success")
        self.assert_one_payment(session, count=2)

    def test_refusal_is_certain(self) -> None:
        session = self.session()
        end = self.submit(session, {"status": 422})
        self.assert_failed(end, "server-error", "failed")
        self.assertEqual((end.params["error"]["httpStatus"], session.payments), (422, []))
        self.assertEqual(len(self.sandbox.requests("payments")), 1)
        self.assertEqual(self.start(session).state, "ready")

    def test_undecodable_success_names_its_payment(self) -> None:
        session = self.session(createResponse={"status": "SIDEWAYS"})
        checkout = self.chosen(session)
        checkout.submit()
        end = checkout.await_end()
        self.assertEqual(end.params["outcome"], "unknown")
        self.assertEqual(end.params["payment"]["id"], session.payment["id"])
        self.assertEqual(len(session.payments), 1)


class UnknownOutcome(DaemonTest):
    options = ("--create-payment-timeout", "300")

    def test_session_stays_closed_unless_a_repeat_is_allowed(self) -> None:
        session = self.session(**APPROVING)
        checkout = self.chosen(session)
        self.sandbox.fault("payments", reset=True, afterEffect=True)
        checkout.submit()
        self.assert_failed(checkout.await_end(), "outcome-unknown", "unknown")
        for token in (session.client_token, session.another_token()):
            error = self.assert_refused(1003, "session-in-use", None, "checkout.start", clientToken=token)
            self.assertEqual(error.data["checkoutId"], checkout.id)
            self.assert_refused(1003, "session-in-use", None, "checkout.start", clientToken=token, allowRepeat=False)
        again = self.chosen(session, None, allowRepeat=True)
        again.submit()
        self.assert_completed(again.await_end(), "success")
        self.assertEqual(len(session.payments), 2)

    def test_session_is_free_once_the_payment_has_failed(self) -> None:
        for other_token in (False, True):
            with self.subTest(other_token=other_token):
                session = self.session(**APPROVING)
                checkout = self.chosen(session)
                self.sandbox.fault("payments", reset=True, afterEffect=True)
                checkout.submit()
                self.assert_failed(checkout.await_end(), "outcome-unknown", "unknown")
                self.sandbox.set_status(session.payment["id"], "CANCELLED")
                token = session.another_token() if other_token else session.client_token
                # The start waits until upstream has said what became of the payment.
                self.assertEqual(self.client.call("checkout.start", clientToken=token)["state"], "ready")
                self.assertEqual(checkout.snapshot["outcome"], "unknown")
                self.assertEqual(checkout.snapshot["payment"]["status"], "CANCELLED")
                self.assertEqual(len(session.payments), 1)


class Resumption(DaemonTest):
    def submit(self, fault: JsonObject, **options: Any) -> tuple[Checkout, Event]:
        checkout = self.chosen(self.session(**APPROVING, **options))
        self.sandbox.fault("resume", **fault)
        checkout.submit()
        return checkout, checkout.await_end()

    def test_lost_before_the_effect(self) -> None:
        _, end = self.submit({"reset": True})
        self.assert_completed(end, "success")
        first, second = self.sandbox.requests("resume")
        self.assertEqual(first["body"], second["body"])

    def test_lost_after_the_effect(self) -> None:
        checkout, end = self.submit({"reset": True, "afterEffect": True})
        # The creation's request, sent again, tells what became of its payment.
        self.assert_completed(end, "success")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assertEqual(len(checkout.session.payments), 1)
        creation, question = self.sandbox.requests("payments")
        self.assertEqual(creation["body"], question["body"])
        self.assertEqual(creation["headers"]["x-idempotency-key"], question["headers"]["x-idempotency-key"])

    def test_refusal_is_not_certain(self) -> None:
        checkout, end = self.submit({"status": 422})
        self.assert_failed(end, "outcome-unknown", "unknown")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assertEqual(len(self.sandbox.requests("resume")), 1)

    def test_pending_is_no_success(self) -> None:
        checkout = self.chosen(self.session(**APPROVING, resumeResponse={"status": "PENDING"}))
        checkout.submit()
        end = checkout.await_end()
        self.assertEqual((end.label, end.params["outcome"]), ("didFail", "unknown"))

    def test_pending_to_be_shown_as_success(self) -> None:
        answer = {"status": "PENDING", "showSuccessCheckoutOnPendingPayment": True}
        checkout = self.chosen(self.session(**APPROVING, resumeResponse=answer))
        checkout.submit()
        self.assert_completed(checkout.await_end(), "pending")


class Completion(DaemonTest):
    def accepted(self, **fault: Any) -> tuple[Checkout, Event]:
        checkout = self.collecting()
        checkout.report_account()
        self.sandbox.fault("complete", **fault)
        checkout.component_call("acceptMandate")
        return checkout, checkout.await_end()

    def test_lost_before_the_effect(self) -> None:
        checkout, end = self.accepted(reset=True)
        self.assert_completed(end, "pending")
        first, second = self.sandbox.requests("complete")
        self.assertEqual(first["body"], second["body"])
        self.assertTrue(checkout.session.payment["completed"])

    def test_lost_after_the_effect(self) -> None:
        checkout, end = self.accepted(reset=True, afterEffect=True)
        self.assert_failed(end, "outcome-unknown", "unknown")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])

    def test_refusal_is_not_certain(self) -> None:
        _, end = self.accepted(status=422)
        self.assert_failed(end, "outcome-unknown", "unknown")


class Tokenization(DaemonTest):
    def submit(self, **fault: Any) -> Event:
        checkout = self.chosen(self.session(**APPROVING))
        self.sandbox.fault("payment-instruments", **fault)
        checkout.submit()
        return checkout.await_end()

    def test_what_may_pass_is_tried_again(self) -> None:
        self.assert_completed(self.submit(status=503), "success")
        self.assertEqual(len(self.sandbox.requests("payment-instruments")), 2)
        self.assertEqual(len(self.sandbox.requests("payments")), 1)

    def test_failures_end_the_checkout(self) -> None:
        cases: list[tuple[JsonObject, str]] = [
            ({"status": 422}, "server-error"),
            ({"status": 401}, "unauthorized"),
            ({"wrongShape": True}, "failed-to-decode"),
            ({"malformed": True}, "failed-to-decode"),
            ({"body": {"id": "instrument"}}, "failed-to-decode"),
            ({"body": {"token": 7, "paymentInstrumentType": "OFF_SESSION_PAYMENT"}}, "failed-to-decode"),
            ({"redirect": "https://example.com/"}, "invalid-response"),
        ]
        for fault, error_id in cases:
            with self.subTest(fault):
                end = self.submit(**fault)
                self.assert_failed(end, error_id, "failed")
                self.assertNotIn("payment", end.params)


class Polling(DaemonTest):
    options = ("--poll-timeout", "300")

    def assert_succeeds(self, *faults: JsonObject) -> None:
        for fault in faults:
            self.sandbox.fault("status", **fault)
        checkout = self.chosen(self.session(**APPROVING))
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(self.sandbox.requests("status")), len(faults) + 1)

    def test_server_error_is_asked_again(self) -> None:
        self.assert_succeeds({"status": 503})

    def test_too_many_requests_waits_as_long_as_asked(self) -> None:
        self.assert_succeeds({"status": 429, "headers": {"Retry-After": "4"}})
        first, second = self.sandbox.requests("status")
        self.assertGreaterEqual(second["elapsedMs"] - first["elapsedMs"], 3900)

    def test_lost_answer_is_asked_for_again(self) -> None:
        self.assert_succeeds({"reset": True})

    def test_late_answer_is_asked_for_again(self) -> None:
        self.assert_succeeds({"delayMs": 1000})

    def test_what_cannot_be_known(self) -> None:
        cases: list[JsonObject] = [
            {"status": 404},
            {"status": 401},
            {"body": {"status": "LOST", "id": "x", "source": "y"}},
        ]
        for fault in cases:
            with self.subTest(fault):
                self.sandbox.fault("status", **fault)
                checkout = self.chosen()
                checkout.submit()
                end = checkout.await_end()
                self.assert_failed(end, "status-poll-failed", "unknown")
                self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
                self.assert_refused(
                    1003, "session-in-use", None, "checkout.start", clientToken=checkout.session.another_token()
                )


class PollingDeadline(DaemonTest):
    options = ("--poll-span", "1200")

    def test_polls_once_more_and_gives_up(self) -> None:
        checkout = self.redirected()
        end = checkout.await_end()
        self.assert_failed(end, "status-poll-timeout", "unknown")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assertEqual(len(self.sandbox.requests("status")), 3)
