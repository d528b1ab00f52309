"""Displays and actions of a queue-sharing group: GROUP, CFSTATUS, SMDS ...; BACKUP, RECOVER, RESET.

Rows and messages come from the group (`admin.group`); here is who may ask and how an answer looks.
Invariant: without a group every one of them is refused and names the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.commands.display_status import choose, fits
from penstock.admin.group import outside, required
from penstock.model.status import values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.machinery import Request
    from penstock.admin.replies import Pause, Reply
    from penstock.admin.where import Filter

HEADS = {
    "GROUP": ("GROUP", "QMNAME", "STATUS"),
    "CFSTATUS": ("CFSTATUS", "TYPE"),
    "SMDS": ("SMDS", "CFSTRUCT"),
    "SMDSCONN": ("SMDSCONN", "CFSTRUCT"),
    "USAGE": ("CFSTRUCT", "TYPE"),
}


def display(
    context: Context,
    noun: str,
    what: str,
    name: str,
    structure: str,
    wanted: set[str] | None,
    where: Filter | None,
) -> Iterator[Reply | Pause]:
    """Show the state of the group; `what` is the kind of row, as SMDS of CFSTATUS TYPE(SMDS)."""
    command_authority.check(context, "DISPLAY", noun, name)
    group = required(context, f"DISPLAY {noun}")
    rows = yield from outside(lambda: group.rows(what, name, structure))
    key = next(iter(HEADS[noun]))
    shown = False
    for row in rows:
        found = values(row)
        if not fits(str(found[key]), name) or not fits(str(found.get("CFSTRUCT", structure)), structure):
            continue
        if where is None or where.matches(found):
            shown = True
            yield replies.status(noun, choose(found, wanted, HEADS[noun]))
    if not shown and noun == "USAGE":  # a member without open data sets is nothing unusual
        yield replies.accepted("CSQ9022I", "No such data set is open here.\nDISPLAY USAGE normal completion.")
    elif not shown:
        yield replies.not_found(name)


def act(context: Context, request: Request) -> Iterator[Reply | Pause]:
    """Carry out a command about a structure or data set, and answer with its messages."""
    command_authority.check(context, request.verb, request.kind, request.name)
    group = required(context, f"{request.verb} {request.kind}")
    texts = yield from outside(lambda: group.act(request))
    done = f"{request.verb} {request.kind}({request.name}) normal completion."
    yield replies.accepted("CSQ9022I", "\n".join([*texts, done]))


def send(context: Context, text: str, member: str) -> Iterator[Reply | Pause]:
    """Have a command carried out elsewhere (CMDSCOPE), and answer with the answers."""
    command_authority.check_administrator(context, "only an administrator may send commands to members")
    group = required(context, f"CMDSCOPE({member})")
    answers = yield from outside(lambda: group.send(text, member))
    for each in answers:
        made = replies.failed if each.failed else replies.accepted
        yield made("CSQN205I", f"{each.member}:\n{each.text}")
