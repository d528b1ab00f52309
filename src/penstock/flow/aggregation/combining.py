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
    from collections.abc import Iterable

    from penstock.flow.aggregation.state import Ended
    from penstock.flow.aggregation.stored_reply import StoredReply
    from penstock.flow.project import Project
    from penstock.tree import Message, Reference

BODY = "ComIbmAggregateReplyBody"
_EMPTY = Path("BLOB")
_MADE_LATER = ("Properties", "MQMD")


def combined(ended: Ended, project: Project, transactional: bool) -> Message:
    """Return the aggregated message. It is persistent if the aggregation or one of its replies was."""
    parts = [(record.facts["folder"], reply_of(record)) for record in ended.replies]
    return joined(BODY, parts, ended.persistent, project, transactional)


def joined(
    root: str,
    parts: Iterable[tuple[str, StoredReply]],
    persistent: bool,
    project: Project,
    transactional: bool,
) -> Message:
    """Return a message whose folder `root` has the trees of others, each in a folder with its name."""
    message = empty_message(persistent, transactional)
    body = message.reference().add_last_child(root)
    for name, reply in parts:
        add_tree(body.add_last_child(name), reply, project, transactional)
    return message


def empty_message(persistent: bool, transactional: bool) -> Message:
    """Return a message of Properties and MQMD."""
    message = parse_message(QueueMessage(b"", persistent=persistent), "BLOB", transactional=transactional)
    message.delete(_EMPTY)
    return message


def add_tree(folder: Reference, reply: StoredReply, project: Project, transactional: bool) -> None:
    """Add the tree of a reply to a folder; one that does not parse is a BLOB, so that no other is lost."""
    try:
        _copy(reply.tree(project, transactional), folder)
    except MQError:
        folder.delete_children()
        _copy(parse_message(reply.message, "BLOB", transactional=transactional), folder)


def _copy(tree: Message, folder: Reference) -> None:
    """Copy the folders of a message; Properties and MQMD are created on first access."""
    for each in tree:
        form, payload = each.form, each.payload
        if payload is not None and form is not None and form.name in _MADE_LATER:
            folder.add_unread_child(each.name, payload).domain = form
        else:
            folder.add_last_child(each.name, namespace=each.namespace, type=each.type).assign(each)
