"""The TCP endpoints of this process, by role and address, and their connections.

A server endpoint listens; a client endpoint dials when a node needs a connection. With an input node a
thread reads connections that no flow uses at the moment, and hands each over with its next record: until the
flow has returned it, no other flow reads it, so records of a connection stay in order.
"""

from __future__ import annotations

import logging
import queue
import selectors
import socket
import threading
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.tcp.connection import Connection
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.flow.tcp.framing import Framing

logger = logging.getLogger(__name__)
CLIENT, SERVER = "CLIENT", "SERVER"
CONNECTIONS_MAX = 1000  # of one endpoint
ALL_HOSTS = ""
POLL_SECONDS = 0.2
REDIAL_SECONDS = 1.0  # before a server that does not answer is dialled again
OPENED, RECORD, CLOSED, BROKEN = "open", "out", "close", "failure"


class Happening(NamedTuple):
    """What happened to a connection of an input: it was opened or closed, or a record came."""

    kind: str
    connection: Connection
    record: bytes = b""
    problem: MQError | None = None


class Endpoint:
    """The connections at one address."""

    def __init__(self, role: str, host: str, port: int) -> None:
        self.role, self.host, self.port = role, host, port
        self.users = 0
        self.connections: dict[str, Connection] = {}
        self.line: queue.Queue[Happening] = queue.Queue()
        self.framing: Framing | None = None  # of its input node
        self._returned: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._of_threads: dict[int, Connection] = {}
        self._stop = threading.Event()
        self._listening: socket.socket | None = None
        if role == SERVER:
            self._listening = _listen(host, port)
            self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._loop, name=f"tcp-{role}-{port}", daemon=True)
        self._thread.start()

    def find(self, identity: str, timeout: float) -> Connection:
        """Return a connection by its id; without one, a client has one for each thread, a server any."""
        if identity:
            found = self.connections.get(identity)
            if found is None:
                raise error(mq.PSRC_FLOW_STREAM, f"connection {identity} is not open any more")
            return found
        if self.role == CLIENT:
            mine = self._of_threads.get(threading.get_ident())
            return mine if mine is not None and not mine.is_closed else self._dial(timeout)
        for each in list(self.connections.values()):  # of a server: all connections
            return each
        raise error(mq.PSRC_FLOW_STREAM, f"nobody is connected to port {self.port}")

    def attach(self, framing: Framing) -> None:
        """Have an input read the connections from now on, also those that are open already."""
        self.framing = framing
        for each in list(self.connections.values()):
            self.back(each)

    def back(self, connection: Connection) -> None:
        """Return a connection that came with a record: the next one is read."""
        self._returned.put(connection)

    def forget(self, connection: Connection) -> None:
        """Close a connection."""
        connection.close()
        self.connections.pop(connection.identity, None)

    def close(self) -> None:
        """Close everything."""
        self._stop.set()
        self._thread.join()
        if self._listening is not None:
            self._listening.close()
        for each in list(self.connections.values()):
            self.forget(each)

    def _dial(self, timeout: float) -> Connection:
        try:
            sock = socket.create_connection((self.host, self.port), timeout)
        except OSError as raised:
            what = f"{self.host}:{self.port}: {type(raised).__name__}: {raised}"
            raise error(mq.PSRC_FLOW_STREAM, what, not_connected=True) from raised
        made = Connection(sock, CLIENT)
        self.connections[made.identity] = self._of_threads[threading.get_ident()] = made
        return made

    def _loop(self) -> None:
        """Accept connections, and read those that no flow has."""
        with selectors.DefaultSelector() as selector:
            if self._listening is not None:
                selector.register(self._listening, selectors.EVENT_READ)
            while not self._stop.is_set():
                if not selector.get_map():
                    self._stop.wait(POLL_SECONDS / 10)
                for key, _ in selector.select(POLL_SECONDS / 10) if selector.get_map() else ():
                    if key.fileobj is self._listening:
                        self._accept(selector)
                    elif isinstance(key.data, Connection):
                        key.data.receive()
                        self._hand_over(selector, key.data)
                while not self._returned.empty():
                    connection = self._returned.get()
                    if not connection.is_closed:
                        connection.sock.setblocking(False)
                    self._watch(selector, connection)

    def _accept(self, selector: selectors.BaseSelector) -> None:
        assert self._listening is not None
        try:
            sock, _ = self._listening.accept()
        except OSError:
            return
        if len(self.connections) >= CONNECTIONS_MAX:
            logger.warning("tcp_refused port=%d connections=%d", self.port, CONNECTIONS_MAX)
            sock.close()
            return
        made = Connection(sock, SERVER)
        self.connections[made.identity] = made
        if self.framing is None:
            return
        sock.setblocking(False)
        self.line.put(Happening(OPENED, made))
        self._watch(selector, made)

    def _watch(self, selector: selectors.BaseSelector, connection: Connection) -> None:
        """Wait for the next record of a connection, which may have arrived already."""
        if connection.is_closed:
            self._end(connection)
            return
        selector.register(connection.sock, selectors.EVENT_READ, connection)
        self._hand_over(selector, connection)

    def _hand_over(self, selector: selectors.BaseSelector, connection: Connection) -> None:
        """Hand a connection to a flow if it has a record, or has ended."""
        assert self.framing is not None
        problem: MQError | None = None
        record: bytes | None = None
        try:
            record = self.framing.first(connection.buffer, connection.is_ended)
        except MQError as raised:
            problem = raised
        if record is None and problem is None and not connection.is_ended:
            return
        selector.unregister(connection.sock)
        if record is not None:
            connection.sock.setblocking(True)
            self.line.put(Happening(RECORD, connection, record))
            return
        if problem is not None:
            self.line.put(Happening(BROKEN, connection, bytes(connection.buffer), problem))
        self._end(connection)

    def _end(self, connection: Connection) -> None:
        if self.connections.pop(connection.identity, None) is not None:
            self.line.put(Happening(CLOSED, connection))
        connection.close()


class Endpoints:
    """The endpoints of a process. Each user opens and closes it."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str, int], Endpoint] = {}
        self._lock = threading.Lock()

    def open(self, role: str, host: str, port: int) -> Endpoint:
        """Return the endpoint of an address; 8341 if a port cannot be had."""
        with self._lock:
            key = (role, host, port)
            if port == 0 or key not in self._open:
                made = Endpoint(role, host, port)
                key = (role, host, made.port)
                self._open[key] = made
            self._open[key].users += 1
            return self._open[key]

    def close(self, endpoint: Endpoint) -> None:
        """Close an endpoint, when its last user does."""
        with self._lock:
            endpoint.users -= 1
            if endpoint.users:
                return
            self._open.pop((endpoint.role, endpoint.host, endpoint.port), None)
        endpoint.close()


@cache
def endpoints() -> Endpoints:
    """Return the endpoints of this process: nodes of several flows share connections."""
    return Endpoints()


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=128)
    except OSError as raised:
        raise error(mq.PSRC_FLOW_STREAM, f"port {port} cannot be had: {raised}") from raised
