"""TCPIPServerOutput and TCPIPClientOutput: write the message to a TCP connection.

It is the connection that LocalEnvironment names, else the one by which the message came in, else any that is
open; a client has one for each instance of the flow, and dials if there is none. What was written cannot be
taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.new_messages import body_of
from penstock.flow.node import KW_ONLY, OUT
from penstock.flow.nodes.record_properties import RecordProperties
from penstock.flow.nodes.tcpip_properties import StreamNode, wanted
from penstock.flow.tcp.endpoints import SERVER, endpoints
from penstock.flow.tcp.framing import UNMODIFIED, WRITE_KINDS, written
from penstock.flow.writing import noted
from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

_ID = Path("Destination", "TCPIP", "Output", "Id")


class TCPIPClientOutput(RecordProperties, StreamNode):
    """Writes: `TCPIPClientOutput("host:1450", records="delimited")`.

    With `close` the connection is closed after the record.
    """

    record_kinds = WRITE_KINDS

    address: str
    _: KW_ONLY
    records: str = UNMODIFIED
    close: bool = False

    def start(self, at: NodeContext) -> Process:
        endpoint = endpoints().open(*self.place) if at.instance.is_running else None

        def process(assembly: Assembly) -> None:
            assert endpoint is not None
            data = written(body_of(assembly.message), self.records, self.length, self.delimiter)
            connection = endpoint.find(wanted(assembly, _ID), self.timeout)
            connection.write(data, self.timeout)
            if self.close:
                endpoint.forget(connection)
            at.send(
                OUT,
                assembly.sending(local_environment=noted(assembly, "TCPIP", [connection.details()])),
            )

        return process


class TCPIPServerOutput(TCPIPClientOutput):
    """Writes to a client that is connected: `TCPIPServerOutput("1450")`."""

    role = SERVER
