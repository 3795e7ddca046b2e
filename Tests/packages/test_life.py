"""Installing, paying, upgrading, removing: each on a Debian with nothing else on it."""

from __future__ import annotations

import os
import threading
import unittest
from pathlib import Path

from packages.machine import BUILD, ROOT, Machine, daemon_packages, programs, run
from support.case import DaemonTest
from support.checkout import Checkout
from support.client import Client
from support.sandbox import Sandbox

LATER = "9.0.0"
# See Tests/crash/first_release.
FIRST_RELEASE = "65c1f6a"
UNITS = ("checkoutd.service", "checkoutd.socket", "checkoutd-admin.socket", "checkoutd-egress.socket")


class Newcomers(threading.Thread):
    """Connects for one call after the other, and notes whoever was not served."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self._machine = machine
        self._is_over = threading.Event()
        self.count = 0
        self.errors: list[Exception] = []

    def run(self) -> None:
        """Connects."""
        while not self._is_over.wait(0.02):
            try:
                client = self._machine.connect()
                client.call("system.ping")
                client.close()
                self.count += 1
            except Exception as error:
                self.errors.append(error)

    def finish(self) -> None:
        """Lets the call under way be the last."""
        self._is_over.set()
        self.join()


class MachineTest(DaemonTest):
    """A test on a machine of its own."""

    def setUp(self) -> None:
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        # On the machine's network.
        self.sandbox = Sandbox()
        self.addCleanup(self.sandbox.close)
        # What the tests of flows expect of a daemon, the machine does as well.
        self.daemon = self.machine  # type: ignore[assignment]

    def install(self, version: str = "") -> str:
        """Installs the packages; what was printed."""
        return self.machine.run(*self.machine.installation(*daemon_packages(version))).stdout

    def configure(self) -> None:
        """Lets the daemon call the sandbox."""
        path = self.machine.path("/etc/checkoutd/checkoutd.conf")
        path.write_text(path.read_text() + f"upstream-allow = http://127.0.0.1:{self.sandbox.port}\n")

    def connect(self) -> Client:
        """A new client, which the tests of this case use from now on."""
        self.client = self.machine.connect()
        return self.client

    def pay(self) -> None:
        """Pays once, on a connection of its own."""
        self.connect()
        checkout = self.chosen(self.approving())
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")

    def replace(self, *command: str | Path) -> None:
        """Runs a command that replaces the daemon, under open connections and with a payment under way: nothing may be
        lost, nothing cut."""
        silent, busy = self.machine.connect(), self.connect()
        silent.call("system.hello")
        checkout: Checkout = self.chosen(self.approving())
        self.sandbox.hold("payments", before_effect=True)
        checkout.submit()
        self.sandbox.requests("payments", 1)
        before = self.machine.show("MainPID")
        newcomers = Newcomers(self.machine)
        newcomers.start()
        try:
            replacing = self.machine.start(*command)
            # Its end is asked for, and it waits for the payment.
            while silent.next_event(timeout=120).method != "system.draining":
                pass
            self.sandbox.release("payments")
            output, _ = replacing.communicate(timeout=120)
        finally:
            newcomers.finish()
        self.assertEqual(replacing.returncode, 0, output)
        self.assertEqual(newcomers.errors, [])
        self.assertGreater(newcomers.count, 0)
        self.assertNotEqual(self.machine.show("MainPID"), before)
        # Both connections go on, and the checkout has told everything, once.
        self.assertEqual(silent.call("system.ping"), {})
        self.assertIs(self.client, busy)
        self.assert_completed(checkout.await_end(), "success")
        history = checkout.history()
        self.assertEqual([event.seq for event in history], list(range(1, len(history) + 1)))
        self.assertEqual(len(checkout.session.payments), 1)
        self.assertEqual(self.machine.show("NRestarts"), "0")


class Life(MachineTest):
    def test_installed_upgraded_removed(self) -> None:
        self.install()
        self.assertEqual(self.machine.run("systemctl", "is-active", *UNITS[1:]).stdout.split(), ["active"] * 3)
        self.assertEqual(self.machine.run("systemctl", "is-enabled", *UNITS).stdout.split(), ["enabled"] * 4)
        self.assertEqual(self.machine.run("systemctl", "--failed", "--quiet").stdout, "")
        self.assertEqual(self.machine.show("FragmentPath"), "/lib/systemd/system/checkoutd.service")
        self.assertEqual(self.machine.run("checkoutd", "--check").stdout, "The configuration is good.\n")
        self.verify_units()
        self.configure()
        self.pay()
        self.replace(*self.machine.installation(*daemon_packages(LATER)))
        self.pay()
        self.refuse_downgrade()
        self.remove()

    def verify_units(self) -> None:
        """The units of the package have no mistakes, and are as closed as can be."""
        for name, threshold in (("checkoutd", 4), ("checkoutd-egress", 11)):
            unit = f"/usr/lib/systemd/system/{name}.service"
            verified = self.machine.run("systemd-analyze", "verify", "--man=no", unit)
            complaints = [line for line in verified.stderr.splitlines() if "/since-" not in line]
            self.assertEqual(complaints, [])
            self.machine.run("systemd-analyze", "security", "--offline=yes", f"--threshold={threshold}", unit)

    def refuse_downgrade(self) -> None:
        client = self.machine.connect()
        client.call("system.ping")
        (earlier, _) = daemon_packages()
        self.machine.installation(earlier)
        refused = self.machine.run("dpkg", "-i", f"/tmp/{earlier.name}", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("cannot read the state", refused.stderr)
        self.assertIn("apt-get purge checkoutd", refused.stderr)
        version = self.machine.run("dpkg-query", "-W", "-f", "${Version} ${db:Status-Status}", "checkoutd").stdout
        self.assertEqual(version, f"{LATER} installed")
        self.assertEqual(client.call("system.ping"), {})

    def remove(self) -> None:
        state, configuration = self.machine.path("/var/lib/checkoutd"), self.machine.path("/etc/checkoutd")
        self.machine.run("dpkg", "--remove", "checkoutd")
        self.assertEqual(self.machine.show("LoadState"), "not-found")
        self.assertFalse(self.machine.path("/run/checkoutd/checkoutd.sock").exists())
        self.assertTrue((state / "checkoutd.sqlite").exists())
        self.assertTrue((configuration / "checkoutd.conf").exists())
        self.machine.run("dpkg", "--purge", "checkoutd")
        self.assertFalse(state.exists() or configuration.exists())
        links = self.machine.run("find", "/etc/systemd", "-name", "checkoutd*").stdout
        self.assertEqual(links, "")


class OverSource(MachineTest):
    def test_an_installation_from_source_is_gone_on_with(self) -> None:
        self.go_on_from(ROOT, programs())

    @unittest.skipUnless(os.environ.get("PACKAGES_FULL"), "a build of the first release, with --full")
    def test_the_first_release_is_gone_on_with(self) -> None:
        sources = BUILD / "first-release"
        if not sources.exists():
            run("git", "clone", "--quiet", ROOT, sources)
            run("git", "-C", sources, "checkout", "--quiet", FIRST_RELEASE)
        for name in ("checkoutd", "checkoutd-egress", "checkoutctl"):
            options = ("-c", "release", "--static-swift-stdlib", "--product", name)
            run("swift", "build", "--package-path", sources, *options, timeout=1800)
        self.go_on_from(sources, sources / ".build" / "release")

    def go_on_from(self, sources: Path, built: Path) -> None:
        """Installs from sources, and a package over that."""
        # For what the programs need.
        self.install()
        self.machine.run("dpkg", "--purge", "checkoutd", "checkoutctl")
        self.machine.run(sources / "systemd" / "install", "--programs", built)
        self.configure()
        self.pay()
        command = self.machine.installation(*daemon_packages())
        refused = self.machine.run(*command, check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("systemd/install --uninstall --keep-running", refused.stdout)
        self.assertEqual(self.machine.connect().call("system.ping"), {})
        way_out = f"{ROOT}/systemd/install --uninstall --keep-running"
        self.replace("sh", "-c", f'{way_out} && exec "$@"', "sh", *command)
        self.assertEqual(self.machine.show("FragmentPath"), "/lib/systemd/system/checkoutd.service")
        self.assertEqual(self.machine.run("systemctl", "is-enabled", *UNITS).stdout.split(), ["enabled"] * 4)


class Pristine(MachineTest):
    """What calls upstream need is missed at the start, by name."""

    def test_libraries_and_certificates(self) -> None:
        self.install()
        for path, name in (
            ("/usr/lib/x86_64-linux-gnu/libcurl.so.4", "libcurl.so.4"),
            ("/etc/ssl/certs/ca-certificates.crt", "ca-certificates"),
        ):
            with self.subTest(name):
                self.machine.run("mv", path, f"{path}.away")
                self.addCleanup(self.machine.run, "systemctl", "reset-failed", "checkoutd.service", check=False)
                checked = self.machine.run("checkoutd", "--check", check=False)
                self.assertEqual(checked.returncode, 78)
                self.assertIn(name, checked.stderr)
                started = self.machine.run("systemctl", "start", "checkoutd.service", check=False)
                self.assertNotEqual(started.returncode, 0)
                self.assertEqual(self.machine.show("ExecMainStatus"), "78")
                self.assertIn(name, self.machine.show("StatusText"))
                self.machine.run("mv", f"{path}.away", path)
                self.machine.run("systemctl", "start", "checkoutd.service")
                self.machine.run("systemctl", "stop", "checkoutd.service")
