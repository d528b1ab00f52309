"""DELETE: remove an object and the authority records that are only about it.

The engine decides whether an object is in use, and whoever runs it whether it may go; here their reasons
become replies. A queue's messages are removed only with PURGE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.commands import group_objects
from penstock.admin.commands.alter import find
from penstock.admin.machinery import Request
from penstock.qmgr.objects import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.objects import Definition


def delete(
    context: Context,
    kind: str,
    name: str,
    *,
    subtype: str = "",
    client_table: bool | None = None,
    purge: bool = False,
    ignore_missing: bool = False,
    records: bool = True,
    disposition: str = "",
) -> Iterator[Reply | Pause]:
    """Remove an object of any kind but AUTHREC, with `records` also the authority records about it.

    `client_table` selects where a channel is searched: among client connections, elsewhere, or (None) in
    both.
    """
    command_authority.check(context, "DELETE", kind, name, subtype)
    found = find(context, kind, name, "CLNTCONN" if client_table else subtype)
    if found is None and disposition == "GROUP":
        yield from group_objects.remove(context, None, kind, name, disposition, purge)
        yield replies.done(kind, replies.DELETED)
        return
    if found is None or (client_table is False and found.subtype == "CLNTCONN"):
        yield replies.done(kind, replies.DELETED) if ignore_missing else replies.not_found(name)
        return
    if purge and found.kind == "QLOCAL":
        for _ in context.engine.purge(found, context.now):
            yield replies.PAUSE
    machinery = context.runtime.find(found.kind, found.subtype)
    if machinery is not None and "DELETE" in machinery.verbs:
        yield from machinery.command(Request("DELETE", found.kind, found.name))
    if not (yield from group_objects.remove(context, found, kind, name, disposition, purge)):
        context.engine.delete(found, context.now, purge=purge)
    if records:
        _delete_records(context, found)
    yield replies.done(kind, replies.DELETED)


def _delete_records(context: Context, gone: Definition) -> None:
    namespace = gone.namespace
    for record in list(context.engine.objects.starting_with("AUTHREC", gone.name + SEPARATOR)):
        if record.attributes.get("OBJTYPE") == namespace:
            context.engine.delete(record, context.now)
