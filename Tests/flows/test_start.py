"""Starting a checkout: keys, client sessions, tokens, refusals."""

from __future__ import annotations

import time
from typing import Any

from support.case import DaemonTest
from support.checkout import BANK, IDEAL
from support.client import CallError
from support.lines import JsonObject
from support.sandbox import token_of


class StartKey(DaemonTest):
    def test_same_key_and_parameters_is_the_same_checkout(self) -> None:
        params: JsonObject = {"clientToken": self.session().client_token, "startKey": "order-1"}
        first = self.client.call("checkout.start", **params)
        self.assertEqual(self.client.call("checkout.start", **params), first)
        self.assertEqual(self.daemon.connect().call("checkout.start", **params), first)
        self.assertEqual(first["startKey"], "order-1")
        self.assertEqual(len(self.sandbox.requests("configuration")), 1)

    def test_also_while_it_is_starting(self) -> None:
        self.sandbox.hold("configuration")
        params: JsonObject = {"clientToken": self.session().client_token, "startKey": "order-1"}
        ids = self.client.send_all([("checkout.start", params)] * 2)
        self.sandbox.requests("configuration", count=1)
        self.assertEqual(self.client.call("checkout.get", checkoutId={"startKey": "order-1"})["state"], "starting")
        self.sandbox.release("configuration")
        first, second = (self.client.result(id) for id in ids)
        self.assertEqual(first, second)
        self.assertEqual(len(self.sandbox.requests("configuration")), 1)

    def test_also_after_the_end(self) -> None:
        params: JsonObject = {"clientToken": self.session().client_token, "startKey": "order-1"}
        first = self.client.call("checkout.start", **params)
        self.client.call("checkout.cancel", checkoutId=first["checkoutId"])
        again = self.client.call("checkout.start", **params)
        self.assertEqual((again["checkoutId"], again["outcome"]), (first["checkoutId"], "cancelled"))

    def test_other_parameters_are_refused(self) -> None:
        token = self.session().client_token
        self.client.call("checkout.start", clientToken=token, startKey="order-1")
        others: list[JsonObject] = [
            {"clientToken": self.session().client_token},
            {"clientToken": token, "settings": {"locale": "nl-NL"}},
            {"clientToken": token, "decisions": ["willCreatePayment"]},
            {"clientToken": token, "allowRepeat": True},
        ]
        for params in others:
            with self.subTest(params):
                self.assert_refused(1003, "key-reused", None, "checkout.start", startKey="order-1", **params)

    def test_refused_start_frees_the_key(self) -> None:
        self.sandbox.fault("configuration", status=403)
        refused = self.session()
        self.assert_refused(
            1006, "server-error", None, "checkout.start", clientToken=refused.client_token, startKey="order-1"
        )
        self.assert_refused(1001, "unknown-checkout", None, "checkout.get", checkoutId={"startKey": "order-1"})
        self.assertEqual(self.client.call("checkout.list")["checkouts"], [])
        started = self.client.call("checkout.start", clientToken=refused.client_token, startKey="order-1")
        self.assertEqual(started["state"], "ready")

    def test_length(self) -> None:
        token = self.session().client_token
        for key in ("", "k" * 256, "é" * 128):
            with self.subTest(len(key)):
                self.assert_malformed("checkout.start", clientToken=token, startKey=key)
        self.client.call("checkout.start", clientToken=token, startKey="é" * 127 + "k")

    def test_unknown_key(self) -> None:
        self.assert_refused(1001, "unknown-checkout", None, "checkout.get", checkoutId={"startKey": "nobody"})

    def test_lines_written_in_one_go(self) -> None:
        named: JsonObject = {"checkoutId": {"startKey": "till"}}
        session = self.approving()
        ids = self.client.send_all(
            [
                ("checkout.start", {"clientToken": session.client_token, "startKey": "till"}),
                ("events.subscribe", named | {"after": 0}),
                ("checkout.wait", named | {"for": ["checkout.didLoadAvailablePaymentMethods"], "waitMs": 10_000}),
            ]
        )
        self.assertEqual(self.client.result(ids[2])["snapshot"]["state"], "ready")
        provided = self.client.call("componentWithRedirectManager.provide", **named, paymentMethodType=IDEAL)
        component: JsonObject = {"componentId": provided["componentId"]}
        self.client.call("component.start", **component)
        last = self.client.send_all(
            [
                ("component.updateCollectedData", component | {"data": {"bankId": BANK}}),
                ("component.submit", component),
                ("checkout.wait", named | {"for": ["terminal"], "waitMs": 10_000}),
            ]
        )
        self.assertEqual(self.client.result(last[2])["snapshot"]["outcome"], "success")


