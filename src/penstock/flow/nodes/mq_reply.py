"""MQReply: puts the message to the reply queue that its descriptor names, as a reply to it.

The report options of the descriptor determine the ids (MQRO_PASS_MSG_ID, MQRO_PASS_CORREL_ID; without them a
new message id, and the request's as correlation id). The reply itself requests no reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import OUT
from penstock.flow.nodes.put_properties import PutProperties
from penstock.flow.writing import noted, put_one
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import NO_ID
from penstock.tree import serialise_message

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.model.message import Message as QueueMessage


class MQReply(PutProperties):
    """Answers a request: the message type becomes reply."""

    def start(self, at: NodeContext) -> Process:
        onward, rules = at.wire(OUT), self.rules

        def process(assembly: Assembly) -> None:
            message = serialise_message(assembly.message)
            own = message.descriptor
            if not own.reply_to:
                raise error(mq.MQRC_MISSING_REPLY_TO_Q, "the message has no ReplyToQ to answer to")
            written = put_one(assembly, reply_to(message), own.reply_to, own.reply_to_qmgr, rules)
            if onward is not None:
                onward(assembly.sending(local_environment=noted(assembly, "MQ", [written])))

        return process


def reply_to(request: QueueMessage) -> QueueMessage:
    """Return a request as the reply to itself, with type, ids and report options changed."""
    made, report = request.snapshot(), request.descriptor.report
    if not report & mq.MQRO_PASS_CORREL_ID:
        made.correl_id = request.msg_id
    if not report & mq.MQRO_PASS_MSG_ID:
        made.msg_id = NO_ID
    kept = report & mq.MQRO_DISCARD_MSG if report & mq.MQRO_PASS_DISCARD_AND_EXPIRY else mq.MQRO_NONE
    made.descriptor = request.descriptor.replace(msg_type=mq.MQMT_REPLY, report=kept)
    return made
