"""Completion of the command line, as bash and zsh do it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.case import CtlTest
from clients.shells import COMPLETION, Zsh, bash_offers, spoken
from support.daemon import program


class Completion(CtlTest):
    def setUp(self) -> None:
        super().setUp()
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        document = self.client.call("rpc.discover")
        self.methods = sorted(method["name"] for method in document["methods"])
        self.states = document["components"]["schemas"]["State"]["enum"]

    @property
    def cases(self) -> list[tuple[Sequence[str], list[str]]]:
        """Words, and what is offered for the last of them."""
        return [
            (["foll"], ["follow"]),
            (["nothing-like-this"], []),
            (["call", ""], self.methods),
            (["call", "component.s"], ["component.start", "component.submit"]),
            (["call", "system.ping", ""], ["-"]),
            (["--so"], ["--socket"]),
            (["call", "--tok"], ["--token-file"]),
            (["status", "--tok"], []),
            (["call", "--token-file", "to"], ["token"]),
            (["--socket", "to"], ["token"]),
            (["--socket", "token", "call", "rpc"], ["rpc.discover"]),
            (["-s", "token", "call", "rpc"], ["rpc.discover"]),
            (["--timeout", "5"], []),
            (["list", "--state", "aw"], sorted(state for state in self.states if state.startswith("aw"))),
            (["start", "--handling", ""], ["auto", "manual"]),
            (["wait", "--wait", "term"], ["terminal"]),
            (["wait", "-w", "checkout.didF"], ["checkout.didFail"]),
        ]

    def assert_commands(self, offered: Sequence[str]) -> None:
        """These are commands, the one among them that makes any call."""
        self.assertIn("call", offered)
        for command in offered:
            done = subprocess.run([program("checkoutctl"), command, "--help"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, command)

    def test_bash(self) -> None:
        (self.place / "token").touch()
        self.assert_commands(bash_offers([""], self.place))
        # It takes words apart at an equals sign.
        apart = [(["call", "--token-file", "=", "to"], ["token"]), (["start", "--handling", "="], ["auto", "manual"])]
        # Where nothing is left to say zsh offers options.
        nothing: list[tuple[Sequence[str], list[str]]] = [(["call", "system.ping", "-", ""], []), (["status", ""], [])]
        for words, wanted in self.cases + apart + nothing:
            with self.subTest(words):
                self.assertEqual(sorted(bash_offers(words, self.place)), wanted)

    def test_zsh(self) -> None:
        zsh = Zsh(self.place)
        self.addCleanup(zsh.close)
        (self.place / "work" / "token").touch()
        self.assert_commands(zsh.offers(spoken([""])))
        together = [(["call", "--token-file=to"], ["token"]), (["start", "--handling="], ["auto", "manual"])]
        for words, wanted in self.cases + together:
            with self.subTest(words):
                self.assertEqual(zsh.offers(spoken(words)), wanted)

    def test_zsh_finds_no_mistake(self) -> None:
        done = subprocess.run(["zsh", "-n", COMPLETION / "_checkoutctl"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