class ClientSessions(DaemonTest):
    def test_one_live_checkout_per_client_session(self) -> None:
        checkout = self.chosen(self.approving())
        for token in (checkout.session.client_token, checkout.session.another_token()):
            error = self.assert_refused(1003, "session-in-use", None, "checkout.start", clientToken=token)
            self.assertEqual(error.data["checkoutId"], checkout.id)
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(checkout.session.payments), 1)

    def test_two_starts_at_once(self) -> None:
        session = self.session()
        ids = self.client.send_all(
            [("checkout.start", {"clientToken": token}) for token in (session.client_token, session.another_token())]
        )
        replies = [self.client.reply(id) for id in ids]
        errors = [reply["error"]["data"]["errorId"] for reply in replies if "error" in reply]
        self.assertEqual(errors, ["session-in-use"])

    def test_refused_attempt_leaves_the_session_open(self) -> None:
        session = self.session(createResponse={"status": "FAILED", "requiredAction": None})
        checkout = self.chosen(session)
        checkout.submit()
        self.assert_failed(checkout.await_end(), "payment-failed", "failed")
        self.assertEqual(self.start(session).state, "ready")

    def test_paid_session_stays_held_unless_a_repeat_is_allowed(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        session = checkout.session
        for token in (session.client_token, session.another_token()):
            error = self.assert_refused(1003, "session-in-use", None, "checkout.start", clientToken=token)
            self.assertEqual(error.data["checkoutId"], checkout.id)
        again = self.start(session, allowRepeat=True)
        again.call("checkout.cancel")
        # A repetition that ends frees nothing that was paid before.
        self.assert_refused(1003, "session-in-use", None, "checkout.start", clientToken=session.client_token)

    def test_reply_names_what_a_repeat_overrides(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        session, payment = checkout.session, checkout.snapshot["payment"]
        # By its token the earlier one is known at once, by another when the configuration has come.
        for key, token in (("again-1", session.client_token), ("again-2", session.another_token())):
            with self.subTest(key):
                parameters = {"clientToken": token, "allowRepeat": True, "startKey": key}
                reply = self.client.call("checkout.start", **parameters)
                self.assertEqual(reply["repeats"], {"outcome": "success", "payment": payment})
                self.assertNotIn("repeats", self.client.call("checkout.get", checkoutId=reply["checkoutId"]))
                self.client.call("checkout.cancel", checkoutId=reply["checkoutId"])
                # So does the reply to the same start once more, whatever has become of that one.
                self.assertEqual(self.client.call("checkout.start", **parameters)["repeats"], reply["repeats"])
        # Each is told once.
        self.assertEqual(self.daemon.log.count("was allowed although"), 2)

    def test_chosen_key_is_of_one_attempt(self) -> None:
        first, second = (self.chosen(None, decisions=["willCreatePayment"]) for _ in range(2))
        for checkout in (first, second):
            checkout.submit()
        decision = {"decision": "continue", "paymentIdempotencyKey": "order-77"}
        first.call("checkout.decide", decisionId="d1", **decision)
        for key in ("order-77", "checkoutd-order-77"):
            with self.assertRaises(CallError) as caught:
                second.call("checkout.decide", decisionId="d1", decision="continue", paymentIdempotencyKey=key)
            self.assertEqual(caught.exception.error_id, "idempotency-key-reused")
            self.assertEqual(caught.exception.data["path"], "/params/paymentIdempotencyKey")
        second.call("checkout.decide", decisionId="d1", decision="continue")

    def test_cancelled_checkout_leaves_the_session_open(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel")
        self.assertNotEqual(self.start(checkout.session).id, checkout.id)

    def test_client_that_vanishes_does_not_stop_its_start(self) -> None:
        self.sandbox.hold("configuration")
        vanishing = self.daemon.connect()
        vanishing.send("checkout.start", clientToken=self.session().client_token, startKey="k")
        self.sandbox.requests("configuration", count=1)
        vanishing.close()
        waiting = self.client.send(
            "checkout.wait",
            **{"checkoutId": {"startKey": "k"}, "for": ["checkout.didLoadAvailablePaymentMethods"], "waitMs": 10_000},
        )
        self.sandbox.release("configuration")
        self.assertEqual(self.client.result(waiting)["snapshot"]["state"], "ready")


class Refusals(DaemonTest):
    def refuse(self, code: int, error_id: str, **params: Any) -> CallError:
        params = {"clientToken": self.session().client_token} | params
        error = self.assert_refused(code, error_id, None, "checkout.start", **params)
        self.assertEqual(self.client.call("checkout.list")["checkouts"], [])
        return error

    def test_forged_tokens(self) -> None:
        tokens = {
            "one part": "token",
            "no payload": "eyJh..c2ln",
            "no base64": "eyJh.%%%%.c2ln",
            "no JSON": token_of(b"nothing"),
            "no object": token_of([1]),
            "duplicate": token_of(b'{"accessToken":"a","accessToken":"b"}'),
            "no access token": token_of(self.claims(accessToken=None)),
            "access token of another type": token_of(self.claims(accessToken=7)),
            "access token with a line end": token_of(self.claims(accessToken="a\r\nX-Other: b")),
            "address of another type": token_of(self.claims(configurationUrl={"url": "https://api.primer.io"})),
            "no configuration address": token_of(self.claims(configurationUrl=None)),
            "no expiry": token_of(self.claims(exp=None)),
            "expiry of another type": token_of(self.claims(exp="2000000000")),
            "expired": token_of(self.claims(exp=int(time.time()) - 1)),
        }
        for name, token in tokens.items():
            with self.subTest(name):
                self.refuse(1005, "invalid-client-token", clientToken=token)
        self.assertEqual(self.sandbox.requests("configuration"), [])

    def test_what_is_wrong_with_a_token_is_told(self) -> None:
        """A clock that is wrong is found by both times, a host that is not listed by its name."""
        past = int(time.time()) - 90
        error = self.refuse(1005, "invalid-client-token", clientToken=token_of(self.claims(exp=past)))
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(past))
        self.assertEqual(error.data["expiresAt"], f"{moment}.000Z")
        self.assertGreater(error.data["time"], error.data["expiresAt"])
        claims = self.claims(configurationUrl="https://shop.example.com/configuration")
        error = self.refuse(1005, "upstream-not-allowed", clientToken=token_of(claims))
        self.assertEqual(error.data["host"], "shop.example.com")
        self.assertIn("configurationUrl", error.data["description"])

    def test_expiration_counts_before_exp(self) -> None:
        past, future = int(time.time()) - 10, int(time.time()) + 1000
        self.refuse(1005, "invalid-client-token", clientToken=token_of(self.claims(exp=future, expiration=past)))
        token = token_of(self.claims(exp=past, expiration=future))
        self.assertEqual(self.client.call("checkout.start", clientToken=token)["state"], "ready")

    def test_upstream_does_not_know_the_token(self) -> None:
        session = self.session()
        session.expire()
        error = self.refuse(1006, "unauthorized", clientToken=session.client_token)
        self.assertEqual(error.data["httpStatus"], 401)
        self.assertEqual(len(self.sandbox.requests("configuration")), 1)

    def test_answers_of_the_wrong_shape(self) -> None:
        cases: list[tuple[JsonObject, str]] = [
            ({"wrongShape": True}, "failed-to-decode"),
            ({"malformed": True}, "failed-to-decode"),
            ({"body": "<html></html>", "contentType": "text/html"}, "failed-to-decode"),
            ({"body": {"checkoutModules": []}}, "failed-to-decode"),
            ({"body": {"paymentMethods": []}}, "misconfigured-payment-methods"),
            ({"body": {"paymentMethods": {}, "checkoutModules": []}}, "failed-to-decode"),
            ({"body": {"paymentMethods": [], "checkoutModules": []}}, "misconfigured-payment-methods"),
            ({"body": {"error": {"errorId": "Odd", "description": "Odd"}}}, "server-error"),
            ({"status": 404}, "server-error"),
            ({"redirect": "https://example.com/elsewhere"}, "invalid-response"),
            ({"bigBody": 5 * 1024 * 1024}, "failed-to-decode"),
        ]
        for fault, error_id in cases:
            with self.subTest(fault):
                before = len(self.sandbox.requests("configuration"))
                self.sandbox.fault("configuration", **fault)
                self.refuse(1006, error_id)
                self.assertEqual(len(self.sandbox.requests("configuration")), before + 1)

    def test_what_upstream_said_is_passed_on(self) -> None:
        body = {
            "error": {
                "errorId": "ClientSessionExpired",
                "description": "Too late",
                "diagnosticsId": "diag-1",
                "validationErrors": ["one", "two"],
            }
        }
        self.sandbox.fault("configuration", status=422, body=body)
        data = self.refuse(1006, "server-error").data
        self.assertEqual(data["httpStatus"], 422)
        self.assertEqual((data["serverErrorId"], data["serverDescription"]), ("ClientSessionExpired", "Too late"))
        self.assertEqual((data["serverDiagnosticsId"], data["serverValidationErrors"]), ("diag-1", ["one", "two"]))

    def test_what_may_pass_is_tried_again(self) -> None:
        for fault in ({"status": 503}, {"status": 429}, {"reset": True}, {"truncate": True}):
            self.sandbox.fault("configuration", **fault)
        self.assertEqual(self.start().state, "ready")
        self.assertEqual(len(self.sandbox.requests("configuration")), 5)

    def test_no_known_payment_method(self) -> None:
        session = self.session(paymentMethods=["KLARNA"])
        self.refuse(1006, "misconfigured-payment-methods", clientToken=session.client_token)

    def test_settings_are_checked(self) -> None:
        cases: list[JsonObject] = [
            {"settings": {"paymentHandling": "later"}},
            {"settings": {"locale": 7}},
            {"settings": []},
            {"settings": {"unknown": True}},
            {"decisions": ["didFail"]},
            {"decisions": "willCreatePayment"},
            {"decisionTimeoutMs": 999},
            {"decisionTimeoutMs": 30 * 60 * 1000 + 1},
            {"allowRepeat": "yes"},
            {"share": [{"uid": 61002}]},
            {"share": [{"role": "drive"}]},
            {"clientToken": None},
            {"clientToken": 7},
            {"unknown": True},
        ]
        for params in cases:
            with self.subTest(params):
                self.assert_malformed("checkout.start", **{"clientToken": self.session().client_token} | params)
        stripe = {"publishableKey": "pk_test_example", "mandateText": "Agreed", "merchantName": "Example Shop"}
        unusable: list[JsonObject] = [{"settings": {"stripe": stripe}}]
        for params in unusable:
            with self.subTest(params):
                self.assert_unusable("checkout.start", **{"clientToken": self.session().client_token} | params)
        self.assertEqual(self.client.call("checkout.list")["checkouts"], [])

    def test_expiry_of_the_token_ends_the_checkout(self) -> None:
        checkout = self.start(self.session(expiresIn=2))
        self.assert_failed(checkout.await_end(), "checkout-expired", "failed")
