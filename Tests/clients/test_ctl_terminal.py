"""checkoutctl at a terminal: colours and what is being waited for; and neither where there is none."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
from collections.abc import Mapping
from pathlib import Path

from clients.case import TIMED_OUT, CtlTest
from support.client import TIMEOUT, TimedOut
from support.daemon import program

_COLOUR = re.compile(r"\x1b\[\d*m")
_CLEARED = "\r\x1b[K"


class Terminal:
    """A terminal that a run of the client has for the streams that are named, and pipes for the others."""

    def __init__(self, *arguments: str | Path, streams: str, environment: Mapping[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        self.shown = ""
        inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        self.process = subprocess.Popen(
            [program("checkoutctl"), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=slave if "output" in streams else subprocess.PIPE,
            stderr=slave if "errors" in streams else subprocess.PIPE,
            env={**inherited, "TERM": "xterm", **(environment or {})},
        )
        os.close(slave)

    def wait_for(self, text: str) -> None:
        """Waits until the client has written this to the terminal."""
        while text not in self.shown:
            if not self._read():
                raise AssertionError(f"the client has ended, and wrote {self.shown!r}")

    def finish(self) -> int:
        """Waits until the client ends; its exit status."""
        while self._read():
            pass
        return self.process.wait(TIMEOUT)

    def _read(self) -> bool:
        if not select.select([self._master], [], [], TIMEOUT)[0]:
            raise TimedOut(f"the client wrote nothing after {self.shown!r}")
        try:
            data = os.read(self._master, 65536)
        except OSError:
            # So Linux says that nobody has the other side any more.
            return False
        self.shown += data.decode()
        return bool(data)

    def close(self) -> None:
        """Ends everything at once."""
        self.process.kill()
        self.process.communicate(timeout=TIMEOUT)
        os.close(self._master)


class AtTerminal(CtlTest):
    def at_terminal(
        self, *arguments: str | Path, streams: str = "output errors", environment: Mapping[str, str] | None = None
    ) -> Terminal:
        """A client at a terminal, which is ended after the test."""
        terminal = Terminal("--socket", self.daemon.socket_path, *arguments, streams=streams, environment=environment)
        self.addCleanup(terminal.close)
        return terminal

    def shown(self, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> str:
        """What a run shows that succeeds."""
        terminal = self.at_terminal(*arguments, environment=environment)
        self.assertEqual(terminal.finish(), 0, terminal.shown)
        return terminal.shown

    def plain(self, text: str) -> str:
        """The text as it is in a pipe."""
        return _COLOUR.sub("", text).replace(_CLEARED, "").replace("\r\n", "\n")


class Colours(AtTerminal):
    def test_only_on_a_terminal(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel")
        for arguments in (["list"], ["show", checkout.id], ["follow", checkout.id]):
            with self.subTest(arguments):
                shown = self.shown(*arguments)
                self.assertRegex(shown, _COLOUR)
                piped = self.assert_ends(self.ctl(*arguments), 0).output
                self.assertNotIn("\x1b", piped)
                # What was being waited for was taken away again.
                waited = re.sub(rf"waiting [^\r]*(?={re.escape(_CLEARED)})", "", shown)
                self.assertEqual(self.plain(waited), piped)

    def test_state_has_its_colour(self) -> None:
        checkout = self.start()
        checkout.call("checkout.cancel")
        self.assertIn("\x1b[31mfailed\x1b[0m", self.shown("list"))

    def test_none_for_json(self) -> None:
        checkout = self.start()
        for arguments in (["list", "--json"], ["show", "--json", checkout.id], ["call", "system.ping"], ["--help"]):
            self.assertNotRegex(self.shown(*arguments), _COLOUR)

    def test_none_if_the_user_wants_none(self) -> None:
        self.start()
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotRegex(self.shown("list", environment=environment), _COLOUR)
        self.assertRegex(self.shown("list", environment={"NO_COLOR": ""}), _COLOUR)

    def test_none_in_a_pipe_beside_a_terminal(self) -> None:
        self.start()
        terminal = self.at_terminal("list", streams="errors")
        output, _ = terminal.process.communicate(timeout=TIMEOUT)
        self.assertNotIn(b"\x1b", output)


class Progress(AtTerminal):
    def test_is_told_and_taken_away(self) -> None:
        checkout = self.start()
        terminal = self.at_terminal("wait", checkout.id, streams="errors")
        terminal.wait_for("waiting for its end")
        checkout.call("checkout.cancel")
        self.assertEqual(terminal.finish(), 0)
        self.assertTrue(terminal.shown.endswith(_CLEARED), terminal.shown)
        assert terminal.process.stdout
        self.assertNotIn(b"waiting", terminal.process.stdout.read())

    def test_is_taken_away_before_an_error(self) -> None:
        terminal = self.at_terminal("wait", self.start().id, "--timeout", "50")
        self.assertEqual(terminal.finish(), TIMED_OUT)
        self.assertIn(f"{_CLEARED}checkoutctl: no answer in time\r\n", terminal.shown)

    def test_daemon_that_has_gone_away(self) -> None:
        terminal = self.at_terminal("follow", "--retry", "200")
        self.await_subscription()
        self.daemon.terminate()
        terminal.wait_for("checkoutd has gone away")
        self.assertEqual(terminal.finish(), 2)

    def test_is_not_told_in_a_pipe(self) -> None:
        checkout = self.start()
        terminal = self.at_terminal("wait", checkout.id, streams="output")
        checkout.call("checkout.cancel")
        self.assertEqual(terminal.finish(), 0)
        assert terminal.process.stderr
        self.assertEqual(terminal.process.stderr.read(), b"")
        self.assertNotIn("waiting", terminal.shown)
