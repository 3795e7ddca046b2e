"""Paying with ACH: the customer's details, the bank account, the mandate."""

from __future__ import annotations

from typing import Any

from support.case import COMPONENT_ID, DaemonTest
from support.checkout import ACH, ACH_SETTINGS
from support.lines import JsonObject

FLOW = [
    "didLoadAvailablePaymentMethods",
    *(["validation validating", "validation valid"] * 3),
    "step retrievedUserDetails",
    "step didCollectUserDetails",
    "willCreatePayment",
    "didStartTokenization",
    "didTokenizePaymentMethod",
    "info bankAccountCollector",
    "info mandate",
    "didCompleteCheckout",
]


class WholeFlow(DaemonTest):
    def test_events_and_their_members(self) -> None:
        session = self.session()
        checkout = self.start(session, settings=ACH_SETTINGS)
        provided = checkout.provide(ACH)
        self.assertRegex(provided["componentId"], f"^{COMPONENT_ID}$")
        self.assertEqual(provided["component"], "StripeAchUserDetailsComponent")
        answer = checkout.component_call("start")
        checkout.submit()
        checkout.await_event("info bankAccountCollector")
        self.assertEqual(checkout.state, "awaitingBankAccount")
        checkout.report_account()
        checkout.await_event("info mandate")
        self.assertEqual(checkout.state, "awaitingMandate")
        self.assertEqual(checkout.component_call("acceptMandate"), {})
        checkout.await_end()

        events = checkout.history()
        self.assert_labels(events, FLOW)
        members = {event.label: event.params for event in events}
        details = {name: session.customer[name] for name in ("firstName", "lastName", "emailAddress")}
        self.assertEqual(answer["step"], {"name": "retrievedUserDetails", "details": details})
        self.assertEqual(members["step retrievedUserDetails"]["step"], answer["step"])
        validated = [event.params["data"] for event in events if event.label == "validation valid"]
        self.assertEqual(validated, [{name: value} for name, value in details.items()])
        info = members["info bankAccountCollector"]["info"]
        self.assertRegex(info.pop("clientSecret"), "^pi_.*_secret_")
        self.assertEqual(
            info,
            {
                "kind": "bankAccountCollector",
                "publishableKey": "pk_test_example",
                "returnUrl": "kiosk://checkout",
                "fullName": f"{details['firstName']} {details['lastName']}",
                "emailAddress": details["emailAddress"],
            },
        )
        self.assertEqual(members["info mandate"]["info"], {"kind": "mandate", "merchantName": "Example Shop"})
        payment = session.payment
        self.assertTrue(payment["completed"])
        self.assertEqual(
            members["didCompleteCheckout"]["payment"],
            {"id": payment["id"], "orderId": session.order_id, "status": "PENDING"},
        )
        self.assertEqual(members["didCompleteCheckout"]["outcome"], "pending")
        self.assertEqual(checkout.state, "completed")

    def test_what_is_sent_upstream(self) -> None:
        checkout = self.collecting()
        checkout.report_account()
        checkout.component_call("acceptMandate")
        checkout.await_end()
        requests = self.sandbox.all_requests()
        self.assertEqual(
            [request["endpoint"] for request in requests],
            ["configuration", "actions", "payment-instruments", "payments", "complete"],
        )
        _, selected, tokenized, _, completed = (request["body"] for request in requests)
        self.assertEqual(selected["actions"], [{"type": "SELECT_PAYMENT_METHOD", "params": {"paymentMethodType": ACH}}])
        self.assertEqual(tokenized["paymentInstrument"]["sessionInfo"], {"locale": "en-US", "platform": "WEB"})
        self.assertEqual(list(completed), ["mandateSignatureTimestamp"])

    def test_mandate_text(self) -> None:
        settings = {"stripe": {"publishableKey": "pk_test_example", "mandateText": "I authorise Example Shop."}}
        checkout = self.collecting(settings=settings)
        checkout.report_account()
        info = checkout.await_event("info mandate").params["info"]
        self.assertEqual(info, {"kind": "mandate", "text": "I authorise Example Shop."})

    def test_mandate_declined(self) -> None:
        checkout = self.collecting()
        checkout.report_account()
        checkout.await_event("info mandate")
        checkout.component_call("declineMandate")
        self.assert_failed(checkout.await_end(), "payment-cancelled", "cancelled")
        self.assertEqual(self.sandbox.requests("complete"), [])

    def test_collector_cancelled(self) -> None:
        checkout = self.collecting()
        checkout.report_account("cancelled")
        end = checkout.await_end()
        self.assert_failed(end, "payment-cancelled", "cancelled")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])

    def test_collector_failed(self) -> None:
        checkout = self.collecting()
        checkout.report_account("failed")
        self.assert_failed(checkout.await_end(), "stripe-declined", "failed")

    def test_answers_are_taken_as_soon_as_they_are_asked_for_and_once(self) -> None:
        checkout = self.details()
        awaited: JsonObject = {"componentId": checkout.component_id}
        report = awaited | {"outcome": "succeeded", "paymentId": "pi_example"}
        self.assert_refused(1003, "not-awaited", None, "component.reportBankAccount", **report)
        self.assert_refused(1003, "not-awaited", None, "component.acceptMandate", **awaited)
        checkout.submit()
        checkout.await_event("info bankAccountCollector")
        ids = self.client.send_all(
            [("component.reportBankAccount", report)] * 2 + [("component.acceptMandate", awaited)] * 2
        )
        outcomes = ["result" in self.client.reply(id) for id in ids]
        self.assertEqual(outcomes, [True, False, True, False])
        self.assert_completed(checkout.await_end(), "pending")
        self.assertEqual(len(self.sandbox.requests("complete")), 1)


