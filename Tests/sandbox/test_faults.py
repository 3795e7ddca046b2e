"""What tests lay in the way of Primer's calls: faults, holds, and the log that says how far a request got."""

from __future__ import annotations

import http.client
import json
import sys
import time
import unittest

from harness import PROGRAM, Background, SandboxTestCase

sys.path.append(str(PROGRAM.parent))

from oddities import ODDITIES


class FaultTests(SandboxTestCase):
    def test_before_the_effect_nothing_happens(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        self.sandbox.fault("payments", status=503)
        self.assert_refused(checkout.create(token, "before"), 503, "SandboxFault")
        self.assertEqual(self.sandbox.payments_of(checkout), [])
        self.assertEqual(checkout.create(token, "before").status, 200)

    def test_after_the_effect_the_payment_is_there(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        self.sandbox.fault("payments", reset=True, afterEffect=True)
        with self.assertRaises(ConnectionResetError):
            checkout.create(token, "after")
        [payment] = self.sandbox.payments_of(checkout)
        again = checkout.create(token, "after")
        self.assert_refused(again, 409, "IdempotencyKeyAlreadyExists")
        self.assertEqual(again.body["paymentId"], payment["id"])

    def test_resume_after_the_effect_is_used_up(self) -> None:
        checkout = self.sandbox.checkout(outcome="approve", pendingPolls=0)
        payment = checkout.pay_by_ideal()
        resume_token = checkout.poll().body["id"]
        self.sandbox.fault("resume", status=500, afterEffect=True)
        self.assertEqual(checkout.resume(payment["id"], resume_token).status, 500)
        self.assertEqual(self.sandbox.payments_of(checkout)[0]["status"], "SUCCESS")
        self.assert_refused(checkout.resume(payment["id"], resume_token), 400, "ResumeTokenAlreadyUsed")

    def test_skip_and_times(self) -> None:
        checkout = self.sandbox.checkout()
        self.sandbox.fault("configuration", status=500, skip=1, times=2)
        self.assertEqual([checkout.configuration().status for _ in range(4)], [200, 500, 500, 200])
        self.assertEqual(self.sandbox.control("GET", "faults"), [])

    def test_for_ever_until_deleted(self) -> None:
        checkout = self.sandbox.checkout()
        self.sandbox.fault("*", status=502, times=-1)
        self.assertEqual([checkout.configuration().status, checkout.banks().status], [502, 502])
        self.sandbox.control("DELETE", "faults")
        self.assertEqual(checkout.banks().status, 200)

    def test_faults_of_one_endpoint_strike_in_order(self) -> None:
        checkout = self.sandbox.checkout()
        self.sandbox.fault("configuration", status=500)
        self.sandbox.fault("configuration", status=429, headers={"Retry-After": "2"})
        self.assertEqual(checkout.configuration().status, 500)
        busy = checkout.configuration()
        self.assertEqual((busy.status, busy.headers["Retry-After"]), (429, "2"))

    def test_bodies(self) -> None:
        checkout = self.sandbox.checkout()
        for members, text in (
            ({"body": "<p>no</p>", "contentType": "text/html"}, b"<p>no</p>"),
            ({"body": {"a": [1]}}, b'{"a":[1]}'),
            ({"body": ""}, b""),
            ({"wrongShape": True}, b'["unexpected"]'),
        ):
            with self.subTest(members=members):
                self.sandbox.fault("configuration", **members)
                reply = checkout.configuration()
                self.assertEqual((reply.status, reply.text), (200, text))
                self.assertEqual(reply.headers["Content-Type"], members.get("contentType", "application/json"))

    def test_malformed_and_big_bodies(self) -> None:
        checkout = self.sandbox.checkout()
        self.sandbox.fault("configuration", malformed=True)
        self.assertRaises(ValueError, json.loads, checkout.configuration().text)
        self.sandbox.fault("configuration", bigBody=5_000_000)
        big = checkout.configuration()
        self.assertEqual(len(big.text), 5_000_000)
        self.assertEqual(set(big.body), {"padding"})

    def test_a_body_names_the_payment_of_the_request(self) -> None:
        checkout = self.sandbox.checkout()
        payment = checkout.pay_by_ideal()
        self.sandbox.fault("status", status=400, body={"error": {"errorId": "Odd", "paymentId": "@ID@"}})
        self.assertEqual(checkout.poll().body["error"]["paymentId"], payment["id"])

    def test_oddities_keep_what_is_asked_for(self) -> None:
        checkout = self.sandbox.checkout()
        plain = checkout.configuration().text
        for oddity in ODDITIES:
            with self.subTest(oddity):
                self.sandbox.fault("configuration", oddity=oddity)
                odd = checkout.configuration()
                self.assertEqual(odd.status, 200)
                self.assertNotEqual(odd.text, plain)
                self.assertIn(plain[1:-1], odd.text)

    def test_an_oddity_has_its_effect_and_may_come_with_another_fault(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        self.sandbox.fault("payments", oddity="byte-order-mark")
        self.assertTrue(checkout.create(token, "odd").text.startswith(b"\xef\xbb\xbf{"))
        self.assertEqual(len(self.sandbox.payments_of(checkout)), 1)
        self.sandbox.fault("banks", oddity="error-null", body={})
        self.assertEqual(checkout.banks().body, {"error": None})

    def test_redirect(self) -> None:
        self.sandbox.fault("configuration", redirect="https://elsewhere.example.com/")
        reply = self.sandbox.checkout().configuration()
        self.assertEqual((reply.status, reply.headers["Location"]), (302, "https://elsewhere.example.com/"))

    def test_truncated(self) -> None:
        checkout = self.sandbox.checkout()
        whole = len(checkout.banks().text)
        for truncate, sent in ((True, whole // 2), (7, 7), (1, 1), (0, 0)):
            with self.subTest(truncate=truncate):
                self.sandbox.fault("banks", truncate=truncate, afterEffect=True)
                with self.assertRaises(http.client.IncompleteRead) as caught:
                    checkout.banks()
                self.assertEqual((len(caught.exception.partial), caught.exception.expected), (sent, whole - sent))

    def test_reset_before_and_after_the_headers(self) -> None:
        checkout = self.sandbox.checkout()
        for reset, status in (("before-headers", None), ("after-headers", 200)):
            with self.subTest(reset=reset):
                self.sandbox.control("DELETE", "requests")
                self.sandbox.fault("banks", reset=reset, afterEffect=True)
                self.assertRaises((ConnectionResetError, http.client.IncompleteRead), checkout.banks)
                [entry] = self.sandbox.requests("banks")
                self.assertEqual((entry["status"], entry["faulted"], entry["effect"]), (status, True, True))

    def test_a_delay_alone_answers_normally(self) -> None:
        checkout = self.sandbox.checkout()
        self.sandbox.fault("banks", delayMs=60)
        began = time.monotonic()
        self.assertEqual(len(checkout.banks().body["result"]), 12)
        self.assertGreaterEqual(time.monotonic() - began, 0.06)

    def test_headers_alone_leave_the_answer_alone(self) -> None:
        self.sandbox.fault("configuration", headers={"X-Odd": "1"})
        reply = self.sandbox.checkout().configuration()
        self.assertEqual((reply.headers["X-Odd"], reply.body["env"]), ("1", "SANDBOX"))

    def test_bad_faults_are_refused_and_none_is_laid(self) -> None:
        for fault in (
            {},
            {"endpoint": "nowhere"},
            {"endpoint": "banks", "odd": 1},
            {"endpoint": "banks", "status": 99},
            {"endpoint": "banks", "reset": "later"},
            {"endpoint": "banks", "oddity": "none"},
            {"endpoint": "banks", "truncate": -1},
            {"endpoint": "banks", "headers": {"A": "1\r\nB: 2"}},
        ):
            with self.subTest(fault=fault):
                good = {"endpoint": "banks", "status": 500}
                self.assert_refused(self.sandbox.send("POST", "/sandbox/faults", [good, fault]), 400, "BadRequest")
        self.assertEqual(self.sandbox.control("GET", "faults"), [])


class HoldTests(SandboxTestCase):
    def hold(self, endpoint: str, before_effect: bool = False) -> None:
        self.sandbox.control("POST", "hold", {"endpoint": endpoint, "beforeEffect": before_effect})

    def test_the_answer_is_held_and_the_effect_is_done(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        self.hold("payments")
        create = Background(lambda: checkout.create(token))
        [entry] = self.sandbox.requests("payments", until="effect", count=1)
        self.assertEqual((entry["status"], entry["answered"]), (None, False))
        self.assertEqual(len(self.sandbox.payments_of(checkout)), 1)
        self.assertFalse(create.is_done)
        self.sandbox.control("POST", "release", {"endpoint": "payments"})
        self.assertEqual(create.result.status, 200)
        self.assertEqual(self.sandbox.requests("payments")[0]["status"], 200)

    def test_the_effect_is_held(self) -> None:
        checkout = self.sandbox.checkout()
        token = checkout.tokenize_ideal().body["token"]
        self.hold("payments", before_effect=True)
        create = Background(lambda: checkout.create(token))
        [entry] = self.sandbox.requests("payments", count=1)
        self.assertFalse(entry["effect"])
        self.assertEqual(self.sandbox.payments_of(checkout), [])
        self.sandbox.control("POST", "release", {"endpoint": "*"})
        self.assertEqual(create.result.status, 200)
        self.assertEqual(len(self.sandbox.payments_of(checkout)), 1)

    def test_other_endpoints_go_on(self) -> None:
        checkout = self.sandbox.checkout()
        self.hold("payments")
        self.assertEqual(checkout.banks().status, 200)

    def test_a_hold_of_any_endpoint(self) -> None:
        checkout = self.sandbox.checkout()
        self.hold("*")
        banks = Background(checkout.banks)
        self.sandbox.requests("banks", until="effect", count=1)
        self.assertFalse(banks.is_done)
        self.sandbox.control("POST", "release", {"endpoint": "*"})
        self.assertEqual(banks.result.status, 200)


class LogTests(SandboxTestCase):
    def test_an_entry_says_what_was_asked(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.configuration()
        checkout.act("UNSELECT_PAYMENT_METHOD")
        configuration, actions = self.sandbox.control("GET", "requests")
        self.assertEqual((configuration["method"], configuration["endpoint"]), ("GET", "configuration"))
        self.assertEqual(configuration["query"], {"withDisplayMetadata": "true"})
        self.assertEqual(configuration["headers"]["primer-client-token"], checkout.token["accessToken"])
        self.assertEqual(actions["path"], "/pci/client-session/actions")
        self.assertEqual(actions["body"], {"actions": [{"type": "UNSELECT_PAYMENT_METHOD"}]})
        self.assertEqual((actions["status"], actions["faulted"]), (200, False))
        self.assertLessEqual(configuration["elapsedMs"], actions["elapsedMs"])

    def test_a_body_that_is_not_json_is_shown_raw(self) -> None:
        checkout = self.sandbox.checkout()
        checkout.call("POST", checkout.token["pciUrl"] + "/payments", b"\xff{")
        [entry] = self.sandbox.requests("payments")
        self.assertEqual(entry["body"], "\ufffd{")

    def test_waits_for_requests_to_arrive(self) -> None:
        checkout = self.sandbox.checkout()
        waiting = Background(lambda: self.sandbox.send("GET", "/sandbox/requests?endpoint=banks&wait=10000&count=2"))
        checkout.banks()
        checkout.configuration()
        checkout.banks()
        self.assertEqual([entry["endpoint"] for entry in waiting.result.body], ["banks", "banks"])

    def test_a_wait_that_is_over_answers_what_there_is(self) -> None:
        self.assertEqual(self.sandbox.control("GET", "requests?endpoint=banks&wait=1&count=1"), [])

    def test_forgets(self) -> None:
        self.sandbox.checkout().configuration()
        self.sandbox.control("DELETE", "requests")
        self.assertEqual(self.sandbox.control("GET", "requests"), [])

    def test_bad_queries_and_paths_are_refused(self) -> None:
        for query in ("wait=x", "count=-1", "until=never", "odd=1"):
            with self.subTest(query=query):
                self.assert_refused(self.sandbox.send("GET", f"/sandbox/requests?{query}"), 400, "BadRequest")
        self.assert_refused(self.sandbox.send("GET", "/sandbox/nothing"), 404, "NotFound")
        self.assert_refused(self.sandbox.send("GET", "/sandbox/client-sessions/none"), 404, "ClientSessionNotFound")


if __name__ == "__main__":
    unittest.main()
