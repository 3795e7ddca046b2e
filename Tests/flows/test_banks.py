"""The bank list: loading it, filtering it, choosing from it."""

from __future__ import annotations

from support.case import COMPONENT_ID, DaemonTest
from support.checkout import BANK, CLOSED_BANK, IDEAL, Checkout
from support.lines import JsonObject

BANKS: list[JsonObject] = [
    {"id": "z", "name": "Zürich Bank", "disabled": False},
    {"id": "a", "name": "Ångström Krediet", "iconUrl": "https://icons.example.com/a.png", "disabled": False},
    {"id": "n", "name": "Nieuwe CRÉDIT", "disabled": True},
    {"id": "m", "name": "mijn bank", "disabled": False},
]


class Loading(DaemonTest):
    def test_provide(self) -> None:
        for method in ("provide", "provideBanksComponent"):
            with self.subTest(method):
                checkout = self.start()
                provided = checkout.call(f"componentWithRedirectManager.{method}", paymentMethodType=IDEAL)
                self.assertRegex(provided["componentId"], f"^{COMPONENT_ID}$")
                self.assertEqual(provided["component"], "BanksComponent")
                state = provided["state"]
                self.assertEqual((state["componentId"], state["submittable"]), (provided["componentId"], False))
                self.assertEqual(state["missing"], ["bankId"])
                self.assertEqual(checkout.provide(IDEAL), provided)

    def test_banks_are_told_in_the_servers_order(self) -> None:
        checkout = self.start(self.session(banks=BANKS))
        checkout.provide(IDEAL)
        answer = checkout.component_call("start")
        step = checkout.await_event("step banksRetrieved").params["step"]
        self.assertEqual(answer, {"step": step})
        self.assertEqual(
            step["banks"],
            [
                {"id": "z", "name": "Zürich Bank", "isDisabled": False},
                {"id": "a", "name": "Ångström Krediet", "iconUrlStr": BANKS[1]["iconUrl"], "isDisabled": False},
                {"id": "n", "name": "Nieuwe CRÉDIT", "isDisabled": True},
                {"id": "m", "name": "mijn bank", "isDisabled": False},
            ],
        )
        component = checkout.component_call("get")
        self.assertEqual(component["banks"], step["banks"])
        self.assertEqual(component["step"]["name"], "banksRetrieved")

    def test_events_come_before_the_reply_that_tells_of_them(self) -> None:
        checkout = self.start()
        checkout.provide(IDEAL)
        checkout.await_event("didLoadAvailablePaymentMethods")
        id = self.client.send("component.start", componentId=checkout.component_id)
        labels = [checkout.next_event().label, checkout.next_event().label]
        self.assertEqual(labels, ["step loading", "step banksRetrieved"])
        self.assertIn("result", self.client.reply(id))
        *_, loading, retrieved, reply = self.client.transcript
        self.assertIn("method", loading)
        self.assertIn("method", retrieved)
        self.assertEqual(reply["id"] if isinstance(reply, dict) else None, id)

    def test_starts_once(self) -> None:
        checkout = self.banks()
        self.assert_refused(1003, "already-started", None, "component.start", componentId=checkout.component_id)
        self.assertEqual(len(self.sandbox.requests("banks")), 1)

    def test_second_start_while_the_first_is_under_way(self) -> None:
        checkout = self.start()
        checkout.provide(IDEAL)
        self.sandbox.hold("banks")
        first = self.client.send("component.start", componentId=checkout.component_id)
        self.assert_refused(1003, "already-started", None, "component.start", componentId=checkout.component_id)
        self.sandbox.release("banks")
        self.assertIn("step", self.client.result(first))

    def test_failed_fetch_is_told_and_can_be_tried_again(self) -> None:
        checkout = self.start()
        checkout.provide(IDEAL)
        self.sandbox.fault("banks", status=400)
        error = self.assert_refused(
            1006, "banks-fetch-failed", None, "component.start", componentId=checkout.component_id
        )
        self.assertEqual((error.data["httpStatus"], error.data["serverErrorId"]), (400, "SandboxFault"))
        *_, loading, failed = checkout.events_until("didReceiveError")
        self.assertEqual(loading.label, "step loading")
        self.assertEqual(failed.error_id, "banks-fetch-failed")
        self.assertEqual(failed.params["componentId"], checkout.component_id)
        self.assert_refused(1003, "not-started", None, "component.submit", componentId=checkout.component_id)
        checkout.component_call("start")
        self.assertEqual([event.label for event in checkout.events_until("step banksRetrieved")][0], "step loading")

    def test_what_may_pass_is_tried_again_unasked(self) -> None:
        self.sandbox.fault("banks", status=503)
        self.banks()
        self.assertEqual([request["status"] for request in self.sandbox.requests("banks")], [503, 200])

    def test_answers_of_the_wrong_shape(self) -> None:
        answers: list[JsonObject] = [
            {"wrongShape": True},
            {"malformed": True},
            {"body": {"result": None}},
            {"body": {"result": [{"id": 7, "name": "Bank"}]}},
            {"body": {"result": [{"name": "Bank"}]}},
            {"body": "<html></html>", "contentType": "text/html"},
        ]
        checkout = self.start()
        checkout.provide(IDEAL)
        for answer in answers:
            with self.subTest(answer):
                self.sandbox.fault("banks", **answer)
                self.assert_refused(
                    1006, "banks-fetch-failed", None, "component.start", componentId=checkout.component_id
                )

    def test_bad_entry_is_left_out(self) -> None:
        nameless: JsonObject = {"id": "8", "name": "", "disabled": "true"}
        entries: list[JsonObject | None] = [{"name": "Nobody's"}, {"id": "7"}, None, nameless]
        self.sandbox.fault("banks", body={"result": entries})
        checkout = self.start()
        checkout.provide(IDEAL)
        banks = checkout.component_call("start")["step"]["banks"]
        expected = [{"id": "7", "name": "7", "isDisabled": False}, {"id": "8", "name": "8", "isDisabled": True}]
        self.assertEqual(banks, expected)

    def test_empty_list_is_loaded(self) -> None:
        checkout = self.banks(self.session(banks=[]))
        status = checkout.update(bankId="7")
        self.assertEqual((status["status"], status["errors"][0]["errorId"]), ("invalid", "invalid-bank-id"))


