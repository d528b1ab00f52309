"""JMSReceive: gets another JMS message in the middle of a flow.

It is an MQGet whose result is a JMS message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.jms_transport import to_jms
from penstock.flow.nodes.mq_get import MQGet

if TYPE_CHECKING:
    from penstock.tree import Message


class JMSReceive(MQGet):
    """Gets a JMS message: `JMSReceive("REPLIES", wait=5)`; `noMessage` if there is none."""

    type_name: ClassVar[str] = "ComIbmJMSClientReceiveNode"

    def adapted(self, message: Message) -> Message:
        return to_jms(message)
