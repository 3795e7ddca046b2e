"""The egress: the daemon has no network, and still pays; who may use it, and when it is there."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import threading
from pathlib import Path

from support.client import TIMEOUT
from support.egress import CHOSEN, GREETING, NOT_ALLOWED, SUCCEEDED, receive, reply, request
from support.peers import connected_as
from systemd.case import GROUP, USER, ServiceTest
from systemd.service import (
    CONFIGURATION,
    EGRESS,
    EGRESS_SOCKET,
    SERVICE,
    WAY_OUT,
    eventually,
    run,
    show,
    systemctl,
)

QUICK = """[Service]
ExecStart=
ExecStart=/usr/local/bin/checkoutd-egress --config /etc/checkoutd/checkoutd.conf --idle-exit 1
"""


def await_end(pid: int) -> None:
    """Waits until a process has ended."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            assert select.select([descriptor], [], [], TIMEOUT)[0], f"{pid} does not end"
        finally:
            os.close(descriptor)


def waits_to_end(jobs: str) -> bool:
    """Whether the service manager is to stop or restart the egress, and waits for something."""
    fields = (line.split() for line in jobs.splitlines())
    return any(unit == EGRESS and state == "waiting" for _, unit, _, state in fields)


class EgressTest(ServiceTest):
    def ask(self, port: int, host: str = "127.0.0.1") -> int:
        """Asks for a connection as root may; the reply."""
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(TIMEOUT)
            link.connect(str(WAY_OUT))
            link.sendall(GREETING + request(host, port))
            self.assertEqual(receive(link, 2), CHOSEN)
            return reply(link)

    @property
    def egress(self) -> int:
        """The egress's process; 0 if there is none."""
        return int(show("MainPID", EGRESS))


class Separation(EgressTest):
    def test_payment_by_a_daemon_without_a_network(self) -> None:
        self.connect()
        checkout = self.chosen(self.approving())
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")
        daemon, egress = (Path(f"/proc/{pid}/ns/net").readlink() for pid in (self.service.pid, self.egress))
        here = Path("/proc/self/ns/net").readlink()
        self.assertNotEqual(daemon, here)
        self.assertEqual(egress, here)
        # The daemon's has no way to anywhere, and nothing that it could have.
        inside = ("nsenter", "-t", str(self.service.pid), "-n", "ip", "-o")
        self.assertEqual(len(run(*inside, "link").stdout.splitlines()), 1)
        self.assertEqual(run(*inside, "route").stdout, "")
        links = [os.readlink(path) for path in Path(f"/proc/{self.service.pid}/fd").iterdir()]
        tables = "".join(Path(f"/proc/{self.service.pid}/net/{name}").read_text() for name in ("tcp", "udp", "tcp6"))
        self.assertFalse([link for link in links if link.startswith("socket:[") and link[8:-1] in tables.split()])

    def test_what_the_process_may_do(self) -> None:
        systemctl("start", EGRESS)
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{self.egress}/status").read_text().splitlines())
        for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertIn(int(status["Uid"].split()[0]), range(61184, 65520))
        enter = ["nsenter", "-t", str(self.egress), "-m"]
        for path in ("/etc/x", "/usr/x", "/var/lib/x", "/home/x", "/root/x"):
            self.assertNotEqual(run(*enter, "touch", path, check=False).returncode, 0, path)
        self.service.start()
        # Wherever the daemon's things are, and whenever they were made.
        self.assertTrue(Path("/var/lib/checkoutd/checkoutd.sqlite").exists())
        for path in ("/var/lib/checkoutd/checkoutd.sqlite", "/run/checkoutd/checkoutd.sock"):
            self.assertNotEqual(run(*enter, "stat", path, check=False).returncode, 0, path)

    def test_who_may_ask(self) -> None:
        user, group = (int(run("id", option, "checkoutd").stdout) for option in ("-u", "-g"))
        peer = connected_as(WAY_OUT, user, group, [])
        peer.connected.settimeout(TIMEOUT)
        peer.connected.sendall(GREETING)
        self.assertEqual(receive(peer.connected, 2), CHOSEN)
        peer.connected.close()
        peer.close()
        clients = int(run("getent", "group", "checkout-clients").stdout.split(":")[2])
        for groups in ([], [clients]):
            with self.assertRaises(PermissionError):
                connected_as(WAY_OUT, USER, GROUP, groups)

    def test_configuration_that_others_must_not_read(self) -> None:
        self.service.configure("proxy = http://till:secret-4711@127.0.0.1:9\n")
        run("chown", "root:checkoutd", CONFIGURATION)
        CONFIGURATION.chmod(0o640)
        self.addCleanup(CONFIGURATION.chmod, 0o644)
        self.service.must_not_log("secret-4711")
        self.assertEqual(self.ask(self.sandbox.port), SUCCEEDED)
        self.assertNotEqual(self.ask(9), NOT_ALLOWED)
        self.assertEqual(self.ask(10), NOT_ALLOWED)
        (entry,) = self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e811", "PRIORITY=4", unit=EGRESS)
        self.assertEqual(entry["MESSAGE"], "127.0.0.1:10: not on the list of what may be called")

    def test_administrators_own_command_line_keeps_it(self) -> None:
        self.service.change_unit("[Service]\nExecStart=\nExecStart=/usr/local/bin/checkoutd --sync always\n")
        self.connect()
        self.assertEqual(self.start().state, "ready")


