"""Whether one value is like another: the same but for what differs from run to run."""

from __future__ import annotations

import re
from typing import Any

# Members whose values only have to be of one type: who is calling, and what this run is.
_OF_THE_RUN = frozenset({"uid", "gid", "pid", "comm", "epoch", "uptimeMs", "accepted", "bytes", "version"})
_ID = re.compile(r"(co|cm|pay)_[0-9a-f]{16}(_\d+)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
# A copy of the state: wherever the state is, it is that copy.
_COPY = re.compile(r"/.*/(backups/[\w.-]+)")
# A bank's page: wherever it is, it is that of a payment.
_PAGE = re.compile(r"https?://[\w.:-]+(?:/bank)?/(pay_[0-9a-f]{16})")


class Unlike(AssertionError):
    """Where two values differ in what may not."""


class Likeness:
    """Compares what is written with what comes; an id that is written stands for the same one all through."""

    def __init__(self, *, is_abridged: bool = False) -> None:
        self._is_abridged = is_abridged
        self._ids: dict[str, str] = {}

    def check(self, written: Any, actual: Any, place: str = "") -> None:
        """Raises `Unlike` unless they are alike."""
        if type(written) is not type(actual):
            raise Unlike(f"{place or '/'} is {actual!r}, not {written!r}")
        if isinstance(written, dict):
            self._check_members(written, actual, place)
        elif isinstance(written, list):
            self._check_elements(written, actual, place)
        elif isinstance(written, str):
            self._check_text(written, actual, place)
        elif written != actual:
            raise Unlike(f"{place} is {actual!r}, not {written!r}")

    def _check_members(self, written: dict[str, Any], actual: dict[str, Any], place: str) -> None:
        if missing := written.keys() - actual.keys():
            raise Unlike(f"{place or '/'} has no {sorted(missing)}")
        if not self._is_abridged and (more := actual.keys() - written.keys()):
            raise Unlike(f"{place or '/'} has {sorted(more)} too")
        for name, value in written.items():
            if name not in _OF_THE_RUN or type(value) is not type(actual[name]):
                self.check(value, actual[name], f"{place}/{name}")

    def _check_elements(self, written: list[Any], actual: list[Any], place: str) -> None:
        if self._is_abridged:
            self._find_elements(written, actual, place)
            return
        if len(written) != len(actual):
            raise Unlike(f"{place} has {len(actual)} elements, not {len(written)}")
        for index, (one, other) in enumerate(zip(written, actual, strict=True)):
            self.check(one, other, f"{place}/{index}")

    def _find_elements(self, written: list[Any], actual: list[Any], place: str) -> None:
        rest = iter(actual)
        for element in written:
            if not any(self._is_like(element, other) for other in rest):
                raise Unlike(f"{place} does not have {element!r}, in this order")

    def _is_like(self, written: Any, actual: Any) -> bool:
        try:
            self.check(written, actual)
        except Unlike:
            return False
        return True

    def _check_text(self, written: str, actual: str, place: str) -> None:
        if all(text.startswith("# HELP checkoutd_build_info ") for text in (written, actual)):
            return
        if _TIME.fullmatch(written) and _TIME.fullmatch(actual):
            return
        for pattern in (_PAGE, _COPY):
            if (known := pattern.fullmatch(written)) and (other := pattern.fullmatch(actual)):
                written, actual = known[1], other[1]
        id, actual_id = _ID.fullmatch(written), _ID.fullmatch(actual)
        if id and actual_id and (id[1], id[2]) == (actual_id[1], actual_id[2]):
            if self._ids.setdefault(written, actual) == actual:
                return
        if written != actual:
            raise Unlike(f"{place} is {actual!r}, not {written!r}")
