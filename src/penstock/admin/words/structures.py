"""The words of displays and actions of a queue-sharing group, and of CMDSCOPE."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin.commands import structures
from penstock.admin.commands.display_status import read_status_wish
from penstock.admin.machinery import Request
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.runtime_options import read_options
from penstock.model import status
from penstock.model.status import blank

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command
    from penstock.model.status import Row

STATUS_TYPES: dict[str, type[Row]] = {
    "SUMMARY": status.StructureStatus,
    "CONNECT": status.StructureConnectionStatus,
    "BACKUP": status.StructureBackupStatus,
    "SMDS": status.StructureDataSetStatus,
}
ROWS: dict[str, type[Row]] = {
    "GROUP": status.GroupMemberStatus,
    "SMDS": status.DataSetSettings,
    "SMDSCONN": status.DataSetConnectionStatus,
    "USAGE": status.DataSetUsage,
}
YES_NO = ("YES", "NO")
OPTIONS: dict[tuple[str, str], dict[str, Iterable[str]]] = {
    ("BACKUP", "CFSTRUCT"): {"EXCLINT": ()},
    ("RECOVER", "CFSTRUCT"): {"TYPE": ("NORMAL", "PURGE")},
    ("RESET", "CFSTRUCT"): {"ACTION": ("FAIL",)},
    ("RESET", "SMDS"): {
        "CFSTRUCT": (),
        "ACCESS": ("ENABLED", "DISABLED"),
        "STATUS": ("FAILED", "RECOVERED"),
    },
    ("ALTER", "SMDS"): {"CFSTRUCT": (), "DSBUFS": (), "DSEXPAND": ("DEFAULT", *YES_NO)},
    ("START", "SMDSCONN"): {"CFSTRUCT": ()},
    ("STOP", "SMDSCONN"): {"CFSTRUCT": ()},
}
NEEDED = {
    ("RESET", "CFSTRUCT"): ("ACTION",),
    ("RESET", "SMDS"): ("CFSTRUCT",),
    ("ALTER", "SMDS"): ("CFSTRUCT",),
    ("START", "SMDSCONN"): ("CFSTRUCT",),
    ("STOP", "SMDSCONN"): ("CFSTRUCT",),
}


def read_display(command: Command, context: Context) -> Action:
    """Read DISPLAY GROUP, CFSTATUS, SMDS, SMDSCONN or USAGE."""
    noun = command.noun
    parameters = Parameters(command)
    what = noun
    row = ROWS.get(noun)
    if noun == "CFSTATUS":
        kind = parameters.take_keyword("TYPE", STATUS_TYPES, "SUMMARY")
        what, row = f"CFSTATUS {kind}", STATUS_TYPES[kind]
    elif noun == "USAGE":
        parameters.take_keyword("TYPE", ("SMDS",), "SMDS")
    structure = parameters.take("CFSTRUCT") if noun in ("SMDS", "SMDSCONN") else None
    assert row is not None
    wanted, where = read_status_wish(parameters, blank(row), False)
    return partial(
        structures.display,
        noun=noun,
        what=what,
        name=command.given_name or "*",
        structure=structure.text if structure is not None else "*",
        wanted=wanted,
        where=where,
    )


def read_action(command: Command, context: Context) -> Action:
    """Read BACKUP, RECOVER or RESET CFSTRUCT, RESET or ALTER SMDS, START or STOP SMDSCONN."""
    key = command.verb, command.noun
    options = read_options(Parameters(command), OPTIONS[key])
    for needed in NEEDED.get(key, ()):
        if needed not in options:
            raise command.name.fault(f"{command.verb} {command.noun} needs {needed}( ... )")
    request = Request(command.verb, command.noun, command.object_name, options)
    return partial(structures.act, request=request)


def scope_of(command: Command, own_name: str) -> str:
    """Return the member that CMDSCOPE sends a command to; empty if it runs here only."""
    given = next((each for each in command.parameters if each.name == "CMDSCOPE"), None)
    member = given.text.strip() if given is not None and given.values is not None else ""
    return "" if member == own_name else member


def read_scoped(command: Command, member: str) -> Action:
    """Read a command for another member: its text without CMDSCOPE."""
    given = next(each for each in command.parameters if each.name == "CMDSCOPE")
    kept = next((each for each in command.parameters if each.name == "QSGDISP"), None)
    if kept is not None and kept.text.strip().upper() in ("GROUP", "SHARED"):
        raise given.value_fault("what the group keeps is defined once, without CMDSCOPE")
    source = command.source.text
    return partial(structures.send, text=f"{source[: given.start]}{source[given.close :]}", member=member)
