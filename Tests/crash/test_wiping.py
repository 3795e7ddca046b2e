"""The daemon dies at each point of a checkout that is wiped: after the next start nothing personal is in any file."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from crash.case import PERSON, DurableTest, eventually
from crash.durable import DurableDaemon
from crash.preload import Trace
from support.checkout import ACH_SETTINGS
from support.client import CallError, Ended
from support.sandbox import Session

OPTIONS = ("--retention", "100")

_STEP = 1 if os.environ.get("CRASH_SWEEP") == "full" else 5


class Till:
    """Starts a checkout, cancels it and waits until it is wiped, whatever becomes of the daemon meanwhile."""

    def __init__(self, upstream_port: int, session: Session, crash_at: int) -> None:
        self._daemon = DurableDaemon(upstream_port, OPTIONS)
        self._trace = Trace(self._daemon.directory / "trace", crash_at)
        self._start = {"clientToken": session.client_token, "settings": ACH_SETTINGS, "startKey": "till-7"}
        self._secrets = [session.client_token, session.access_token, *PERSON.values()]
        self.faults: list[str] = []
        self.letters = ""

    def run(self) -> Till:
        """Does it all; `faults` is what was wrong."""
        try:
            self._daemon.start_to_crash(self._trace.environment)
            while not self._is_done():
                self._daemon.await_crash()
                self._daemon.start()
                self._look_at_once()
            self._daemon.start()
            self._look_at_once()
        except (AssertionError, CallError) as error:
            self.faults.append(f"{type(error).__name__}: {error}")
        finally:
            self.letters = self._trace.letters
            self._daemon.close()
        return self

    def _is_done(self) -> bool:
        """Goes on to the end, and stops the daemon; false if it dies of that."""
        try:
            client = self._daemon.connect()
            id = {"checkoutId": client.call("checkout.start", **self._start)["checkoutId"]}
            if client.call("checkout.get", **id)["state"] == "ready":
                client.call("checkout.cancel", **id)
            eventually("archived", lambda: client.call("checkout.get", **id)["state"] == "archived")
            eventually("nothing personal in any file", lambda: client.call("system.ping") == {} and not self._found())
        except (Ended, ConnectionError, FileNotFoundError):
            return False
        return self._daemon.terminate() == 0

    def _look_at_once(self) -> None:
        """What is told as wiped is gone from the files, and told once."""
        client = self._daemon.connect()
        listed = client.call("checkout.list")["checkouts"]
        if len(listed) > 1:
            self.faults.append(f"it is listed {len(listed)} times")
        if [short["state"] for short in listed] == ["archived"] and (found := self._found()):
            self.faults.append(f"told as wiped, and yet there are {len(found)} secrets in {sorted(dict(found))}")

    def _found(self) -> list[tuple[str, str]]:
        return self._daemon.holding(self._secrets)


class Wiping(DurableTest):
    def till(self, crash_at: int = 0) -> Till:
        return Till(self.sandbox.port, self.session(customer=PERSON), crash_at)

    def test_crash_at_each_point(self) -> None:
        whole = self.till().run()
        self.assertEqual(whole.faults, [])
        self.assertGreater(whole.letters.count("Hp"), 3, whole.letters)
        points = range(1, len(whole.letters) + 1, _STEP)
        with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            tills = [self.till(point) for point in points]
            for point, till in zip(points, pool.map(Till.run, tills), strict=True):
                with self.subTest(point=point, at=till.letters[-8:]):
                    if till.faults:
                        self.fail("\n".join(till.faults))
