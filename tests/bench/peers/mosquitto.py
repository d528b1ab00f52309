"""Mosquitto from Debian's package, driven by paho-mqtt: the fan-out alone, at QoS 0."""

from __future__ import annotations

import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK, ServerProcess
from tests.bench.peers.peer import Peer, Work, version_line
from tests.ports import free_port

if TYPE_CHECKING:
    from penstock.lab.load.crew import Role

PLACES = "/usr/sbin:/usr/local/sbin"  # not in everybody's path
BURST = 50
PACKETS_A_READ = 50
SUBSCRIBED_SECONDS = 1.0
INFLIGHT_MAX = 65535


class Mosquitto(Peer):
    """One topic, subscribers at QoS 0."""

    key = "mosquitto"
    name = "Mosquitto"
    client = "paho-mqtt"

    def missing(self) -> str:
        return "" if _program() else "apt-get install mosquitto"

    def version(self) -> str:
        return version_line(subprocess.run([_program(), "-h"], capture_output=True, text=True).stdout)

    def start(self, folder: Path) -> None:
        port = free_port()
        configuration = folder / "mosquitto.conf"
        configuration.write_text(
            f"listener {port} {LOOPBACK}\nallow_anonymous true\nmax_queued_messages 0\n"
            "max_inflight_messages 0\nset_tcp_nodelay true\n"
        )
        server = ServerProcess([_program(), "-c", str(configuration)], folder / "server.log", port)
        server.start()
        self.servers = [server]

    def publisher(self, role: Role, work: Work) -> None:
        client = self._connect()
        client.loop_start()
        role.ready()
        while True:
            sent = [client.publish(work.name, work.body) for _ in range(BURST)]
            sent[-1].wait_for_publish()
            role.count(BURST)

    def subscriber(self, role: Role, work: Work, subscriptions: int) -> None:
        def received(*_: Any) -> None:
            role.count()

        clients = {}
        for _ in range(subscriptions):
            client = self._connect()
            client.on_message = received
            client.subscribe(work.name)
            clients[client.socket()] = client
        end = time.monotonic() + SUBSCRIBED_SECONDS
        while time.monotonic() < end:
            _read(clients, 0.1, 1)
            for client in clients.values():
                client.loop_write()
        role.ready()
        while True:
            _read(clients, 1.0, PACKETS_A_READ)

    def _connect(self) -> Any:
        from paho.mqtt.client import CallbackAPIVersion, Client

        client = Client(CallbackAPIVersion.VERSION2)
        client.max_inflight_messages_set(INFLIGHT_MAX)
        client.max_queued_messages_set(0)
        client.connect(LOOPBACK, self.servers[0].port)
        return client


def _read(clients: dict[Any, Any], timeout: float, packets: int) -> None:
    for socket in select.select(list(clients), [], [], timeout)[0]:
        clients[socket].loop_read(packets)


def _program() -> str:
    return shutil.which("mosquitto") or shutil.which("mosquitto", path=PLACES) or ""
