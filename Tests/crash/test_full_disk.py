"""A disk without a byte left: every command is refused at once, and the store is not called well before it is."""

from __future__ import annotations

from typing import Any

from crash.case import pass_by
from crash.test_disk import RESERVE, DiskTest
from support.checkout import BANK, IDEAL


class FullDisk(DiskTest):
    def commands(self) -> list[tuple[str, dict[str, Any]]]:
        """Every call that would change something, each of a checkout that is where the call fits."""
        ready, provided, chosen = self.start(), self.start(), self.chosen()
        provided.provide(IDEAL)
        asked = self.chosen(None, None, decisions=["willCreatePayment"])
        asked.submit()
        decision = asked.await_event("willCreatePayment").params["decisionId"]
        method = "componentWithRedirectManager.provide"
        return [
            ("checkout.start", {"clientToken": self.session().client_token}),
            ("checkout.start", {"clientToken": self.session().client_token, "startKey": "order-1"}),
            (method, {"checkoutId": ready.id, "paymentMethodType": IDEAL}),
            ("component.start", {"componentId": provided.component_id}),
            ("component.updateCollectedData", {"componentId": chosen.component_id, "data": {"bankId": "9002"}}),
            ("component.submit", {"componentId": chosen.component_id}),
            ("checkout.share", {"checkoutId": ready.id, "uid": 1001, "role": "drive"}),
            ("checkout.decide", {"checkoutId": asked.id, "decisionId": decision, "decision": "continue"}),
            ("checkout.cancel", {"checkoutId": ready.id}),
        ]

    def test_every_command_is_refused_at_once(self) -> None:
        commands = self.commands()
        self.assertEqual(self.reserve, RESERVE)
        self.disk.fill()
        for method, params in commands:
            with self.subTest(method):
                self.assert_store_failed(method, **params)
        self.assertEqual(self.client.call("system.ping"), {})

    def test_the_store_is_not_well_before_there_is_room(self) -> None:
        checkout = self.chosen()
        self.disk.fill()
        for _ in range(3):
            self.assert_store_failed(
                "component.updateCollectedData", componentId=checkout.component_id, data={"bankId": "9002"}
            )
            # Long enough for whatever looks after it, each second.
            pass_by(1300)
            self.assertNotEqual(self.store["health"], "ok")
        self.disk.free()
        self.await_commands(checkout)
        self.assertEqual(checkout.update(bankId=BANK)["status"], "valid")
        self.assertEqual(self.store["health"], "ok")
