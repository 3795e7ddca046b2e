"""checkoutctl: calls, their parameters, the exit status, what is refused as an argument."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from clients.case import CANNOT_TALK, ERROR_REPLY, TIMED_OUT, USAGE, CtlTest
from clients.ctl import Ctl, FakeDaemon
from support.client import TIMEOUT
from support.daemon import program

# Nobody listens there: who gets as far as connecting ends with another status than for wrong usage.
NOWHERE = ("--socket", "/nonexistent/socket")
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJhY2Nlc3NUb2tlbiI6ImEifQ.c2lnbmF0dXJl"


class Calls(CtlTest):
    def assert_echoes(self, value: Any, *arguments: str, text: str = "") -> None:
        outcome = self.assert_ends(self.ctl("call", "system.echo", *arguments, text=text), 0)
        self.assertEqual(outcome.value, value)

    def test_result_is_one_line(self) -> None:
        self.assertEqual(self.assert_ends(self.ctl("call", "system.ping"), 0).output, "{}\n")

    def test_parameters(self) -> None:
        self.assert_echoes(None)
        self.assert_echoes({"a": [1, 2.5, "é\n", None]}, '{"a": [1, 2.5, "é\\n", null]}')
        self.assert_echoes([1, [2]], "[1,[2]]")
        self.assert_echoes({"b": 18446744073709551615}, "-", text='\n{"b":\n18446744073709551615}\n')

    def test_long_parameters_and_result(self) -> None:
        long = ["x" * 100_000] * 8
        self.assert_echoes(long, "-", text=json.dumps(long))

    def test_error_reply(self) -> None:
        outcome = self.assert_ends(self.ctl("call", "no.such"), ERROR_REPLY)
        self.assertEqual(list(outcome.error), ["code", "message", "data"])
        self.assertEqual((outcome.error["code"], outcome.error["data"]["errorId"]), (-32601, "method-not-found"))
        outcome = self.assert_ends(self.ctl("call", "checkout.get", '{"checkoutId":"co_0123456789abcdef"}'), 1)
        self.assertEqual(outcome.error["data"]["errorId"], "unknown-checkout")

    def test_line_beyond_the_limit_is_an_error_reply(self) -> None:
        outcome = self.ctl("call", "system.echo", "-", text=json.dumps(["x" * (1 << 20)]))
        self.assertEqual(self.assert_ends(outcome, ERROR_REPLY).error["data"]["errorId"], "line-too-long")

    def test_socket_from_the_environment(self) -> None:
        ctl = Ctl("call", "system.ping", environment={"CHECKOUTD_SOCKET": str(self.daemon.socket_path)})
        self.assert_ends(ctl.finish(), 0)

    def test_output_that_cannot_be_written(self) -> None:
        with open("/dev/full", "wb") as full:
            command = [str(program("checkoutctl")), "--socket", str(self.daemon.socket_path), "call", "system.ping"]
            run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
        self.assertEqual(run.returncode, CANNOT_TALK)
        self.assertIn(b"No space left", run.stderr)

    def test_nobody_reads_the_output(self) -> None:
        ctl = self.start_ctl("call", "system.echo", "-")
        ctl.close_output()
        ctl.send("[]")
        self.assertEqual(ctl.process.wait(TIMEOUT), 0)

    def test_streams_that_are_closed(self) -> None:
        command = '"$0" --socket "$1" call system.ping <&- >&- 2>&-'
        shell = ["bash", "-c", command, str(program("checkoutctl")), str(self.daemon.socket_path)]
        self.assertEqual(subprocess.run(shell, timeout=TIMEOUT, check=False).returncode, 0)


class CannotTalk(CtlTest):
    def assert_cannot_talk(self, said: str, *arguments: str) -> str:
        fake = FakeDaemon(self.directory() / "socket")
        self.addCleanup(fake.close)
        ctl = Ctl("--socket", fake.path, *arguments, "call", "system.ping")
        self.addCleanup(ctl.close)
        fake.say(said)
        return self.assert_ends(ctl.finish(), CANNOT_TALK).errors

    def test_nobody_listens(self) -> None:
        self.assertIn("/nonexistent/socket", self.assert_ends(self.ctl(*NOWHERE, "status"), CANNOT_TALK).errors)

    def test_connection_is_closed(self) -> None:
        self.assertIn("closed", self.assert_cannot_talk(""))
        self.assertIn("closed", self.assert_cannot_talk('{"jsonrpc":"2.0","id":1,"result":'))

    def test_somebody_else_listens(self) -> None:
        for said in ("SSH-2.0-x\r\n", '{"id":1}\n', '{"jsonrpc":"2.0","id":7,"result":1}\n'):
            self.assertIn("no checkoutd", self.assert_cannot_talk(said))

    def test_no_answer_in_time(self) -> None:
        fake = FakeDaemon(self.directory() / "socket")
        self.addCleanup(fake.close)
        outcome = Ctl("--socket", fake.path, "--timeout", "50", "call", "system.ping").finish()
        self.assertIn("in time", self.assert_ends(outcome, TIMED_OUT).errors)

    def test_last_word_of_a_refused_connection(self) -> None:
        fake = FakeDaemon(self.directory() / "socket")
        self.addCleanup(fake.close)
        ctl = Ctl("--socket", fake.path, "call", "system.ping")
        fake.say('{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"Quota exceeded"}}\n')
        self.assertEqual(self.assert_ends(ctl.finish(), ERROR_REPLY).error["code"], -32004)


class Usage(CtlTest):
    def assert_wrong(self, *arguments: str, text: str = "") -> str:
        return self.assert_ends(self.ctl(*NOWHERE, *arguments, text=text), USAGE).errors

    def test_wrong_command_lines(self) -> None:
        self.assert_wrong()
        self.assert_wrong("dance")
        self.assert_wrong("call")
        self.assert_wrong("call", "a", "{}", "{}")
        self.assert_wrong("follow", "a", "b")
        self.assert_wrong("status", "a")
        self.assert_wrong("--nonsense", "status")
        self.assert_wrong("status", "--timeout")
        for milliseconds in ("0", "-1", "1.5", "86400001", "soon"):
            self.assert_wrong("status", f"--timeout={milliseconds}")
        self.assert_wrong("call", "system.ping", "--json")
        self.assert_wrong("follow", "--token-file", "/dev/null")

    def test_wrong_parameters(self) -> None:
        for params in ("", "{", "5", '"text"', '{"a":1,"a":2}', "NaN"):
            self.assert_wrong("call", "system.echo", params)
            self.assert_wrong("call", "system.echo", "-", text=params)

    def test_help_and_version(self) -> None:
        usage = self.ctl("--help")
        self.assertEqual((usage.status, usage.errors), (0, ""))
        self.assertTrue(usage.output.startswith("Usage: checkoutctl "))
        self.assertLessEqual(max(map(len, usage.output.split("\n"))), 100)
        self.assertRegex(self.ctl("--version").output, r"^checkoutctl \d+\.\d+\.\d+\n$")


class Secrets(CtlTest):
    def assert_kept_out(self, *arguments: str) -> None:
        outcome = self.assert_ends(self.ctl(*NOWHERE, *arguments), USAGE)
        self.assertIn("--token-file", outcome.errors)
        for secret in (TOKEN, "Mila", "9001"):
            self.assertNotIn(secret, outcome.errors)

    def test_client_token(self) -> None:
        self.assert_kept_out("call", "checkout.start", f'{{"clientToken":"{TOKEN}"}}')
        self.assert_kept_out("call", "checkout.start", '{"clientToken":"opaque"}')
        self.assert_kept_out("call", "checkout.start", r'{"\u0063lientToken":"opaque"}')
        self.assert_kept_out("call", "system.echo", '[{"a":{"clientToken":null}}]')
        self.assert_kept_out("call", "checkout.start", f'["{TOKEN}"]')
        self.assert_kept_out("call", "checkout.start", r'["\u0065yJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ."]')
        self.assert_kept_out("call", "checkout.start", f'["Bearer {TOKEN}"]')
        self.assert_kept_out("call", "system.echo", r'{"\u0065yJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.": 1}')
        self.assert_kept_out("call", "checkout.start", TOKEN)
        self.assert_kept_out("call", "checkout.start", "--token-file", TOKEN)
        self.assert_kept_out("follow", TOKEN)
        self.assert_kept_out("call", TOKEN)

    def test_collected_data(self) -> None:
        for name in ("bankId", "bankFilterText", "firstName", "lastName", "emailAddress"):
            self.assert_kept_out("call", "system.echo", f'{{"data":{{"{name}":"Mila"}}}}')
        self.assert_kept_out("call", "component.updateCollectedData", '["cm_0123456789abcdef_0", {"x": "9001"}]')

    def test_what_is_no_secret(self) -> None:
        params = {"a": "eyJhbGciOiJIUzI1NiJ9", "b": "www.example.com", "c": "a.eyJ.b", "first": "Name"}
        outcome = self.ctl("call", "system.echo", json.dumps(params))
        self.assertEqual(self.assert_ends(outcome, 0).value, params)

    def test_collected_data_from_standard_input(self) -> None:
        checkout = self.banks()
        params = json.dumps({"componentId": checkout.component_id, "data": {"bankId": "9001"}})
        outcome = self.ctl("call", "component.updateCollectedData", "-", text=params)
        self.assertEqual(self.assert_ends(outcome, 0).value, {"status": "valid"})

    def test_process_list_never_has_the_token(self) -> None:
        session = self.session()
        self.sandbox.hold("configuration")
        ctl = self.start_ctl("call", "checkout.start", "--token-file", "-")
        ctl.send(session.client_token)
        self.sandbox.requests("configuration", count=1)
        process = Path(f"/proc/{ctl.process.pid}")
        shown = process.joinpath("cmdline").read_bytes() + process.joinpath("environ").read_bytes()
        self.sandbox.release("configuration")
        outcome = self.assert_ends(ctl.finish(), 0)
        self.assertEqual(outcome.value["state"], "ready")
        self.assertIn(b"--token-file", shown)
        self.assertNotIn(session.client_token.encode(), shown)
        self.assertNotIn(session.client_token, outcome.output)


class TokenFile(CtlTest):
    def test_is_added_to_the_parameters(self) -> None:
        path = self.file("")
        for arguments, text in (
            ([], ""),
            (['{"startKey":"first"}'], ""),
            (["-"], '{"startKey":"second"}'),
        ):
            session = self.session()
            path.write_text(f"{session.client_token}\r\n\n")
            outcome = self.ctl("call", "checkout.start", "--token-file", path, *arguments, text=text)
            self.assertEqual(self.assert_ends(outcome, 0).value["clientSession"]["orderId"], session.order_id)
        again = self.ctl("call", "checkout.get", '{"checkoutId":{"startKey":"second"}}')
        self.assertEqual(self.assert_ends(again, 0).value["clientSession"]["orderId"], session.order_id)

    def test_is_sent_as_it_is(self) -> None:
        outcome = self.ctl("call", "system.echo", '{"a":1}', "--token-file", self.file(f"{TOKEN}\n"))
        self.assertEqual(outcome.value, {"clientToken": TOKEN, "a": 1})

    def test_wrong_use(self) -> None:
        token = self.file(TOKEN)
        for arguments, text in (
            (["/nonexistent/token"], ""),
            ([self.file(" \n")], ""),
            ([self.directory()], ""),
            ([token, "[1]"], ""),
            ([token, "-"], '{"clientToken":"x"}'),
            (["-", "-"], "{}"),
        ):
            outcome = self.ctl(*NOWHERE, "call", "checkout.start", "--token-file", *arguments, text=text)
            self.assertNotIn(TOKEN, self.assert_ends(outcome, USAGE).errors)

    def test_text_that_is_not_utf_8(self) -> None:
        path = self.file("")
        path.write_bytes(b"\xff\xfe")
        self.assert_ends(self.ctl(*NOWHERE, "call", "checkout.start", "--token-file", path), USAGE)


class Status(CtlTest):
    def test_table(self) -> None:
        self.start()
        outcome = self.assert_ends(self.ctl("status"), 0)
        rows = dict(line.split(maxsplit=1) for line in outcome.output.splitlines())
        self.assertEqual(rows["checkouts"], "ready 1")
        self.assertEqual(rows["subscriptions"], "1")
        self.assertRegex(rows["uptime"], r"^\d+ s$")
        self.assertEqual(len({line.index(line.split(maxsplit=1)[1]) for line in outcome.output.splitlines()}), 1)

    def test_json(self) -> None:
        status = self.assert_ends(self.ctl("status", "--json"), 0).value
        self.assertEqual(status["checkouts"], {})
        self.assertEqual(list(status), list(self.client.call("system.status")))
