"""RabbitMQ from Debian's package: classic queues, driven by pika, and by aiormq where confirms are batched.

pika's blocking publish waits for each confirm by itself, so a hundred at once need the asynchronous client.
A durable message is confirmed when RabbitMQ has synced it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK, ServerProcess
from tests.bench.peers.peer import Peer, Work
from tests.ports import free_port

if TYPE_CHECKING:
    from penstock.lab.load.crew import Role

INSTALLED = Path("/usr/lib/rabbitmq/lib")
PREFETCH = 1000
ACKNOWLEDGE_EVERY = 100
BURST = 50
BATCH = 100
NO_DISTRIBUTION_BEYOND_LOOPBACK = "-kernel inet_dist_use_interface {127,0,0,1}"


class RabbitMQ(Peer):
    """Classic queues; the default exchange, or a fanout one."""

    key = "rabbitmq"
    name = "RabbitMQ"
    client = "pika"
    plugins = ""
    advanced = ""  # configuration in Erlang's terms

    def missing(self) -> str:
        return "" if _home() else "apt-get install rabbitmq-server"

    def version(self) -> str:
        home = _home()
        return home.name.rpartition("-")[2] if home else ""

    def start(self, folder: Path) -> None:
        home = _home()
        assert home is not None
        port, self._names_port = free_port(), free_port()
        (folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = {LOOPBACK}:{port}\ndisk_free_limit.absolute = 50MB\n"
        )
        (folder / "enabled").write_text(f"[{self.plugins}].\n")
        (folder / "advanced.config").write_text(self.advanced or "[].\n")
        environment = {
            "HOME": str(folder),
            "RABBITMQ_HOME": str(home),
            "RABBITMQ_NODENAME": f"bench{port}@localhost",
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled"),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": NO_DISTRIBUTION_BEYOND_LOOPBACK,
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "ERL_EPMD_PORT": str(self._names_port),
        }
        server = ServerProcess([str(home / "sbin/rabbitmq-server")], folder / "server.log", port, environment)
        server.start()
        self.servers = [server]

    def stop(self) -> None:
        started = bool(self.servers)
        super().stop()
        daemon = shutil.which("epmd")
        if started and daemon:  # the name server of this node alone, which left its session
            subprocess.run(
                [daemon, "-port", str(self._names_port), "-kill"],
                capture_output=True,
                check=False,
                timeout=10,
            )

    def prepare(self, work: Work) -> None:
        connection, channel = self._connect()
        channel.queue_declare(work.name, durable=work.durable)
        channel.exchange_declare(_exchange(work), "fanout")
        connection.close()

    def clean(self, work: Work) -> None:
        connection, channel = self._connect()
        channel.queue_delete(work.name)
        channel.exchange_delete(_exchange(work))
        connection.close()

    def purge(self, queue: str) -> None:
        """Drop what is on a durable queue, which need not be there."""
        connection, channel = self._connect()
        channel.queue_declare(queue, durable=True)
        channel.queue_purge(queue)
        connection.close()

    def requester(self, role: Role, work: Work) -> None:
        import pika

        _, channel = self._connect()
        replies = channel.queue_declare("", exclusive=True).method.queue
        awaited = b""

        def send() -> None:
            nonlocal awaited
            awaited = os.urandom(12).hex()
            properties = pika.BasicProperties(reply_to=replies, correlation_id=awaited)
            channel.basic_publish("", work.name, work.body, properties)

        def received(_: Any, __: Any, properties: Any, ___: bytes) -> None:
            assert properties.correlation_id == awaited
            role.count()
            send()

        channel.basic_consume(replies, received, auto_ack=True)
        role.ready()
        send()
        channel.start_consuming()

    def replier(self, role: Role, work: Work) -> None:
        import pika

        _, channel = self._connect()

        def received(_: Any, __: Any, request: Any, body: bytes) -> None:
            properties = pika.BasicProperties(correlation_id=request.correlation_id)
            channel.basic_publish("", request.reply_to, body, properties)

        channel.basic_consume(work.name, received, auto_ack=True)
        role.ready()
        channel.start_consuming()

    def producer(self, role: Role, work: Work) -> None:
        self._send("", work.name, role, work)

    def publisher(self, role: Role, work: Work) -> None:
        self._send(_exchange(work), "", role, work)

    def consumer(self, role: Role, work: Work) -> None:
        _, channel = self._connect()
        channel.basic_qos(prefetch_count=PREFETCH)
        unacknowledged = 0

        def received(_: Any, delivery: Any, __: Any, ___: bytes) -> None:
            nonlocal unacknowledged
            role.count()
            unacknowledged += 1
            if work.durable and unacknowledged == ACKNOWLEDGE_EVERY:
                channel.basic_ack(delivery.delivery_tag, multiple=True)
                unacknowledged = 0

        channel.basic_consume(work.name, received, auto_ack=not work.durable)
        role.ready()
        channel.start_consuming()

    def confirmed_producer(self, role: Role, work: Work) -> None:
        import pika

        _, channel = self._connect()
        channel.confirm_delivery()
        persistent = pika.BasicProperties(delivery_mode=2)
        role.ready()
        while True:
            channel.basic_publish("", work.name, work.body, persistent)
            role.count()

    def batch_producer(self, role: Role, work: Work) -> None:
        import aiormq

        async def run() -> None:
            connection = await aiormq.connect(self.address)
            channel = await connection.channel(publisher_confirms=True)
            persistent = aiormq.spec.Basic.Properties(delivery_mode=2)
            role.ready()
            while True:
                await asyncio.gather(
                    *(
                        channel.basic_publish(work.body, routing_key=work.name, properties=persistent)
                        for _ in range(BATCH)
                    )
                )
                role.count(BATCH)

        asyncio.run(run())

    def subscriber(self, role: Role, work: Work, subscriptions: int) -> None:
        _, channel = self._connect()

        def received(*_: Any) -> None:
            role.count()

        for _ in range(subscriptions):
            queue = channel.queue_declare("", exclusive=True).method.queue
            channel.queue_bind(queue, _exchange(work))
            channel.basic_consume(queue, received, auto_ack=True)
        role.ready()
        channel.start_consuming()

    def _send(self, exchange: str, key: str, role: Role, work: Work) -> None:
        _, channel = self._connect()
        role.ready()
        while True:
            for _ in range(BURST):
                channel.basic_publish(exchange, key, work.body)
            role.count(BURST)

    @property
    def address(self) -> str:
        """Where clients and shovels connect."""
        return f"amqp://guest:guest@{LOOPBACK}:{self._port}"

    @property
    def _port(self) -> int:
        return self.servers[0].port

    def _connect(self) -> tuple[Any, Any]:
        import pika

        connection = pika.BlockingConnection(pika.ConnectionParameters(LOOPBACK, self._port, heartbeat=0))
        return connection, connection.channel()


def _home() -> Path | None:
    return max(INSTALLED.glob("rabbitmq_server-*"), default=None)


def _exchange(work: Work) -> str:
    return f"{work.name}.fanout"
