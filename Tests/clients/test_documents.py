"""Manual pages and completions say what the programs say of themselves."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from support.daemon import program

TIMEOUT = 60

_ROOT = Path(__file__).resolve().parents[2]
_CLIENT = _ROOT / "client"
_PAGES = ("checkoutctl.1", "checkoutd.8", "checkoutd.conf.5", "checkoutd-protocol.7")


def generate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the program that makes the generated parts."""
    environment = os.environ | {name.upper(): str(program(name)) for name in ("checkoutd", "checkoutctl")}
    return subprocess.run(
        [_CLIENT / "man" / "generate", *arguments],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        env=environment,
    )


class Documents(unittest.TestCase):
    def test_say_what_the_programs_say(self) -> None:
        done = generate("--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_what_differs_is_found_and_made_right(self) -> None:
        """In each generated part of each file."""
        with TemporaryDirectory() as directory:
            for kind in ("man", "completion"):
                shutil.copytree(_CLIENT / kind, Path(directory, kind), ignore=shutil.ignore_patterns("__pycache__"))
            files = [path for path in Path(directory).glob("*/*checkout*") if " BEGIN " in path.read_text()]
            self.assertEqual(len(files), len(_PAGES) + 2)
            good = {path: path.read_text() for path in files}
            for path, text in good.items():
                path.write_text(re.sub(r"( BEGIN .*\n)", r"\1stale\n", text))
            done = generate("--check", "--directory", directory)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn("client/man/generate", done.stderr)
            self.assertEqual(done.stdout.count("\n-stale\n"), sum(text.count(" BEGIN ") for text in good.values()))
            self.assertEqual(generate("--directory", directory).returncode, 0)
            self.assertEqual({path: path.read_text() for path in files}, good)

    def test_part_that_is_not_there_is_an_error(self) -> None:
        with TemporaryDirectory() as directory:
            for kind in ("man", "completion"):
                shutil.copytree(_CLIENT / kind, Path(directory, kind), ignore=shutil.ignore_patterns("__pycache__"))
            page = Path(directory, "man", "checkoutd.8")
            page.write_text(page.read_text().replace(" END switches", " END"))
            done = generate("--check", "--directory", directory)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("switches is there 0 times", done.stderr)

    def test_readme_names_the_pages(self) -> None:
        readme = (_ROOT / "README.md").read_text()
        for page in _PAGES:
            with self.subTest(page):
                name, _, section = page.rpartition(".")
                self.assertTrue(f"[`{name}({section})`](client/man/{page})" in readme)


class Pages(unittest.TestCase):
    def shown(self, page: str) -> str:
        """The page as a reader sees it, in lines as long as they get."""
        done = subprocess.run(
            ["mandoc", "-T", "utf8", "-O", "width=1000", _CLIENT / "man" / page],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
        return re.sub(".\b", "", done.stdout)

    def test_what_is_generated_can_be_read(self) -> None:
        for page, texts in {
            "checkoutd.8": ("--state-directory DIR", "-c, --config FILE"),
            "checkoutd.conf.5": ("retention = MS", "The default is 600000."),
            "checkoutctl.1": ("call METHOD", "--token-file FILE"),
            "checkoutd-protocol.7": (
                '"method": "component.submit"',
                "checkout.didCompleteCheckout",
                "key-reused",
                "-32007: Closing connection",
                "^co_[0-9a-f]{16}$",
                "Crédit Zilverduin",
            ),
        }.items():
            shown = self.shown(page)
            for text in texts:
                with self.subTest(page, text=text):
                    self.assertIn(text, shown)

    def test_examples_can_be_taken_from_the_page(self) -> None:
        """What is shown as JSON is JSON: no dash, quote or backslash is another character."""
        shown = self.shown("checkoutd-protocol.7")
        for line in re.findall(r"^ +(\{\"jsonrpc\".*)$", shown, re.MULTILINE):
            self.assertNotRegex(line, "[‐−‘’“”´`]")
        self.assertGreater(shown.count('"jsonrpc": "2.0"'), 50)