class Life(EgressTest):
    def test_it_ends_when_nobody_needs_it_and_is_there_again(self) -> None:
        self.service.change_unit(QUICK, EGRESS)
        self.assertEqual(show("ActiveState", EGRESS), "inactive")
        self.connect()
        for _ in range(2):
            self.assertEqual(self.start().state, "ready")
            self.assertEqual(show("ActiveState", EGRESS), "active")
            systemctl("restart", SERVICE)
            self.connect()
        for _ in range(6):
            self.assertEqual(self.ask(self.sandbox.port), SUCCEEDED)
            eventually(lambda: show("ActiveState", EGRESS), "inactive")
            self.assertEqual(show("Result", EGRESS), "success")
        self.assertEqual(show("ActiveState", EGRESS_SOCKET), "active")

    def test_clients_in_the_moment_of_the_end_are_served(self) -> None:
        self.service.change_unit(QUICK, EGRESS)
        pids = set()
        for _ in range(8):
            self.assertEqual(self.ask(self.sandbox.port), SUCCEEDED)
            # That of the last process, whether it has ended or not.
            pid = int(show("ExecMainPID", EGRESS))
            pids.add(pid)
            # The next comes when it has ended, and the manager may not know that yet.
            await_end(pid)
        self.assertEqual(len(pids), 8)

    def test_payment_under_way_at_a_stop_has_its_network(self) -> None:
        for action in ("stop", "restart"):
            with self.subTest(action):
                self.connect()
                checkout = self.chosen(self.approving())
                self.sandbox.hold("payments")
                checkout.submit()
                self.sandbox.requests("payments", 1)
                stop = subprocess.Popen(["systemctl", action, SERVICE, EGRESS], stderr=subprocess.DEVNULL)
                # The egress is to end as well, but not before the daemon.
                eventually(lambda: systemctl("list-jobs", "--plain", "--no-legend"), waits_to_end)
                self.assertEqual(self.service.state, "deactivating")
                self.assertEqual(show("ActiveState", EGRESS), "active")
                self.sandbox.release("payments")
                self.assertEqual(stop.wait(TIMEOUT), 0)
                self.assertEqual(show("ActiveState", EGRESS), "inactive" if action == "stop" else "active")
                params = {"checkoutId": checkout.id, "for": ["terminal"], "waitMs": 10_000}
                ended = self.service.connect().call("checkout.wait", **params)
                self.assertEqual(ended["snapshot"]["outcome"], "success")
                self.assertEqual(len(checkout.session.payments), 1)
                self.sandbox.reset()

    def test_restart_of_the_daemon_is_one_of_it(self) -> None:
        self.connect()
        self.start()
        pid = self.egress
        systemctl("restart", SERVICE)
        self.assertNotIn(self.egress, (0, pid))

    def test_daemon_starts_without_it_and_says_what_is_missing(self) -> None:
        systemctl("stop", EGRESS, EGRESS_SOCKET)
        run("systemctl", "mask", "--runtime", EGRESS_SOCKET)
        self.addCleanup(run, "systemctl", "unmask", "--runtime", EGRESS_SOCKET)
        client = self.connect()
        starting = client.send("checkout.start", clientToken=self.session().client_token)
        eventually(lambda: self.service.status, lambda text: "the egress cannot be reached" in text)
        self.assertTrue(self.service.journal("MESSAGE_ID=2f0f5d3a9c1b4e57a1d1b0c4c7a6e810", "PRIORITY=3"))
        run("systemctl", "unmask", "--runtime", EGRESS_SOCKET)
        systemctl("start", EGRESS_SOCKET)
        self.assertEqual(client.result(starting)["state"], "ready")
        eventually(lambda: self.service.status, lambda text: "egress" not in text)


