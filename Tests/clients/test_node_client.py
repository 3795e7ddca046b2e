"""The client for Node: its own tests, its declarations, and that the package is whole."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.node_library import NODE_PROJECT, NODE_TESTS, ROOT, TIMEOUT, installed, run_node
from support.case import DaemonTest
from support.daemon import program

_PACKAGE = json.loads((NODE_PROJECT / "package.json").read_text())
_COUNT = re.compile(r"^# (tests|pass|fail|cancelled|skipped|todo) (\d+)$", re.MULTILINE)
_SOURCES = sorted((NODE_PROJECT / "src").glob("*.js"))


class Node(unittest.TestCase):
    def test_version_is_one_of_those_promised(self) -> None:
        (least,) = re.fullmatch(r">=(\d+)", _PACKAGE["engines"]["node"]).groups()  # type: ignore[union-attr]
        version = run_node("--version").stdout
        self.assertGreaterEqual(int(version.removeprefix("v").partition(".")[0]), int(least), version)

    def test_its_own_tests(self) -> None:
        for file in sorted(NODE_TESTS.glob("*.test.mjs")):
            with self.subTest(file.name):
                done = run_node("--test", "--test-reporter=tap", file)
                counts = dict(_COUNT.findall(done.stdout))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(counts.pop("pass"), counts.pop("tests"), done.stdout)
                self.assertEqual(set(counts.values()), {"0"})


class Types(unittest.TestCase):
    def test_strict(self) -> None:
        with TemporaryDirectory() as directory:
            place = installed(Path(directory))
            shutil.copy(NODE_TESTS / "types.ts", place)
            done = subprocess.run(
                ["tsc", "--strict", "--noEmit", "--moduleResolution", "node", "types.ts"],
                cwd=place,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_what_is_declared_is_there(self) -> None:
        """And the other way round: classes, their members, and functions."""
        declared = (NODE_PROJECT / "src" / "index.d.ts").read_text()
        names = set(re.findall(r"^export (?:class|function) (\w+)", declared, re.MULTILINE))
        members = {
            name: set(re.findall(r"^  (?:get )?(\w+)(?:<.*>)?\(", body, re.MULTILINE)) - {"constructor"}
            for name, body in re.findall(r"^export class (\w+)[^\n]*\{\n(.*?)^\}", declared, re.MULTILINE | re.DOTALL)
        }
        # What the classes have for each other.
        members["Client"] |= {"follow", "run"}
        members["CheckoutdError"] = {"name"}
        members |= {name: set() for name in names if name[0].isupper() and name not in members}
        told = run_node("--input-type=module", "--eval", _TELL)
        self.assertEqual(told.stderr, "")
        actual = json.loads(told.stdout)
        self.assertEqual(set(actual), names)
        self.assertEqual({name: set(methods) for name, methods in actual.items() if methods is not None}, members)

    def test_models_are_those_of_the_daemon(self) -> None:
        done = subprocess.run(
            [sys.executable, ROOT / "client" / "models" / "generate", "--check"],
            env={"CHECKOUTD": str(program("checkoutd"))},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


_TELL = """
import * as library from "INDEX";
const own = (value) => Object.getOwnPropertyNames(value.prototype).filter((name) => name !== "constructor");
const isClass = (value) => value.toString().startsWith("class");
const told = Object.entries(library).map(([name, value]) => [name, isClass(value) ? own(value) : null]);
console.log(JSON.stringify(Object.fromEntries(told)));
""".replace("INDEX", str(NODE_PROJECT / "src" / "index.js"))


class Package(DaemonTest):
    def test_version_is_that_of_the_daemon(self) -> None:
        self.assertEqual(_PACKAGE["version"], self.client.call("system.hello")["server"]["version"])
        self.assertIn(f"\n## {_PACKAGE['version']}\n", (NODE_PROJECT / "CHANGELOG.md").read_text())

    def test_is_whole(self) -> None:
        for member in ("name", "version", "description", "keywords", "license", "author", "repository", "bugs"):
            self.assertTrue(_PACKAGE[member], member)
        self.assertEqual((NODE_PROJECT / "LICENSE").read_text(), (ROOT / "LICENSE").read_text())
        for path in [*_PACKAGE["files"], *_PACKAGE["exports"]["."].values(), "README.md", "LICENSE"]:
            self.assertTrue((NODE_PROJECT / path).exists(), path)

    def test_needs_nothing_but_node(self) -> None:
        self.assertFalse({"dependencies", "peerDependencies", "optionalDependencies"} & _PACKAGE.keys())
        imported = {name for path in _SOURCES for name in re.findall(r'(?:from|import) "([^"]+)"', path.read_text())}
        self.assertEqual({name for name in imported if not name.startswith(("node:", "./"))}, set())
