"""How long to wait, and how often to try."""

from __future__ import annotations

import time

from checkoutd.errors import CheckoutdError, TimedOut

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 1.0


class Deadline:
    """A point in time; none without seconds."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """The seconds until then; raises `TimedOut` when it is over."""
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimedOut("what was waited for did not come in time")
        return left

    def at_most(self, seconds: float) -> float:
        """The seconds until then, but not more than these."""
        left = self.left()
        return seconds if left is None else min(seconds, left)


class Patience:
    """How long a daemon that is away is tried again."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """There it is: the next failure is the first."""
        self._pause = _FIRST_PAUSE
        self._end: float | None = None

    def pause_after(self, failure: CheckoutdError) -> float:
        """The seconds to wait before the next try; raises the failure when the patience is over."""
        now = time.monotonic()
        if self._end is None:
            self._end = now + self._seconds
        if now >= self._end:
            raise failure
        pause, self._pause = self._pause, min(2 * self._pause, _LONGEST_PAUSE)
        return min(pause, self._end - now)
