"""CLEAR QLOCAL and CLEAR TOPICSTR: remove messages, retained publications.

The engine decides whether a queue can be cleared now; here its reasons become replies.
The queue itself stays: `delete` removes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.commands.alter import find
from penstock.admin.group import outside, required

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.replies import Pause, Reply


def clear_queue(context: Context, name: str) -> Iterator[Reply | Pause]:
    """Remove all messages of a queue; one that is open or has uncommitted messages is not cleared."""
    command_authority.check(context, "CLEAR", "QLOCAL", name)
    found = find(context, "QLOCAL", name)
    if found is None:
        yield replies.not_found(name)
        return
    if found.attributes.get("QSGDISP") == "SHARED":
        group = required(context, f"CLEAR QLOCAL({name})")
        yield from outside(lambda: group.clear(name))
    else:
        for _ in context.engine.clear_queue(name, context.now):
            yield replies.PAUSE
    yield replies.accepted("AMQ8022I", "Penstock queue cleared.")


def clear_topic(context: Context, topic: str) -> Iterator[Reply | Pause]:
    """Remove the retained publications of a topic string; it may be a pattern with # and +."""
    command_authority.check(context, "CLEAR", "TOPICSTR", topic)
    for _ in context.engine.pubsub.clear_retained(topic, context.now):
        yield replies.PAUSE
    yield replies.accepted("AMQ8756I", "Topic string cleared.")
