"""The Python client without a daemon: framing, messages, following events, time."""

from __future__ import annotations

import json
import unittest
from typing import Any

from clients.library import checkoutd
from checkoutd.errors import CallError, ConnectionLost, ProtocolError
from checkoutd.events import Replay
from checkoutd.timing import Deadline, Patience
from checkoutd.wire import Conversation, LineBuffer, Notification, Reply
from support.lines import JsonObject


def line(message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def event(seq: int, name: str = "component.didReceiveStep") -> JsonObject:
    return {"method": name, "params": {"checkoutId": "co_1", "seq": seq, "time": "2030-01-01T00:00:00.000Z"}}


def told(*events: JsonObject) -> bytes:
    return b"".join(line({"jsonrpc": "2.0", **event}) for event in events)


def result(id: int, **members: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": id, "result": members})


def asked(output: bytes) -> list[tuple[str, int]]:
    """The calls in what is sent: their methods, and after which event."""
    calls = [json.loads(text) for text in output.split(b"\n")[:-1]]
    return [(call["method"], call["params"]["after"]) for call in calls]


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
            conversation.ask("system.echo", {"text": "\u2028é\n"}),
            b'{"jsonrpc":"2.0","id":1,"method":"system.echo","params":{"text":"\\u2028\\u00e9\\n"}}\n',
        )
        self.assertIn(b'"id":2', conversation.ask("system.ping", {}))

    def test_reply_and_notification(self) -> None:
        data = told(event(1)) + result(1, a=1)
        params = event(1)["params"]
        expected = [Notification("component.didReceiveStep", params), Reply(1, {"a": 1})]
        self.assertEqual(list(Conversation().receive(data)), expected)

    def test_error(self) -> None:
        error = {"code": 1003, "message": "Not now", "data": {"errorId": "not-started", "description": "Start first"}}
        with self.assertRaises(CallError) as caught:
            list(Conversation().receive(line({"jsonrpc": "2.0", "id": 1, "error": error})))
        self.assertEqual((caught.exception.code, caught.exception.error_id), (1003, "not-started"))
        self.assertEqual(caught.exception.data["description"], "Start first")
        self.assertEqual(str(caught.exception), "not-started (1003): Start first")

    def test_error_without_data(self) -> None:
        error = {"code": -32603, "message": "Internal error"}
        with self.assertRaises(CallError) as caught:
            list(Conversation().receive(line({"jsonrpc": "2.0", "id": None, "error": error})))
        self.assertEqual((caught.exception.error_id, dict(caught.exception.data)), ("", {}))

    def test_last_words(self) -> None:
        for id, code in ((None, -32004), (None, -32005), (None, -32007), (1, -32005)):
            with self.subTest(code=code, id=id):
                message = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "Bye"}}
                with self.assertRaises(ConnectionLost) as caught:
                    list(Conversation().receive(line(message)))
                self.assertIsInstance(caught.exception.__cause__, CallError)

    def test_nonsense(self) -> None:
        for text in (b"", b"{", b"1", b"[]", b"{}", b'{"id":1}', b'{"id":1,"error":3}', b"\xff"):
            with self.subTest(text), self.assertRaises(ProtocolError):
                list(Conversation().receive(text + b"\n"))


class Following(unittest.TestCase):
    def setUp(self) -> None:
        self.replay = Replay("co_1", 0)
        self.replay.open()
        self.assertEqual(asked(self.replay.take_output()), [("events.subscribe", 0)])

    def receive(self, *data: bytes) -> list[int]:
        return [received.seq for received in self.replay.receive(b"".join(data))]

    def test_to_the_terminal_one(self) -> None:
        received = self.receive(result(1, subscriptionId="s1", **{"from": 1, "to": 2}), told(event(1), event(2)))
        self.assertEqual((received, self.replay.has_ended), ([1, 2], False))
        self.assertEqual(self.receive(told(event(3, "checkout.didFail"))), [3])
        self.assertTrue(self.replay.has_ended)
        self.assertEqual(self.replay.take_output(), b"")

    def test_twice_is_once(self) -> None:
        self.assertEqual(self.receive(told(event(1), event(1), event(2), event(1))), [1, 2])

    def test_new_connection_goes_on_after_the_last(self) -> None:
        self.receive(told(event(1), event(2)))
        self.receive(told(event(3))[:-9])
        self.replay.open()
        self.assertEqual(asked(self.replay.take_output()), [("events.subscribe", 2)])
        self.assertEqual(self.receive(told(event(3))), [3])

    def test_gap_is_read(self) -> None:
        self.assertEqual(self.receive(told(event(1), event(4), event(5))), [1])
        self.assertEqual(asked(self.replay.take_output()), [("events.read", 1)])
        page = result(2, events=[event(2), event(3)], next=3, ended=False)
        self.assertEqual(self.receive(page), [2, 3])
        self.assertEqual(asked(self.replay.take_output()), [("events.read", 3)])
        self.assertEqual(self.receive(result(3, events=[event(4), event(5)], next=5, ended=False)), [4, 5])
        self.assertEqual(self.replay.take_output(), b"")
        self.assertEqual(self.receive(told(event(6))), [6])

    def test_lost_ones_are_read(self) -> None:
        lost = {"method": "events.lost", "params": {"checkoutId": "co_1", "from": 2, "to": 3}}
        self.assertEqual(self.receive(told(event(1), lost)), [1])
        self.assertEqual(asked(self.replay.take_output()), [("events.read", 1)])
        self.assertEqual(self.receive(result(2, events=[event(2), event(3)], next=3, ended=False)), [2, 3])

    def test_what_was_trimmed_is_not_asked_for_for_ever(self) -> None:
        self.assertEqual(self.receive(told(event(1), event(9))), [1])
        self.replay.take_output()
        self.assertEqual(self.receive(result(2, events=[event(7), event(9)], next=9, ended=False)), [7, 9])
        self.assertEqual(self.replay.take_output(), b"")

    def test_one_that_has_ended_already(self) -> None:
        self.replay = Replay("co_1", 9)
        self.replay.open()
        self.replay.take_output()
        self.receive(result(1, subscriptionId="s1", **{"from": 10, "to": 9}))
        self.assertEqual(asked(self.replay.take_output()), [("events.read", 9)])
        self.receive(result(2, events=[], next=9, ended=True))
        self.assertTrue(self.replay.has_ended)

    def test_other_notifications(self) -> None:
        draining = {"method": "system.draining", "params": {"reason": "stop"}}
        self.assertEqual(self.receive(told(draining, event(1))), [1])

    def test_error_after_events_loses_none(self) -> None:
        closing = line({"jsonrpc": "2.0", "id": None, "error": {"code": -32007, "message": "Closing"}})
        with self.assertRaises(ConnectionLost):
            self.receive(told(event(1)), closing)
        self.assertEqual(self.replay.after, 0)


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
