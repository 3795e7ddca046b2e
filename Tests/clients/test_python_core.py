"""The Python client without a daemon: framing, messages, following events, time."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clients.library import PROJECT, checkoutd
from checkoutd.errors import CallError, ConnectionLost, ProtocolError
from checkoutd.events import Place
from checkoutd.following import Following
from checkoutd.timing import Deadline, Patience
from checkoutd.wire import Conversation, Failure, LineBuffer, Notification, Reply
from support.client import TIMEOUT
from support.lines import JsonObject

_CASES = Path(__file__).resolve().parent / "following" / "cases.json"
_CHECKOUT = "co_1"


def line(message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def event(seq: int, name: str = "component.didReceiveStep") -> JsonObject:
    return {"method": name, "params": {"checkoutId": "co_1", "seq": seq, "time": "2030-01-01T00:00:00.000Z"}}


def told(*events: JsonObject) -> bytes:
    return b"".join(line({"jsonrpc": "2.0", **event}) for event in events)


class Framing(unittest.TestCase):
    def test_only_lf_ends_a_line(self) -> None:
        text = "a\r\u0085\u2028\u2029\x0b\x0cb".encode()
        self.assertEqual(LineBuffer().feed(text + b"\n" + text + b"\n"), [text, text])

    def test_cut_anywhere(self) -> None:
        data = "één\n\n{twee}\nrest".encode()
        for place in range(len(data)):
            with self.subTest(place):
                buffer = LineBuffer()
                lines = buffer.feed(data[:place]) + buffer.feed(data[place:])
                self.assertEqual(lines, ["één".encode(), b"", b"{twee}"])
                self.assertEqual(buffer.feed(b"\n"), [b"rest"])


class Messages(unittest.TestCase):
    def test_call(self) -> None:
        conversation = Conversation()
        self.assertEqual(
            conversation.ask("system.echo", {"text": "\u2028é\n"})[1],
            b'{"jsonrpc":"2.0","id":1,"method":"system.echo","params":{"text":"\\u2028\\u00e9\\n"}}\n',
        )
        number, text = conversation.ask("system.ping", {})
        self.assertEqual((number, b'"id":2' in text), (2, True))

    def test_reply_and_notification(self) -> None:
        data = told(event(1)) + line({"jsonrpc": "2.0", "id": 1, "result": {"a": 1}})
        params = event(1)["params"]
        expected = [Notification("component.didReceiveStep", params), Reply(1, {"a": 1})]
        self.assertEqual(list(Conversation().receive(data)), expected)

    def failure(self, message: JsonObject) -> Failure:
        (failure,) = Conversation().receive(line({"jsonrpc": "2.0", **message}))
        assert isinstance(failure, Failure)
        return failure

    def test_error(self) -> None:
        error = {"code": 1003, "message": "Not now", "data": {"errorId": "not-started", "description": "Start first"}}
        failure = self.failure({"id": 1, "error": error})
        assert isinstance(failure.error, CallError)
        self.assertEqual((failure.id, failure.error.code, failure.error.error_id), (1, 1003, "not-started"))
        self.assertEqual(failure.error.data["description"], "Start first")
        self.assertEqual(str(failure.error), "not-started (1003): Start first")

    def test_error_says_where_and_what_is_wrong(self) -> None:
        wrong = [
            {"field": "firstName", "errorId": "invalid-customer-firstname", "description": "It is empty"},
            {"errorId": "x", "description": "Another"},
        ]
        for data, text in (
            ({"path": "/params/uid"}, "e (1): m (/params/uid)"),
            ({"validationErrors": wrong}, "e (1): m; firstName: It is empty; Another"),
        ):
            self.assertEqual(str(CallError(1, "m", {"errorId": "e", **data})), text)  # type: ignore[typeddict-item]

    def test_error_without_data(self) -> None:
        error = self.failure({"id": None, "error": {"code": -32603, "message": "Internal error"}}).error
        assert isinstance(error, CallError)
        self.assertEqual((error.error_id, dict(error.data)), ("", {}))

    def test_last_words(self) -> None:
        for id, code in ((None, -32004), (None, -32005), (None, -32007), (1, -32005)):
            with self.subTest(code=code, id=id):
                error = self.failure({"id": id, "error": {"code": code, "message": "Bye"}}).error
                self.assertIsInstance(error, ConnectionLost)
                self.assertIsInstance(error.__cause__, CallError)

    def test_nonsense(self) -> None:
        for text in (b"", b"{", b"1", b"[]", b"{}", b'{"id":1}', b'{"id":1,"error":3}', b"\xff"):
            with self.subTest(text), self.assertRaises(ProtocolError):
                list(Conversation().receive(text + b"\n"))


class Play:
    """One client, and a daemon that does what the steps of a shared case say."""

    def __init__(self, test: unittest.TestCase, case: JsonObject, cutting: Callable[[bytes], list[bytes]]) -> None:
        after = case.get("after", 0)
        self.following = Following(_CHECKOUT, after if isinstance(after, int) else Place(**after))
        self._test = test
        self._cutting = cutting
        self._told: list[Any] = []
        self._failure: Exception | None = None
        self._last_id = 0
        self.following.open()

    def is_at_end(self) -> bool:
        """Whether nothing has been sent, told or raised that no step speaks of."""
        return not (self.following.take_output() or self._told or self._failure)

    def take(self, kind: str, value: Any) -> None:
        """Does a step."""
        getattr(self, f"_{kind}")(value)

    def _say(self, data: bytes) -> None:
        for chunk in self._cutting(data):
            told = self.following.receive(chunk)
            self._told += [_shown(event) for event in told.events]
            if isinstance(told.failure, ConnectionLost):
                return self.following.open()
            if told.failure:
                self._failure = told.failure
                return None
        return None

    def _send(self, expected: Any) -> None:
        (call,) = [json.loads(text) for text in self.following.take_output().splitlines()]
        self._test.assertEqual([call["method"], call["params"]], expected)
        self._last_id = call["id"]

    def _result(self, result: Any) -> None:
        self._say(line({"jsonrpc": "2.0", "id": self._last_id, "result": result}))

    def _error(self, error: Any) -> None:
        self._say(line({"jsonrpc": "2.0", "id": self._last_id, "error": error}))

    def _event(self, seq: int) -> None:
        self._say(told(event(seq)))

    def _end(self, seq: int) -> None:
        self._say(told(event(seq, "checkout.didFail")))

    def _lost(self, seqs: list[int]) -> None:
        params = {"checkoutId": _CHECKOUT, "from": seqs[0], "to": seqs[1]}
        self._say(told({"method": "events.lost", "params": params}))

    def _line(self, text: str) -> None:
        self._say(text.encode() + b"\n")

    def _fragment(self, text: str) -> None:
        self._say(text.encode())

    def _break(self, _: bool) -> None:
        self.following.open()

    def _told_(self, expected: Any) -> None:
        self._test.assertEqual(self._told, expected)
        self._told = []

    def _place(self, expected: JsonObject) -> None:
        self._test.assertEqual(self.following.place, Place(**expected))

    def _over(self, _: bool) -> None:
        self._test.assertTrue(self.following.has_ended)

    def _failed(self, expected: str) -> None:
        failure, self._failure = self._failure, None
        if expected == "protocol":
            self._test.assertIsInstance(failure, ProtocolError)
        else:
            self._test.assertEqual(getattr(failure, "error_id", failure), expected)


def _shown(event: checkoutd.Event) -> Any:
    return [event.params["from"], event.seq] if event.name == "events.lost" else event.seq


def _whole(data: bytes) -> list[bytes]:
    return [data]


def _cut(data: bytes) -> list[bytes]:
    return [data[place : place + 1] for place in range(len(data))]


class SharedCases(unittest.TestCase):
    """The cases that every client shares, each with the bytes cut in different ways."""

    def test_all(self) -> None:
        cases = json.loads(_CASES.read_text())
        self.assertGreater(len(cases), 40)
        for case in cases:
            for cutting in (_whole, _cut):
                with self.subTest(case["title"], cutting=cutting.__name__):
                    play = Play(self, case, cutting)
                    for step in case["steps"]:
                        ((kind, value),) = step.items()
                        play.take({"told": "told_"}.get(kind, kind), value)
                    self.assertTrue(play.is_at_end())
                    self.assertEqual(play.following.has_ended, "over" in case["steps"][-1])


class Faces(unittest.TestCase):
    def test_synchronous_one_is_made_of_the_asynchronous_one(self) -> None:
        command = [sys.executable, PROJECT / "generate", "--check"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_both_have_the_same(self) -> None:
        pairs = [("Client", "AsyncClient"), ("Checkout", "AsyncCheckout"), ("BanksComponent", "AsyncBanksComponent")]
        for names in (*pairs, ("AchComponent", "AsyncAchComponent")):
            one, other = [
                {name for name in dir(getattr(checkoutd, face)) if not name.startswith("_")} for face in names
            ]
            self.assertEqual(one, other)


class Time(unittest.TestCase):
    def test_deadline(self) -> None:
        self.assertIsNone(Deadline(None).left())
        self.assertEqual(Deadline(None).at_most(3), 3)
        self.assertLessEqual(Deadline(2).at_most(3), 2)
        with self.assertRaises(checkoutd.TimedOut):
            Deadline(0).left()

    def test_patience(self) -> None:
        patience, failure = Patience(60), checkoutd.Unreachable("away")
        pauses = [patience.pause_after(failure) for _ in range(9)]
        self.assertEqual((pauses, pauses[-1]), (sorted(pauses), 1.0))
        patience.renew()
        self.assertLess(patience.pause_after(failure), pauses[1])
        with self.assertRaises(checkoutd.Unreachable):
            Patience(0).pause_after(failure)
