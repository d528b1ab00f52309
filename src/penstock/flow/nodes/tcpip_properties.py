"""The properties that the TCPIP nodes share: the address, records in and records out.

A client's address is `host:port`, a server's `port` or `host:port`. LocalEnvironment names the connection
that a message came in by (TCPIP.Input.ConnectionDetails.Id), and may name another one for a node
(Destination.TCPIP.Output.Id, Destination.TCPIP.Receive.Id).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.files.record_lengths import measure_for
from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, Node
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.flow.nodes.record_properties import RecordProperties
from penstock.flow.tcp.endpoints import ALL_HOSTS, CLIENT
from penstock.flow.tcp.framing import PARSED, READ_KINDS, Framing
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.tcp.connection import Connection
    from penstock.tree import Message

PORT_MAX = 65_535
CONNECTION = Path("TCPIP", "Input", "ConnectionDetails")
_CAME_BY = Path("TCPIP", "Input", "ConnectionDetails", "Id")


class StreamNode(Node):
    """The base class of the TCPIP nodes."""

    kind = Kind.EFFECT
    serves_http = True  # connections belong to this process
    role = CLIENT

    address: str
    _: KW_ONLY
    timeout: float = 60.0

    @property
    def place(self) -> tuple[str, str, int]:
        """Role, host and port of the endpoint."""
        host, _, port = self.address.strip().rpartition(":")
        return self.role, host or ("" if self.role == CLIENT else ALL_HOSTS), int(port)

    def check(self) -> Iterable[str]:
        host, _, port = self.address.strip().rpartition(":")
        if not port.isdigit() or int(port) > PORT_MAX or (self.role == CLIENT and not host):
            form = "host:port" if self.role == CLIENT else "port or host:port"
            yield f"address {self.address!r} is not {form}"
        if self.timeout <= 0:
            yield "timeout has to be more than 0 seconds"


class ReadsRecords(RecordProperties, BodyProperties):
    """Properties of nodes that read records; `records` defines where one ends."""

    record_kinds = READ_KINDS
    ccsid, encoding = 1208, 546  # of records that a model measures

    _: KW_ONLY
    records: str = READ_KINDS[0]

    def framing(self, model: Any) -> Framing:
        """Return how records are found."""
        measure = measure_for(self, model) if self.records == PARSED else None
        return Framing(self.records, self.length, self.delimiter, measure)


def wanted(assembly: Assembly, path: Path) -> str:
    """Return the id of the connection that a message names or arrived on; "" for any."""
    if not assembly.has_local_environment:
        return ""
    for place in (path, _CAME_BY):
        value = assembly.local_environment.get(place)
        if value is not MISSING and value:
            return str(value)
    return ""


def describe(local: Message, connection: Connection) -> Message:
    """Write the facts of a connection to LocalEnvironment, and return it."""
    local.delete(CONNECTION)
    folder = local.create(CONNECTION)
    for name, value in connection.details().items():
        folder.add_last_child(name, value)
    return local
