"""Sockets: who may connect, who starts the service, what becomes of either when the other goes."""

from __future__ import annotations

import grp
import os
import signal
import stat
import time

from support.client import TIMEOUT
from systemd.case import GROUP, USER, ServiceTest
from systemd.service import (
    ADMIN,
    ADMIN_SOCKET,
    API,
    EGRESS_SOCKET,
    SERVICE,
    SOCKET,
    STATE,
    WAY_OUT,
    eventually,
    run,
    show,
    systemctl,
)


class Sockets(ServiceTest):
    def test_modes_and_owners_without_a_client(self) -> None:
        self.assertEqual(self.service.state, "inactive")
        for path, mode, group in (
            (API, 0o660, "checkout-clients"),
            (ADMIN, 0o600, "root"),
            (WAY_OUT, 0o660, "checkoutd"),
        ):
            status = os.stat(path)
            self.assertTrue(stat.S_ISSOCK(status.st_mode))
            self.assertEqual((stat.S_IMODE(status.st_mode), status.st_uid), (mode, 0), path)
            self.assertEqual(grp.getgrgid(status.st_gid).gr_name, group)
        self.assertEqual(stat.S_IMODE(os.stat(API.parent).st_mode), 0o755)

    def test_first_client_is_answered_on_the_connection_that_started_the_service(self) -> None:
        for path in (API, ADMIN):
            with self.subTest(path):
                start = time.monotonic()
                client = self.connect(path)
                self.assertEqual(client.call("system.ping"), {})
                self.assertLess(time.monotonic() - start, 2)
                self.assertEqual(self.service.state, "active")
                systemctl("stop", SERVICE)

    def test_both_sockets_lead_to_one_process(self) -> None:
        api, admin = self.service.connect(API), self.service.connect(ADMIN)
        hellos = [client.call("system.hello") for client in (api, admin)]
        self.assertEqual(hellos[0]["epoch"], hellos[1]["epoch"])
        self.assertEqual(len(api.call("system.connections")["connections"]), 2)

    def test_sockets_are_known_by_name_in_whatever_order_they_come(self) -> None:
        for order in ((SOCKET, ADMIN_SOCKET), (ADMIN_SOCKET, SOCKET)):
            systemctl("stop", SERVICE, *order)
            for unit in order:
                systemctl("start", unit)
            self.assertEqual(self.service.connect(ADMIN).call("system.ping"), {})
            self.assertEqual(self.service.connect(API).call("system.ping"), {})

    def test_clients_that_come_while_it_starts_are_served(self) -> None:
        clients = [self.service.connect(path) for path in (API, ADMIN, API, ADMIN, API)]
        for client in clients:
            client.send("system.ping")
        for client in clients:
            self.assertEqual(client.result(1), {})

    def test_socket_restarts_while_it_serves(self) -> None:
        self.connect().call("system.ping")
        systemctl("restart", SOCKET)
        self.assertEqual(self.service.connect().call("system.ping"), {})
        self.assertEqual(self.service.connect(ADMIN).call("system.ping"), {})

    def test_stopped_service_comes_back_with_the_next_client(self) -> None:
        first = self.connect()
        first.call("system.ping")
        stopped = run("systemctl", "stop", SERVICE)
        self.assertIn(SOCKET, stopped.stderr)
        first.read_to_end()
        self.assertEqual(self.service.connect().call("system.ping"), {})

    def test_stopped_socket_takes_the_service_along(self) -> None:
        self.connect().call("system.ping")
        systemctl("stop", SOCKET)
        eventually(lambda: self.service.state, "inactive")
        self.assertFalse(API.exists())

    def test_service_started_by_hand_has_its_sockets(self) -> None:
        sockets = (SOCKET, ADMIN_SOCKET, EGRESS_SOCKET)
        systemctl("stop", *sockets)
        self.service.start()
        for unit in sockets:
            self.assertEqual(show("ActiveState", unit), "active")
        self.assertEqual(self.service.connect().call("system.ping"), {})

    def test_socket_that_was_removed_or_left_is_healed(self) -> None:
        API.unlink()
        systemctl("restart", SOCKET)
        self.assertEqual(self.service.connect().call("system.ping"), {})
        self.service.stop()
        API.touch()
        systemctl("start", SOCKET)
        self.assertEqual(self.service.connect().call("system.ping"), {})

    def test_state_outlives_a_stop_and_a_start(self) -> None:
        self.connect()
        checkout = self.start()
        epoch = self.client.call("system.hello")["epoch"]
        systemctl("stop", SERVICE)
        self.assertEqual(show("NFileDescriptorStore"), "0")
        self.service.start()
        client = self.service.connect()
        self.assertEqual(client.call("checkout.get", checkoutId=checkout.id)["state"], "ready")
        self.assertEqual(client.call("system.hello")["epoch"], epoch)

    def test_manager_reloads_and_restarts_without_touching_it(self) -> None:
        client = self.connect()
        client.call("system.ping")
        pid = self.service.pid
        systemctl("daemon-reload")
        systemctl("daemon-reexec")
        self.assertEqual(self.service.pid, pid)
        self.assertEqual(client.call("system.ping"), {})
        self.assertEqual(self.service.connect().call("system.ping"), {})


