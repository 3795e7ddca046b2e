"""checkoutctl batch: lines that are passed on as they are, or completed; replies and events; when and how it ends."""

from __future__ import annotations

import json
from typing import Any

from clients.case import CANNOT_TALK, ERROR_REPLY, TIMED_OUT, USAGE, CtlTest
from clients.ctl import Ctl, FakeDaemon, Outcome
from support.lines import JsonObject


def request(method: str, id: Any = None, **params: Any) -> str:
    """A line that has all it needs."""
    message: JsonObject = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if id is None else message | {"id": id}) + "\n"


def joined(*lines: str) -> str:
    """The requests as one batch of the protocol."""
    return "[" + ",".join(line.strip() for line in lines) + "]\n"


class Batch(CtlTest):
    def batch(self, *lines: str, arguments: tuple[str, ...] = (), status: int = 0) -> list[JsonObject]:
        """What is printed for these lines."""
        outcome = self.ctl("batch", *arguments, text="".join(lines))
        self.assertEqual((outcome.status, outcome.errors), (status, ""), outcome)
        return [json.loads(line) for line in outcome.output.splitlines()]

    def test_lines_are_passed_on_as_they_are(self) -> None:
        text = '{"params" : [1.0, "\\u00e9"],"jsonrpc":"2.0",\t"method":"system.echo", "id":"a" }'
        outcome = self.ctl("batch", text=f"\n {text}\r\n\n{text}")
        self.assertEqual(outcome.output, '{"jsonrpc":"2.0","id":"a","result":[1.0,"é"]}\n' * 2)
        self.assertEqual(outcome.status, 0)

    def test_lines_are_completed(self) -> None:
        lines = ['{"method":"system.ping"}\n', "\n", '{"method":"system.echo","params":[1]}\n']
        replies = self.batch(*lines, '{"method":"system.ping","id":"mine"}')
        self.assertEqual(sorted(str(reply["id"]) for reply in replies), ["1", "3", "mine"])
        self.assertIn({"jsonrpc": "2.0", "id": 3, "result": [1]}, replies)

    def test_ids_may_be_the_same_or_null(self) -> None:
        ids = [1, 1, 1, "x", 2**64 - 1]
        replies = self.batch(*(request("system.echo", id, n=1) for id in ids))
        self.assertCountEqual([reply["id"] for reply in replies], ids)
        self.assertEqual(len(self.batch('{"jsonrpc":"2.0","id":null,"method":"system.ping"}\n')), 1)

    def test_nothing_and_notifications_have_no_answer(self) -> None:
        self.assertEqual(self.batch(), [])
        self.assertEqual(self.batch(request("system.ping")), [])

    def test_batches_of_the_protocol(self) -> None:
        (reply,) = self.batch(joined(request("system.ping", 1), request("system.ping")))
        self.assertEqual(reply, [{"jsonrpc": "2.0", "id": 1, "result": {}}])
        self.assertEqual(self.batch(joined(request("system.ping"))), [])

    def test_errors_are_printed_as_well(self) -> None:
        replies = self.batch(request("no.such", 1), request("system.ping", 2), status=ERROR_REPLY)
        self.assertCountEqual([("error" in reply, reply["id"]) for reply in replies], [(True, 1), (False, 2)])
        self.assertEqual(len(self.batch(joined(request("no.such", 1)), status=ERROR_REPLY)), 1)

    def test_one_after_the_other(self) -> None:
        """Each line needs what the one before has done."""
        checkout: JsonObject = {"startKey": "till-1"}
        self.sandbox.fault("configuration", delayMs=100)
        lines = [
            request("checkout.start", 1, clientToken=self.session().client_token, startKey="till-1"),
            request("componentWithRedirectManager.provide", 2, checkoutId=checkout, paymentMethodType="ADYEN_IDEAL"),
            request("checkout.cancel", 3, checkoutId=checkout),
            request("checkout.get", 4, checkoutId=checkout),
        ]
        replies = self.batch(*lines, arguments=("--sequential",))
        self.assertEqual([reply["id"] for reply in replies], [1, 2, 3, 4])
        self.assertEqual(replies[3]["result"]["outcome"], "cancelled")

    def test_more_than_the_daemon_takes_at_once(self) -> None:
        count, filling = 500, "x" * 10_000
        replies = self.batch(*(request("system.echo", number, text=filling) for number in range(count)))
        self.assertCountEqual([reply["id"] for reply in replies], range(count))

    def test_events_until_all_calls_are_answered(self) -> None:
        checkout = self.start()
        lines = [
            request("events.subscribe", 1, checkoutId=checkout.id),
            request("checkout.wait", 2, checkoutId=checkout.id, waitMs=60_000, **{"for": ["terminal"]}),
        ]
        ctl = self.start_ctl("batch")
        ctl.send("".join(lines))
        self.assertEqual(ctl.next_line()["id"], 1)
        checkout.call("checkout.cancel")
        printed = [json.loads(line) for line in self.assert_ends(ctl.finish(), 0).output.splitlines()]
        self.assertEqual([line.get("method", line.get("id")) for line in printed], ["checkout.didFail", 2])

    def test_subscription_alone_does_not_keep_it(self) -> None:
        checkout = self.start()
        (reply,) = self.batch(request("events.subscribe", 1, checkoutId=checkout.id))
        self.assertEqual(reply["result"]["subscriptionId"], "s1")

    def test_answers_come_while_the_input_goes_on(self) -> None:
        ctl = self.start_ctl("batch")
        assert ctl.process.stdin
        for number in (1, 2):
            ctl.process.stdin.write(request("system.ping", number).encode())
            ctl.process.stdin.flush()
            self.assertEqual(ctl.next_line()["id"], number)
        self.assertEqual(ctl.finish(), Outcome(0, "", ""))

    def test_line_that_is_no_request_ends_the_input(self) -> None:
        for line in (
            "no JSON: 9001", "5", "[]", "{}", '{"method":5}', '{"method":"m","params":"9001"}', '{"method":"m","id":{}}',
            '{"jsonrpc":"1.0","method":"m"}', '[{"method":"system.ping"}]', '{"method":"m","method":"m"}',
        ):  # fmt: skip
            with self.subTest(line):
                outcome = self.ctl("batch", text=request("system.ping", 1) + line + "\n" + request("system.ping", 3))
                self.assertEqual(outcome.status, USAGE)
                self.assertIn("line 2: ", outcome.errors)
                self.assertNotIn("9001", outcome.errors)
                self.assertEqual([json.loads(text)["id"] for text in outcome.output.splitlines()], [1])

    def test_line_beyond_the_daemons_limit(self) -> None:
        long, short = request("system.echo", 1, text="x" * (1 << 20)), request("system.ping", 2)
        replies = self.batch(long, short, status=ERROR_REPLY)
        self.assertCountEqual([reply["id"] for reply in replies], [None, 2])

    def test_limit_of_time(self) -> None:
        checkout = self.start()
        line = request("checkout.wait", 1, checkoutId=checkout.id, waitMs=60_000, **{"for": ["terminal"]})
        outcome = self.ctl("batch", "--timeout", "100", text=request("system.ping", 2) + line)
        self.assertEqual((outcome.status, outcome.value["id"]), (TIMED_OUT, 2))

    def test_daemon_that_goes_away(self) -> None:
        fake = FakeDaemon(self.directory() / "socket")
        self.addCleanup(fake.close)
        ctl = Ctl("--socket", fake.path, "batch")
        self.addCleanup(ctl.close)
        ctl.send(request("system.ping", 1) + request("system.ping", 2))
        fake.say('{"jsonrpc":"2.0","id":1,"result":{}}\n')
        outcome = ctl.finish()
        self.assertEqual((outcome.status, outcome.value["id"]), (CANNOT_TALK, 1))

    def test_nobody_reads_the_output(self) -> None:
        ctl = self.start_ctl("batch")
        ctl.close_output()
        self.assertEqual(ctl.process.wait(10), 0)