class Details(DaemonTest):
    def patches(self) -> list[JsonObject]:
        actions = [action for request in self.sandbox.requests("actions") for action in request["body"]["actions"]]
        return [action for action in actions if action["type"].startswith("SET_")]

    def test_unusual_names_pay_and_stay(self) -> None:
        names = [("Seán", "O'Brien"), ("Jean-Luc", "O’Neill"), ("李", "小龙"), ("Kalākaua", "D. J. van 't Hof")]
        for first, last in names:
            with self.subTest(first=first, last=last):
                session = self.session(customer={"firstName": first, "lastName": last})
                before = session.customer
                checkout = self.collecting(session)
                self.assertEqual(session.customer, before)
                self.assertEqual(self.patches(), [])
                checkout.report_account()
                checkout.component_call("acceptMandate")
                self.assert_completed(checkout.await_end(), "pending")

    def test_only_what_differs_is_sent(self) -> None:
        checkout = self.details()
        checkout.update(lastName="Zuiderduin")
        checkout.update(firstName="Mila")
        checkout.submit()
        info = checkout.await_event("info bankAccountCollector").params["info"]
        self.assertEqual(info["fullName"], "Mila Zuiderduin")
        self.assertEqual(self.patches(), [{"type": "SET_CUSTOMER_LAST_NAME", "params": {"lastName": "Zuiderduin"}}])
        self.assertEqual(checkout.session.customer["lastName"], "Zuiderduin")

    def test_all_three_in_their_order(self) -> None:
        checkout = self.details()
        checkout.update(emailAddress="zoe.example@example.com")
        checkout.update(lastName="Quist")
        checkout.update(firstName="Zoë")
        checkout.submit()
        checkout.await_event("info bankAccountCollector")
        self.assertEqual(
            [action["type"] for action in self.patches()],
            ["SET_CUSTOMER_FIRST_NAME", "SET_CUSTOMER_LAST_NAME", "SET_EMAIL_ADDRESS"],
        )

    def test_invalid_input_clears_and_is_never_sent(self) -> None:
        checkout = self.details()
        before = checkout.session.customer
        invalid = {"firstName": "", "lastName": "1234", "emailAddress": "nobody"}
        error_ids = ("invalid-customer-firstname", "invalid-customer-lastname", "invalid-customer-email")
        for (field, value), error_id in zip(invalid.items(), error_ids, strict=True):
            status = checkout.update(**{field: value})
            self.assertEqual((status["status"], status["errors"][0]["errorId"]), ("invalid", error_id))
            self.assertEqual(checkout.await_event("validation invalid").params["data"], {field: value})
        error = self.assert_refused(
            1004, "invalid-collected-data", None, "component.submit", componentId=checkout.component_id
        )
        self.assertEqual(
            [(field["field"], field["errorId"]) for field in error.data["validationErrors"]],
            list(zip(invalid, error_ids, strict=True)),
        )
        component = checkout.component_call("get")
        self.assertEqual((component["missing"], component["submittable"]), (list(invalid), False))
        self.assertEqual((self.patches(), checkout.session.customer), ([], before))

    def test_session_without_a_customer(self) -> None:
        checkout = self.start(self.session(customer=None), settings=ACH_SETTINGS)
        checkout.provide(ACH)
        step = checkout.component_call("start")["step"]
        self.assertEqual(step["details"], {"firstName": "", "lastName": "", "emailAddress": ""})
        self.assertEqual(checkout.component_call("get")["missing"], ["firstName", "lastName", "emailAddress"])
        checkout.update(firstName="Noor")
        checkout.update(lastName="Duinker")
        checkout.update(emailAddress="noor.duinker@example.com")
        checkout.submit()
        checkout.await_event("info bankAccountCollector")

    def test_failed_change_can_be_submitted_again(self) -> None:
        checkout = self.details()
        checkout.update(lastName="Zuiderduin")
        self.sandbox.fault("actions", status=400)
        checkout.submit()
        failed = checkout.await_event("didReceiveError")
        self.assertEqual((failed.error_id, failed.params["error"]["httpStatus"]), ("failed-to-create-session", 400))
        self.assertEqual(checkout.state, "ready")
        checkout.submit()
        checkout.await_event("info bankAccountCollector")
        self.assertEqual(len(self.sandbox.requests("payments")), 1)

    def test_failed_selection_fails_the_start(self) -> None:
        checkout = self.start(settings=ACH_SETTINGS)
        checkout.provide(ACH)
        self.sandbox.fault("actions", status=400)
        self.assert_refused(
            1006, "failed-to-create-session", None, "component.start", componentId=checkout.component_id
        )
        self.assertEqual(checkout.await_event("didReceiveError").error_id, "failed-to-create-session")
        self.assertIn("step", checkout.component_call("start"))

    def test_what_is_typed_before_a_start_stays(self) -> None:
        checkout = self.start(settings=ACH_SETTINGS)
        checkout.provide(ACH)
        checkout.update(lastName="Zuiderduin")
        checkout.component_call("start")
        self.assertEqual(checkout.component_call("get")["data"]["lastName"], "Zuiderduin")


