"""Calls that do not fit: unknown ids, wrong states, and that each error has its code, message and description."""

from __future__ import annotations

from support.case import DaemonTest
from support.checkout import BANK, IDEAL
from support.client import CallError
from support.lines import JsonObject


class UnknownIds(DaemonTest):
    def assert_no_id(self, error_id: str, method: str, **id: str) -> None:
        """What no checkout or component could have as its id is unknown, like an id that none has."""
        with self.subTest(**id):
            self.assert_refused(1001, error_id, None, method, **id)

    def test_checkouts(self) -> None:
        self.assert_refused(1001, "unknown-checkout", None, "checkout.get", checkoutId="co_0123456789abcdef")
        for id in ("co_", "CO_0123456789ABCDEF", "cm_0123456789abcdef_0", "é", "co_0123456789abcdef\n"):
            self.assert_no_id("unknown-checkout", "checkout.get", checkoutId=id)

    def test_components(self) -> None:
        checkout = self.banks()
        for id in ("cm_0123456789abcdef_0", checkout.component_id + "1"):
            self.assert_refused(1001, "unknown-component", None, "component.get", componentId=id)
        good = checkout.component_id
        for id in (good.replace("_0", "_-1"), good.replace("_0", "_00"), good + "\u0660", checkout.id):
            self.assert_no_id("unknown-component", "component.get", componentId=id)

    def test_empty_ones_and_long_ones_are_malformed(self) -> None:
        for id in ("", "x" * 65):
            self.assert_malformed("checkout.get", checkoutId=id)
            self.assert_malformed("component.get", componentId=id)

    def test_subscriptions(self) -> None:
        self.assert_refused(1001, "unknown-subscription", None, "events.unsubscribe", subscriptionId="nobody")


class WrongStates(DaemonTest):
    def refuse(self, error_id: str, method: str, **params: object) -> CallError:
        return self.assert_refused(1003, error_id, None, method, **params)

    def test_provide_before_the_checkout_is_ready(self) -> None:
        self.sandbox.hold("configuration")
        starting = self.client.send("checkout.start", clientToken=self.session().client_token, startKey="k")
        self.refuse(
            "generic-error",
            "componentWithRedirectManager.provide",
            checkoutId={"startKey": "k"},
            paymentMethodType=IDEAL,
        )
        self.sandbox.release("configuration")
        self.client.result(starting)

    def test_before_the_component_is_started(self) -> None:
        checkout = self.start()
        checkout.provide(IDEAL)
        component: JsonObject = {"componentId": checkout.component_id}
        self.refuse("not-started", "component.submit", **component)
        self.refuse("not-awaited", "component.reportRedirect", **component, outcome="presented")

    def test_calls_of_the_other_payment_method(self) -> None:
        checkout = self.redirected()
        component: JsonObject = {"componentId": checkout.component_id}
        self.refuse("not-awaited", "component.acceptMandate", **component)
        self.refuse("not-awaited", "component.declineMandate", **component)
        self.refuse("not-awaited", "component.reportBankAccount", **component, outcome="cancelled")

    def test_after_the_end(self) -> None:
        checkout = self.chosen()
        checkout.call("checkout.cancel")
        component: JsonObject = {"componentId": checkout.component_id}
        for method, params in (
            ("start", {}),
            ("updateCollectedData", {"data": {"bankId": BANK}}),
            ("submit", {}),
            ("reportRedirect", {"outcome": "presented"}),
            ("acceptMandate", {}),
        ):
            with self.subTest(method):
                self.refuse("checkout-ended", f"component.{method}", **component, **params)
        self.refuse(
            "checkout-ended", "componentWithRedirectManager.provide", checkoutId=checkout.id, paymentMethodType=IDEAL
        )
        self.assertEqual(checkout.component_call("get")["componentId"], checkout.component_id)

    def test_nothing_chosen(self) -> None:
        checkout = self.banks()
        error = self.assert_refused(
            1004, "invalid-collected-data", None, "component.submit", componentId=checkout.component_id
        )
        (missing,) = error.data["validationErrors"]
        self.assertEqual(
            (missing["field"], bool(missing["errorId"]), bool(missing["description"])), ("bankId", True, True)
        )


