"""The unit files and what else is installed: without a warning, twice without a change, as closed as can be."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from support.client import TIMEOUT
from systemd.case import ServiceTest
from systemd.service import ALL, EGRESS, SERVICE, UNITS, programs, run, show, systemctl, systemd_version

LIBRARY = Path("/usr/local/lib")
INSTALLED = LIBRARY / "systemd" / "system"
# The templates of units, and the units of a merchant called `shop`.
TEMPLATES = [unit.replace(".", "@.") for unit in ALL]
SHOP = [unit.replace(".", "@shop.") for unit in ALL]


class Units(ServiceTest):
    def test_files_have_no_mistakes(self) -> None:
        for files in (
            [INSTALLED / unit for unit in (*ALL, *TEMPLATES)],
            [LIBRARY / "systemd" / "user" / unit for unit in ("checkoutd.service", "checkoutd.socket", "checkoutd-admin.socket")],
        ):
            mode = [] if files[0].parent == INSTALLED else ["--user"]
            done = run("env", "XDG_RUNTIME_DIR=/run", "systemd-analyze", "verify", "--man=no", *mode, *files)
            # It complains of unknown settings, and succeeds. What is for newer versions it may not know.
            complaints = [line for line in done.stderr.splitlines() if "/since-" not in line]
            self.assertEqual((done.stdout, complaints), ("", []))

    def test_settings_are_where_this_systemd_knows_them(self) -> None:
        self.service.start()
        for name, value in {
            # What is for newer versions does nothing on older ones.
            "Type": "notify" if systemd_version() < 254 else "notify-reload",
            "NotifyAccess": "main",
            "WatchdogUSec": "30s",
            "Restart": "on-failure",
            "FileDescriptorStoreMax": "16",
            "LimitCORE": "0",
            "StatusErrno": "0",
            "RestartPreventExitStatus": "78",
        }.items():
            self.assertEqual(show(name), value, name)

    def test_exposure(self) -> None:
        """Ten times the scores. Half of the daemon's is that clients are told apart by their user ids; nearly all of
        the egress's is the network."""
        for unit, score in ((SERVICE, 4), (EGRESS, 11)):
            with self.subTest(unit):
                self.assertEqual(self.exposure(unit, threshold=score).returncode, 0)
                # The gate closes.
                self.assertNotEqual(self.exposure(unit, threshold=score - 1).returncode, 0)

    def test_memory(self) -> None:
        """It is slowed down before it is ended, and it is not what a machine without memory ends first."""
        for unit in (SERVICE, EGRESS):
            with self.subTest(unit):
                high, most = (int(show(name, unit)) for name in ("MemoryHigh", "MemoryMax"))
                self.assertTrue(0 < high < most, (high, most))
                self.assertLess(int(show("OOMScoreAdjust", unit)), 0)

    def exposure(self, unit: str, threshold: int) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as directory:
            for one in ALL:
                shutil.copy(UNITS / one, directory)
            path = Path(directory) / unit
            command = ("systemd-analyze", "security", "--no-pager", "--offline=yes", f"--threshold={threshold}", path)
            return run(*command, check=False)

    def test_addresses_that_they_must_not_reach(self) -> None:
        self.service.start()
        systemctl("start", EGRESS)
        run("ip", "address", "replace", "169.254.77.7/32", "dev", "lo")
        self.addCleanup(run, "ip", "address", "del", "169.254.77.7/32", "dev", "lo")
        script = (
            "for address in sys.argv[2:]:\n"
            "    try:\n"
            "        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', (address, 9))\n"
            "        print('sent')\n"
            "    except OSError as error:\n"
            "        print(error.errno)\n"
        )
        for unit, expected in ((EGRESS, ["sent", str(errno.EPERM)]), (SERVICE, 2 * [str(errno.EPERM)])):
            reached = self.service.run_within(script, "127.0.0.1", "169.254.77.7", unit=unit).split()
            self.assertEqual(reached, expected, unit)

    def test_what_the_process_may_do(self) -> None:
        self.service.start()
        status = dict(
            line.split(":\t", 1) for line in Path(f"/proc/{self.service.pid}/status").read_text().splitlines()
        )
        for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertNotIn("0", status["Uid"].split())
        enter = ["nsenter", "-t", str(self.service.pid), "-m"]
        forbidden = ("/etc", "/usr", "/usr/local", "/var/lib", "/home", "/root", "/sys", "/run", "/run/checkoutd")
        for path in forbidden:
            done = run(*enter, "touch", f"{path}/x", check=False)
            self.assertNotEqual(done.returncode, 0, path)
        # Of what is in /run it sees what it needs, and nothing that it can write can be run.
        for place, needed in (
            ("/run", {"checkoutd", "credentials", "systemd"}),
            ("/run/systemd", {"incoming", "journal", "notify"}),
        ):
            self.assertLessEqual(set(run(*enter, "ls", place).stdout.split()), needed)
        self.assertEqual(run(*enter, "cp", "/bin/true", "/var/lib/checkoutd/x").returncode, 0)
        self.assertNotEqual(run(*enter, "/var/lib/checkoutd/x", check=False).returncode, 0)
        self.assertEqual(run(*enter, "/bin/true").returncode, 0)
        self.assertNotEqual(run(*enter, "cat", "/proc/meminfo", check=False).returncode, 0)

    def test_it_has_no_children_and_leaks_nothing(self) -> None:
        self.connect()
        checkout = self.redirected()
        pid = self.service.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        self.assertEqual(children, "")
        self.assertEqual(checkout.state, "awaitingRedirect")
        systemctl("restart", SERVICE)
        process = Path(f"/proc/{self.service.pid}")
        # What libraries open for themselves is theirs.
        # Sockets belong to the network that they were made in, which is not the daemon's.
        lines = Path("/proc/self/net/unix").read_text().splitlines()
        ours = {f"socket:[{line.split()[6]}]" for line in lines if "/run/checkoutd/" in line}
        links = [link for link in (process / "fd").iterdir() if link.readlink().name in ours]
        self.assertEqual(len(links), 3)
        for link in links:
            self.assertTrue(self.is_closed_by_exec(link), link)

    @staticmethod
    def is_closed_by_exec(link: Path) -> bool:
        """Whether a descriptor is; seen in /proc."""
        lines = (link.parent.parent / "fdinfo" / link.name).read_text().splitlines()
        flags = next(line.split()[1] for line in lines if line.startswith("flags:"))
        return bool(int(flags, 8) & os.O_CLOEXEC)

    def test_users_and_places(self) -> None:
        before = [Path(name).read_text() for name in ("/etc/passwd", "/etc/group", "/etc/shadow")]
        for _ in range(2):
            run("systemd-sysusers", LIBRARY / "sysusers.d" / "checkoutd.conf")
            run("systemd-tmpfiles", "--create", LIBRARY / "tmpfiles.d" / "checkoutd.conf")
        self.assertEqual([Path(name).read_text() for name in ("/etc/passwd", "/etc/group", "/etc/shadow")], before)
        self.assertIn("checkout-clients", run("id", "-Gn", "checkoutd").stdout.split())
        self.service.start()
        for path, mode, owner in (
            ("/var/lib/checkoutd", 0o700, "checkoutd"),
            ("/run/checkoutd", 0o755, "root"),
            ("/etc/checkoutd", 0o755, "root"),
        ):
            self.assertEqual((stat.S_IMODE(os.stat(path).st_mode), Path(path).owner()), (mode, owner), path)
        for file in Path("/var/lib/checkoutd").iterdir():
            self.assertEqual((stat.S_IMODE(file.stat().st_mode), file.owner()), (0o600, "checkoutd"), file)


