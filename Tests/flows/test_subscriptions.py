"""Subscriptions: where they begin, what they bring, how they end; and the order of events and replies."""

from __future__ import annotations

from support.case import DaemonTest
from support.checkout import BANK, IDEAL, Checkout


class Beginning(DaemonTest):
    def test_without_after_reply_and_snapshots_come_first(self) -> None:
        checkout = self.banks()
        watcher = self.daemon.connect()
        subscribed = watcher.call("events.subscribe", checkoutId=checkout.id)
        self.assertTrue(subscribed["subscriptionId"])
        (short,) = subscribed["snapshots"]
        self.assertEqual((short["checkoutId"], short["state"], short["seq"]), (checkout.id, "ready", 3))
        for component in short["components"]:
            self.assertNotIn("banks", component)
            self.assertNotIn("data", component)
        self.assertNotIn("lineItems", short["clientSession"])
        checkout.update(bankId=BANK)
        self.assertEqual([watcher.next_event().seq, watcher.next_event().seq], [4, 5])

    def test_with_after_stored_events_follow_the_reply(self) -> None:
        checkout = self.chosen()
        watcher = self.daemon.connect()
        subscribed = watcher.call("events.subscribe", checkoutId=checkout.id, after=2)
        self.assertEqual((subscribed["from"], subscribed["to"]), (3, 5))
        self.assertNotIn("snapshots", subscribed)
        checkout.update(bankFilterText="bank")
        events = [watcher.next_event() for _ in range(6)]
        self.assertEqual([event.seq for event in events], [3, 4, 5, 6, 7, 8])
        first = watcher.transcript[0]
        self.assertIn("result", first)

    def test_after_the_latest_event(self) -> None:
        checkout = self.banks()
        watcher = self.daemon.connect()
        watcher.call("events.subscribe", checkoutId=checkout.id, after=3)
        checkout.update(bankId=BANK)
        self.assertEqual(watcher.next_event().seq, 4)

    def test_after_what_has_not_happened(self) -> None:
        checkout = self.banks()
        for method in ("events.subscribe", "events.read"):
            for after in (4, 2**63 - 1):
                with self.subTest(method, after=after):
                    error = self.assert_refused(
                        -32602, "invalid-params", None, method, checkoutId=checkout.id, after=after
                    )
                    self.assertEqual((error.data["path"], error.data["used"]), ("/params/after", 3))
            with self.subTest(method, after=-1):
                self.assert_malformed(method, checkoutId=checkout.id, after=-1)
        self.assertEqual(checkout.call("events.read", after=3)["next"], 3)

    def test_after_the_end(self) -> None:
        checkout = self.chosen(self.approving())
        checkout.submit()
        end = checkout.await_end()
        watcher = self.daemon.connect()
        subscribed = watcher.call("events.subscribe", checkoutId=checkout.id, after=end.seq - 1)
        self.assertEqual((subscribed["from"], subscribed["to"]), (end.seq, end.seq))
        self.assertEqual(watcher.next_event(), end)

    def test_client_that_went_away_finds_the_end(self) -> None:
        checkout = self.chosen()
        seq = checkout.snapshot["seq"]
        checkout.submit()
        checkout.client.close()
        self.sandbox.requests("payments", count=1, until="answered")
        checkout.session.approve()
        self.client = self.daemon.connect()
        again = Checkout(self.client, checkout.session, checkout.id)
        reached = again.call("checkout.wait", **{"for": ["terminal"]}, waitMs=10_000)
        self.assertEqual(reached["snapshot"]["outcome"], "success")
        read = again.call("events.read", after=seq)
        self.assertTrue(read["ended"])
        self.assertEqual(read["events"][-1]["method"], "checkout.didCompleteCheckout")
        again.subscribe(after=seq)
        events = self.client.events_until_end(checkout.id)
        self.assertEqual([event.seq for event in events], list(range(seq + 1, events[-1].seq + 1)))
        self.assertEqual(events[-1].params, read["events"][-1]["params"])

    def test_start_key_names_the_checkout(self) -> None:
        self.client.call("checkout.start", clientToken=self.session().client_token, startKey="k")
        subscribed = self.client.call("events.subscribe", checkoutId={"startKey": "k"}, after=0)
        self.assertEqual((subscribed["from"], subscribed["to"]), (1, 1))

    def test_after_needs_a_checkout(self) -> None:
        self.assert_malformed("events.subscribe", after=0)