class Data(DaemonTest):
    def test_exactly_one_field_of_the_component(self) -> None:
        checkout = self.banks()
        cases: list[object] = [
            {},
            {"bankId": BANK, "bankFilterText": ""},
            {"bankId": 9001},
            {"bankId": None},
            {"firstName": "Mila"},
            {"bank": BANK},
            [],
            "9001",
        ]
        for data in cases:
            with self.subTest(data):
                id = self.client.send("component.updateCollectedData", componentId=checkout.component_id, data=data)
                self.assertIn(self.client.reply(id)["error"]["code"], (-32602, 1005))
        self.assertEqual(self.client.arrived_events(), [])

    def test_reports(self) -> None:
        checkout = self.collecting()
        cases: list[JsonObject] = [
            {"outcome": "lost"},
            {"outcome": "failed", "error": {}},
            {"outcome": "failed", "error": "no"},
            {"outcome": "succeeded", "paymentId": 7},
        ]
        for params in cases:
            with self.subTest(params):
                self.assert_malformed("component.reportBankAccount", componentId=checkout.component_id, **params)
        self.assert_malformed("component.reportBankAccount", componentId=checkout.component_id, outcome="failed")
        self.assertEqual(checkout.state, "awaitingBankAccount")


class Shape(DaemonTest):
    def test_message_belongs_to_the_code(self) -> None:
        checkout = self.banks()
        messages: dict[int, set[str]] = {}
        for method, params in (
            ("checkout.get", {"checkoutId": "co_0123456789abcdef"}),
            ("component.get", {"componentId": "cm_0123456789abcdef_0"}),
            ("events.unsubscribe", {"subscriptionId": "x"}),
            ("component.start", {"componentId": checkout.component_id}),
            ("component.acceptMandate", {"componentId": checkout.component_id}),
            ("checkout.start", {"clientToken": "x"}),
            ("checkout.start", {"clientToken": checkout.session.client_token}),
        ):
            with self.assertRaises(CallError) as caught:
                self.client.call(method, **params)
            messages.setdefault(caught.exception.code, set()).add(caught.exception.message)
            self.assertTrue(caught.exception.data["description"], method)
        self.assertEqual(sorted(messages), [1001, 1003, 1005])
        self.assertTrue(all(len(texts) == 1 for texts in messages.values()), messages)

    def test_errors_do_not_repeat_what_was_sent(self) -> None:
        secret = "tok-confidential-4711"
        calls: list[tuple[str, JsonObject]] = [
            ("checkout.start", {"clientToken": secret}),
            ("checkout.get", {"checkoutId": secret}),
            ("component.get", {"componentId": secret}),
            ("events.read", {"checkoutId": "co_0123456789abcdef", "types": secret}),
        ]
        for method, params in calls:
            with self.subTest(method), self.assertRaises(CallError) as caught:
                self.client.call(method, **params)
            self.assertNotIn(secret, str(caught.exception))
        self.client.send_line(f'{{"clientToken":"{secret}"')
        self.assertNotIn(secret, str(self.client.read_message()))


class Quotas(DaemonTest):
    def test_waiting_calls_of_a_connection(self) -> None:
        checkout = self.start()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        waiting = self.client.send_all([("checkout.wait", params)] * 8)
        reading: JsonObject = {"checkoutId": checkout.id, "after": 1, "waitMs": 300_000}
        waiting += self.client.send_all([("events.read", reading)] * 8)
        error = self.assert_refused(-32004, "quota-exceeded", None, "checkout.wait", **params)
        self.assertEqual(error.data["limit"], 16)
        self.assert_refused(-32004, "quota-exceeded", None, "checkout.start", clientToken=self.session().client_token)
        self.client.call("checkout.cancel", checkoutId=checkout.id)
        for id in waiting:
            self.assertIn("result", self.client.reply(id))
        self.assertEqual(self.client.call("checkout.wait", **params)["matched"], "terminal")

    def test_other_connections_are_free(self) -> None:
        checkout = self.start()
        params: JsonObject = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 300_000}
        self.client.send_all([("checkout.wait", params)] * 16)
        other = self.daemon.connect()
        self.assertEqual(other.call("checkout.wait", **params | {"waitMs": 10})["matched"], None)
