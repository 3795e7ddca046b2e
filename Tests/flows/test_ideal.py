"""Paying with iDEAL: the bank list, the choice, the bank's page and its verdict."""

from __future__ import annotations

from dataclasses import replace

from support.case import CHECKOUT_ID, TIMESTAMP, DaemonTest
from support.checkout import BANK, CLOSED_BANK, IDEAL
from support.sandbox import DECLINING

FLOW = [
    "didLoadAvailablePaymentMethods",
    "step loading",
    "step banksRetrieved",
    "validation validating",
    "validation valid",
    "step webRedirect loading",
    "willCreatePayment",
    "didStartTokenization",
    "didTokenizePaymentMethod",
    "step webRedirect loaded",
    "step webRedirect success",
    "didCompleteCheckout",
]


class WholeFlow(DaemonTest):
    def test_events_and_their_members(self) -> None:
        checkout = self.chosen()
        checkout.submit()
        loaded = checkout.await_event("step webRedirect loaded")
        self.assertTrue(loaded.params["step"]["url"].startswith(f"{self.sandbox.base}/bank/pay_"))
        checkout.session.approve()
        checkout.await_end()

        events = checkout.history()
        self.assert_labels(events, FLOW)
        self.assertEqual(events[0].seq, 1)
        for event in events:
            self.assertEqual(event.params["checkoutId"], checkout.id)
            self.assertRegex(event.params["time"], f"^{TIMESTAMP}$")
            expected = checkout.component_id if event.method.startswith("component.") else None
            self.assertEqual(event.params.get("componentId"), expected)
        self.assertEqual([event.params["time"] for event in events], sorted(event.params["time"] for event in events))

        members = {event.label: event.params for event in events}
        self.assertEqual(members["willCreatePayment"]["paymentMethodType"], IDEAL)
        self.assertNotIn("decisionId", members["willCreatePayment"])
        self.assertEqual(members["didStartTokenization"]["paymentMethodType"], IDEAL)
        self.assertEqual(members["didTokenizePaymentMethod"]["paymentMethodType"], IDEAL)
        self.assertNotIn("paymentMethodTokenData", members["didTokenizePaymentMethod"])
        payment = checkout.session.payment
        self.assertEqual(payment["status"], "SUCCESS")
        self.assertEqual(payment["issuer"], BANK)
        self.assertEqual(
            members["didCompleteCheckout"]["payment"],
            {"id": payment["id"], "orderId": payment["orderId"], "status": "SUCCESS"},
        )
        self.assertEqual(members["didCompleteCheckout"]["outcome"], "success")

    def test_snapshot_after_start(self) -> None:
        session = self.session()
        snapshot = self.client.call("checkout.start", clientToken=session.client_token)
        self.assertRegex(snapshot["checkoutId"], f"^{CHECKOUT_ID}$")
        self.assertEqual(snapshot["state"], "ready")
        self.assertEqual(snapshot["seq"], 1)
        self.assertEqual(snapshot["owner"], {"uid": 0})
        self.assertEqual(snapshot["paymentHandling"], "auto")
        self.assertEqual((snapshot["components"], snapshot["awaiting"]), ([], []))
        for name in ("createdAt", "expiresAt"):
            self.assertRegex(snapshot[name], f"^{TIMESTAMP}$")
        methods = snapshot["availablePaymentMethods"]
        # What it looks like is for the tests of that.
        for method in methods:
            method.pop("display", None)
        self.assertEqual(
            methods,
            [
                {"type": IDEAL, "name": "iDEAL", "manager": "componentWithRedirectManager"}
                | {"implementationType": "NATIVE_SDK"},
                {"type": "STRIPE_ACH", "name": "ACH", "manager": "achManager", "implementationType": "NATIVE_SDK"},
            ],
        )
        client_session = snapshot["clientSession"]
        self.assertEqual(client_session["orderId"], session.order_id)
        self.assertEqual((client_session["currencyCode"], client_session["totalAmount"]), ("EUR", 1299))
        self.assertEqual([item["itemId"] for item in client_session["lineItems"]], ["mug", "tea"])
        self.assertEqual(client_session["customer"], session.customer)
        for name in ("outcome", "error", "payment"):
            self.assertNotIn(name, snapshot)

    def test_snapshot_while_the_shopper_is_at_the_bank(self) -> None:
        checkout = self.redirected()
        snapshot = checkout.snapshot
        self.assertEqual(snapshot["state"], "awaitingRedirect")
        (awaited,) = snapshot["awaiting"]
        self.assertEqual(awaited["kind"], "redirect")
        self.assertIn("/bank/", awaited["url"])
        for name in ("since", "deadline"):
            self.assertRegex(awaited[name], f"^{TIMESTAMP}$")
        self.assertEqual(snapshot["payment"]["status"], "PENDING")
        (component,) = snapshot["components"]
        self.assertFalse(component["submittable"])

    def test_snapshot_after_the_end(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        end = checkout.await_end()
        snapshot = checkout.snapshot
        self.assertEqual((snapshot["state"], snapshot["outcome"]), ("completed", "success"))
        self.assertEqual((snapshot["seq"], snapshot["awaiting"]), (end.seq, []))
        self.assertEqual(snapshot["payment"], end.params["payment"])
        self.assert_refused(1003, "checkout-ended", None, "component.submit", componentId=checkout.component_id)

    def test_what_is_sent_upstream(self) -> None:
        checkout = self.chosen(self.approving(), settings={"locale": "nl-NL"})
        checkout.submit()
        checkout.await_end()
        sent = {request["endpoint"]: request for request in self.sandbox.all_requests()}
        self.assertEqual(list(sent), ["configuration", "banks", "payment-instruments", "payments", "status", "resume"])
        for request in sent.values():
            self.assertEqual(request["headers"]["primer-sdk-client"], "CHECKOUTD")
            self.assertIn("primer-sdk-version", request["headers"])
            self.assertIn("primer-sdk-checkout-session-id", request["headers"])
        self.assertEqual(len({request["headers"]["x-request-id"] for request in sent.values()}), len(sent))
        self.assertTrue(sent["payments"]["headers"]["x-idempotency-key"])
        self.assertNotIn("x-idempotency-key", sent["resume"]["headers"])
        instrument = sent["payment-instruments"]["body"]["paymentInstrument"]
        self.assertEqual(instrument["sessionInfo"], {"issuer": BANK, "locale": "nl_NL", "platform": "WEB"})

    def test_declined_at_the_bank(self) -> None:
        checkout = self.chosen(self.session(**DECLINING))
        checkout.submit()
        *_, step, end = checkout.events_until("didFail")
        self.assertEqual(step.label, "step webRedirect failure")
        self.assert_failed(end, "failed-to-resume-payment", "failed")
        self.assertEqual(end.params["payment"]["status"], "FAILED")
        self.assertEqual(checkout.state, "failed")

    def test_payment_made_without_a_redirect(self) -> None:
        session = self.session(createResponse={"status": "SUCCESS", "requiredAction": None})
        checkout = self.chosen(session)
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")

    def test_payment_refused_at_creation(self) -> None:
        session = self.session(createResponse={"status": "FAILED", "requiredAction": None})
        checkout = self.chosen(session)
        checkout.submit()
        end = checkout.await_end()
        self.assert_failed(end, "payment-failed", "failed")
        self.assertEqual(end.params["payment"]["id"], session.payment["id"])

    def test_one_more_redirect(self) -> None:
        checkout = self.chosen(self.session(outcome="approve", pendingPolls=0, furtherActions=1))
        checkout.submit()
        checkout.await_event("step webRedirect loaded")
        checkout.await_event("step webRedirect loaded")
        self.assert_completed(checkout.await_end(), "success")

    def test_surcharge_is_selected_before_the_payment(self) -> None:
        methods = [{"type": IDEAL, "surcharge": 50}]
        session = self.session(paymentMethods=methods, outcome="approve", pendingPolls=0)
        checkout = self.chosen(session)
        checkout.submit()
        events = checkout.events_until("didCompleteCheckout")
        self.assertEqual(
            [event.label for event in events[:4]],
            ["step webRedirect loading", "willUpdateClientSession", "didUpdateClientSession", "willCreatePayment"],
        )
        self.assertEqual(events[1].params["clientSession"]["totalAmount"], 1299)
        self.assertEqual(events[2].params["clientSession"]["totalAmount"], 1349)
        self.assertEqual(session.payment["amount"], 1349)

    def test_surcharge_is_taken_back_after_a_decline(self) -> None:
        methods = [{"type": IDEAL, "surcharge": 50}]
        checkout = self.chosen(self.session(paymentMethods=methods, **DECLINING))
        checkout.submit()
        self.assert_failed(checkout.await_end(), "failed-to-resume-payment", "failed")
        *_, unselected = self.sandbox.requests("actions")
        self.assertEqual(unselected["body"]["actions"], [{"type": "UNSELECT_PAYMENT_METHOD"}])


class Reports(DaemonTest):
    def test_presented_and_dismissed_are_information_only(self) -> None:
        checkout = self.redirected()
        self.assertEqual(checkout.component_call("reportRedirect", outcome="presented"), {})
        self.assertEqual(checkout.component_call("reportRedirect", outcome="dismissed"), {})
        self.assertEqual(checkout.next_event().label, "step webRedirect dismissed")
        self.assertEqual(checkout.state, "awaitingRedirect")
        checkout.session.approve()
        self.assert_completed(checkout.await_end(), "success")

    def test_not_awaited_before_the_page_is_known(self) -> None:
        checkout = self.chosen()
        self.assert_refused(
            1003,
            "not-awaited",
            None,
            "component.reportRedirect",
            componentId=checkout.component_id,
            outcome="dismissed",
        )


class DoubleSubmission(DaemonTest):
    def test_one_request_of_each_kind(self) -> None:
        checkout = self.chosen(self.approving())
        ids = self.client.send_all([("component.submit", {"componentId": checkout.component_id})] * 3)
        replies = [self.client.reply(id) for id in ids]
        self.assertEqual(replies[0]["result"], {})
        for reply in replies[1:]:
            self.assertEqual(reply["error"]["code"], 1003)
            self.assertIn(reply["error"]["data"]["errorId"], ("already-submitted", "checkout-ended"))
        self.assert_completed(checkout.await_end(), "success")
        for endpoint in ("payment-instruments", "payments", "resume"):
            self.assertEqual(len(self.sandbox.requests(endpoint)), 1, endpoint)

    def test_two_clients_submit(self) -> None:
        checkout = self.chosen(self.approving())
        second = self.daemon.connect()
        calls = [
            (client, client.send("component.submit", componentId=checkout.component_id))
            for client in (self.client, second)
        ]
        replies = [client.reply(id) for client, id in calls]
        self.assertEqual(sorted("result" in reply for reply in replies), [False, True])
        checkout.await_end()
        self.assertEqual(len(checkout.session.payments), 1)

    def test_no_second_attempt_in_another_component(self) -> None:
        details = self.details()
        banks = replace(details)
        banks.provide(IDEAL)
        banks.component_call("start")
        banks.update(bankId=BANK)
        banks.submit()
        for component in (details.component_id, banks.component_id):
            self.assert_refused(1003, "already-submitted", None, "component.submit", componentId=component)
        banks.await_event("step webRedirect loaded")
        self.assertEqual(len(banks.session.payments), 1)

    def test_no_change_of_data_after_submission(self) -> None:
        checkout = self.redirected()
        self.assert_refused(
            1003,
            "already-submitted",
            None,
            "component.updateCollectedData",
            componentId=checkout.component_id,
            data={"bankId": CLOSED_BANK},
        )
