"""Who sees what: owners, strangers, those with whom a checkout is shared."""

from __future__ import annotations

import os
import unittest
from typing import Any

from support.case import DaemonTest
from support.checkout import ACH, ACH_SETTINGS, BANK, IDEAL, Checkout
from support.client import Client
from support.lines import Event, JsonObject

OWNER, OTHER = 61001, 61002
OWNERS_GROUP, OTHERS_GROUP, SHARED_GROUP = 62001, 62002, 62003


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class AccessTest(DaemonTest):
    """Root is an administrator, so the checkouts here belong to somebody else."""

    def setUp(self) -> None:
        super().setUp()
        self.administrator = self.client
        self.client = self.daemon.connect_as(OWNER, OWNERS_GROUP)
        self.other = self.daemon.connect_as(OTHER, OTHERS_GROUP, [SHARED_GROUP])

    def share(self, checkout: Checkout, role: str, **subject: int) -> None:
        self.assertEqual(checkout.call("checkout.share", role=role, **subject), {})

    def as_seen_by(self, client: Client, checkout: Checkout) -> Checkout:
        return Checkout(client, checkout.session, checkout.id, checkout.component_id)


class Strangers(AccessTest):
    def test_roles(self) -> None:
        for client, uid, gid, role in (
            (self.administrator, 0, 0, "administrator"),
            (self.client, OWNER, OWNERS_GROUP, "user"),
            (self.other, OTHER, OTHERS_GROUP, "user"),
        ):
            you = client.call("system.hello")["you"]
            self.assertEqual((you["uid"], you["gid"]), (uid, gid))
            self.assertEqual(you["role"], role)
            self.assertIsInstance(you["pid"], int)

    def test_every_call_says_unknown(self) -> None:
        checkout = self.chosen(decisions=["willCreatePayment"])
        calls: list[tuple[str, JsonObject]] = [
            ("checkout.get", {}),
            ("checkout.wait", {"for": ["terminal"], "waitMs": 0}),
            ("checkout.cancel", {}),
            ("checkout.decide", {"decisionId": "d1", "decision": "abort"}),
            ("checkout.share", {"uid": OTHER, "role": "drive"}),
            ("checkout.unshare", {"uid": OWNER}),
            ("componentWithRedirectManager.provide", {"paymentMethodType": IDEAL}),
            ("componentWithRedirectManager.provideBanksComponent", {"paymentMethodType": IDEAL}),
            ("achManager.provide", {"paymentMethodType": ACH}),
            ("events.subscribe", {}),
            ("events.subscribe", {"after": 0}),
            ("events.read", {}),
        ]
        for method, params in calls:
            with self.subTest(method):
                known = self.assert_refused(
                    1001, "unknown-checkout", self.other, method, checkoutId=checkout.id, **params
                )
                unknown = self.assert_refused(
                    1001, "unknown-checkout", self.other, method, checkoutId="co_0123456789abcdef", **params
                )
                self.assertEqual((known.message, known.data), (unknown.message, unknown.data))
        self.assertEqual(checkout.state, "ready")

    def test_every_component_call_says_unknown(self) -> None:
        checkout = self.chosen()
        calls: list[tuple[str, JsonObject]] = [
            ("start", {}),
            ("updateCollectedData", {"data": {"bankId": BANK}}),
            ("submit", {}),
            ("get", {}),
            ("reportRedirect", {"outcome": "presented"}),
            ("reportBankAccount", {"outcome": "cancelled"}),
            ("acceptMandate", {}),
            ("declineMandate", {}),
        ]
        for method, params in calls:
            with self.subTest(method):
                for component in (checkout.component_id, "cm_0123456789abcdef_0"):
                    self.assert_refused(
                        1001, "unknown-component", self.other, f"component.{method}", componentId=component, **params
                    )
        self.assertEqual(checkout.state, "ready")

    def test_start_keys_are_per_user(self) -> None:
        mine = self.client.call("checkout.start", clientToken=self.session().client_token, startKey="till-1")
        theirs = self.other.call("checkout.start", clientToken=self.session().client_token, startKey="till-1")
        self.assertNotEqual(mine["checkoutId"], theirs["checkoutId"])
        seen = self.other.call("checkout.get", checkoutId={"startKey": "till-1"})
        self.assertEqual(seen["checkoutId"], theirs["checkoutId"])

    def test_nothing_in_lists_events_and_counts(self) -> None:
        before = self.other.call("system.status")
        self.other.call("events.subscribe")
        checkout = self.redirected(self.approving())
        self.assertEqual(self.other.call("checkout.list"), {"checkouts": []})
        self.assertEqual(self.other.call("checkout.list", shared=True), {"checkouts": []})
        self.assertEqual(self.other.arrived_events(), [])
        after = self.other.call("system.status")
        self.assertEqual(_counts(before), _counts(after))
        self.assertNotIn(checkout.id, str(after))

    def test_administrator_alone_may_ask_for_all(self) -> None:
        checkout = self.start()
        self.assert_refused(-32002, "permission-denied", self.other, "checkout.list", all=True)
        self.assert_refused(-32002, "permission-denied", self.other, "events.subscribe", all=True)
        self.assert_refused(-32002, "permission-denied", self.other, "system.connections")
        self.assert_refused(-32002, "permission-denied", self.other, "system.reload")
        listed = self.administrator.call("checkout.list", all=True)["checkouts"]
        self.assertEqual([short["checkoutId"] for short in listed], [checkout.id])
        self.assertEqual(listed[0]["owner"], {"uid": OWNER})
        self.assertEqual(self.administrator.call("checkout.get", checkoutId=checkout.id)["state"], "ready")

    def test_session_of_another_user_is_in_use_and_stays_unknown(self) -> None:
        checkout = self.start()
        token = checkout.session.another_token()
        error = self.assert_refused(1003, "session-in-use", self.other, "checkout.start", clientToken=token)
        self.assertNotIn("checkoutId", error.data)
        self.assertNotIn(checkout.id, str(error))

    def test_connections_are_listed(self) -> None:
        self.other.call("system.ping")
        listed = self.administrator.call("system.connections")["connections"]
        self.assertEqual({entry["uid"] for entry in listed}, {0, OWNER, OTHER})
        self.assertTrue(all(isinstance(entry["pid"], int) for entry in listed))


