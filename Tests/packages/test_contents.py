"""What is in the packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from packages.machine import BUILD, ROOT, package, packages, run

NAMES = ("checkoutd", "checkoutctl", "python3-checkoutd", "checkoutd-sandbox", "node-checkoutd")


class Contents(unittest.TestCase):
    def unpacked(self, name: str) -> Path:
        """A directory with a package's files."""
        directory = tempfile.mkdtemp(prefix="package-")
        self.addCleanup(shutil.rmtree, directory)
        run("dpkg-deb", "-x", package(name), directory)
        return Path(directory)

    def test_all_is_below_usr(self) -> None:
        for name in NAMES:
            with self.subTest(name):
                self.assertEqual([path.name for path in self.unpacked(name).iterdir()], ["usr"])

    def test_debian_has_no_complaints(self) -> None:
        (changes,) = packages().glob("*.changes")
        done = run("lintian", "--fail-on", "error,warning", "--allow-root", changes, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_every_command_has_a_manual_page(self) -> None:
        for name in NAMES:
            files = self.unpacked(name)
            pages = {path.name.split(".")[0] for path in files.glob("usr/share/man/man*/*")}
            for command in files.glob("usr/bin/*"):
                self.assertIn(command.name, pages)

    def test_programs_are_hard_to_turn_and_their_symbols_apart(self) -> None:
        for name, commands in (("checkoutd", ("checkoutd", "checkoutd-egress")), ("checkoutctl", ("checkoutctl",))):
            files, symbols = self.unpacked(name), self.unpacked(f"{name}-dbgsym")
            for command in commands:
                with self.subTest(command):
                    path = files / "usr/bin" / command
                    self.assertNotIn(".symtab", run("readelf", "-SW", path).stdout)
                    self.assertIn("GNU_RELRO", run("readelf", "-lW", path).stdout)
                    self.assertIn("Flags: NOW PIE", run("readelf", "-dW", path).stdout)
                    build = run("readelf", "-n", path).stdout.split("Build ID: ")[1].split()[0]
                    apart = symbols / f"usr/lib/debug/.build-id/{build[:2]}/{build[2:]}.debug"
                    self.assertIn(".debug_info", run("readelf", "-SW", apart).stdout)
                    # Neither tells where it was made.
                    for file in (path, apart):
                        self.assertNotIn(os.fsencode(ROOT), file.read_bytes())

    def test_what_is_loaded_at_run_time_is_depended_on(self) -> None:
        fields = run("dpkg-deb", "-f", package("checkoutd"), "Depends").stdout
        for name in ("libcurl4", "ca-certificates", "checkoutctl", "libsqlite3-0", "libsystemd0", "libsimdjson14"):
            self.assertIn(name, fields)

    def test_record_of_the_build_has_the_toolchain(self) -> None:
        (record,) = packages().glob("*.buildinfo")
        self.assertRegex(record.read_text(), r"(?m)^Swift-Toolchain: Swift version \d")

    def test_clients_work_where_they_are_installed(self) -> None:
        python = self.unpacked("python3-checkoutd") / "usr/lib/python3/dist-packages"
        script = "import checkoutd, importlib.metadata as m; print(checkoutd.__file__, m.version('checkoutd'))"
        done = run(sys.executable, "-c", script, environment={"PYTHONPATH": str(python)})
        self.assertTrue(done.stdout.startswith(str(python)), done.stdout)
        collector = self.unpacked("python3-checkoutd") / "usr/bin/checkoutd-collector"
        run(sys.executable, collector, "--help", environment={"PYTHONPATH": str(python)})
        node = self.unpacked("node-checkoutd") / "usr/share/nodejs/checkoutd/src/index.js"
        run("node", "--input-type=module", "-e", f"import {{ Client }} from '{node}'; new Client")
        sandbox = self.unpacked("checkoutd-sandbox") / "usr/bin/primer-sandbox"
        self.assertIn("No money moves", run(sys.executable, sandbox, "--help").stdout)


@unittest.skipUnless(os.environ.get("PACKAGES_FULL"), "two builds of everything, with --full")
class Reproducible(unittest.TestCase):
    def test_two_builds_are_the_same_bit_for_bit(self) -> None:
        found = []
        for name in ("one", "another"):
            with tempfile.TemporaryDirectory(prefix=f"{name}-") as directory:
                clone = Path(directory, name)
                subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, clone], check=True)
                output = BUILD / f"packages-{name}"
                run(clone / "systemd" / "package", "--output", output, timeout=3600)
                found.append({file.name: file.read_bytes() for file in output.glob("*.deb")})
        self.assertEqual(set(found[0]), set(found[1]))
        for file, content in found[0].items():
            self.assertTrue(content == found[1][file], file)