class Choosing(DaemonTest):
    def assert_invalid(self, checkout: Checkout, error_id: str, **data: str) -> None:
        status = checkout.update(**data)
        self.assertEqual(status["status"], "invalid")
        self.assertEqual([error["errorId"] for error in status["errors"]], [error_id])
        validating, invalid = checkout.events_until("validation invalid")[-2:]
        self.assertEqual(validating.label, "validation validating")
        self.assertEqual((validating.params["data"], invalid.params["data"]), (data, data))
        (error,) = invalid.params["errors"]
        self.assertEqual(error["errorId"], error_id)
        self.assertTrue(error["description"] and error["diagnosticsId"] and error["inputElementType"])

    def test_valid(self) -> None:
        checkout = self.banks()
        self.assertEqual(checkout.update(bankId=BANK), {"status": "valid"})
        component = checkout.component_call("get")
        self.assertEqual((component["data"], component["submittable"]), ({"bankId": BANK}, True))
        self.assertEqual((component["missing"], component["validation"]["bankId"]["status"]), ([], "valid"))

    def test_before_the_list_is_loaded(self) -> None:
        checkout = self.start()
        checkout.provide(IDEAL)
        self.assert_invalid(checkout, "banks-not-loaded", bankId=BANK)
        self.assert_invalid(checkout, "banks-not-loaded", bankFilterText="bank")
        self.assert_refused(1003, "not-started", None, "component.submit", componentId=checkout.component_id)

    def test_invalid_choice_clears_the_earlier_one(self) -> None:
        for bank, error_id in ((CLOSED_BANK, "bank-disabled"), ("none", "invalid-bank-id"), ("", "invalid-bank-id")):
            with self.subTest(bank):
                checkout = self.chosen()
                self.assert_invalid(checkout, error_id, bankId=bank)
                error = self.assert_refused(
                    1004, "invalid-collected-data", None, "component.submit", componentId=checkout.component_id
                )
                self.assertEqual([field["field"] for field in error.data["validationErrors"]], ["bankId"])
                self.assertEqual(self.sandbox.requests("payment-instruments"), [])

    def test_filter_leaves_the_choice(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.update(bankFilterText="zeester")
        checkout.submit()
        checkout.await_end()
        self.assertEqual(checkout.session.payment["issuer"], BANK)


class Filtering(DaemonTest):
    def test_case_and_diacritics_do_not_matter(self) -> None:
        checkout = self.banks(self.session(banks=BANKS))
        matches = {
            "": ["z", "a", "n", "m"],
            "bank": ["z", "m"],
            "BANK": ["z", "m"],
            "zurich": ["z"],
            "ZÜRICH": ["z"],
            "angstrom": ["a"],
            "kred": ["a"],
            "credit": ["n"],
            "cre\u0301dit": ["n"],
            "crédit": ["n"],
            "mijn ": ["m"],
            " mijn": [],
            "nobody": [],
        }
        for text, ids in matches.items():
            with self.subTest(text):
                status = checkout.update(bankFilterText=text)
                self.assertEqual((status["status"], [bank["id"] for bank in status["banks"]]), ("valid", ids))
                step, validating, valid = checkout.events_until("validation valid")
                self.assertEqual([bank["id"] for bank in step.params["step"]["banks"]], ids)
                self.assertEqual(validating.params["data"], {"bankFilterText": text})
                self.assertEqual(valid.params["data"], {"bankFilterText": text})
        self.assertEqual(len(self.sandbox.requests("banks")), 1)
