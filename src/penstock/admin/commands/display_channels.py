"""DISPLAY CHSTATUS: running channels, or with SAVED their synch records.

XMITQ(q) and CONNAME(c) select rows; MONITOR shows the monitoring fields alone, SHORT the head of each row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.commands.display import LOOKED_AT_MAX
from penstock.admin.commands.display_status import ASKED, choose, fits, read_status_wish
from penstock.admin.mqsc_parser import Parameters
from penstock.model import constants as mq
from penstock.model.status import values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply
    from penstock.model.status import Row

HEAD = ("CHANNEL", "CHLTYPE", "CONNAME", "STATUS", "SUBSTATE")
OF_PARTNERS = ("CURRENT", "RQMNAME", "XMITQ")  # further fields of channels between queue managers
MONITORING = {"COMPRATE", "COMPTIME", "EXITTIME", "MONCHL", "NETTIME", "XBATCHSZ", "XQMSGSA", "XQTIME"}
SELECTING = ("XMITQ", "CONNAME")
IGNORED_CHOICES = ("TYPE",)
DISPOSITIONS = ("ALL", "SHARED", "PRIVATE")


def display_channel_status(command: Command, context: Context) -> Action:
    """Run DISPLAY CHSTATUS."""
    name = command.name.text if command.name.values else command.object_name
    parameters = Parameters(command)
    given = {each.name: each for each in command.parameters if each.values}
    wants_saved, short = parameters.take_word("SAVED"), parameters.take_word("SHORT")
    parameters.take_word("CURRENT")
    monitor = any(each.name == "MONITOR" for each in command.parameters)
    for choice in IGNORED_CHOICES:
        if choice in given:
            parameters.take(choice)
    selected = {key: given[key].text for key in SELECTING if key in given}
    for key in selected:
        parameters.take(key)
    disposition = "ALL"
    if "CHLDISP" in given:
        disposition = parameters.take_keyword("CHLDISP", DISPOSITIONS, "ALL")
    wanted, where = read_status_wish(parameters, ASKED["CHANNEL"], name.endswith("*"))
    if short:
        wanted = set()
    elif monitor:
        wanted = set(MONITORING)

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        rows: Iterable[Row] = (
            context.engine.saved_channels() if wants_saved else context.runtime.status("CHANNEL")
        )
        shown = False
        for place, row in enumerate(rows, 1):
            if place % LOOKED_AT_MAX == 0:
                yield replies.PAUSE
            found = values(row)
            own = str(found["CHANNEL"])
            if not fits(own, name) or not context.may_see("CHANNEL", own):
                continue
            if any(not _is(str(found.get(key, "")), value) for key, value in selected.items()):
                continue
            if disposition not in ("ALL", str(found.get("CHLDISP", "PRIVATE"))):
                continue
            if where is None or where.matches(found):
                shown = True
                head = (*HEAD, *OF_PARTNERS) if "RQMNAME" in found else HEAD
                yield replies.status("CHANNEL", choose(found, wanted, head))
        if not shown:
            yield replies.failed("AMQ8420I", "Channel Status not found.", mq.MQRCCF_CHL_STATUS_NOT_FOUND)

    return carry_out


def _is(found: str, wanted: str) -> bool:
    """Return whether a value is the requested one; an address also without its port."""
    return found == wanted or found.partition("(")[0] == wanted