class Order(DaemonTest):
    def test_events_of_a_call_come_before_its_reply(self) -> None:
        checkout = self.banks()
        id = self.client.send("component.updateCollectedData", componentId=checkout.component_id, data={"bankId": BANK})
        self.client.reply(id)
        validating, valid, reply = self.client.transcript[-3:]
        for event in (validating, valid):
            self.assertEqual(
                event["method"] if isinstance(event, dict) else None, "component.didUpdateValidationStatus"
            )
        self.assertEqual(reply["id"] if isinstance(reply, dict) else None, id)

    def test_events_of_a_cancellation_come_before_its_reply(self) -> None:
        checkout = self.start()
        checkout.next_event()
        id = self.client.send("checkout.cancel", checkoutId=checkout.id)
        self.client.reply(id)
        failed, _ = self.client.transcript[-2:]
        self.assertEqual(failed["method"] if isinstance(failed, dict) else None, "checkout.didFail")

    def test_two_checkouts_are_numbered_each_by_itself(self) -> None:
        first, second = self.chosen(), self.chosen()
        for checkout in (first, second):
            self.assertEqual([event.seq for event in checkout.history()], [1, 2, 3, 4, 5])


class OnePerCheckout(DaemonTest):
    def test_new_one_replaces_the_old(self) -> None:
        checkout = self.banks()
        watcher = self.daemon.connect()
        first = watcher.call("events.subscribe", checkoutId=checkout.id)["subscriptionId"]
        second = watcher.call("events.subscribe", checkoutId=checkout.id)["subscriptionId"]
        self.assertNotEqual(first, second)
        checkout.update(bankId=BANK)
        self.assertEqual(
            [event.label for event in watcher.arrived_events()], ["validation validating", "validation valid"]
        )
        self.assert_refused(1001, "unknown-subscription", watcher, "events.unsubscribe", subscriptionId=first)
        self.assertEqual(watcher.call("events.unsubscribe", subscriptionId=second), {})

    def test_own_and_general_bring_an_event_once(self) -> None:
        watcher = self.daemon.connect()
        watcher.call("events.subscribe")
        checkout = self.banks()
        watcher.call("events.subscribe", checkoutId=checkout.id)
        watcher.arrived_events()
        checkout.update(bankId=BANK)
        self.assertEqual([event.seq for event in watcher.arrived_events()], [4, 5])

    def test_unsubscribe(self) -> None:
        checkout = self.banks()
        watcher = self.daemon.connect()
        id = watcher.call("events.subscribe", checkoutId=checkout.id)["subscriptionId"]
        watcher.call("events.unsubscribe", subscriptionId=id)
        checkout.update(bankId=BANK)
        self.assertEqual(watcher.arrived_events(), [])
        self.assert_refused(1001, "unknown-subscription", watcher, "events.unsubscribe", subscriptionId=id)

    def test_subscriptions_belong_to_their_connection(self) -> None:
        id = self.client.call("events.subscribe")["subscriptionId"]
        other = self.daemon.connect()
        self.assert_refused(1001, "unknown-subscription", other, "events.unsubscribe", subscriptionId=id)


class Types(DaemonTest):
    def labels_for(self, *types: str) -> list[str]:
        watcher = self.daemon.connect()
        watcher.call("events.subscribe", types=list(types))
        checkout = self.chosen(self.approving())
        checkout.submit()
        checkout.await_end()
        return [event.label for event in watcher.arrived_events()]

    def test_names(self) -> None:
        labels = self.labels_for("checkout.didCompleteCheckout", "checkout.willCreatePayment")
        self.assertEqual(labels, ["willCreatePayment", "didCompleteCheckout"])

    def test_prefix(self) -> None:
        labels = self.labels_for("component.")
        self.assertEqual(
            labels,
            ["step loading", "step banksRetrieved", "validation validating", "validation valid"]
            + [f"step webRedirect {state}" for state in ("loading", "loaded", "success")],
        )

    def test_stored_events_too(self) -> None:
        checkout = self.chosen()
        watcher = self.daemon.connect()
        watcher.call("events.subscribe", checkoutId=checkout.id, after=0, types=["component.didReceiveStep"])
        self.assertEqual([event.seq for event in watcher.arrived_events()], [2, 3])


class AllOfMine(DaemonTest):
    def test_present_and_future_ones(self) -> None:
        present = self.start()
        watcher = self.daemon.connect()
        subscribed = watcher.call("events.subscribe")
        self.assertEqual([short["checkoutId"] for short in subscribed["snapshots"]], [present.id])
        future = self.start()
        event = watcher.next_event()
        self.assertEqual((event.params["checkoutId"], event.seq), (future.id, 1))
        present.provide(IDEAL)
        present.component_call("start")
        self.assertEqual(watcher.next_event(present.id).seq, 2)

    def test_a_second_one_replaces_the_first(self) -> None:
        watcher = self.daemon.connect()
        watcher.call("events.subscribe")
        watcher.call("events.subscribe")
        self.start()
        self.assertEqual(len(watcher.arrived_events()), 1)
