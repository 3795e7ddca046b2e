"""Every client goes through every transcript that it can."""

from __future__ import annotations

import json
import re
import signal
import unittest
from pathlib import Path

from clients.drivers import AsyncDriver, CtlDriver, NodeDriver, SwiftDriver, SyncDriver
from clients.transcript import Player, Transcript, transcripts
from crash.case import DurableTest

AnyDriver = SyncDriver | AsyncDriver | CtlDriver | SwiftDriver | NodeDriver

_METHODS = {step["call"] for transcript in transcripts() for step in transcript.steps if "call" in step}


class Transcripts(DurableTest):
    def play_all(self, driver_type: type[AnyDriver], *abilities: str) -> None:
        """Goes through those that need no more than these abilities, each with a daemon of its own."""
        able = [transcript for transcript in transcripts() if set(transcript.needs) <= set(abilities)]
        self.assertGreater(len(able), 8)
        for transcript in able:
            with self.subTest(transcript.name):
                self.play(transcript, driver_type)

    def play(self, transcript: Transcript, driver_type: type[AnyDriver]) -> None:
        session = self.session(**transcript.session)
        self.daemon = self.start_daemon()
        driver = driver_type(self.daemon.socket_path)
        try:
            Player(
                driver,
                session.client_token,
                shopper=session.decide,
                crash=lambda: self.restart(signal.SIGKILL),
            ).play(transcript)
        finally:
            driver.close()

    def test_python(self) -> None:
        self.play_all(SyncDriver, "reconnect", "components")

    def test_python_asyncio(self) -> None:
        self.play_all(AsyncDriver, "reconnect", "components")

    def test_node(self) -> None:
        self.play_all(NodeDriver, "reconnect", "components")

    def test_swift(self) -> None:
        self.play_all(SwiftDriver, "reconnect")

    def test_checkoutctl(self) -> None:
        self.play_all(CtlDriver, "reconnect", "components")

    def test_cover_what_drives_a_checkout(self) -> None:
        """Every method about checkouts and components is there, but for those of sharing."""
        document = self.client.call("rpc.discover")
        names = {method["name"] for method in document["methods"]}
        driving = {name for name in names if re.match(r"(checkout|component|achManager|nativeUIManager|rawDataManager)\.", name)}
        self.assertEqual(driving - _METHODS, {"checkout.share", "checkout.unshare"})
        events = {step["event"] for transcript in transcripts() for step in transcript.steps if "event" in step}
        told = {notification["name"] for notification in document["x-notifications"]}
        self.assertLessEqual(events, told)


class Format(unittest.TestCase):
    def test_documented(self) -> None:
        """Steps have the members that the format's description names, and no others."""
        text = (Path(__file__).resolve().parent / "transcripts" / "README.md").read_text()
        known = {
            tuple(json.loads(row.replace("{…}", "0").replace("METHOD", "0").replace("NAME", "0")))
            for row in re.findall(r"`(\{\"(?:call|event|shopper|daemon)\".*?\})`", text)
        }
        used = {tuple(step) for transcript in transcripts() for step in transcript.steps}
        self.assertEqual(used, known)
