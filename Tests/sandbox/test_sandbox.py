"""The rules of Primer's surface: tokens, sessions, both flows, and what is good for one call."""

from __future__ import annotations

import unittest
from concurrent.futures import ThreadPoolExecutor

from harness import MANDATE, SandboxTestCase, payload, target


class ClientTokenTests(SandboxTestCase):
    def test_names_what_a_checkout_calls(self) -> None:
        checkout = self.sandbox.checkout()
        base = f"http://127.0.0.1:{self.sandbox.port}"
        self.assertEqual(checkout.client_token.count("."), 2)
        self.assertEqual(checkout.token["env"], "SANDBOX")
        self.assertEqual(checkout.token["intent"], "CHECKOUT")
        self.assertIs(type(checkout.token["exp"]), int)
        for name in ("configurationUrl", "coreUrl", "pciUrl"):
            self.assertTrue(checkout.token[name].startswith(base))
        self.assertNotEqual(checkout.token["coreUrl"], checkout.token["pciUrl"])

    def test_overrides_are_merged_and_null_removes(self) -> None:
        token = self.sandbox.checkout(tokenOverrides={"intent": "OTHER", "pciUrl": None}).token
        self.assertEqual(token["intent"], "OTHER")
        self.assertNotIn("pciUrl", token)

    def test_missing_or_unknown_access_is_unauthorized(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.token["accessToken"] = "unknown"
        self.assert_refused(checkout.configuration(), 401, "Unauthorized")
        reply = self.sandbox.send("GET", target(checkout.token["configurationUrl"]), headers={"X-Api-Version": "2.4"})
        self.assert_refused(reply, 401, "Unauthorized")

    def test_an_expired_token_is_unauthorized(self) -> None:
        self.assert_refused(self.sandbox.checkout(expiresIn=-1).configuration(), 401, "Unauthorized")

    def test_expire_ends_all_tokens_of_the_session(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.pay_by_ideal()
        self.assertEqual(checkout.poll().status, 200)
        self.sandbox.control("POST", f"client-sessions/{checkout.session_id}/expire")
        self.assert_refused(checkout.poll(), 401, "Unauthorized")

    def test_a_session_gets_a_further_token(self) -> None:
        checkout = self.sandbox.checkout()
        further = self.sandbox.control("POST", f"client-sessions/{checkout.session_id}/tokens")
        self.assertEqual(further["clientSessionId"], checkout.session_id)
        first = checkout.token["accessToken"]
        checkout.token = payload(further["clientToken"])
        self.assertNotEqual(checkout.token["accessToken"], first)
        self.assertEqual(checkout.configuration().body["clientSession"]["clientSessionId"], checkout.session_id)

    def test_validate_wants_the_token_of_the_access_token(self) -> None:
        checkout, other = self.sandbox.checkout(), self.sandbox.checkout()
        url = checkout.token["pciUrl"] + "/client-token/validate"
        self.assertEqual(checkout.call("POST", url, {"clientToken": checkout.client_token}).body, {})
        for wrong in (other.client_token, "no token", "a.b.c"):
            self.assert_refused(checkout.call("POST", url, {"clientToken": wrong}), 400, "InvalidClientToken")


class HeaderTests(SandboxTestCase):
    def test_the_api_version_is_needed_where_primer_needs_it(self) -> None:
        checkout = self.sandbox.checkout()
        url = checkout.token["configurationUrl"]
        self.assert_refused(checkout.call("GET", url, **{"X-Api-Version": "2.3"}), 400, "BadRequest")
        for version in ("", "2.3"):
            reply = checkout.call("POST", checkout.token["pciUrl"] + "/payments", {}, **{"X-Api-Version": version})
            self.assert_refused(reply, 400, "BadRequest")
        checkout.pay_by_ideal()
        self.assertEqual(checkout.call("GET", checkout.token["statusUrl"], **{"X-Api-Version": ""}).status, 200)

    def test_a_post_is_json(self) -> None:
        checkout = self.sandbox.checkout()
        url = checkout.token["pciUrl"] + "/payments"
        reply = checkout.call("POST", url, {}, **{"Content-Type": "text/plain"})
        self.assert_refused(reply, 415, "UnsupportedMediaType")
        self.assert_refused(checkout.call("POST", url, b"{"), 400, "BadRequest")

    def test_the_wrong_base_is_not_found_and_logged(self) -> None:
        checkout = self.sandbox.checkout()
        self.assert_refused(checkout.call("POST", checkout.token["coreUrl"] + "/payments", {}), 404, "NotFound")
        self.assertEqual([r["status"] for r in self.sandbox.requests("unknown")], [404])


class ClientSessionTests(SandboxTestCase):
    def test_each_has_an_id_that_the_configuration_of_all_its_tokens_names(self) -> None:
        one, other = self.sandbox.checkout(), self.sandbox.checkout()
        self.assertNotEqual(one.session_id, other.session_id)
        for checkout in (one, other):
            further = self.sandbox.control("POST", f"client-sessions/{checkout.session_id}/tokens")["clientToken"]
            for token in (checkout.client_token, further):
                checkout.token = payload(token)
                named = checkout.configuration().body["clientSession"]["clientSessionId"]
                self.assertEqual(named, checkout.session_id)

    def test_the_default_can_pay_by_either_method(self) -> None:
        body = self.sandbox.checkout().configuration().body
        session = body["clientSession"]
        self.assertEqual([m["type"] for m in body["paymentMethods"]], ["ADYEN_IDEAL", "STRIPE_ACH"])
        self.assertEqual({m["implementationType"] for m in body["paymentMethods"]}, {"NATIVE_SDK"})
        self.assertEqual(body["checkoutModules"], [])
        self.assertEqual((session["order"]["totalOrderAmount"], session["order"]["currencyCode"]), (1299, "EUR"))
        self.assertEqual(sum(i["amount"] * i["quantity"] for i in session["order"]["lineItems"]), 1299)
        self.assertTrue(session["customer"]["emailAddress"].endswith("@example.com"))

    def test_members_are_merged_over_the_defaults(self) -> None:
        checkout = self.sandbox.checkout(
            order={"currencyCode": "USD", "totalOrderAmount": 500},
            customer={"firstName": "Bo", "emailAddress": None},
            paymentMethods=[{"type": "STRIPE_ACH", "implementationType": None}],
            configuration={"checkoutModules": None, "env": "STAGING"},
        )
        body = checkout.configuration().body
        session = body["clientSession"]
        self.assertEqual((session["order"]["totalOrderAmount"], session["order"]["currencyCode"]), (500, "USD"))
        self.assertEqual(session["customer"]["firstName"], "Bo")
        self.assertNotIn("emailAddress", session["customer"])
        self.assertNotIn("implementationType", body["paymentMethods"][0])
        self.assertNotIn("checkoutModules", body)
        self.assertEqual(body["env"], "STAGING")

    def test_actions_change_the_customer_and_an_empty_value_is_kept_as_it_is(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.act("SET_CUSTOMER_FIRST_NAME", firstName="Ine")
        checkout.act("SET_EMAIL_ADDRESS", emailAddress="ine@example.com")
        body = checkout.act("SET_CUSTOMER_LAST_NAME", lastName="").body
        customer = self.sandbox.control("GET", f"client-sessions/{checkout.session_id}")["customer"]
        self.assertEqual(body["clientSession"]["customer"], customer)
        self.assertEqual((customer["firstName"], customer["lastName"]), ("Ine", ""))
        self.assertEqual(customer["emailAddress"], "ine@example.com")

    def test_unknown_actions_are_refused(self) -> None:
        checkout = self.sandbox.checkout()
        self.assert_refused(checkout.act("SET_MOOD", mood="good"), 400, "BadRequest")
        self.assert_refused(checkout.act("SELECT_PAYMENT_METHOD", paymentMethodType="KLARNA"), 400, "BadRequest")

    def test_a_surcharge_is_in_the_total_while_its_method_is_selected(self) -> None:
        methods = [{"type": "ADYEN_IDEAL", "surcharge": 50}, "STRIPE_ACH"]
        checkout = self.sandbox.checkout(paymentMethods=methods)
        session = checkout.configuration().body["clientSession"]
        self.assertEqual(session["paymentMethod"]["options"], [methods[0], {"type": "STRIPE_ACH"}])
        self.assertEqual(session["order"]["totalOrderAmount"], 1299)
        selected = checkout.act("SELECT_PAYMENT_METHOD", paymentMethodType="ADYEN_IDEAL").body
        self.assertEqual(selected["clientSession"]["order"]["totalOrderAmount"], 1349)
        self.assertEqual(checkout.create(checkout.tokenize_ideal().body["token"]).body["amount"], 1349)
        unselected = checkout.act("UNSELECT_PAYMENT_METHOD").body
        self.assertEqual(unselected["clientSession"]["order"]["totalOrderAmount"], 1299)

    def test_bad_descriptions_are_refused(self) -> None:
        for body in (b"[]", b"{", {"odd": 1}, {"outcome": "maybe"}, {"banks": [1]}, {"usedKeyNames": "odd"}):
            with self.subTest(body=body):
                self.assert_refused(self.sandbox.send("POST", "/sandbox/client-sessions", body), 400, "BadRequest")


class IdealTests(SandboxTestCase):
    def test_the_default_banks(self) -> None:
        banks = self.sandbox.checkout().banks().body["result"]
        self.assertEqual(len(banks), 12)
        self.assertEqual(sum(bank["disabled"] for bank in banks), 1)
        self.assertTrue(any(not bank["name"].isascii() for bank in banks))
        self.assertTrue(all(bank["iconUrl"].startswith("https://icons.example.com/") for bank in banks))

    def test_only_an_open_bank_is_tokenized(self) -> None:
        checkout = self.sandbox.checkout(banks=[{"id": "a", "name": "A", "disabled": True}])
        for issuer in ("a", "b"):
            self.assert_refused(checkout.tokenize_ideal(issuer), 400, "BadRequest")

    def test_approved(self) -> None:
        checkout = self.sandbox.checkout()
        payment = checkout.pay_by_ideal()
        self.assertEqual(payment["status"], "PENDING")
        self.assertEqual(payment["requiredAction"]["name"], "USE_PRIMER_SDK")
        self.assertEqual(checkout.token["intent"], "ADYEN_IDEAL_REDIRECTION")
        self.assertEqual(checkout.poll().body["status"], "PENDING")
        checkout.decide(payment["id"], "approve")
        poll = checkout.poll().body
        self.assertEqual(set(poll), {"status", "id", "source"})
        self.assertEqual(poll["status"], "COMPLETE")
        self.assertEqual(checkout.resume(payment["id"], poll["id"]).body["status"], "SUCCESS")
        [summary] = self.sandbox.payments_of(checkout)
        self.assertEqual((summary["status"], summary["resumed"], summary["issuer"]), ("SUCCESS", True, "9001"))

    def test_declined(self) -> None:
        checkout = self.sandbox.checkout()
        payment = checkout.pay_by_ideal()
        checkout.decide(payment["id"], "decline")
        resumed = checkout.resume(payment["id"], checkout.poll().body["id"])
        self.assertEqual((resumed.status, resumed.body["status"]), (200, "FAILED"))

    def test_the_bank_decides_by_itself_after_the_first_poll(self) -> None:
        for outcome, verdict in (("approve", "SUCCESS"), ("decline", "FAILED")):
            checkout = self.sandbox.checkout(outcome=outcome)
            payment = checkout.pay_by_ideal()
            self.assertEqual(checkout.poll().body["status"], "PENDING")
            resume_token = checkout.poll().body["id"]
            self.assertEqual(checkout.resume(payment["id"], resume_token).body["status"], verdict)
        checkout = self.sandbox.checkout(outcome="approve", pendingPolls=0)
        checkout.pay_by_ideal()
        self.assertEqual(checkout.poll().body["status"], "COMPLETE")

    def test_the_calls_after_the_action_need_its_token(self) -> None:
        checkout = self.sandbox.checkout()
        before = checkout.token
        payment = checkout.pay_by_ideal()
        checkout.decide(payment["id"], "approve")
        resume_token = checkout.poll().body["id"]
        checkout.token = checkout.token | {"accessToken": before["accessToken"]}
        self.assert_refused(checkout.poll(), 401, "Unauthorized")
        self.assert_refused(checkout.resume(payment["id"], resume_token), 401, "Unauthorized")

    def test_a_resume_token_is_good_for_one_call(self) -> None:
        checkout = self.sandbox.checkout()
        payment = checkout.pay_by_ideal()
        pending = checkout.poll().body["id"]
        self.assert_refused(checkout.resume(payment["id"], pending), 400, "InvalidResumeToken")
        checkout.decide(payment["id"], "approve")
        resume_token = checkout.poll().body["id"]
        self.assertEqual(checkout.resume(payment["id"], resume_token).status, 200)
        self.assert_refused(checkout.resume(payment["id"], resume_token), 400, "ResumeTokenAlreadyUsed")

    def test_a_bank_decides_once(self) -> None:
        checkout = self.sandbox.checkout()
        payment = checkout.pay_by_ideal()
        checkout.decide(payment["id"], "approve")
        reply = self.sandbox.send("POST", f"/sandbox/redirects/{payment['id']}", {"outcome": "decline"})
        self.assert_refused(reply, 409, "NotAwaited")

    def test_a_further_action_has_a_new_token_and_a_new_resume_token(self) -> None:
        checkout = self.sandbox.checkout(outcome="approve", pendingPolls=0, furtherActions=1)
        payment = checkout.pay_by_ideal()
        first = checkout.poll().body["id"]
        again = checkout.resume(payment["id"], first).body
        self.assertEqual(again["status"], "PENDING")
        self.assert_refused(checkout.poll(), 401, "Unauthorized")
        checkout.token = payload(again["requiredAction"]["clientToken"])
        second = checkout.poll().body["id"]
        self.assertNotEqual(first, second)
        self.assertEqual(checkout.resume(payment["id"], second).body["status"], "SUCCESS")

    def test_the_bank_page_asks_and_takes_the_answer(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.pay_by_ideal()
        page = target(checkout.token["redirectUrl"])
        asked = self.sandbox.send("GET", page)
        self.assertTrue(asked.headers["Content-Type"].startswith("text/html"))
        for text in (b"Ambachtsbank", b"EUR 12.99", b'value="approve"', b'value="decline"'):
            self.assertIn(text, asked.text)
        answered = self.sandbox.send(
            "POST", page, b"outcome=approve", {"Content-Type": "application/x-www-form-urlencoded"}
        )
        self.assertEqual((answered.status, answered.headers["Location"]), (303, page))
        self.assertIn(b"Payment approved", self.sandbox.send("GET", page).text)
        self.assertEqual(checkout.poll().body["status"], "COMPLETE")
        self.assertEqual(len(self.sandbox.requests("bank-page")), 3)


class AchTests(SandboxTestCase):
    def test_completed_and_left_pending(self) -> None:
        checkout = self.sandbox.checkout()
        payment = checkout.pay_by_ach()
        self.assertIn("STRIPE_ACH", checkout.token["intent"])
        self.assertTrue(checkout.token["stripeClientSecret"])
        self.assertFalse(self.sandbox.payments_of(checkout)[0]["completed"])
        self.assertEqual(checkout.complete().body, {})
        [summary] = self.sandbox.payments_of(checkout)
        self.assertEqual((summary["id"], summary["status"], summary["completed"]), (payment["id"], "PENDING", True))

    def test_a_complete_url_is_good_for_one_call(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.pay_by_ach()
        self.assertEqual(checkout.complete().status, 200)
        self.assert_refused(checkout.complete(), 400, "PaymentAlreadyCompleted")

    def test_completing_needs_the_new_token_and_a_timestamp(self) -> None:
        checkout = self.sandbox.checkout()
        before = checkout.token["accessToken"]
        checkout.pay_by_ach()
        url = checkout.token["sdkCompleteUrl"]
        old = checkout.call("POST", url, MANDATE, **{"Primer-Client-Token": before})
        self.assert_refused(old, 401, "Unauthorized")
        zulu = checkout.call("POST", url, {"mandateSignatureTimestamp": "2026-01-01T09:30:00Z"})
        self.assert_refused(zulu, 400, "BadRequest")
        self.assertEqual(checkout.complete().status, 200)


class PaymentTests(SandboxTestCase):
    def test_a_used_idempotency_key_names_the_payment_and_no_action(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        payment = checkout.create(token, "key-1").body
        again = checkout.create(token, "key-1")
        self.assert_refused(again, 409, "IdempotencyKeyAlreadyExists")
        for part in (again.body, again.body["error"]):
            self.assertEqual((part["paymentId"], part["paymentStatus"]), (payment["id"], "PENDING"))
        self.assertNotIn("requiredAction", again.body)
        self.assertEqual([p["idempotencyKey"] for p in self.sandbox.payments_of(checkout)], ["key-1"])

    def test_without_a_key_a_repeat_is_a_second_payment(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        self.assertEqual([checkout.create(token).status, checkout.create(token).status], [200, 200])
        self.assertEqual(len(self.sandbox.payments_of(checkout)), 2)

    def test_the_older_answer_to_a_used_key(self) -> None:
        checkout = self.sandbox.checkout(legacyIdempotency=True)
        token = checkout.tokenize_ideal().body["token"]
        checkout.create(token, "key-2")
        self.assert_refused(checkout.create(token, "key-2"), 400, "TransactionRequestIdempotencyKeyAlreadyExists")

    def test_where_the_answer_to_a_used_key_names_the_payment(self) -> None:
        for naming, places in (("inside", [True, False]), ("beside", [False, True]), ("nowhere", [False, False])):
            with self.subTest(naming):
                checkout = self.sandbox.checkout(usedKeyNames=naming)
                token = checkout.tokenize_ideal().body["token"]
                checkout.create(token, f"key-{naming}")
                again = checkout.create(token, f"key-{naming}")
                self.assert_refused(again, 409, "IdempotencyKeyAlreadyExists")
                self.assertEqual(["paymentId" in part for part in (again.body["error"], again.body)], places)

    def test_a_declined_payment_has_used_its_key(self) -> None:
        checkout = self.sandbox.checkout(createResponse={"status": "DECLINED", "requiredAction": None})
        token = checkout.tokenize_ideal().body["token"]
        self.assertEqual(checkout.create(token, "key-4").body["status"], "DECLINED")
        again = checkout.create(token, "key-4")
        self.assert_refused(again, 409, "IdempotencyKeyAlreadyExists")
        self.assertEqual(again.body["paymentStatus"], "DECLINED")
        self.assertEqual(len(self.sandbox.payments_of(checkout)), 1)

    def test_the_words_of_the_life_cycle(self) -> None:
        for outcome, status in (("approve", "AUTHORIZED"), ("approve", "SETTLING"), ("decline", "CANCELLED")):
            with self.subTest(status):
                words = {"approvedStatus": status} if outcome == "approve" else {"declinedStatus": status}
                checkout = self.sandbox.checkout(outcome=outcome, pendingPolls=0, **words)
                payment = checkout.pay_by_ideal()
                resumed = checkout.resume(payment["id"], checkout.poll().body["id"]).body
                self.assertEqual(resumed["status"], status)
                self.assertEqual("paymentFailureReason" in resumed, outcome == "decline")
                self.assertEqual([p["status"] for p in self.sandbox.payments_of(checkout)], [status])

    def test_what_became_of_a_payment_later(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        payment = checkout.create(token, "key-5").body
        self.sandbox.control("POST", f"payments/{payment['id']}/status", {"status": "SETTLED"})
        self.assertEqual(checkout.create(token, "key-5").body["paymentStatus"], "SETTLED")
        unknown = self.sandbox.send("POST", "/sandbox/payments/pay_none/status", {"status": "SETTLED"})
        self.assert_refused(unknown, 404, "PaymentNotFound")

    def test_one_key_in_many_hands_makes_one_payment(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(lambda _: checkout.create(token, "key-3").status, range(32)))
        self.assertEqual((statuses.count(200), statuses.count(409)), (1, 31))
        self.assertEqual(len(self.sandbox.payments_of(checkout)), 1)

    def test_a_payment_method_token_belongs_to_its_session(self) -> None:
        token = self.sandbox.checkout().tokenize_ideal().body["token"]
        for wrong in (token, "tok_unknown"):
            self.assert_refused(self.sandbox.checkout().create(wrong), 400, "InvalidPaymentMethodToken")

    def test_answers_are_as_the_session_has_them(self) -> None:
        checkout = self.sandbox.checkout(
            outcome="approve",
            pendingPolls=0,
            createResponse={"checkoutOutcome": "CHECKOUT_COMPLETE"},
            resumeResponse={"status": "PENDING", "showSuccessCheckoutOnPendingPayment": True},
            statusResponses=[{"status": "ODD"}, {"httpStatus": 503, "headers": {"Retry-After": "1"}}],
            actionTokenOverrides={"intent": "UNHEARD_OF", "redirectUrl": None},
        )
        payment = checkout.pay_by_ideal()
        self.assertEqual(payment["checkoutOutcome"], "CHECKOUT_COMPLETE")
        self.assertEqual(checkout.token["intent"], "UNHEARD_OF")
        self.assertNotIn("redirectUrl", checkout.token)
        self.assertEqual(checkout.poll().body, {"status": "ODD"})
        busy = checkout.poll()
        self.assertEqual((busy.status, busy.headers["Retry-After"]), (503, "1"))
        resumed = checkout.resume(payment["id"], checkout.poll().body["id"]).body
        self.assertEqual((resumed["status"], resumed["showSuccessCheckoutOnPendingPayment"]), ("PENDING", True))

    def test_a_null_takes_the_action_away(self) -> None:
        checkout = self.sandbox.checkout(createResponse={"status": "SUCCESS", "requiredAction": None})
        payment = checkout.create(checkout.tokenize_ideal().body["token"]).body
        self.assertNotIn("requiredAction", payment)
        self.assertEqual(self.sandbox.payments_of(checkout)[0]["status"], "SUCCESS")

    def test_the_merchant_pays_and_resumes(self) -> None:
        checkout = self.sandbox.checkout(outcome="approve", pendingPolls=0)
        token = checkout.tokenize_ideal().body["token"]
        payment = self.sandbox.control("POST", "payments", {"paymentMethodToken": token})
        action = payment["requiredAction"]["clientToken"]
        checkout.token = payload(action)
        url = checkout.token["pciUrl"] + "/client-token/validate"
        self.assertEqual(checkout.call("POST", url, {"clientToken": action}).status, 200)
        resume = {"resumeToken": checkout.poll().body["id"]}
        resumed = self.sandbox.control("POST", f"payments/{payment['id']}/resume", resume)
        self.assertEqual(resumed["status"], "SUCCESS")
        self.assertEqual((self.sandbox.requests("payments"), self.sandbox.requests("resume")), ([], []))
        self.assertEqual(len(self.sandbox.requests("merchant-payments")), 1)
        self.assertEqual(len(self.sandbox.requests("merchant-resume")), 1)


if __name__ == "__main__":
    unittest.main()
