"""Other ways to be started: by hand, by systemd-socket-activate, by a user's own manager."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from support.client import TIMEOUT, Client
from support.daemon import Daemon, program
from systemd.case import GROUP, USER, ServiceTest
from systemd.service import EGRESS, SERVICE, control_groups, eventually, systemd_version

AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={GROUP}", "--clear-groups")


class ByHand(ServiceTest):
    def test_without_a_service_manager(self) -> None:
        daemon = Daemon(self.sandbox.port)
        self.addCleanup(daemon.close)
        self.assertEqual(daemon.connect().call("system.ping"), {})
        self.assertEqual(daemon.terminate(), 0)

    def test_home_that_has_nothing_yet(self) -> None:
        with tempfile.TemporaryDirectory(prefix="home-") as home:
            os.chown(home, USER, GROUP)
            environment = {"HOME": home, "XDG_RUNTIME_DIR": home}
            process = subprocess.Popen([*AS_USER, program("checkoutd")], env=environment, stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait, TIMEOUT)
            self.addCleanup(process.kill)
            path = Path(home, "checkoutd", "checkoutd.sock")
            with closing(Client(connected(path))) as client:
                self.assertEqual(client.call("system.ping"), {})
            for made in (".local", ".local/state", ".local/state/checkoutd", "checkoutd"):
                self.assertEqual(stat.S_IMODE(Path(home, made).stat().st_mode), 0o700, made)

    def test_descriptors_for_another_process_are_left_alone(self) -> None:
        environment = {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "api", "FDSTORE": "16"}
        daemon = Daemon(self.sandbox.port, environment=environment)
        self.addCleanup(daemon.close)
        self.assertEqual(daemon.connect().call("system.ping"), {})
        client = daemon.connect()
        client.call("system.ping")
        self.assertEqual(daemon.terminate(), 0)
        (last,) = client.read_to_end()
        assert isinstance(last, dict)
        self.assertEqual(last["error"]["code"], -32005)

    def test_idle_exit_needs_somebody_to_start_it_again(self) -> None:
        daemon = Daemon(self.sandbox.port, ["--idle-exit", "1"])
        self.addCleanup(daemon.close)
        daemon.connect().close()
        with self.assertRaises(subprocess.TimeoutExpired):
            daemon.process.wait(2)
        self.assertIn("idle-exit", daemon.log)
        self.assertEqual(daemon.connect().call("system.ping"), {})

    def test_systemd_socket_activate(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "socket"
            command = ["systemd-socket-activate", "-l", str(path), "--fdname=api", str(program("checkoutd"))]
            process = subprocess.Popen([*command, "--ephemeral"], stderr=subprocess.DEVNULL)
            try:
                client = Client(connected(path))
                self.assertEqual(client.call("system.ping"), {})
                client.close()
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(TIMEOUT), 0)
                self.assertTrue(path.exists())
            finally:
                process.kill()
                process.wait(TIMEOUT)


class UserManager(ServiceTest):
    """The units for `systemctl --user`, on a user's own manager."""

    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="home-")
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)
        self.runtime = self.home / "run"
        self.runtime.mkdir(mode=0o700)
        for path in (self.home, self.runtime):
            os.chown(path, USER, GROUP)
        self.user_environment = {
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "PATH": os.environ["PATH"],
        }
        # It wants a control group that it owns.
        groups = control_groups("user-manager-of-the-test")
        for group in groups:
            group.mkdir(exist_ok=True)
            for place in (group, *group.glob("cgroup.*"), *group.glob("tasks")):
                os.chown(place, USER, GROUP)
        join = "".join(f"echo $$ >{group}/cgroup.procs; " for group in groups)
        self.manager = subprocess.Popen(
            ["sh", "-c", f'{join} exec "$@"', "sh", *AS_USER, "/lib/systemd/systemd", "--user"],
            env=self.user_environment,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(self.manager.wait, TIMEOUT)
        self.addCleanup(self.manager.terminate)
        eventually(lambda: self.user("is-system-running", check=False), lambda text: text in ("running", "degraded"))

    def user(self, *arguments: str, check: bool = True) -> str:
        command = [*AS_USER, "systemctl", "--user", *arguments]
        done = subprocess.run(
            command, env=self.user_environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        self.assertTrue(done.returncode == 0 or not check, done)
        return done.stdout.strip()

    def test_activation_restart_reload(self) -> None:
        self.user("start", "checkoutd.socket")
        path = self.runtime / "checkoutd" / "checkoutd.sock"
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        client = Client(connected(path))
        self.addCleanup(client.close)
        self.assertEqual(client.call("system.hello")["you"]["role"], "administrator")
        self.user("restart", "checkoutd.service")
        self.assertEqual(client.next_event().method, "system.draining")
        self.assertEqual(client.next_event().method, "system.resumed")
        self.assertEqual(client.call("system.ping"), {})
        configuration = self.home / ".config" / "checkoutd" / "checkoutd.conf"
        configuration.parent.mkdir(parents=True, exist_ok=True)
        configuration.write_text("max-batch = 7\n")
        self.user("reload", "checkoutd.service")
        self.assertEqual(client.call("system.hello")["limits"]["batch"], 7)
        self.user("stop", "checkoutd.socket", "checkoutd-admin.socket", "checkoutd.service")
        self.assertFalse(path.exists() or path.with_name("admin.sock").exists())

    def test_reload_when_programs_have_taken_every_connection(self) -> None:
        self.user("start", "checkoutd.socket")
        path = self.runtime / "checkoutd" / "checkoutd.sock"
        with closing(Client(connected(path))) as client:
            client.call("system.ping")
        configuration = self.home / ".config" / "checkoutd" / "checkoutd.conf"
        configuration.parent.mkdir(parents=True, exist_ok=True)
        configuration.write_text("max-connections = 24\n")
        self.user("reload", "checkoutd.service")
        clients = [self.service.connect_as(USER, GROUP, path=path) for _ in range(24)]
        for client in clients:
            # Who is refused has been told before it speaks.
            with suppress(BrokenPipeError):
                client.send("system.hello")
        # Sixteen are kept for administrators.
        answers = [client.read_message() for client in clients]
        self.assertEqual(sum("result" in answer for answer in answers if isinstance(answer, dict)), 8)
        configuration.write_text("max-connections = 24\nmax-batch = 7\n")
        self.user("reload", "checkoutd.service")
        self.assertEqual(clients[0].call("system.hello")["limits"]["batch"], 7)
        self.user("stop", "checkoutd.socket", "checkoutd-admin.socket", "checkoutd.service")


def connected(path: Path) -> socket.socket:
    """A connection, as soon as somebody listens."""
    link = socket.socket(socket.AF_UNIX)
    eventually(lambda: link.connect_ex(str(path)), 0)
    return link


class Credentials(ServiceTest):
    """The URL of a proxy with a password: it is read by the daemon alone, and stands in no entry of the journal."""

    def listener(self) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        listener.settimeout(TIMEOUT)
        return listener

    def place(self, directory: str) -> Path:
        """Where a credential is kept, for one test."""
        store = Path(directory)
        store.mkdir(mode=0o700, exist_ok=True)
        credential = store / "checkoutd.proxy"
        self.addCleanup(credential.unlink)
        return credential

    def assert_used(self, listener: socket.socket) -> None:
        """The proxy is asked, with the password."""
        client = self.service.connect()
        client.send("checkout.start", clientToken=self.session().client_token)
        asking, _ = listener.accept()
        with asking, asking.makefile("rb") as request:
            lines = [line.decode() for line in iter(request.readline, b"\r\n")]
        self.assertTrue(any(line.startswith("Proxy-Authorization: Basic ") for line in lines), lines)
        self.assertNotIn("4711", str(self.service.journal()))

    def test_proxy_with_a_password(self) -> None:
        listener = self.listener()
        credential = self.place("/etc/credstore")
        credential.touch(0o600)
        credential.write_text(f"http://till:secret-4711@127.0.0.1:{listener.getsockname()[1]}\n")
        self.assert_used(listener)

    def test_encrypted(self) -> None:
        listener = self.listener()
        credential = self.place("/etc/credstore.encrypted")
        url = f"http://till:secret-4711@127.0.0.1:{listener.getsockname()[1]}\n"
        encrypt = ["systemd-creds", "encrypt", "--with-key=host", "--name=checkoutd.proxy", "-", str(credential)]
        subprocess.run(encrypt, input=url, text=True, check=True, timeout=TIMEOUT, capture_output=True)
        if systemd_version() < 254:
            # Newer ones look there by themselves (since-254.conf).
            for unit in (SERVICE, EGRESS):
                self.service.change_unit("[Service]\nLoadCredentialEncrypted=checkoutd.proxy\n", unit)
        self.assert_used(listener)