class Merchants(ServiceTest):
    """A daemon for each, from the same units."""

    def test_each_has_paths_of_its_own(self) -> None:
        configuration = Path("/etc/checkoutd@shop/checkoutd.conf")
        configuration.parent.mkdir(exist_ok=True)
        configuration.write_text(f"upstream-allow = http://127.0.0.1:{self.sandbox.port}\nmax-batch = 7\n")
        self.addCleanup(shutil.rmtree, configuration.parent)
        self.addCleanup(shutil.rmtree, "/var/lib/checkoutd@shop", ignore_errors=True)
        self.addCleanup(systemctl, "stop", *SHOP)
        systemctl("start", "checkoutd@shop.service")
        self.service.start()
        shop = self.connect(Path("/run/checkoutd@shop/checkoutd.sock"))
        self.assertEqual(shop.call("system.hello")["limits"]["batch"], 7)
        # Its own egress connects for it.
        checkout = self.start()
        self.assertEqual(show("ActiveState", "checkoutd-egress@shop.service"), "active")
        self.assertEqual(show("ActiveState", EGRESS), "inactive")
        # The other one knows nothing of it, nor does it see the state of the other.
        self.assertEqual(self.service.connect().call("checkout.list")["checkouts"], [])
        pid = show("MainPID", "checkoutd@shop.service")
        within = run("nsenter", "-t", pid, "-m", "ls", "/var/lib").stdout.split()
        self.assertEqual(within, ["checkoutd@shop"])
        configuration.write_text("max-batch = 8\n")
        systemctl("reload", "checkoutd@shop.service")
        self.assertEqual(shop.call("system.hello")["limits"]["batch"], 8)
        systemctl("restart", "checkoutd@shop.service")
        self.assertEqual(checkout.state, "ready")


