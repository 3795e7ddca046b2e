"""The Swift client's promises that take more than one process."""

from __future__ import annotations

import signal

from clients.drivers import SwiftDriver
from crash.case import DurableTest
from support.checkout import ACH, ACH_SETTINGS


class AnotherProcess(DurableTest):
    def start_program(self) -> SwiftDriver:
        """A program that uses the client; it is killed after the test."""
        program = SwiftDriver(self.daemon.socket_path)
        self.addCleanup(program.close)
        return program

    def await_info(self, program: SwiftDriver, checkout: str, kind: str) -> list[int]:
        """The numbers of the events up to the one that asks the shopper for this."""
        numbers = []
        while True:
            name, params = program.next_event(checkout)
            numbers.append(params["seq"])
            if name == "checkout.didReceiveAdditionalInfo" and params["info"]["kind"] == kind:
                return numbers

    def test_takes_a_component_up(self) -> None:
        """The process that has started the checkout is killed, then the daemon too: the next process goes on."""
        first = self.start_program()
        token = self.session().client_token
        checkout = first.call("checkout.start", {"clientToken": token, "settings": ACH_SETTINGS})["checkoutId"]
        provide = {"checkoutId": checkout, "paymentMethodType": ACH}
        component = {"componentId": first.call("achManager.provide", provide)["componentId"]}
        first.call("component.start", component)
        first.call("component.submit", component)
        self.await_info(first, checkout, "bankAccountCollector")
        first.close()

        self.restart(signal.SIGKILL)
        second = self.start_program()
        self.assertEqual(second.call("component.get", component)["step"], {"name": "didCollectUserDetails"})
        seen = self.await_info(second, checkout, "bankAccountCollector")
        second.call("component.reportBankAccount", component | {"outcome": "succeeded", "paymentId": "pi_example"})
        seen += self.await_info(second, checkout, "mandate")
        second.call("component.acceptMandate", component)
        name, params = second.next_event(checkout)
        self.assertEqual((name, params["outcome"]), ("checkout.didCompleteCheckout", "pending"))
        self.assertEqual([*seen, params["seq"]], list(range(1, params["seq"] + 1)))
