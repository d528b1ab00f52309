"""JMSMQTransform and MQJMSTransform: turn JMSTransport into MQMD and MQRFH2, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.jms_transport import to_jms, to_mq
from penstock.flow.node import OUT, Node

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


class JMSMQTransform(Node):
    """Makes an MQ message of a JMS message."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        at.send(OUT, assembly.sending(to_mq(assembly.message)))


class MQJMSTransform(Node):
    """Makes a JMS message of an MQ message."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        at.send(OUT, assembly.sending(to_jms(assembly.message)))
