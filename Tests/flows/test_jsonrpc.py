"""JSON-RPC 2.0 on a line each: what is a request, what is answered, and with which id."""

from __future__ import annotations

import json
import random
from typing import Any

from support.case import DaemonTest
from support.client import encode, request
from support.lines import JsonObject

SYNC = encode(request("system.ping", id="sync"))
PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602


def echo(id: str, params: str) -> str:
    """A call of `system.echo` with both as JSON text."""
    return f'{{"jsonrpc":"2.0","id":{id},"method":"system.echo","params":{params}}}'


def result(id: Any, value: Any) -> JsonObject:
    """The reply with a result."""
    return {"jsonrpc": "2.0", "id": id, "result": value}


def error(id: Any, code: int) -> JsonObject:
    """The reply with an error, as far as it is compared."""
    return {"jsonrpc": "2.0", "id": id, "code": code}


class Lines(DaemonTest):
    def answers(self, line: bytes | str) -> list[Any]:
        """What comes for a line on a fresh connection, before the reply to the next call."""
        client = self.daemon.connect()
        client.send_line(line)
        client.send_line(SYNC)
        answers: list[Any] = []
        while (message := client.read_message()) != result("sync", {}):
            answers.append(message)
        client.close()
        return answers

    def assert_answers(self, line: bytes | str, *expected: Any) -> None:
        with self.subTest(line[:200]):
            self.assertEqual([_comparable(answer) for answer in self.answers(line)], list(map(_comparable, expected)))

    def test_calls(self) -> None:
        for id in ("1", "-14", '"a-1"', '""', "null", "9007199254740993", '"\\u0061"', "9223372036854775807"):
            self.assert_answers(echo(id, "[1]"), result(json.loads(id), [1]))
        for params in ("[]", "{}", "[null]", '["a\\u0000b"]', '{"e\u0301":1,"é":2}', '["\\u2028\u2029\u0085/"]'):
            self.assert_answers(echo("1", params), result(1, json.loads(params)))
        for number in ("0", "-1", "1.5", "1e300", "-0.25", "9223372036854775807", "-9223372036854775808"):
            self.assert_answers(echo("1", f"[{number}]"), result(1, [json.loads(number)]))
        self.assert_answers('{"jsonrpc":"2.0","id":1,"method":"system.ping","trace":"t"}', result(1, {}))
        self.assert_answers(' { "jsonrpc" : "2.0" , "id" : 1 , "method" : "system.ping" } \r', result(1, {}))
        self.assert_answers(echo("1", "[" * 63 + "]" * 63), result(1, json.loads("[" * 63 + "]" * 63)))
        self.assert_answers(echo(f'"{"i" * 256}"', "[]"), result("i" * 256, []))

    def test_no_requests(self) -> None:
        self.assert_answers('{"jsonrpc":"1.0","id":2,"method":"system.ping"}', error(2, INVALID))
        self.assert_answers('{"jsonrpc":2.0,"id":3,"method":"system.ping"}', error(3, INVALID))
        self.assert_answers('{"id":4,"method":"system.ping"}', error(4, INVALID))
        self.assert_answers('{"jsonrpc":"2.0","id":5,"method":7}', error(5, INVALID))
        self.assert_answers('{"jsonrpc":"2.0","id":6}', error(6, INVALID))
        self.assert_answers('{"jsonrpc":"2.0","id":7,"Method":"system.ping"}', error(7, INVALID))
        self.assert_answers('{"jsonrpc":"2.0","method":9,"params":"oops"}', error(None, INVALID))
        for params in ('"x"', "5", "null", "true"):
            self.assert_answers(echo("11", params), error(11, INVALID))
        for id in ('{"n":1}', "true", "[1]", "1.5", "1.0", "1e2", f'"{"i" * 257}"'):
            self.assert_answers(echo(id, "[]"), error(None, INVALID))
        for text in ('"system.ping"', "12", "null", "true", "[]"):
            self.assert_answers(text, error(None, INVALID))
        self.assert_answers('{"jsonrpc":"2.0","method":"system.echo","params":null}', error(None, INVALID))

    def test_duplicate_members(self) -> None:
        self.assert_answers('{"jsonrpc":"2.0","id":1,"id":2,"method":"system.ping"}', error(None, INVALID))
        self.assert_answers('{"jsonrpc":"2.0","id":1,"\\u0069d":2,"method":"system.ping"}', error(None, INVALID))
        self.assert_answers('{"jsonrpc":"2.0","id":15,"method":"system.ping","method":"x"}', error(15, INVALID))
        self.assert_answers(
            '{"jsonrpc":"2.0","id":17,"method":"checkout.get","params":{"checkoutId":"a","checkoutId":"b"}}',
            error(17, PARAMS),
        )

    def test_no_json(self) -> None:
        lines: list[bytes | str] = [
            '{"jsonrpc":"2.0","id":28,',
            '[{"jsonrpc":"2.0","id":35,"method":"system.ping"},',
            '{"jsonrpc":"2.0","id":46,"method":"system.ping",}',
            '{"jsonrpc":"2.0","id":47,/*x*/"method":"system.ping"}',
            "{'jsonrpc':'2.0'}",
            "oops",
            echo("048", "[]"),
            echo("1", "[NaN]"),
            echo("1", "[1e400]"),
            echo("123456789012345678901234567890", "[]"),
            echo("1", '["\\ud800"]'),
            echo("1", '["a\x00b"]'),
            echo("1", '["a\tb"]'),
            echo("1", "[]") + "\x00",
            echo("1", "[]") + "\r" + echo("2", "[]"),
            echo("1", "[]") + echo("2", "[]"),
            b"\xef\xbb\xbf" + echo("43", "[]").encode(),
            echo("1", '["').encode() + b"\xff\xfe" + b'"]}',
            b'{"jsonrpc":"2.0","id":45,"method":"system.echo","params":["\xc0\xaf"]}',
            b'{"jsonrpc":"2.0","id":45,"method":"system.echo","params":["\xed\xa0\x80"]}',
            echo("51", "[" * 64 + "]" * 64),
            "[" * 100_000,
            '{"a":' * 100_000,
        ]
        for line in lines:
            self.assert_answers(line, error(None, PARSE))

    def test_nothing_to_answer(self) -> None:
        for line in (
            '{"jsonrpc":"2.0","method":"system.ping"}',
            '{"jsonrpc":"2.0","method":"no.such.method"}',
            '{"jsonrpc":"2.0","method":"checkout.get","params":["x",1,2,3]}',
            '{"jsonrpc":"2.0","method":"checkout.get","params":{"checkoutId":"co_0123456789abcdef"}}',
            '{"jsonrpc":"2.0","id":33,"result":1}',
            '{"jsonrpc":"2.0","id":33,"error":{"code":1,"message":"x"}}',
            '[{"jsonrpc":"2.0","method":"system.ping"},{"jsonrpc":"2.0","method":"nowhere"}]',
            "",
            " \t \r",
        ):
            self.assert_answers(line)

    def test_methods(self) -> None:
        for method in ("rpc.anything", "system.Ping", "nowhere", "", "system.ping "):
            self.assert_answers(encode(request(method, id=1)), error(1, UNKNOWN))

    def test_parameters(self) -> None:
        calls = {
            "too few": ("checkout.get", []),
            "too many": ("checkout.get", ["co_0123456789abcdef", 1]),
            "unknown name": ("checkout.get", {"checkoutId": "co_0123456789abcdef", "x": 1}),
            "other case": ("checkout.get", {"CheckoutId": "co_0123456789abcdef"}),
            "missing": ("checkout.get", {}),
            "other type": ("checkout.get", {"checkoutId": 7}),
            "null": ("checkout.get", {"checkoutId": None}),
            "null by position": ("checkout.get", [None]),
            "ping with some": ("system.ping", [1]),
            "key and more": ("checkout.get", {"checkoutId": {"startKey": "k", "x": 1}}),
            "no key": ("checkout.get", {"checkoutId": {}}),
            "fraction": ("events.read", {"checkoutId": "co_0123456789abcdef", "after": 1.5}),
            "beyond 64 bits": ("events.read", {"checkoutId": "co_0123456789abcdef", "after": 2**63}),
        }
        for name, (method, params) in calls.items():
            with self.subTest(name):
                self.assert_answers(encode(request(method, params, 1)), error(1, PARAMS))

    def test_by_position(self) -> None:
        checkout = self.start()
        self.assert_answers(encode(request("checkout.get", [checkout.id], 1)), result(1, checkout.snapshot))

    def test_batches(self) -> None:
        self.assert_answers("[7]", [error(None, INVALID)])
        self.assert_answers("[null,[],{}]", [error(None, INVALID)] * 3)
        self.assert_answers(f"[{echo('1', '[1]')},{echo('1', '[2]')}]", [result(1, [1]), result(1, [2])])
        mixed = [
            echo('"p"', "[2]"),
            '{"jsonrpc":"2.0","method":"system.ping"}',
            '{"zig":"zag"}',
            '{"jsonrpc":"2.0","method":"nowhere","id":"r"}',
            echo("7", "{}"),
        ]
        self.assert_answers(
            f"[{','.join(mixed)}]",
            [result("p", [2]), error(None, INVALID), error("r", UNKNOWN), result(7, {})],
        )
        ping = '{"jsonrpc":"2.0","method":"system.ping"}'
        self.assert_answers(f"[{','.join([ping] * 64)}]")
        self.assert_answers(f"[{','.join([ping] * 65)}]", error(None, -32003))

    def test_error_says_which(self) -> None:
        identifiers = {
            "{oops": "parse-error",
            "12": "invalid-request",
            '{"jsonrpc":"2.0","id":1,"method":"nowhere"}': "method-not-found",
            '{"jsonrpc":"2.0","id":1,"method":"checkout.get"}': "invalid-params",
            f"[{','.join(['1'] * 65)}]": "batch-too-large",
        }
        for line, error_id in identifiers.items():
            with self.subTest(error_id):
                (answer,) = self.answers(line)
                self.assertEqual(answer["error"]["data"]["errorId"], error_id)
        (answer,) = self.answers(
            '{"jsonrpc":"2.0","id":1,"method":"events.read","params":{"checkoutId":"x","limit":"y"}}'
        )
        self.assertIn("limit", answer["error"]["data"]["path"])


