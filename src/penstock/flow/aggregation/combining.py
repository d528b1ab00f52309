"""The aggregated message: Properties, MQMD, and every reply below ComIbmAggregateReplyBody.

Each reply is the whole tree of its message, in the folder that AggregateRequest named. Replies with the same
folder name are distinguished by their index, `TAXI[2]`. Replies are in the order in which the requests were
sent. A reply that cannot be parsed is included as a BLOB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.aggregation.stored_reply import reply_of
from penstock.model.errors import MQError
from penstock.model.message import Message as QueueMessage
from penstock.tree import Path, parse_message

if TYPE_CHECKING:
    from penstock.flow.aggregation.state import Ended
    from penstock.flow.project import Project
    from penstock.tree import Message

BODY = "ComIbmAggregateReplyBody"
_EMPTY = Path("BLOB")


def combined(ended: Ended, project: Project, transactional: bool) -> Message:
    """Return the aggregated message. It is persistent if the aggregation or one of its replies was."""
    source = QueueMessage(b"", persistent=ended.persistent)
    message = parse_message(source, "BLOB", transactional=transactional)
    message.delete(_EMPTY)
    body = message.reference().add_last_child(BODY)
    for record in ended.replies:
        reply = reply_of(record)
        folder = body.add_last_child(record.facts["folder"])
        try:
            folder.assign(reply.tree(project, transactional).reference())
        except MQError:  # its body does not parse: the other replies must not be lost because of it
            folder.delete_children()
            folder.assign(parse_message(reply.message, "BLOB", transactional=transactional).reference())
    return message
