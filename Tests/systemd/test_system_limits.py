"""Limits that the system sets: the daemon stays, or comes back."""

from __future__ import annotations

import socket
import unittest
from pathlib import Path

from systemd.case import ServiceTest
from systemd.service import API, SERVICE, eventually, show, systemctl


def has_controller(name: str) -> bool:
    """Whether control groups of this rig limit that."""
    return Path(f"/sys/fs/cgroup/{name}").exists() or name in Path("/sys/fs/cgroup/cgroup.controllers").read_text()


def limit_memory(process: int, byte_count: int) -> None:
    """Limits the control group of a process, as long as that lasts."""
    for line in Path(f"/proc/{process}/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "memory":
            Path(f"/sys/fs/cgroup/memory{group}/memory.limit_in_bytes").write_text(str(byte_count))
            return
    Path(f"/sys/fs/cgroup{group}/memory.max").write_text(str(byte_count))


class Descriptors(ServiceTest):
    unit = "[Service]\nLimitNOFILE=40\n"

    def test_who_gets_none_is_told(self) -> None:
        clients = [self.service.connect() for _ in range(60)]
        for client in clients:
            client.send("system.ping")
        answers = [client.read_message() for client in clients]
        served = [isinstance(answer, dict) and "result" in answer for answer in answers]
        self.assertIn(sum(served), range(10, 60))
        for answer, is_served in zip(answers, served, strict=True):
            assert isinstance(answer, dict)
            if not is_served:
                self.assertEqual(answer["error"]["data"]["quota"], "descriptors")
        self.assertEqual((self.service.state, show("NRestarts")), ("active", "0"))


class Tasks(ServiceTest):
    unit = "[Service]\nTasksMax=2\n"

    def setUp(self) -> None:
        if not has_controller("pids"):
            raise unittest.SkipTest("this rig has no controller for tasks: RIG_CGROUP=hybrid")
        super().setUp()

    def test_few_are_enough(self) -> None:
        self.connect()
        checkout = self.chosen(self.approving())
        checkout.submit()
        self.assert_completed(checkout.await_end(), "success")


class Memory(ServiceTest):
    unit = "[Service]\nMemoryHigh=infinity\nMemoryMax=infinity\nMemorySwapMax=0\n"
    configuration = "max-memory = 1099511627776\nmax-queue = 1073741824\n"

    def setUp(self) -> None:
        if not has_controller("memory"):
            raise unittest.SkipTest("this rig has no controller for memory: RIG_CGROUP=hybrid")
        super().setUp()

    def test_daemon_that_takes_too_much_is_replaced(self) -> None:
        client = self.connect()
        checkout = self.start()
        # The daemon refuses to start within less than its configuration allows: less comes while it runs.
        limit_memory(int(show("MainPID")), 64 << 20)
        # Answers that nobody reads, beyond what the configuration should have allowed.
        with socket.socket(socket.AF_UNIX) as greedy:
            greedy.settimeout(20)
            greedy.connect(str(API))
            line = b'{"jsonrpc":"2.0","id":1,"method":"system.echo","params":["%s"]}\n' % (b"x" * 900_000)
            with self.assertRaises(OSError):
                while True:
                    greedy.sendall(line)
        client.read_to_end()
        eventually(lambda: show("NRestarts"), "1")
        self.assertEqual(self.service.connect().call("checkout.get", checkoutId=checkout.id)["state"], "ready")
        systemctl("stop", SERVICE)