class Streams(DaemonTest):
    def test_one_byte_at_a_time(self) -> None:
        for byte in echo("1", '["é"]').encode() + b"\n":
            self.client.send_raw(bytes([byte]))
        self.assertEqual(self.client.result(1), ["é"])

    def test_thousand_calls_cut_at_random(self) -> None:
        chance = random.Random(20260831)
        numbers = range(1, 1001)
        lines = [echo(str(number), f'{{"text":"é\u2028{number}"}}') for number in numbers]
        data = "".join(line + "\n" for line in lines).encode()
        cuts = sorted(chance.sample(range(1, len(data)), 700))
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            self.client.send_raw(data[start:end])
        for number in numbers:
            self.assertEqual(self.client.result(number), {"text": f"é\u2028{number}"})
        self.assertEqual(len(self.client.transcript), 1000)

    def test_bad_line_between_good_ones(self) -> None:
        self.client.send_raw(f"{echo('1', '[1]')}\n{{oops\n\n{echo('2', '[2]')}\n".encode())
        answers = [_comparable(self.client.read_message()) for _ in range(3)]
        self.assertEqual(answers, [result(1, [1]), error(None, PARSE), result(2, [2])])

    def test_line_that_is_too_long(self) -> None:
        limit = self.client.call("system.hello")["limits"]["line"]
        self.client.send_raw(b" " * (limit + 1) + b"\n" + echo('"next"', "[]").encode() + b"\n")
        refused = self.client.read_message()
        assert isinstance(refused, dict)
        self.assertEqual((refused["id"], refused["error"]["code"]), (None, -32001))
        data = refused["error"]["data"]
        self.assertEqual((data["errorId"], data["limit"]), ("line-too-long", limit))
        self.assertEqual(self.client.result("next"), [])

    def test_line_that_is_just_short_enough(self) -> None:
        limit = self.client.call("system.hello")["limits"]["line"]
        line = '{"jsonrpc":"2.0","id":"long","method":"system.ping"}'
        self.client.send_line(line + " " * (limit - len(line)))
        self.assertEqual(self.client.result("long"), {})

    def test_flood_without_a_line_end_is_closed(self) -> None:
        limit = self.client.call("system.hello")["limits"]["line"]
        chunk = b"x" * limit
        try:
            for _ in range(17):
                self.client.send_raw(chunk)
        except (BrokenPipeError, ConnectionResetError):
            pass
        codes = [message["error"]["code"] for message in self.client.read_to_end() if isinstance(message, dict)]
        self.assertEqual(codes, [-32001, -32007])


def _comparable(answer: Any) -> Any:
    """The answer without what may vary: messages, data, the order of a batch."""
    if isinstance(answer, list):
        return sorted(map(_comparable, answer), key=repr)
    if "error" in answer:
        return error(answer["id"], answer["error"]["code"])
    return answer
