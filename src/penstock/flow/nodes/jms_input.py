"""JMSInput: a flow that starts with the JMS messages of a queue of this queue manager.

It is an MQInput whose messages carry JMSTransport in place of MQMD and MQRFH2; everything else (units of
work, backout, several instances) is as there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.jms_transport import to_jms
from penstock.flow.nodes.mq_input import MQInput

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Process


class JMSInput(MQInput):
    """Gets JMS messages: `JMSInput("ORDERS", domain="XMLNSC", selector="colour = 'red'")`."""

    type_name: ClassVar[str] = "ComIbmJMSClientInputNode"

    def adapted(self, onward: Process) -> Process:
        def process(assembly: Assembly) -> None:
            onward(assembly.sending(to_jms(assembly.message)))

        return process
