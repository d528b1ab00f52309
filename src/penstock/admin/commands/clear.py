"""CLEAR QLOCAL and CLEAR TOPICSTR: remove messages, retained publications.

Called by `runner`. The engine decides whether a queue can be cleared now; here its reasons become replies.
The queue itself stays: `delete` removes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.alter import find
from penstock.admin.commands.values import drop_tolerated
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply


def clear_queue(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run CLEAR QLOCAL; a queue that is open or has uncommitted messages is not cleared."""
    name = command.object_name
    parameters = Parameters(command)
    drop_tolerated(parameters)
    parameters.end()
    context.go()
    if find(context, "QLOCAL", name) is None:
        yield replies.not_found(name)
        return
    for _ in context.engine.clear_queue(name, context.now):
        yield replies.PAUSE
    yield replies.accepted("AMQ8022I", "Penstock queue cleared.")


def clear_topic(command: Command, context: Context) -> Iterator[Reply]:
    """Run CLEAR TOPICSTR; the string may be a pattern with # and +."""
    name = command.name.text if command.name.values else command.object_name
    parameters = Parameters(command)
    drop_tolerated(parameters)
    kind = parameters.take_keyword("CLRTYPE", ("RETAINED",))
    parameters.take_keyword("SCOPE", ("LOCAL", "GLOBAL"))
    parameters.end(("CLRTYPE",))
    if not kind:
        raise command.name.fault("CLEAR TOPICSTR needs CLRTYPE( RETAINED )")
    context.go()
    context.engine.pubsub.clear_retained(name, context.now)
    yield replies.accepted("AMQ8756I", "Topic string cleared.")