class Access(ServiceTest):
    def test_root_and_the_group_may_connect_and_nobody_else(self) -> None:
        group = grp.getgrnam("checkout-clients").gr_gid
        you = self.service.connect().call("system.hello")["you"]
        self.assertEqual((you["uid"], you["role"]), (0, "administrator"))
        for client in (self.service.connect_as(USER, GROUP, [group]), self.service.connect_as(USER, group)):
            you = client.call("system.hello")["you"]
            self.assertEqual((you["uid"], you["role"]), (USER, "user"))
            self.assert_refused(-32002, "permission-denied", client, "system.connections")
        with self.assertRaises(PermissionError):
            self.service.connect_as(USER, GROUP)

    def test_admin_socket_is_for_root_alone(self) -> None:
        group = grp.getgrnam("checkout-clients").gr_gid
        with self.assertRaises(PermissionError):
            self.service.connect_as(USER, GROUP, [group], ADMIN)
        role = self.service.connect(ADMIN).call("system.hello")["you"]["role"]
        self.assertEqual(role, "administrator")

    def test_checkouts_belong_to_their_owner(self) -> None:
        group = grp.getgrnam("checkout-clients").gr_gid
        mine = self.start(None, self.service.connect_as(USER, GROUP, [group]))
        other = self.service.connect_as(USER + 1, GROUP, [group])
        self.assert_refused(1001, "unknown-checkout", other, "checkout.get", checkoutId=mine.id)
        self.assertEqual(mine.state, "ready")


class Limits(ServiceTest):
    def test_six_crashes_in_a_row_leave_the_socket_alone(self) -> None:
        for count in range(1, 7):
            client = self.service.connect()
            client.call("system.ping")
            self.service.kill(signal.SIGKILL)
            client.read_to_end(TIMEOUT)
            self.assertEqual(self.service.connect().call("system.ping"), {})
            self.assertEqual(show("NRestarts"), str(count))
        self.assertEqual(show("ActiveState", SOCKET), "active")

    def test_wrong_configuration_is_not_tried_again(self) -> None:
        self.service.configure("max-batch = none\n")
        done = run("systemctl", "start", SERVICE, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual((show("Result"), show("ExecMainStatus"), show("NRestarts")), ("exit-code", "78", "0"))
        self.assertIn("line 2", self.service.log)
        # A client must not wait for ever for what only an administrator can mend; nor may it have the service started
        # until the socket is given up.
        for path in (API, ADMIN):
            (refusal,) = self.service.connect(path).read_to_end()
            assert isinstance(refusal, dict)
            self.assertEqual(refusal["error"]["code"], -32005)
        # The process that refused them may still be there; it refuses nobody once the file is mended.
        self.service.configure("")
        self.assertEqual(self.service.connect().call("system.ping"), {})

    def test_wrong_configuration_and_many_clients_leave_the_sockets_alone(self) -> None:
        self.service.configure("max-batch = none\n")
        group = grp.getgrnam("checkout-clients").gr_gid
        pids = set()
        for _ in range(40):
            (refusal,) = self.service.connect_as(USER, GROUP, [group]).read_to_end()
            assert isinstance(refusal, dict)
            self.assertEqual(refusal["error"]["code"], -32005)
            pids.add(show("ExecMainPID"))
        # A start is for all who come within a second.
        self.assertLess(len(pids), 20)
        for unit in (SOCKET, ADMIN_SOCKET):
            self.assertEqual(show("ActiveState", unit), "active")
        eventually(lambda: (self.service.state, show("ExecMainStatus")), ("failed", "78"))
        self.service.configure("")
        for path in (API, ADMIN):
            self.assertEqual(self.service.connect(path).call("system.ping"), {})

    def test_wrong_configuration_that_is_mended_meanwhile(self) -> None:
        # The command line is checked in another place than the file.
        for wrong in ("max-batch = none\n", "upstream-allow = http://example.com:99999999\n"):
            with self.subTest(wrong):
                self.service.stop()
                systemctl("start", SOCKET, ADMIN_SOCKET)
                self.service.configure(wrong)
                self.service.connect().read_to_end()
                self.service.configure("")
                self.assertEqual(self.service.connect().call("system.ping"), {})

    def test_state_of_somebody_else_refuses_whoever_comes(self) -> None:
        STATE.mkdir(exist_ok=True)
        (STATE / "checkoutd.sqlite").write_text("this is no database" * 1000)
        for _ in range(3):
            (refusal,) = self.service.connect().read_to_end()
            assert isinstance(refusal, dict)
            self.assertEqual(refusal["error"]["code"], -32005)
        self.assertEqual(show("ActiveState", SOCKET), "active")

    def test_more_clients_than_there_may_be_are_told(self) -> None:
        self.service.configure("max-connections = 3\n")
        clients = [self.service.connect() for _ in range(3)]
        for client in clients:
            client.call("system.ping")
        (refusal,) = self.service.connect().read_to_end()
        assert isinstance(refusal, dict)
        self.assertEqual(refusal["error"]["data"]["quota"], "connections")
        systemctl("restart", SERVICE)
        for client in clients:
            self.assertEqual(client.call("system.ping"), {})
        self.assertNotIn("Cannot store more fds", self.service.log)
