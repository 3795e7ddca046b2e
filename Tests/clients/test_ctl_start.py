"""checkoutctl start: the token, the settings, what it prints and waits for."""

from __future__ import annotations

import json
from pathlib import Path

from clients.case import ERROR_REPLY, USAGE, CtlTest
from clients.ctl import Outcome
from support.case import CHECKOUT_ID
from support.checkout import ACH_SETTINGS, BANK
from support.sandbox import Session


class Start(CtlTest):
    def started(self, *arguments: str | Path, session: Session | None = None) -> str:
        """The id of a checkout that the command has started."""
        text = (session or self.session()).client_token
        output = self.assert_ends(self.ctl("start", *arguments, text=text), 0).output
        self.assertRegex(output, f"^{CHECKOUT_ID}\n$")
        return output.strip()

    def test_prints_the_id(self) -> None:
        session = self.session()
        snapshot = self.client.call("checkout.get", checkoutId=self.started(session=session))
        self.assertEqual((snapshot["state"], snapshot["clientSession"]["orderId"]), ("ready", session.order_id))

    def test_token_from_a_file(self) -> None:
        session = self.session()
        outcome = self.ctl("start", "--json", "--token-file", self.file(f"{session.client_token}\n"))
        snapshot = self.assert_ends(outcome, 0).value
        self.assertEqual(snapshot, self.client.call("checkout.get", checkoutId=snapshot["checkoutId"]))

    def test_settings(self) -> None:
        settings = {"locale": "de-DE", "paymentHandling": "manual", **ACH_SETTINGS}
        identity = self.started("--settings", self.file(json.dumps(settings)), "--handling", "auto")
        self.assertEqual(self.client.call("checkout.get", checkoutId=identity)["paymentHandling"], "auto")
        options = ["--handling=manual", "--url-scheme=kiosk://checkout", "--locale=nl-NL"]
        stripe = ["--publishable-key=pk_test_example", "--merchant-name=Example Shop"]
        identity = self.started(*options, *stripe)
        self.assertEqual(self.client.call("checkout.get", checkoutId=identity)["paymentHandling"], "manual")
        provided = self.client.call("achManager.provide", checkoutId=identity, paymentMethodType="STRIPE_ACH")
        self.assertEqual(provided["component"], "StripeAchUserDetailsComponent")

    def test_mandate_text(self) -> None:
        session = self.session()
        options = [
            "--url-scheme=kiosk://checkout",
            "--publishable-key=pk_test_example",
            "--mandate-text=You may debit.",
        ]
        identity = self.started(*options, session=session)
        call = self.client.call
        component = call("achManager.provide", checkoutId=identity, paymentMethodType="STRIPE_ACH")["componentId"]
        call("component.start", componentId=component)
        call("component.submit", componentId=component)
        wait = ("wait", identity, "--json", "--wait", "awaiting")
        self.assertEqual(self.assert_ends(self.ctl(*wait), 0).value["awaiting"][0]["kind"], "bankAccount")
        call("component.reportBankAccount", componentId=component, outcome="succeeded", paymentId="pi_example")
        awaited = self.assert_ends(self.ctl(*wait), 0).value["awaiting"][0]
        self.assertEqual((awaited["kind"], awaited["info"]["text"]), ("mandate", "You may debit."))

    def test_again_with_the_same_key(self) -> None:
        session = self.session()
        identity = self.started("--start-key", "till-1", session=session)
        self.assertEqual(self.started("--start-key", "till-1", session=session), identity)
        outcome = self.assert_ends(self.ctl("start", "-k", "till-1", text=self.session().client_token), ERROR_REPLY)
        self.assertIn("(key-reused)", outcome.errors)

    def test_decision(self) -> None:
        identity = self.started("--decide", "--decision-timeout", "1000")
        call = self.client.call
        provide = "componentWithRedirectManager.provide"
        component = call(provide, checkoutId=identity, paymentMethodType="ADYEN_IDEAL")["componentId"]
        call("component.start", componentId=component)
        call("component.updateCollectedData", componentId=component, data={"bankId": BANK})
        call("component.submit", componentId=component)
        ended = self.assert_ends(self.ctl("wait", "--json", identity), 0).value
        self.assertEqual(ended["error"]["errorId"], "decision-timeout")

    def test_waits_after_it_has_printed_the_id(self) -> None:
        for arguments in ([], ["--json"]):
            ctl = self.start_ctl("start", *arguments, "--wait", "checkout.didFail")
            ctl.send(self.session().client_token)
            line = ctl.next_text()
            identity = json.loads(line)["checkoutId"] if arguments else line.strip()
            self.await_waiting()
            self.client.call("checkout.cancel", checkoutId=identity)
            self.assertEqual(ctl.finish(), Outcome(0, "", ""))

    def test_refused(self) -> None:
        outcome = self.assert_ends(self.ctl("start", text="no token"), ERROR_REPLY)
        self.assertIn("(invalid-client-token)", outcome.errors)
        outcome = self.assert_ends(self.ctl("start", "--json", text="no token"), ERROR_REPLY)
        self.assertEqual(outcome.error["data"]["errorId"], "invalid-client-token")

    def test_wrong_use(self) -> None:
        for arguments in (
            ["--settings", self.file("[]")],
            ["--settings", "-"],
            ["--decision-timeout", "999"],
            ["--wait", "whatever"],
            ["--retry", "-1"],
        ):
            self.assert_ends(self.ctl("start", *arguments, text="token"), USAGE)