class Nobody(AccessTest):
    def test_overflow_user_is_told_and_closed(self) -> None:
        """Whoever has that id is a user that this namespace does not know."""
        client = self.daemon.connect_as(65534, 65534)
        (last,) = client.read_to_end()
        assert isinstance(last, dict)
        told = (last["id"], last["error"]["code"], last["error"]["data"]["errorId"])
        self.assertEqual(told, (None, -32002, "permission-denied"))


class TwoClientsOfOneUser(AccessTest):
    def test_they_share_a_checkout(self) -> None:
        second = self.daemon.connect_as(OWNER, OWNERS_GROUP)
        checkout = self.banks(self.approving())
        seen = self.as_seen_by(second, checkout)
        seen.subscribe()
        seen.update(bankId=BANK)
        checkout.await_event("validation valid")
        checkout.submit()
        end = seen.await_end()
        self.assertEqual(checkout.await_end(), end)
        self.assertEqual([event.seq for event in seen.history()], list(range(1, end.seq + 1)))


class Sharing(AccessTest):
    def assert_redacted(self, seen: Checkout, secrets: list[str]) -> None:
        """No answer and no event that the other user gets has one of the secrets."""
        snapshot = seen.snapshot
        self.assertIs(snapshot["redacted"], True)
        received = str(self.other.transcript) + str([event.params for event in seen.history()])
        for secret in secrets:
            self.assertNotIn(secret, received)

    def test_by_user_and_by_group(self) -> None:
        for subject in ({"uid": OTHER}, {"gid": OTHERS_GROUP}, {"gid": SHARED_GROUP}):
            with self.subTest(subject):
                checkout = self.start()
                seen = self.as_seen_by(self.other, checkout)
                self.share(checkout, "observe", **subject)
                self.assertEqual(seen.state, "ready")
                listed = self.other.call("checkout.list", shared=True)["checkouts"]
                self.assertEqual([short["checkoutId"] for short in listed], [checkout.id])
                self.assertEqual(self.other.call("checkout.list")["checkouts"], [])
                checkout.call("checkout.unshare", **subject)
                self.assert_refused(1001, "unknown-checkout", self.other, "checkout.get", checkoutId=checkout.id)

    def test_other_user_and_group_see_nothing(self) -> None:
        checkout = self.start()
        self.share(checkout, "observe", uid=OTHER + 1)
        self.share(checkout, "observe", gid=OTHERS_GROUP + 100)
        self.assert_refused(1001, "unknown-checkout", self.other, "checkout.get", checkoutId=checkout.id)

    def test_share_with_the_start(self) -> None:
        checkout = self.start(None, None, startKey="order-1", share=[{"uid": OTHER, "role": "observe"}])
        self.assertEqual(self.client.call("checkout.list")["checkouts"][0]["startKey"], "order-1")
        seen = self.as_seen_by(self.other, checkout).snapshot
        self.assertTrue(seen["redacted"])
        self.assertNotIn("startKey", seen)

    def test_observer_of_ideal_sees_no_address_and_no_choice(self) -> None:
        checkout = self.banks()
        self.share(checkout, "observe", uid=OTHER)
        seen = self.as_seen_by(self.other, checkout)
        seen.subscribe()
        checkout.update(bankId="9008")
        checkout.submit()
        shown = seen.await_event("step webRedirect loaded")
        self.assertNotIn("url", shown.params["step"])
        self.assertIs(shown.params["redacted"], True)
        self.assert_redacted(seen, [f"{self.sandbox.base}/bank/", "'bankId': '9008'"])
        self.assertEqual(seen.snapshot["awaiting"][0]["kind"], "redirect")

    def test_observer_of_ach_sees_no_secret_and_no_details(self) -> None:
        session = self.session()
        customer = session.customer
        checkout = self.start(session, settings=ACH_SETTINGS)
        self.share(checkout, "observe", uid=OTHER)
        seen = self.as_seen_by(self.other, checkout)
        seen.subscribe()
        checkout.provide(ACH)
        checkout.component_call("start")
        checkout.update(lastName="Zuiderduin")
        checkout.submit()
        secret = checkout.await_event("info bankAccountCollector").params["info"]["clientSecret"]
        info = seen.await_event("info bankAccountCollector").params["info"]
        self.assertNotIn("clientSecret", info)
        self.assert_redacted(
            seen, [secret, customer["firstName"], customer["lastName"], customer["emailAddress"], "Zuiderduin"]
        )

    def test_observer_of_manual_handling_sees_no_tokens(self) -> None:
        checkout = self.chosen(None, None, settings={"paymentHandling": "manual"})
        self.share(checkout, "observe", uid=OTHER)
        seen = self.as_seen_by(self.other, checkout)
        seen.subscribe()
        checkout.submit()
        event = checkout.await_event("didTokenizePaymentMethod")
        token = event.params["paymentMethodTokenData"]["token"]
        self.assertNotIn("paymentMethodTokenData", seen.await_event("didTokenizePaymentMethod").params)
        payment = self.sandbox.create_payment(token)
        action_token = payment["requiredAction"]["clientToken"]
        checkout.decide(event.params["decisionId"], "continueWithNewClientToken", clientToken=action_token)
        checkout.session.approve()
        resume_token = checkout.await_event("didResumeWith").params["resumeToken"]
        self.assertNotIn("resumeToken", seen.await_event("didResumeWith").params)
        self.assert_redacted(seen, [token, action_token, resume_token])

    def test_observer_may_not_act(self) -> None:
        checkout = self.chosen()
        self.share(checkout, "observe", uid=OTHER)
        component: JsonObject = {"componentId": checkout.component_id}
        calls: list[tuple[str, JsonObject]] = [
            ("checkout.cancel", {"checkoutId": checkout.id}),
            ("checkout.decide", {"checkoutId": checkout.id, "decisionId": "d1", "decision": "abort"}),
            ("checkout.share", {"checkoutId": checkout.id, "uid": OTHER, "role": "drive"}),
            ("checkout.unshare", {"checkoutId": checkout.id, "uid": OTHER}),
            ("componentWithRedirectManager.provide", {"checkoutId": checkout.id, "paymentMethodType": IDEAL}),
            ("component.updateCollectedData", component | {"data": {"bankId": BANK}}),
            ("component.submit", component),
            ("component.start", component),
            ("component.reportRedirect", component | {"outcome": "presented"}),
            ("component.acceptMandate", component),
        ]
        for method, params in calls:
            with self.subTest(method):
                self.assert_refused(-32002, "permission-denied", self.other, method, **params)
        self.assertEqual(checkout.state, "ready")

    def test_driver_may_do_all_but_share(self) -> None:
        checkout = self.start(self.approving())
        self.share(checkout, "drive", uid=OTHER)
        seen = self.as_seen_by(self.other, checkout)
        seen.subscribe()
        for method, params in (
            ("checkout.share", {"uid": OTHER + 1, "role": "drive"}),
            ("checkout.unshare", {"uid": OTHER}),
        ):
            self.assert_refused(-32002, "permission-denied", self.other, method, checkoutId=checkout.id, **params)
        seen.provide(IDEAL)
        seen.component_call("start")
        seen.update(bankId=BANK)
        seen.submit()
        self.assertIn("url", seen.await_event("step webRedirect loaded").params["step"])
        self.assert_completed(seen.await_end(), "success")
        self.assertNotIn("redacted", seen.snapshot)

    def test_subscription_ends_with_the_share(self) -> None:
        checkout = self.start()
        self.share(checkout, "observe", uid=OTHER)
        self.as_seen_by(self.other, checkout).subscribe()
        self.other.await_event("didLoadAvailablePaymentMethods")
        checkout.call("checkout.unshare", uid=OTHER)
        checkout.provide(IDEAL)
        checkout.component_call("start")
        self.assertEqual(self.other.arrived_events(), [])

    def test_subscription_to_all_shared(self) -> None:
        self.other.call("events.subscribe", shared=True)
        checkout = self.start()
        self.share(checkout, "observe", uid=OTHER)
        checkout.provide(IDEAL)
        checkout.component_call("start")
        events: list[Event] = [self.other.next_event(checkout.id), self.other.next_event(checkout.id)]
        self.assertEqual([event.label for event in events], ["step loading", "step banksRetrieved"])

    def test_roles_and_subjects_are_checked(self) -> None:
        checkout = self.start()
        cases: list[dict[str, Any]] = [
            {"uid": OTHER},
            {"uid": OTHER, "role": None},
            {"uid": OTHER, "role": "own"},
            {"uid": -1, "role": "drive"},
            {"uid": 2**32 - 1, "role": "drive"},
            {"uid": str(OTHER), "role": "drive"},
        ]
        for params in cases:
            with self.subTest(params):
                self.assert_malformed("checkout.share", checkoutId=checkout.id, **params)
                token = self.session().client_token
                self.assert_malformed("checkout.start", clientToken=token, share=[params])
        for subject in ({}, {"uid": OTHER, "gid": OTHERS_GROUP}):
            with self.subTest(subject):
                self.assert_malformed("checkout.share", checkoutId=checkout.id, role="drive", **subject)
                self.assert_malformed("checkout.unshare", checkoutId=checkout.id, **subject)


def _counts(status: JsonObject) -> Any:
    """What a status says of checkouts."""
    return {name: value for name, value in status.items() if "state" in name.lower() or "checkout" in name.lower()}
