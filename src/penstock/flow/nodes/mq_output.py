"""MQOutput: puts the message to a queue: a named one, the reply queue, or a list in LocalEnvironment.

`transaction` and `persistence` follow the input message unless set. LocalEnvironment.WrittenDestination of
the message sent to `out` records what was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import KW_ONLY, OUT
from penstock.flow.nodes.group_request import GroupProperties
from penstock.flow.nodes.mq_output_run import Putting
from penstock.flow.nodes.put_properties import PutProperties
from penstock.flow.writing import Destination, PutRules, destinations_of, noted, put_all
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import serialise_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.model.message import Message as QueueMessage

MODES = ("fixed", "reply", "list")


class MQOutput(PutProperties, GroupProperties):
    """Puts to a queue.

    `MQOutput("BILLING")`, `MQOutput(destination="reply")`, `MQOutput(destination="list")`.
    """

    queue: str = ""
    _: KW_ONLY
    qmgr: str = ""
    destination: str = "fixed"
    new_msg_id: bool = False
    new_correl_id: bool = False
    request: bool = False
    reply_to: str = ""
    reply_to_qmgr: str = ""

    def check(self) -> Iterable[str]:
        yield from super().check()
        yield from self.wrong_choices(destination=MODES)
        if self.destination == "fixed" and not self.queue:
            yield "a fixed destination needs the name of a queue"

    def puts_to(self) -> tuple[str, ...]:
        return (self.queue,) if self.destination == "fixed" and not self.qmgr else ()

    def start(self, at: NodeContext) -> Process:
        onward, rules = at.wire(OUT), self.rules
        if (
            self.destination == "fixed" and onward is None and not self.add_to_group
        ):  # nothing is wired to `out`
            return Putting(self.queue, self.qmgr, rules)

        def process(assembly: Assembly) -> None:
            group = self.group_around(assembly)
            message = serialise_message(assembly.message)
            destinations = self._destinations(assembly, message, rules)
            written = put_all(assembly, message, destinations, at.label)
            self.note_requests(group, written)
            if onward is not None:
                onward(assembly.sending(local_environment=noted(assembly, "MQ", written)))

        return process

    def _destinations(self, assembly: Assembly, message: QueueMessage, rules: PutRules) -> list[Destination]:
        if self.destination == "fixed":
            return [Destination(self.queue, self.qmgr, rules)]
        if self.destination == "list":
            return destinations_of(assembly, rules)
        own = message.descriptor
        if not own.reply_to:
            raise error(mq.MQRC_MISSING_REPLY_TO_Q, "the message has no ReplyToQ to be put to")
        return [Destination(own.reply_to, own.reply_to_qmgr, rules)]
