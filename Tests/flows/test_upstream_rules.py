"""Which addresses may be called: those that tokens and configurations name are checked before any connection."""

from __future__ import annotations

import select
import socket
from typing import Any

from support.case import DaemonTest
from support.lines import JsonObject


class RulesTest(DaemonTest):
    """Beside the sandbox there is a listener that nobody may connect to."""

    def setUp(self) -> None:
        super().setUp()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.port = self.listener.getsockname()[1]
        self.addCleanup(self.assert_nobody_connected)

    def assert_nobody_connected(self) -> None:
        readable, _, _ = select.select([self.listener], [], [], 0)
        self.assertEqual(readable, [])

    @property
    def forbidden(self) -> dict[str, str]:
        """Addresses that break one rule each."""
        listed, other = self.sandbox.port, self.port
        return {
            "port not listed": f"http://127.0.0.1:{other}/x",
            "default port not listed": "http://127.0.0.1/x",
            "name of a listed address": f"http://localhost:{listed}/x",
            "another loopback address": f"http://127.0.0.2:{listed}/x",
            "any address": f"http://0.0.0.0:{listed}/x",
            "mapped address": f"http://[::ffff:127.0.0.1]:{other}/x",
            "user": f"http://somebody@127.0.0.1:{listed}/x",
            "user and password": f"http://a:b@127.0.0.1:{listed}/x",
            "host in the user": f"http://127.0.0.1:{listed}@127.0.0.1:{other}/x",
            "backslash": f"http://127.0.0.1:{other}\\@127.0.0.1:{listed}/x",
            "fragment": f"http://127.0.0.1:{listed}/x#part",
            "final dot": "https://api.primer.io./x",
            "domain itself": "https://primer.io/x",
            "longer domain": "https://api.notprimer.io/x",
            "domain as a label": "https://api.primer.io.example.com/x",
            "plain http": "http://api.primer.io/x",
            "other port": "https://api.primer.io:8443/x",
            "non-ASCII host": "https://api.prïmer.io/x",
            "not listed": "https://example.com/x",
            "other scheme": f"ftp://127.0.0.1:{listed}/x",
            "file": "file:///etc/hostname",
            "no scheme": f"//127.0.0.1:{listed}/x",
            "relative": "/x",
            "line end": f"http://127.0.0.1:{listed}/x\r\nX-Other: y",
        }


class ClientTokens(RulesTest):
    def test_every_address_of_a_token(self) -> None:
        for field in ("configurationUrl", "coreUrl", "pciUrl", "statusUrl", "sdkCompleteUrl"):
            for name, url in self.forbidden.items():
                with self.subTest(field=field, rule=name):
                    session = self.session(tokenOverrides={field: url})
                    self.assert_refused(
                        1005, "upstream-not-allowed", None, "checkout.start", clientToken=session.client_token
                    )
        self.assertEqual(self.sandbox.all_requests(), [])
        self.assertEqual(self.client.call("checkout.list")["checkouts"], [])

    def test_address_to_be_shown(self) -> None:
        for url in ("http://example.com/pay", "http://127.0.0.1/pay", "javascript:alert(1)", "https://u@example.com/"):
            with self.subTest(url):
                session = self.session(tokenOverrides={"redirectUrl": url})
                self.assert_refused(
                    1005, "upstream-not-allowed", None, "checkout.start", clientToken=session.client_token
                )
        session = self.session(tokenOverrides={"redirectUrl": "https://bank.example.com/pay"})
        self.assertEqual(self.start(session).state, "ready")


