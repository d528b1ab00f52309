"""TCPIPServerInput and TCPIPClientInput: flows that start with the records of TCP connections.

The server listens on a port; the client dials, and dials again when the connection has ended. Each record
runs in its own unit of work; the next one of its connection is read when the flow is done, so they stay in
order. A record whose flow fails goes to `failure`, or its connection is closed: the other side has to know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.node import CATCH, FAILURE, OUT, InputNode
from penstock.flow.nodes.tcpip_properties import ReadsRecords, StreamNode
from penstock.flow.tcp.endpoints import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.listener import Listener


class TCPIPClientInput(ReadsRecords, StreamNode, InputNode):
    """Dials and reads: `TCPIPClientInput("host:1450", records="delimited", domain="XMLNSC")`."""

    outputs = (OUT, "open", "close", FAILURE, CATCH)

    address: str

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.stream_listener import StreamListener

        return StreamListener(self, flow, label, connect(), **options)


class TCPIPServerInput(TCPIPClientInput):
    """Listens and reads: `TCPIPServerInput("1450", records="fixedLength", length=100)`."""

    role = SERVER
