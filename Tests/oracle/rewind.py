"""A state directory that goes back in time, as when somebody copies an old one back: no session may pay once more."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oracle.driver import Driver
from oracle.known import Known, ask
from oracle.rules import Truth
from oracle.runs import Runs
from oracle.upstream import Upstream
from support.checkout import ACH_SETTINGS
from support.client import Client

TIMEOUT = 45
# More than any schedule ends the daemon: whatever becomes `unknown` has its reason.
_MANY = 99


@dataclass
class Rewind:
    """A copy of the directory, taken while no daemon was running, and what comes of going on from there."""

    upstream: Upstream
    checkouts: Sequence[Known]
    copy: Path
    is_taken: bool = False
    continued: list[Known] = field(default_factory=list)

    def take(self, state: Path) -> None:
        """Copies the directory, unless that is done."""
        if not self.is_taken:
            shutil.copytree(state, self.copy)
            self.is_taken = True

    def run(self, runs: Runs, chance: random.Random, say: Callable[[str], None]) -> Iterator[str]:
        """Goes on from the copy, with another checkout of each session; says what is wrong with the money then."""
        problems: list[str] = []
        runs.state = self.copy
        runs.start()
        client = runs.connect()
        assert client, "there is no daemon to connect to"
        self._take_up(client)
        driver = Driver(chance, self.upstream, self.continued, 0, problems.append, say, most=0)
        deadline = time.monotonic() + TIMEOUT
        while living := [checkout for checkout in self.continued if not checkout.is_over]:
            driver.step(client, chance.choice(living))
            if time.monotonic() > deadline:
                problems.append(f"these do not end: {[str(checkout) for checkout in living]}")
                break
        yield from problems
        for checkout in self.continued:
            say(f"gone back: {checkout} {checkout.refusal or ''}")
        yield from Truth(self.upstream, [*self.checkouts, *self.continued], _MANY).problems_after_rewind(self.continued)

    def _take_up(self, client: Client) -> None:
        """The checkouts that the copy has, and one more of each session."""
        for known in self.checkouts:
            if known.id and ask(client, "checkout.get", checkoutId=known.id).is_good:
                self.continued.append(
                    Known(known.session, known.params, known.method, known.is_manual, known.allows_repeat, id=known.id)
                )
        for session in {known.session.number: known.session for known in self.checkouts}.values():
            token = self.upstream.ledger.another_token(session)
            params = {"clientToken": token, "settings": ACH_SETTINGS, "startKey": f"late-{session.number}"}
            method = next(known.method for known in self.checkouts if known.session is session)
            self.continued.append(Known(session, params, method, is_manual=False))
