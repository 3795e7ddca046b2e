"""checkoutctl --help: what it tells is what the command takes, and no more; the exit statuses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clients import case
from clients.case import USAGE, CtlTest

_NOWHERE = ("--socket", "/nonexistent/socket")
_CANNOT_TALK = case.CANNOT_TALK


@dataclass(frozen=True)
class Option:
    """An option as the help tells of it."""

    letter: str
    name: str
    value: str

    @property
    def given(self) -> str:
        """The option with a value, if it takes one, that fits as far as the command line tells."""
        return f"--{self.name}=2000" if self.value else f"--{self.name}"


def part(text: str, title: str) -> str:
    """The lines below a title."""
    return text.partition(f"\n{title}:\n")[2].partition("\n\n")[0]


def options(text: str, title: str) -> list[Option]:
    """The options below a title."""
    found = re.findall(r"^  (?:-(\w), |    )--([a-z-]+)(?: ([A-Z]+))?(?:  |$)", part(text, title), re.MULTILINE)
    return [Option(*one) for one in found]


class Help(CtlTest):
    def setUp(self) -> None:
        super().setUp()
        self.text = self.assert_ends(self.ctl("--help"), 0).output
        self.commands = re.findall(r"^  ([a-z]+)( [^ ]+| [A-Z]+ [^ ]+)?  ", part(self.text, "Commands"), re.MULTILINE)

    def help_of(self, command: str) -> str:
        """What there is to know of a command."""
        return self.assert_ends(self.ctl(command, "--help"), 0).output

    def test_commands(self) -> None:
        names = [name for name, _ in self.commands]
        for name in (
            "start", "list", "show", "banks", "follow", "wait", "cancel", "call", "batch", "status", "connections",
            "discover",
        ):  # fmt: skip
            self.assertIn(name, names)
        for name, operands in self.commands:
            with self.subTest(name):
                text = self.help_of(name)
                self.assertTrue(text.startswith(f"Usage: checkoutctl [OPTION]... {name}{operands}\n"), text)
                self.assertEqual(options(text, "Options for all commands"), self.common)
                self.assertLessEqual(max(map(len, text.split("\n"))), 100)

    @property
    def common(self) -> list[Option]:
        """What every command takes."""
        return options(self.text, "Options for all commands")

    @property
    def special(self) -> list[Option]:
        """What some commands take."""
        return options(self.text, "Options for some")

    def test_each_command_takes_the_options_that_its_help_tells_and_no_others(self) -> None:
        self.assertEqual([option.name for option in self.common], ["socket", "timeout", "version", "help"])
        used = set()
        for name, _ in self.commands:
            own = options(self.help_of(name), "Options")
            self.assertLessEqual(set(own), set(self.special))
            used |= set(own)
            for option in self.special:
                with self.subTest(f"{name} {option.name}"):
                    outcome = self.ctl(*_NOWHERE, name, option.given)
                    self.assertEqual(
                        f"--{option.name} does not go with {name}\n" in outcome.errors, option not in own, outcome
                    )
        self.assertEqual(used, set(self.special))

    def test_each_command_takes_the_operands_that_its_help_tells(self) -> None:
        for name, operands in self.commands:
            with self.subTest(name):
                required = len(re.findall(r"[ (][A-Z]+", operands))
                most = len(operands.split())
                for count in range(4):
                    outcome = self.ctl(*_NOWHERE, name, *(["{}"] * count), text="token")
                    is_taken = required <= count <= most
                    self.assertEqual(outcome.status, _CANNOT_TALK if is_taken else USAGE, (count, outcome))

    def test_exit_statuses(self) -> None:
        told = dict(re.findall(r"^  (\d)  (.+)$", part(self.text, "Exit status"), re.MULTILINE))
        names = ("ERROR_REPLY", "CANNOT_TALK", "USAGE", "TIMED_OUT", "EVENTS_LOST", "OUTCOME_UNKNOWN")
        self.assertEqual(list(told), [str(status) for status in (0, *(getattr(case, name) for name in names))])