class Requirements(DaemonTest):
    def test_settings(self) -> None:
        stripe = {"publishableKey": "pk_test_example"}
        cases: list[tuple[JsonObject, str]] = [
            ({"urlScheme": "kiosk://x"}, "publishableKey"),
            ({"stripe": stripe}, "urlScheme"),
            ({"stripe": stripe, "urlScheme": "kiosk"}, "urlScheme"),
        ]
        for settings, path in cases:
            with self.subTest(settings):
                checkout = self.start(settings=settings)
                error = self.assert_refused(
                    1005,
                    "invalid-value",
                    None,
                    "achManager.provide",
                    checkoutId=checkout.id,
                    paymentMethodType=ACH,
                )
                self.assertTrue(error.data["path"].endswith(path), error)

    def test_client_session(self) -> None:
        cases: list[dict[str, Any]] = [
            {"order": {"currencyCode": None}},
            {"order": {"lineItems": []}},
            {"order": {"lineItems": [{"itemId": "mug", "quantity": 1, "description": "Mug"}]}},
        ]
        for options in cases:
            with self.subTest(options):
                checkout = self.start(self.session(**options), settings=ACH_SETTINGS)
                checkout.provide(ACH)
                self.assert_refused(1005, "invalid-value", None, "component.start", componentId=checkout.component_id)
                self.assertEqual(checkout.await_event("didReceiveError").error_id, "invalid-value")

    def test_other_types_and_managers(self) -> None:
        checkout = self.start(settings=ACH_SETTINGS)
        for manager, type, error_id in (
            ("achManager", "ADYEN_IDEAL", "unsupported-payment-method-for-manager"),
            ("componentWithRedirectManager", ACH, "unsupported-payment-method-for-manager"),
            ("achManager", "KLARNA", "unsupported-payment-method-type"),
        ):
            with self.subTest(manager=manager, type=type):
                self.assert_refused(
                    1002,
                    error_id,
                    None,
                    f"{manager}.provide",
                    checkoutId=checkout.id,
                    paymentMethodType=type,
                )