class Configurations(RulesTest):
    def test_addresses_of_the_configuration(self) -> None:
        for field in ("coreUrl", "pciUrl"):
            for name, url in self.forbidden.items():
                with self.subTest(field=field, rule=name):
                    session = self.session(configuration={field: url})
                    self.assert_refused(
                        1005, "upstream-not-allowed", None, "checkout.start", clientToken=session.client_token
                    )

    def test_icons_are_never_fetched(self) -> None:
        banks: list[JsonObject] = [
            {"id": "a", "name": "A", "disabled": False, "iconUrl": f"http://127.0.0.1:{self.port}/a.png"},
            {"id": "b", "name": "B", "disabled": False, "iconUrl": f"{self.sandbox.base}/b.png"},
            {"id": "c", "name": "C", "disabled": False, "iconUrl": "https://example.com/c.png"},
        ]
        checkout = self.banks(self.session(banks=banks))
        shown = [bank.get("iconUrlStr") for bank in checkout.component_call("get")["banks"]]
        self.assertEqual(shown, [None, banks[1]["iconUrl"], banks[2]["iconUrl"]])


class ReplacementTokens(RulesTest):
    def assert_ends(self, error_id: str, **overrides: Any) -> None:
        checkout = self.chosen(self.session(actionTokenOverrides=overrides))
        checkout.submit()
        end = checkout.await_end()
        self.assert_failed(end, error_id, "unknown")
        self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])
        self.assertEqual(self.sandbox.requests("status"), [])

    def test_ideal(self) -> None:
        for field in ("statusUrl", "pciUrl"):
            for name, url in self.forbidden.items():
                with self.subTest(field=field, rule=name):
                    self.assert_ends("upstream-not-allowed", **{field: url})

    def test_page_must_be_safe_to_show(self) -> None:
        self.assert_ends("upstream-not-allowed", redirectUrl="http://example.com/pay")

    def test_ach(self) -> None:
        for name, url in self.forbidden.items():
            with self.subTest(rule=name):
                checkout = self.details(self.session(actionTokenOverrides={"sdkCompleteUrl": url}))
                checkout.submit()
                end = checkout.await_end()
                self.assert_failed(end, "upstream-not-allowed", "unknown")
                self.assertEqual(end.params["payment"]["id"], checkout.session.payment["id"])

    def test_unusable_ones(self) -> None:
        cases: list[tuple[JsonObject, str]] = [
            ({"intent": "3DS_AUTHENTICATION"}, "unsupported-required-action"),
            ({"intent": "PROCESSOR_3DS"}, "unsupported-required-action"),
            ({"statusUrl": None}, "unsupported-required-action"),
            ({"statusUrl": 7}, "unsupported-required-action"),
            ({"accessToken": None}, "invalid-client-token"),
            ({"exp": 1}, "invalid-client-token"),
        ]
        for overrides, error_id in cases:
            with self.subTest(overrides):
                self.assert_ends(error_id, **overrides)

    def test_what_is_asked_for_is_told_by_the_members(self) -> None:
        for intent in (None, "SOMETHING_ELSE"):
            with self.subTest(intent):
                checkout = self.redirected(self.session(actionTokenOverrides={"intent": intent}))
                self.assertEqual(checkout.state, "awaitingRedirect")

    def test_unusable_ones_for_ach(self) -> None:
        cases: list[tuple[JsonObject, str]] = [
            ({"intent": "PROCESSOR_3DS"}, "unsupported-required-action"),
            ({"stripeClientSecret": None}, "unsupported-required-action"),
            ({"sdkCompleteUrl": None}, "unsupported-required-action"),
        ]
        for overrides, error_id in cases:
            with self.subTest(overrides):
                checkout = self.details(self.session(actionTokenOverrides=overrides))
                checkout.submit()
                self.assert_failed(checkout.await_end(), error_id, "unknown")

    def test_without_the_replacement_token(self) -> None:
        for token, error_id in ((None, "invalid-client-token"), ("a.b", "invalid-client-token")):
            with self.subTest(token):
                session = self.session(createResponse={"requiredAction": {"clientToken": token}})
                checkout = self.chosen(session)
                checkout.submit()
                self.assert_failed(checkout.await_end(), error_id, "unknown")


class Redirections(DaemonTest):
    def test_they_are_not_followed(self) -> None:
        self.sandbox.fault("configuration", redirect=f"{self.sandbox.base}/client-sdk/configuration")
        token = self.session().client_token
        self.assert_refused(1006, "invalid-response", None, "checkout.start", clientToken=token)
        self.assertEqual(len(self.sandbox.requests("configuration")), 1)
