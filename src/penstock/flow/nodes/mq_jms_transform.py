"""MQJMSTransform: turns an MQ message into a JMS message: MQMD and MQRFH2 become JMSTransport."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from penstock.flow.jms_transport import to_jms
from penstock.flow.node import OUT, Node

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


@dataclass(eq=False, repr=False)
class MQJMSTransform(Node):
    """Makes a JMS message of an MQ message."""

    _: KW_ONLY
    name: str = ""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        at.send(OUT, assembly.sending(to_jms(assembly.message)))
