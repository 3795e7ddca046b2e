"""A schedule: one daemon after the other, clients, kills and faults, all drawn from one seed."""

from __future__ import annotations

import random
import signal
import threading
import time
import traceback
from collections import Counter
from collections.abc import Sequence

from oracle.driver import Driver
from oracle.known import CALL_TIMEOUT, Known, Reply, ask, read_all, written
from oracle.ledger import Script
from oracle.methods import METHODS
from oracle.rewind import Rewind
from oracle.rules import Truth, verify
from oracle.runs import Runs
from oracle.upstream import Upstream
from support.checkout import ACH, ACH_SETTINGS, IDEAL
from support.client import Client, Ended, TimedOut
from support.lines import Event, JsonObject

# Seconds in which the daemon is ended again and again, and those in which everything must come to its end.
STORM = 4.5
SETTLING = 45
ENDINGS = (signal.SIGKILL, signal.SIGTERM)
NO_RETENTION = ("--retention", "0")
TIMEOUTS = ("create-payment-timeout", "request-timeout", "payment-timeout", "poll-timeout", "bank-list-timeout")


class Gone(Exception):
    """The daemon has ended, or ended the connection."""


class Watch:
    """A connection that gets all events of this user's, and may get none twice."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.seen: dict[tuple[str, int], str] = {}
        self._looked_at = 0

    def look(self) -> list[str]:
        """Takes in what has come meanwhile; returns what is wrong with it."""
        problems = []
        for message in self.client.transcript[self._looked_at :]:
            if not isinstance(message, dict) or "seq" not in message.get("params", {}):
                continue
            event = Event(message["method"], message["params"])
            key = (event.params["checkoutId"], event.seq)
            if key in self.seen:
                problems.append(f"event {key} came twice")
            self.seen[key] = written(event)
        self._looked_at = len(self.client.transcript)
        return problems


class Schedule:
    """One schedule. `problems` are what must not have happened, `story` is what did."""

    def __init__(self, seed: int, sync: str | None = None) -> None:
        self.seed = seed
        self.problems: list[str] = []
        self.story: list[str] = []
        self.checkouts: list[Known] = []
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._watches: list[Watch] = []
        self._chance = chance = random.Random(seed)
        self.rate = chance.choice([0, 0.1, 0.25, 0.4])
        self.sync = sync or ("always" if chance.random() < 0.3 else "normal")
        self._upstream = Upstream(seed, self.rate)
        options = ["--sync", self.sync, "--poll-span", "20000", "--log-level", "info"]
        options += [word for name in TIMEOUTS for word in (f"--{name}", "500")]
        options += ["--drain-timeout", chance.choice(["0", "300", "3000"])]
        self.runs = Runs(self._upstream.port, options, self.report)
        self._make_checkouts()
        rate = chance.choice([0, 0, 0, 0.03, 0.1])
        self._rewind = Rewind(self._upstream, self.checkouts, self.runs.state.with_name("copy"))
        self._driver = Driver(chance, self._upstream, self.checkouts, rate, self.report, self.say)

    # The book

    def say(self, text: str) -> None:
        """Notes what has happened."""
        with self._lock:
            self.story.append(f"{time.monotonic() - self._began:7.3f} {text}")

    def report(self, problem: str) -> None:
        """Notes what must not have happened."""
        self.say(f"WRONG: {problem}")
        self.problems.append(problem)

    @property
    def summary(self) -> str:
        """What came of it, in a line."""
        outcomes = Counter("refused" if checkout.refusal else str(checkout.outcome) for checkout in self.checkouts)
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        setting = f"sync {self.sync}, faults {self.rate:.0%}, ended {self.runs.end_count} times"
        return f"{counts} ({setting}, {time.monotonic() - self._began:.1f} s)"

    # The script

    def _make_checkouts(self) -> None:
        chance = self._chance
        for number in range(chance.choice([1, 2, 3, 4])):
            session = self._upstream.ledger.session(self._script(), chance.choice([0, 0, 50]))
            is_manual = chance.random() < 0.25
            params: JsonObject = {
                "clientToken": self._upstream.ledger.first_token(session),
                "settings": ACH_SETTINGS | {"paymentHandling": "manual" if is_manual else "auto"},
                "startKey": f"key-{number}",
            }
            if chance.random() < 0.3:
                params["decisions"] = ["willCreatePayment"]
            method = chance.choice([IDEAL, ACH, *METHODS])
            self.checkouts.append(Known(session, params, method, is_manual))
            if chance.random() < 0.15:
                token = self._upstream.ledger.another_token(session)
                rival: JsonObject = {"clientToken": token, "settings": ACH_SETTINGS, "startKey": f"key-{number}-rival"}
                self.checkouts.append(Known(session, rival, method, is_manual=False))

    def _script(self) -> Script:
        chance = self._chance
        return Script(
            create=chance.choices(["PENDING", "SUCCESS", "AUTHORIZED", "FAILED", "DECLINED"], [80, 6, 4, 6, 4])[0],
            polls=chance.choice([0, 0, 1, 2]),
            approves=chance.random() < 0.8,
            verdict=chance.choices(["SUCCESS", "SETTLED", "FAILED", "PENDING"], [60, 20, 10, 10])[0],
        )

    # The run

    def run(self) -> None:
        """Runs it to its end."""
        try:
            self.runs.start()
            self._drive()
            self._finish()
        except Exception:
            self.report(f"the schedule itself has failed: {traceback.format_exc()}")
        finally:
            self._upstream.close()

    def _storm(self, times: Sequence[float]) -> None:
        """Ends the daemon at these times, and starts it again."""
        chance = random.Random(self.seed * 31 + 7)
        began = time.monotonic()
        for moment in times:
            # Chance says when: there is no condition to wait for.
            time.sleep(max(0.0, began + moment - time.monotonic()))
            if self.runs.run is None:
                return
            (how,) = chance.choices(ENDINGS, [3, 1])
            self.say(f"the daemon is ended by {how.name}")
            self.runs.end(how)
            if chance.random() < 0.5:
                self._rewind.take(self.runs.state)
            if chance.random() < 0.3:
                # An outage, which chance makes as long as it likes.
                time.sleep(chance.uniform(0, 0.3))
            self.runs.start(is_race=chance.random() < 0.25)
            self.say(f"the daemon is started, run {self.runs.generation}")

    def _drive(self) -> None:
        """Takes steps until all checkouts have ended."""
        count = self._chance.choice([0, 1, 1, 2, 3, 5])
        times = sorted(self._chance.uniform(0.1, STORM - 0.5) for _ in range(count))
        storm = threading.Thread(target=self._storm, args=(times,))
        storm.start()
        began = time.monotonic()
        watch: Watch | None = None
        generation = 0
        while time.monotonic() < began + STORM + SETTLING and self.runs.run:
            is_calm = time.monotonic() > began + STORM and not storm.is_alive()
            if is_calm:
                self._upstream.rate = 0
            living = [checkout for checkout in self.checkouts if not checkout.is_over]
            if is_calm and not living:
                break
            try:
                if watch is None:
                    watch, generation = self._connect(generation, storm)
                if living:
                    self._driver.step(watch.client, self._chance.choice(living))
                else:
                    ask(watch.client, "system.ping")
                    storm.join(0.05)
                self._look(watch)
            except (Gone, Ended, OSError):
                watch = None
            except TimedOut as problem:
                self.report(f"a call was not answered in {CALL_TIMEOUT} s: {problem}")
                watch = None
        storm.join()
        for checkout in self.checkouts:
            if not checkout.is_over:
                self.report(f"it does not end: {checkout}, {checkout.snapshot}")

    def _look(self, watch: Watch) -> None:
        for problem in watch.look():
            self.report(problem)

    def _connect(self, generation: int, storm: threading.Thread) -> tuple[Watch, int]:
        """A new connection, after a look at what there is now if the daemon has been started since the last."""
        run = self.runs.run
        if run and run.is_ended and not storm.is_alive():
            self.report(f"the daemon has ended by itself, status {run.process.poll()}: {self.runs.log[-1000:]}")
            self.runs.run = None
            raise Gone
        now = self.runs.generation
        client = self.runs.connect()
        if client is None:
            time.sleep(0.02)
            raise Gone
        ask(client, "events.subscribe")
        watch = Watch(client)
        self._watches.append(watch)
        if generation != now:
            self._verify(client, f"run {now}")
        return watch, now

    def _verify(self, client: Client, when: str) -> None:
        streams = [watch.seen for watch in self._watches]
        for checkout in self.checkouts:
            if checkout.id:
                for problem in verify(client, checkout, streams):
                    self.report(f"{when}: {problem}")

    # The end

    def _finish(self) -> None:
        """All have ended: nothing changes any more, whatever happens, and upstream agrees."""
        if self.runs.run is None:
            return
        client = self._connected()
        self._verify(client, "at the end")
        before = self._everything(client)
        for how in ENDINGS:
            self.runs.end(how)
            self.runs.start()
            after = self._everything(self._connected())
            if after != before:
                self.report(f"after {how.name} it is different: {_difference(before, after)}")
        truth = Truth(self._upstream, self.checkouts, self.runs.end_count - len(ENDINGS))
        for problem in truth.problems():
            self.report(problem)
        for line in truth.unknowns():
            self.say(line)
        self._wipe()
        if self._rewind.is_taken:
            self.runs.options = self.runs.options[: -len(NO_RETENTION)]
            for problem in self._rewind.run(self.runs, self._chance, self.say):
                self.report(problem)

    def _connected(self) -> Client:
        client = self.runs.connect()
        assert client, "there is no daemon to connect to"
        return client

    def _everything(self, client: Client) -> dict[str, object]:
        """All that can be read."""
        everything: dict[str, object] = {"list": ask(client, "checkout.list", limit=1000).result}
        for checkout in self.checkouts:
            if checkout.id:
                events = read_all(client, checkout.id)
                everything[checkout.id] = ask(client, "checkout.get", checkoutId=checkout.id).result
                everything[f"events of {checkout.id}"] = str(events) if isinstance(events, Reply) else events
        return everything

    def _wipe(self) -> None:
        """Without retention nothing personal is left in any file."""
        self.runs.end(signal.SIGKILL)
        self.runs.options += NO_RETENTION
        self.runs.start()
        client = self._connected()
        deadline = time.monotonic() + 5
        while self._states(client) > {"archived"}:
            if time.monotonic() > deadline:
                self.report(f"not all are archived: {self._states(client)}")
                return
        self.runs.end(signal.SIGTERM)
        secrets = self._secrets()
        for path in self.runs.state.rglob("*"):
            if not path.is_file():
                continue
            data = path.read_bytes()
            for secret in secrets:
                if secret.encode() in data:
                    self.report(f"{secret[:20]} is still in {path.name}")

    @staticmethod
    def _states(client: Client) -> set[str]:
        return {entry["state"] for entry in ask(client, "checkout.list", limit=1000).result["checkouts"]}

    def _secrets(self) -> set[str]:
        secrets = {"Byron", "Lovelace", "ada@example.com", "+351912345678", "+351913456789"}
        for checkout in self.checkouts:
            secrets |= {checkout.params["clientToken"], f'{checkout.session.access}"'}
        for payment in self._upstream.ledger.payments.values():
            secrets |= {f"seti_{payment.id}", payment.payment_method_token}
        return secrets

    def close(self) -> None:
        """Ends the daemon, and removes its directory."""
        self.runs.close()


def _difference(before: dict[str, object], after: dict[str, object]) -> str:
    changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    return ", ".join(f"{name} was {before.get(name)} and is {after.get(name)}" for name in changed)[:2000]