class Restart(EgressTest):
    """A restart of it alone breaks no connection."""

    def test_payment_goes_through_and_others_do_not_wait_for_it(self) -> None:
        self.connect()
        checkout = self.chosen(self.approving())
        self.sandbox.hold("payments")
        checkout.submit()
        self.sandbox.requests("payments", 1)
        pid = self.egress
        restart = subprocess.Popen(["systemctl", "restart", EGRESS])
        # Another's start is answered while the payment is still under way.
        other = self.service.connect()
        self.assertEqual(self.start(None, other).state, "ready")
        self.assertEqual(restart.wait(TIMEOUT), 0)
        self.assertNotIn(self.egress, (0, pid))
        self.assertEqual(self.start(None, other).state, "ready")
        self.sandbox.release("payments")
        self.assert_completed(checkout.await_end(), "success")
        self.assertEqual(len(self.sandbox.requests("payments")), 1)
        self.assertEqual((show("Result", EGRESS), show("NFileDescriptorStore", EGRESS)), ("success", "0"))

    def test_poll_goes_on(self) -> None:
        self.connect()
        checkout = self.redirected(self.session(pendingPolls=1000))
        systemctl("restart", EGRESS)
        checkout.session.approve()
        self.assert_completed(checkout.await_end(), "success")

    def carried(self) -> tuple[socket.socket, socket.socket]:
        """A client's connection through it, and where that leads."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        port = listener.getsockname()[1]
        self.service.configure(f"upstream-allow = http://127.0.0.1:{port}\n")
        near = socket.socket(socket.AF_UNIX)
        near.connect(str(WAY_OUT))
        near.sendall(GREETING)
        self.assertEqual(receive(near, 2), CHOSEN)
        message = request("127.0.0.1", port)
        near.sendall(message[:5])
        # Half of what it is told before, half of it after.
        systemctl("restart", EGRESS)
        near.sendall(message[5:])
        self.assertEqual(reply(near), SUCCEEDED)
        far, _ = listener.accept()
        for link in (near, far):
            self.addCleanup(link.close)
            link.settimeout(TIMEOUT)
        return near, far

    def test_no_byte_is_lost_nor_carried_twice(self) -> None:
        near, far = self.carried()
        data = os.urandom(4 << 20)

        def send(link: socket.socket) -> None:
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)

        threads = [threading.Thread(target=send, args=[link]) for link in (near, far)]
        for thread in threads:
            thread.start()
        got = {near: b"", far: b""}
        # One that nobody reads holds bytes when it is told to end.
        for count in (1 << 16, 1 << 20, 3 << 20, 4 << 20):
            for link in (near, far):
                got[link] += receive(link, count - len(got[link]))
            systemctl("restart", EGRESS)
        for thread in threads:
            thread.join()
        self.assertEqual([got[link] == data for link in (near, far)], [True, True])
        self.assertEqual([receive(link, 1) for link in (near, far)], [b"", b""])

    def test_stop_ends_them(self) -> None:
        near, far = self.carried()
        near.sendall(b"question")
        self.assertEqual(receive(far, 8), b"question")
        systemctl("stop", EGRESS, EGRESS_SOCKET)
        self.assertEqual([receive(link, 1) for link in (near, far)], [b"", b""])