class DynamicUser(ServiceTest):
    """The unit's user is static; who prefers another one can have it."""

    unit = """[Service]
        DynamicUser=yes
        User=checkoutd-dynamic
        Group=checkoutd-dynamic
        SupplementaryGroups=checkout-clients checkoutd
        """

    def test_it_works_all_the_same(self) -> None:
        self.connect()
        checkout = self.start()  # through the egress, whose socket has a group
        status = Path(f"/proc/{self.service.pid}/status").read_text()
        uid = int(next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1])
        self.assertIn(uid, range(61184, 65520))
        systemctl("restart", SERVICE)
        self.assertEqual(checkout.state, "ready")
        systemctl("reload", SERVICE)
        self.assertTrue(Path("/var/lib/private/checkoutd").is_dir())
        self.service.stop()
        shutil.rmtree("/var/lib/private/checkoutd")
        Path("/var/lib/checkoutd").unlink()


class Installation(ServiceTest):
    def test_below_a_directory_of_a_package(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            command = [str(UNITS / "install"), "--destdir", directory]
            run(*command, "--programs", programs())
            found = {str(path.relative_to(directory)) for path in Path(directory).rglob("*") if path.is_file()}
            for name in (
                "usr/local/bin/checkoutd",
                "usr/local/bin/checkoutctl",
                "usr/local/bin/checkoutd-egress",
                "usr/local/bin/checkoutd-collector",
                "usr/local/lib/checkoutd/collector/page.html",
                "usr/local/lib/checkoutd/python/src/checkoutd/py.typed",
                "usr/local/lib/systemd/system/checkoutd.service",
                "usr/local/lib/systemd/system/checkoutd-egress.service",
                "usr/local/lib/systemd/system/checkoutd-egress.socket",
                "usr/local/lib/systemd/user/checkoutd.socket",
                "usr/local/lib/systemd/user/checkoutd-admin.socket",
                "usr/local/lib/sysusers.d/checkoutd.conf",
                "usr/local/share/man/man1/checkoutctl.1",
                "usr/local/share/man/man5/checkoutd.conf.5",
                "usr/local/share/man/man7/checkoutd-protocol.7",
                "usr/local/share/man/man8/checkoutd.8",
                "usr/local/share/bash-completion/completions/checkoutctl",
                "usr/local/share/zsh/site-functions/_checkoutctl",
                "usr/local/share/checkoutd/checkoutd.conf",
            ):
                self.assertIn(name, found)
            run(*command, "--uninstall")
            left = {str(path.relative_to(directory)) for path in Path(directory).rglob("*") if path.is_file()}
            self.assertEqual(left, set())

    def test_everything_comes_from_one_prefix(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            run(UNITS / "install", "--destdir", directory, "--prefix", "/usr", "--programs", programs())
            for path in Path(directory).rglob("*"):
                self.assertTrue(path.is_dir() or path.relative_to(directory).parts[0] == "usr", path)
                if path.is_file() and "bin" not in path.parts:
                    self.assertNotIn("/usr/local", path.read_text(), path)
        self.assertEqual(run(UNITS / "install", "--prefix", "/opt", check=False).returncode, 2)

    def test_again_over_a_service_that_runs(self) -> None:
        client = self.connect()
        client.call("system.ping")
        pid = self.service.pid
        run(UNITS / "install", "--programs", programs())
        self.assertEqual(client.call("system.ping"), {})
        self.assertNotEqual(self.service.pid, pid)

    def test_manual_pages_and_completions_are_found(self) -> None:
        self.assertIn("hold headless checkouts", run("man", "-P", "cat", "8", "checkoutd").stdout)
        completion = "/usr/local/share/bash-completion/completions/checkoutctl"
        self.assertIn("-F _checkoutctl", run("bash", "-c", f"source {completion}; complete -p checkoutctl").stdout)
        functions = run("zsh", "-fc", "print -rl -- $fpath").stdout.splitlines()
        self.assertIn("/usr/local/share/zsh/site-functions", functions)

    def test_collector_runs_where_it_is_installed(self) -> None:
        names = ("publishableKey", "clientSecret", "returnUrl", "fullName", "emailAddress")
        info = {"kind": "bankAccountCollector", **{name: "x" for name in names}}
        command = ["checkoutd-collector", "--socket", "/run/checkoutd/checkoutd.sock", "cm_0123456789abcdef_0"]
        done = subprocess.run(
            command, cwd="/", input=json.dumps(info), capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        self.assertEqual((done.returncode, done.stdout), (1, ""), done)
        self.assertIn("unknown-component", done.stderr)

    def test_removed_and_installed_again(self) -> None:
        self.service.start()
        run(UNITS / "install", "--uninstall")
        self.addCleanup(run, UNITS / "install", "--programs", programs())
        self.assertEqual(show("LoadState"), "not-found")
        for name in ("checkoutd.sock", "egress.sock"):
            self.assertFalse(Path("/run/checkoutd", name).exists())
        self.assertTrue(Path("/var/lib/checkoutd/checkoutd.sqlite").exists())
        for unit in ALL:
            self.assertFalse((INSTALLED / unit).exists())
