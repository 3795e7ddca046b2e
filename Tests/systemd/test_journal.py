"""What the journal has: entries with fields, each kind explained, nothing of the shopper's."""

from __future__ import annotations

import grp
import os
import re
import signal

from support.checkout import ACH, ACH_SETTINGS
from support.client import Client
from support.sandbox import Session, payload
from systemd.case import GROUP, USER, ServiceTest
from systemd.service import ROOT, SERVICE, UNITS, eventually, run, show, systemctl


class Entries(ServiceTest):
    configuration = "log-level = debug\nretention = 200\n"

    def test_full_flows_leave_fields_and_nothing_personal(self) -> None:
        group = grp.getgrnam("checkout-clients").gr_gid
        client = self.service.connect_as(USER, GROUP, [group])
        banks = self.chosen(self.approving(), client, startKey="key-of-the-till")
        banks.submit()
        self.assert_completed(banks.await_end(), "success")
        person = {"firstName": "Wilhelmientje", "lastName": "Zonnebloem-Quist"}
        session = self.session(customer=person)
        account = self.start(session, client, settings=ACH_SETTINGS)
        account.provide(ACH)
        account.component_call("start")
        account.update(emailAddress="wilhelmientje.quist@example.com")
        account.submit()
        info = account.await_event("info bankAccountCollector").params["info"]
        self.service.must_not_log(*person.values(), "wilhelmientje.quist@example.com", info["clientSecret"])
        self.service.must_not_log("pk_test_example", "key-of-the-till", payload(session.client_token)["accessToken"])
        for request in self.sandbox.all_requests():
            self.service.must_not_log(request["headers"]["primer-client-token"])
        account.report_account()
        account.component_call("acceptMandate")
        account.await_end()
        systemctl("restart", SERVICE)
        self.service.check()
        fields = {
            "checkout started": {"CHECKOUT_ID": banks.id, "CLIENT_UID": str(USER), "PRIORITY": "6"},
            "component submitted": {
                "CHECKOUT_ID": banks.id,
                "COMPONENT_ID": banks.component_id,
                "CLIENT_UID": str(USER),
            },
            "checkout ended: success": {"CHECKOUT_ID": banks.id},
            "stopping": {"PRIORITY": "5"},
        }
        for message, expected in fields.items():
            with self.subTest(message):
                entry = self.service.journal(f"MESSAGE={message}")[0]
                self.assertEqual({name: entry.get(name) for name in expected}, expected)
                self.assertEqual(entry["_TRANSPORT"], "journal")
                self.assertRegex(entry["MESSAGE_ID"], "^[0-9a-f]{32}$")
                self.assertRegex(entry["CODE_FILE"], r"^CheckoutServer/.*\.swift$")
                self.assertGreater(int(entry["CODE_LINE"]), 0)
                found = self.service.journal(f"MESSAGE_ID={entry['MESSAGE_ID']}", f"CHECKOUT_ID={banks.id}")
                self.assertTrue(found or message == "stopping")

    def test_every_kind_is_explained(self) -> None:
        source = "".join(
            (ROOT / "Sources" / module / "MessageID.swift").read_text() for module in ("CheckoutServer", "Egress", "Systemd")
        )
        kinds = set(re.findall(r'"([0-9a-f]{32})"', source))
        catalog = (UNITS / "catalog" / "checkoutd.catalog").read_text()
        explained = re.findall(r"^-- ([0-9a-f]{32})$", catalog, re.MULTILINE)
        self.assertEqual((set(explained), len(explained)), (kinds, len(kinds)))
        listed = run("journalctl", "--list-catalog", *sorted(kinds)).stdout
        self.assertEqual(len(listed.splitlines()), len(kinds))
        self.connect().call("system.ping")
        self.service.journal()
        shown = run("journalctl", "-q", "--catalog", f"MESSAGE_ID={source.split(chr(34))[1]}").stdout
        self.assertIn("checkoutd is ready", shown)

    def test_failure_to_start_is_an_error_entry(self) -> None:
        self.service.configure("max-batch = none\n")
        run("systemctl", "start", SERVICE, check=False)
        entries = [entry for entry in self.service.journal() if "line 2" in entry["MESSAGE"]]
        self.assertEqual({entry["PRIORITY"] for entry in entries}, {"3"})

    def test_without_the_journal_lines_have_their_priority(self) -> None:
        self.service.change_unit("[Service]\nStandardError=file:/run/checkoutd-log\n")
        self.connect().call("system.ping")
        with open("/run/checkoutd-log", encoding="utf-8") as log:
            lines = log.read().splitlines()
        self.assertIn("<5>ready", lines)
        self.assertTrue(all(re.match(r"<[0-7]>", line) for line in lines), lines)


class StoppedJournal(ServiceTest):
    """Whatever becomes of the journal, clients are served."""

    OUTCOME = "MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e804"
    OUTCOMES = 5000

    def stop_journal(self) -> None:
        """Stops the journal until ``let_go_on``."""
        self.journal = int(show("MainPID", "systemd-journald.service"))
        self.addCleanup(self.let_go_on)
        os.kill(self.journal, signal.SIGSTOP)

    def let_go_on(self) -> None:
        """Has the journal go on."""
        os.kill(self.journal, signal.SIGCONT)

    def end_some(self, client: Client, sessions: list[Session]) -> list[str]:
        """Starts a checkout in each session and cancels it; their ids."""
        starts = [client.send("checkout.start", clientToken=session.client_token) for session in sessions]
        ids = [str(client.result(start)["checkoutId"]) for start in starts]
        for cancel in [client.send("checkout.cancel", checkoutId=id) for id in ids]:
            client.result(cancel)
        return ids

    def test_outcomes_against_a_stopped_journal_are_there_after_it_goes_on(self) -> None:
        client, other = self.service.connect(), self.service.connect()
        sessions = [self.session() for _ in range(16)]
        self.end_some(client, sessions)
        pid = self.service.pid
        self.stop_journal()
        ids: list[str] = []
        while len(ids) < self.OUTCOMES:
            ids += self.end_some(client, sessions)
            self.assertEqual(other.call("system.ping"), {})
        self.let_go_on()
        ended = eventually(
            lambda: [entry["CHECKOUT_ID"] for entry in self.service.journal(self.OUTCOME)],
            lambda found: len(found) >= self.OUTCOMES + len(sessions),
        )
        self.assertEqual(ended[len(sessions) :], ids)
        self.assertEqual((self.service.pid, show("NRestarts")), (pid, "0"))
        # What was dropped in their favour is told of.
        self.assertTrue(self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e8f0", "PRIORITY=4"))

    def test_start_while_the_journal_is_stopped(self) -> None:
        self.stop_journal()
        client = self.connect()
        self.assertEqual(client.call("system.ping"), {})
        self.assertEqual(self.start().state, "ready")
        self.let_go_on()
        eventually(lambda: len(self.service.journal("MESSAGE=ready")), 1)

    def test_end_while_the_journal_is_stopped(self) -> None:
        client = self.connect()
        client.call("system.ping")
        self.stop_journal()
        self.service.kill(signal.SIGTERM)
        client.read_to_end()
        eventually(lambda: self.service.state, "inactive")
        self.assertEqual((show("Result"), show("ExecMainStatus")), ("success", "0"))
        self.let_go_on()
