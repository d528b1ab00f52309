"""TCPIPServerReceive and TCPIPClientReceive: read a record of a TCP connection in the middle of a flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import FAILURE, OUT
from penstock.flow.nodes.tcpip_properties import (
    ReadsRecords,
    StreamNode,
    describe,
    wanted,
)
from penstock.flow.tcp.endpoints import SERVER, endpoints
from penstock.model.errors import MQError
from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

TIMEOUT, CLOSE = "timeout", "close"
_ID = Path("Destination", "TCPIP", "Receive", "Id")


class TCPIPClientReceive(ReadsRecords, StreamNode):
    """Reads a record: `TCPIPClientReceive("host:1450", records="fixedLength", length=8, timeout=5)`.

    No record in time leads to `timeout`, a connection that ended to `close`; both get the message that came.
    """

    outputs = (OUT, TIMEOUT, CLOSE, FAILURE)

    address: str

    def start(self, at: NodeContext) -> Process:
        endpoint = endpoints().open(*self.place) if at.instance.is_running else None
        model = self.model_in(at.instance.project)
        framing = self.framing(model)

        def process(assembly: Assembly) -> None:
            assert endpoint is not None
            connection = endpoint.find(wanted(assembly, _ID), self.timeout)
            try:
                record = connection.read(framing, self.timeout)
            except MQError as raised:
                if not raised.fields.get("late") or at.wire(TIMEOUT) is None:
                    raise
                at.send(TIMEOUT, assembly)
                return
            if record is None:
                endpoint.forget(connection)
                at.send(CLOSE, assembly)
                return
            message = self.arrived(record, model, put_time=assembly.ports.clock())
            at.send(OUT, assembly.sending(message, describe(assembly.copied_local_environment(), connection)))

        return process


class TCPIPServerReceive(TCPIPClientReceive):
    """Reads a record of a client that is connected: `TCPIPServerReceive("1450")`."""

    role = SERVER
