"""Answers of upstream that are odd as texts, but hold what was asked for: every payment goes as if they were not."""

from __future__ import annotations

import re
from pathlib import Path

from support.case import DaemonTest
from support.lines import JsonObject
from support.sandbox import APPROVING

_TABLE = Path(__file__).resolve().parents[2] / "client" / "sandbox" / "oddities.py"
ODDITIES = re.findall(r'^    "([a-z0-9-]+)": ', _TABLE.read_text(), re.MULTILINE)
IDEAL_CALLS = ("configuration", "banks", "payment-instruments", "payments", "status", "resume")
ACH_CALLS = ("configuration", "actions", "payment-instruments", "payments", "complete")


class OddAnswers(DaemonTest):
    def lay(self, endpoint: str, oddity: str) -> None:
        """Every answer of the endpoint is odd from now on."""
        self.sandbox.control("DELETE", "faults")
        self.sandbox.fault(endpoint, oddity=oddity, times=-1)

    def test_there_are_some(self) -> None:
        self.assertGreaterEqual(len(ODDITIES), 10)

    def test_an_ideal_payment_goes_through(self) -> None:
        for endpoint in IDEAL_CALLS:
            for oddity in ODDITIES:
                with self.subTest(endpoint=endpoint, oddity=oddity):
                    self.lay(endpoint, oddity)
                    checkout = self.chosen(self.session(**APPROVING))
                    checkout.submit()
                    self.assert_completed(checkout.await_end(), "success")
                    self.assertEqual(checkout.snapshot["payment"]["id"], checkout.session.payment["id"])

    def test_an_ach_payment_goes_through(self) -> None:
        for endpoint in ACH_CALLS:
            for oddity in ODDITIES:
                with self.subTest(endpoint=endpoint, oddity=oddity):
                    self.lay(endpoint, oddity)
                    customer: JsonObject = {"lastName": "Zonnebloem"}
                    checkout = self.details(self.session(customer=customer))
                    checkout.update(lastName="Verhoeven")
                    checkout.submit()
                    checkout.await_event("info bankAccountCollector")
                    checkout.report_account()
                    checkout.await_event("info mandate")
                    checkout.component_call("acceptMandate")
                    self.assert_completed(checkout.await_end(), "pending")
                    self.assertTrue(checkout.session.payment["completed"])

    def test_all_at_once(self) -> None:
        for oddity in ODDITIES:
            with self.subTest(oddity):
                self.lay("*", oddity)
                checkout = self.chosen(self.session(**APPROVING))
                checkout.submit()
                self.assert_completed(checkout.await_end(), "success")
