"""JMSMQTransform: turns a JMS message into an MQ message: JMSTransport becomes MQMD and MQRFH2."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from penstock.flow.jms_transport import to_mq
from penstock.flow.node import OUT, Node

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


@dataclass(eq=False, repr=False)
class JMSMQTransform(Node):
    """Makes an MQ message of a JMS message."""

    _: KW_ONLY
    name: str = ""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        at.send(OUT, assembly.sending(to_mq(assembly.message)))
