"""JMSReply: sends the message to the queue that JMSReplyTo names, as a reply to the request.

The reply carries the request's JMSMessageID as its JMSCorrelationID, unless the request has one of its own
and the message still has it.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from penstock.flow.jms_transport import FOLDERS
from penstock.flow.nodes.jms_output import JMSOutput
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

_ID, _CORRELATION = Path("Header_Values", "JMSMessageID"), Path("Header_Values", "JMSCorrelationID")


class JMSReply(JMSOutput):
    """Answers a JMS request."""

    type_name: ClassVar[str] = "ComIbmJMSClientReplyNode"

    use_reply_to: bool = field(default=True, kw_only=True)

    def check(self) -> Iterable[str]:
        yield from super().check()
        if not self.use_reply_to:
            yield "a JMSReply answers to JMSReplyTo; a JMSOutput has other ways"

    def start(self, at: NodeContext) -> Process:
        put = super().start(at)

        def process(assembly: Assembly) -> None:
            message = assembly.message.copy()
            folders = message.reference(FOLDERS)
            if folders is not None and folders.get(_CORRELATION) in (MISSING, None, ""):
                asked = folders.get(_ID)
                if asked is not MISSING and asked:
                    folders.set(_CORRELATION, asked)
            put(assembly.sending(message))

        return process
