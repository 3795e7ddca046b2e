"""Transcripts: what they say (transcripts/README.md), and how a client is held against them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from support.lines import JsonObject

_FOLDER = Path(__file__).resolve().parent / "transcripts"
_PLACEHOLDER = re.compile(r"\$\{([a-z]+|\*)\}")


class CallFailed(Exception):
    """An error reply, as a client tells of it."""

    def __init__(self, code: int, data: JsonObject) -> None:
        super().__init__(code, data)
        self.error: JsonObject = {"code": code, "data": data}


class Driver(Protocol):
    """A client under test."""

    def call(self, method: str, params: JsonObject) -> Any:
        """The result of a call; raises `CallFailed`."""

    def next_event(self, checkout_id: str) -> tuple[str, JsonObject]:
        """The next event of the checkout, from the first on."""


@dataclass(frozen=True)
class Transcript:
    """One transcript."""

    name: str
    title: str
    session: JsonObject
    steps: list[JsonObject]
    needs: list[str] = field(default_factory=list)


def transcripts() -> list[Transcript]:
    """All there are."""
    return [Transcript(path.stem, **json.loads(path.read_text())) for path in sorted(_FOLDER.glob("*.json"))]


@dataclass
class Player:
    """Goes through a transcript with a client."""

    driver: Driver
    token: str
    shopper: Callable[[str], None]
    crash: Callable[[], None]

    def play(self, transcript: Transcript) -> None:
        """Fails at the first step that does not go as it is written."""
        self._values: JsonObject = {"token": self.token}
        for number, step in enumerate(transcript.steps, 1):
            try:
                self._play(step)
            except AssertionError as problem:
                raise AssertionError(f"step {number} of {transcript.name}, {step}: {problem}") from problem

    def _play(self, step: JsonObject) -> None:
        if "call" in step:
            self._call(step)
        elif "event" in step:
            name, params = self.driver.next_event(self._values["checkout"])
            assert name == step["event"], f"{name} {params}"
            self._match(step["params"], params, "params")
        elif "shopper" in step:
            self.shopper(step["shopper"])
        else:
            assert step == {"daemon": "crash"}
            self.crash()

    def _call(self, step: JsonObject) -> None:
        try:
            result = self.driver.call(step["call"], self._filled(step["params"]))
        except CallFailed as failure:
            assert "error" in step, failure
            self._match(step["error"], failure.error, "error")
        else:
            assert "result" in step, result
            self._match(step["result"], result, "result")

    def _filled(self, value: Any) -> Any:
        """The value with what its placeholders stand for."""
        if isinstance(value, dict):
            return {name: self._filled(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self._filled(element) for element in value]
        if isinstance(value, str) and (placeholder := _PLACEHOLDER.fullmatch(value)):
            return self._values[placeholder[1]]
        return value

    def _match(self, expected: Any, actual: Any, place: str) -> None:
        if isinstance(expected, dict):
            assert isinstance(actual, dict), f"{place} is {actual}"
            for name, member in expected.items():
                assert name in actual, f"{place}/{name} is missing in {actual}"
                self._match(member, actual[name], f"{place}/{name}")
        elif isinstance(expected, list):
            assert isinstance(actual, list) and len(actual) == len(expected), f"{place} is {actual}"
            for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
                self._match(one, other, f"{place}/{index}")
        elif isinstance(expected, str) and (placeholder := _PLACEHOLDER.fullmatch(expected)):
            if (name := placeholder[1]) != "*":
                known = self._values.setdefault(name, actual)
                assert known == actual, f"{place} is {actual}, not {known}"
        else:
            assert (type(actual), actual) == (type(expected), expected), f"{place} is {actual}"
