"""The Python package, ready to be published: built, looked at, and installed where nothing else is."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import tarfile
import zipfile
from email.message import Message
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from clients.library import PROJECT
from support.case import DaemonTest

TIMEOUT = 120

# Debian's, for which client/packages has what building needs.
_PYTHON = "/usr/bin/python3"
_LICENSE = (PROJECT.parents[1] / "LICENSE").read_text()
_PROGRAM = """
import checkoutd
with checkoutd.Client() as client:
    print(client.hello()["server"]["name"], checkoutd.__file__)
"""


class Package(DaemonTest):
    directory: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        temporary = TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = Path(temporary.name)
        shutil.copytree(PROJECT, cls.directory / "python")
        # The wheel is made from the source distribution, so that this is known to be whole.
        cls.run_command(_PYTHON, "-m", "build", "--no-isolation", "--outdir", "dist", "python")

    @classmethod
    def run_command(cls, *command: str | Path, **environment: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            command,
            cwd=cls.directory,
            env=os.environ | {"NO_COLOR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"} | environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @cached_property
    def wheel(self) -> Path:
        """The built distribution."""
        (path,) = self.directory.glob("dist/*.whl")
        return path

    @cached_property
    def archive(self) -> Path:
        """The source distribution."""
        (path,) = self.directory.glob("dist/*.tar.gz")
        return path

    @cached_property
    def metadata(self) -> Message:
        """What the wheel says of itself."""
        with zipfile.ZipFile(self.wheel) as wheel:
            (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            return email.message_from_bytes(wheel.read(name))

    def test_can_be_published(self) -> None:
        self.run_command("twine", "check", "--strict", self.wheel, self.archive)

    def test_says_what_it_is(self) -> None:
        for name in ("Name", "Version", "Summary", "Author", "License", "Keywords", "Requires-Python"):
            self.assertTrue(self.metadata[name], name)
        urls = dict(url.split(", ") for url in self.metadata.get_all("Project-URL", []))
        self.assertEqual(set(urls), {"Homepage", "Source", "Issues", "Changelog"})
        self.assertTrue(all(url.startswith("https://") for url in urls.values()), urls)
        classifiers: list[str] = self.metadata.get_all("Classifier", [])
        for topic in ("Development Status", "License", "Operating System", "Programming Language", "Topic", "Typing"):
            self.assertTrue([name for name in classifiers if name.startswith(f"{topic} :: ")], topic)
        self.assertEqual(self.metadata.get_all("Requires-Dist", []), [])

    def test_has_its_licence_and_changes(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/LICENSE")]
            self.assertEqual(wheel.read(name).decode(), _LICENSE)
            self.assertIn("checkoutd/py.typed", wheel.namelist())
        with tarfile.open(self.archive) as archive:
            names = {name.partition("/")[2]: name for name in archive.getnames()}
            member = archive.extractfile(names["LICENSE"])
            assert member
            self.assertEqual(member.read().decode(), _LICENSE)
            self.assertLessEqual({"CHANGELOG.md", "README.md", "pyproject.toml"}, names.keys())

    def test_version_is_that_of_the_daemon(self) -> None:
        version = self.client.call("system.hello")["server"]["version"]
        self.assertEqual(self.metadata["Version"], version)
        self.assertIn(f"\n## {version}\n", (PROJECT / "CHANGELOG.md").read_text())
        # It is written down in one place.
        files = [path for path in PROJECT.rglob("*") if path.suffix in (".py", ".toml")]
        self.assertEqual([path.name for path in files if version in path.read_text()], ["pyproject.toml"])

    def test_installed_alone(self) -> None:
        self.run_command(_PYTHON, "-m", "venv", "venv")
        self.run_command("venv/bin/pip", "install", "--no-index", self.wheel)
        told = self.run_command("venv/bin/python", "-c", _PROGRAM, CHECKOUTD_SOCKET=str(self.daemon.socket_path))
        self.assertRegex(told, rf"^checkoutd {self.directory}/venv/lib/\S+/checkoutd/__init__.py\n$")
        listed = self.run_command("venv/bin/pip", "list", "--format=freeze")
        names = {line.partition("=")[0] for line in listed.splitlines()}
        self.assertEqual(names - {"pip", "setuptools"}, {"checkoutd"})
