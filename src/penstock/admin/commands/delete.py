"""DELETE: remove an object and the authority records that are only about it.

Called by `runner`. The engine decides whether an object is in use; here its reasons become replies. A queue's
messages are removed only with PURGE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.alter import find, name_or_number
from penstock.admin.commands.values import drop_tolerated, drop_topic_type, read_subtype
from penstock.admin.mqsc_parser import Parameters
from penstock.qmgr.objects import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.objects import Definition

YES_NO = ("NO", "YES")


def delete(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run DELETE of anything but AUTHREC."""
    kind = command.noun
    parameters = Parameters(command)
    name = name_or_number(command, parameters, context)
    subtype = read_subtype(kind, parameters)
    table = parameters.take_keyword("CHLTABLE", ("QMGRTBL", "CLNTTBL")) if kind == "CHANNEL" else ""
    purge = kind == "QLOCAL" and parameters.take_word("PURGE")
    if kind == "QLOCAL":
        parameters.take_word("NOPURGE")
    ignore = parameters.take_keyword("IGNSTATE", YES_NO) == "YES"
    records = parameters.take_keyword("AUTHREC", YES_NO, "YES") == "YES"
    drop_tolerated(parameters)
    drop_topic_type(kind, parameters)
    parameters.end(("PURGE", "NOPURGE", "IGNSTATE", "AUTHREC"))
    context.go()

    found = find(context, kind, name, "CLNTCONN" if table == "CLNTTBL" else subtype)
    if found is None or (table == "QMGRTBL" and found.subtype == "CLNTCONN"):
        yield replies.done(kind, replies.DELETED) if ignore else replies.not_found(name)
        return
    if purge and found.kind == "QLOCAL":
        for _ in context.engine.purge(found, context.now):
            yield replies.PAUSE
    context.engine.delete(found, context.now, purge=purge)
    if records:
        _delete_records(context, found)
    yield replies.done(kind, replies.DELETED)


def _delete_records(context: Context, gone: Definition) -> None:
    namespace = gone.namespace
    for record in list(context.engine.objects.starting_with("AUTHREC", gone.name + SEPARATOR)):
        if record.attributes.get("OBJTYPE") == namespace:
            context.engine.delete(record, context.now)
