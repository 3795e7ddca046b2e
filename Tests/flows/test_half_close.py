"""Half-close: the client has said all it will; what it is owed still comes, then the daemon closes."""

from __future__ import annotations

from support.case import DaemonTest
from support.checkout import BANK, IDEAL
from support.client import Client, encode, request
from support.lines import JsonObject

PING = encode(request("system.ping", id=1))


class HalfClose(DaemonTest):
    def test_calls_under_way_are_answered(self) -> None:
        self.sandbox.hold("configuration")
        starting = self.client.send("checkout.start", clientToken=self.session().client_token)
        echoed = self.client.send("system.echo", text="x")
        self.client.half_close()
        self.assertEqual(self.client.result(echoed), {"text": "x"})
        self.sandbox.requests("configuration", count=1)
        self.sandbox.release("configuration")
        self.assertEqual(self.client.result(starting)["state"], "ready")
        self.assertEqual(self.client.read_to_end(), [])

    def test_last_line_needs_no_end(self) -> None:
        self.client.send_raw(PING)
        self.client.half_close()
        self.assertEqual(self.client.read_to_end(), [{"jsonrpc": "2.0", "id": 1, "result": {}}])

    def test_last_line_that_is_cut_short(self) -> None:
        self.client.send_raw(PING[:-5])
        self.client.half_close()
        (refused,) = self.client.read_to_end()
        self.assertEqual(refused["error"]["code"] if isinstance(refused, dict) else None, -32700)

    def test_nothing_sent(self) -> None:
        self.client.half_close()
        self.assertEqual(self.client.read_to_end(), [])

    def test_notification_alone(self) -> None:
        self.client.notify("system.ping")
        self.client.half_close()
        self.assertEqual(self.client.read_to_end(), [])

    def test_subscription_goes_on_streaming(self) -> None:
        checkout = self.banks(self.approving())
        driver = self.daemon.connect()
        self.client.half_close()
        driver.call("component.updateCollectedData", componentId=checkout.component_id, data={"bankId": BANK})
        driver.call("component.submit", componentId=checkout.component_id)
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(self.client.read_to_end(), [])

    def test_waiting_call_is_answered(self) -> None:
        checkout = self.start()
        waiter = self.daemon.connect()
        waiting = waiter.send("checkout.wait", **{"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 60_000})
        waiter.half_close()
        checkout.call("checkout.cancel")
        self.assertEqual(waiter.result(waiting)["matched"], "terminal")
        self.assertEqual(waiter.read_to_end(), [])


class Stages(DaemonTest):
    """A client for each call, as with netcat: it sends one line, half-closes and reads to the end."""

    def ask(self, method: str, /, **params: object) -> JsonObject:
        """What a client that only makes this call reads, which is one line."""
        (answer,) = self.half_closed(method, **params).read_to_end()
        assert isinstance(answer, dict)
        result: JsonObject = answer["result"]
        return result

    def half_closed(self, method: str, /, **params: object) -> Client:
        client = self.daemon.connect()
        client.send(method, **params)
        client.half_close()
        return client

    def test_each_call_of_a_checkout(self) -> None:
        session = self.approving()
        checkout = {"checkoutId": {"startKey": "k"}}
        self.assertEqual(self.ask("checkout.start", clientToken=session.client_token, startKey="k")["state"], "ready")
        provided = self.ask("componentWithRedirectManager.provide", **checkout, paymentMethodType=IDEAL)
        component = {"componentId": provided["componentId"]}
        self.assertEqual(self.ask("component.start", **component)["step"]["name"], "banksRetrieved")
        self.assertEqual(
            self.ask("component.updateCollectedData", **component, data={"bankId": BANK})["status"], "valid"
        )
        self.assertEqual(self.ask("component.submit", **component), {})
        waited = self.ask("checkout.wait", **checkout, **{"for": ["terminal"]}, waitMs=10_000)
        self.assertEqual(waited["snapshot"]["outcome"], "success")
        read = self.ask("events.read", **checkout)
        self.assertEqual(read["events"][-1]["method"], "checkout.didCompleteCheckout")

    def test_while_banks_are_loading(self) -> None:
        checkout = self.start()
        checkout.provide(IDEAL)
        self.sandbox.hold("banks")
        loading = self.half_closed("component.start", componentId=checkout.component_id)
        self.sandbox.requests("banks", count=1)
        self.sandbox.release("banks")
        (answer,) = loading.read_to_end()
        assert isinstance(answer, dict)
        self.assertEqual(answer["result"]["step"]["name"], "banksRetrieved")

    def test_while_events_are_waited_for(self) -> None:
        checkout = self.banks()
        reading = self.half_closed("events.read", checkoutId=checkout.id, after=3, waitMs=60_000)
        self.daemon.connect().call("system.ping")
        checkout.update(bankId=BANK)
        (answer,) = reading.read_to_end()
        assert isinstance(answer, dict)
        self.assertEqual([event["params"]["seq"] for event in answer["result"]["events"]], [4, 5])

    def test_while_a_new_token_is_validated(self) -> None:
        checkout = self.chosen(None, None, settings={"paymentHandling": "manual"})
        checkout.submit()
        event = checkout.await_event("didTokenizePaymentMethod")
        payment = self.sandbox.create_payment(event.params["paymentMethodTokenData"]["token"])
        self.sandbox.hold("validate")
        deciding = self.half_closed(
            "checkout.decide",
            checkoutId=checkout.id,
            decisionId=event.params["decisionId"],
            decision="continueWithNewClientToken",
            clientToken=payment["requiredAction"]["clientToken"],
        )
        self.sandbox.requests("validate", count=1)
        self.sandbox.release("validate")
        (answer,) = deciding.read_to_end()
        self.assertEqual(answer["result"] if isinstance(answer, dict) else None, {})

    def test_subscription_from_the_first_event_to_the_last(self) -> None:
        checkout = self.chosen(self.approving())
        watching = self.half_closed("events.subscribe", checkoutId=checkout.id, after=0)
        checkout.submit()
        end = checkout.await_end()
        _, *events = watching.read_to_end()
        seqs = [event["params"]["seq"] for event in events if isinstance(event, dict)]
        self.assertEqual(seqs, list(range(1, end.seq + 1)))

    def test_subscription_after_the_end(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel")
        _, *events = self.half_closed("events.subscribe", checkoutId=checkout.id, after=0).read_to_end()
        self.assertEqual(len(events), 2)

    def test_subscription_without_after_after_the_end(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel")
        (reply,) = self.half_closed("events.subscribe", checkoutId=checkout.id).read_to_end()
        self.assertEqual(reply["result"]["snapshots"][0]["state"] if isinstance(reply, dict) else None, "failed")

    def test_subscription_that_was_ended(self) -> None:
        checkout = self.start()
        client = self.daemon.connect()
        id = client.call("events.subscribe", checkoutId=checkout.id)["subscriptionId"]
        client.send("events.unsubscribe", subscriptionId=id)
        client.half_close()
        (reply,) = client.read_to_end()
        self.assertEqual(reply["result"] if isinstance(reply, dict) else None, {})

    def test_subscription_to_all_goes_on(self) -> None:
        watching = self.half_closed("events.subscribe")
        watching.read_message()
        for _ in range(2):
            checkout = self.start()
            checkout.call("checkout.cancel")
            self.assertEqual([watching.next_event(checkout.id).seq for _ in range(2)], [1, 2])
