"""JMSOutput: puts the message as a JMS message: to a queue, to JMSReplyTo, or to a list in LocalEnvironment.

JMSTransport becomes the descriptor and the properties of the message. A message without it is put as a JMS
text message. Only queues that this queue manager knows are reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.jms_transport import FOLDERS, queue_of, to_mq
from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.flow.writing import Destination, PutRules, noted, put_all
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path, serialise_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

TRANSACTIONS = ("automatic", "yes", "no")
LIST_MAX = 1000
_LIST = Path("Destination", "JMSDestinationList", "DestinationData")
_REPLY = Path("Header_Values", "JMSReplyTo")


class JMSOutput(Node):
    """Puts JMS messages: `JMSOutput("ORDERS")`.

    `use_list` takes the queues from LocalEnvironment.Destination.JMSDestinationList.DestinationData, and
    `use_reply_to` the queue of JMSReplyTo.
    """

    type_name: ClassVar[str] = "ComIbmJMSClientOutputNode"

    queue: str = ""
    _: KW_ONLY
    use_list: bool = False
    use_reply_to: bool = False
    reply_to: str = ""
    transaction: str = "automatic"
    new_correl_id: bool = False

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """A put outside the unit of work cannot be taken back."""
        return Kind.EFFECT if self.transaction == "no" else Kind.QUEUE

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(transaction=TRANSACTIONS)
        if not (self.queue or self.use_list or self.use_reply_to):
            yield "a JMSOutput needs the name of its queue, use_list or use_reply_to"

    def start(self, at: NodeContext) -> Process:
        onward = at.wire(OUT)
        rules = PutRules(
            transaction=self.transaction,
            new_msg_id=True,
            new_correl_id=self.new_correl_id,
            context="default",
            request=bool(self.reply_to),
            reply_to=self.reply_to,
        )

        def process(assembly: Assembly) -> None:
            places = [Destination(queue, manager, rules) for manager, queue in self._queues(assembly)]
            message = serialise_message(to_mq(assembly.message))
            written = put_all(assembly, message, places, at.label)
            if onward is not None:
                onward(assembly.sending(local_environment=noted(assembly, "JMS", written)))

        return process

    def _queues(self, assembly: Assembly) -> list[tuple[str, str]]:
        if self.use_reply_to:
            folders = assembly.message.reference(FOLDERS)
            address = MISSING if folders is None else folders.get(_REPLY)
            if address is MISSING or not address:
                raise error(mq.MQRC_MISSING_REPLY_TO_Q, "the message has no JMSReplyTo to be sent to")
            return [queue_of(str(address))]
        if not self.use_list:
            return [queue_of(self.queue)]
        found = [queue_of(str(each.value)) for each in assembly.local_environment.reference().each(_LIST)]
        if not found or len(found) > LIST_MAX:
            raise error(mq.PSRC_FLOW_JMS, f"JMSDestinationList has 1 to {LIST_MAX} entries, not {len(found)}")
        return found
