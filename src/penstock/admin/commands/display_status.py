"""DISPLAY of status rather than definitions: QSTATUS, CHSTATUS, LSSTATUS, CONN, QMSTATUS ...

Queues, connections and the queue manager are asked of the engine; channels, listeners and services of the
runtime. For kinds that this queue manager does not run nothing is found. Topics are in `display_topics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.admin import replies
from penstock.admin.commands.alter import find
from penstock.admin.commands.display import LOOKED_AT_MAX, find_all
from penstock.admin.commands.values import drop_tolerated
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.status_fields import (
    CONNECTION_FIELDS,
    HANDLE_FIELDS,
    MONITORED,
    OPEN_FIELDS,
    QMGR_FIELDS,
    QMGR_HEAD,
    QUEUE_FIELDS,
    RUNTIME_FIELDS,
    Row,
)
from penstock.admin.syntax import near
from penstock.admin.where import Filter, parse_where, status_attribute
from penstock.model.options import Open

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.attributes import Value
    from penstock.qmgr.objects import Definition

RUNTIME_KINDS = {
    "CHSTATUS": ("CHANNEL", "AMQ8420I", "Channel Status not found.", 3065),
    "LSSTATUS": ("LISTENER", "", "", 0),
    "SVSTATUS": ("SERVICE", "", "", 0),
    "CLUSQMGR": ("CLUSQMGR", "", "", 0),
    "APSTATUS": ("APPLICATION", "", "", 0),
}
RUNTIME_HEADS = {
    "CHANNEL": ("CHANNEL", "CHLTYPE", "CONNAME", "STATUS", "SUBSTATE"),
    "LISTENER": ("LISTENER", "STATUS", "PID"),
    "SERVICE": ("SERVICE", "STATUS", "PID"),
}
AUTHORISED = ("CHANNEL", "LISTENER", "SERVICE")  # kinds that have authority records of their own
IGNORED_WORDS = ("MONITOR", "CURRENT", "SHORT")
IGNORED_CHOICES = ("TYPE", "CHLDISP")


def display_queue_status(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run DISPLAY QSTATUS, of queues or of the handles that have them open."""
    name = command.object_name
    parameters = Parameters(command)
    handles = parameters.take_keyword("TYPE", ("QUEUE", "HANDLE"), "QUEUE") == "HANDLE"
    parameters.take_keyword("OPENTYPE", ("ALL", "INPUT", "OUTPUT"))
    fields = {
        "QUEUE": "",
        "TYPE": "HANDLE" if handles else "QUEUE",
        **(HANDLE_FIELDS if handles else QUEUE_FIELDS),
    }
    wanted, where = read_status_wish(parameters, fields, name.endswith("*"))
    context.go()
    shown = False
    for definition in find_all(context, ("QLOCAL",), name):
        if definition is None:
            yield replies.PAUSE
            continue
        found: Iterable[Row | None] = (
            context.engine.handles(definition.name)
            if handles
            else [_monitored(context, definition, context.engine.queue_status(definition.name, context.now))]
        )
        for each in found:
            if each is None:
                yield replies.PAUSE
                continue
            made = _complete(fields, {**each, "QUEUE": definition.name, "TYPE": fields["TYPE"]})
            if where is None or where.matches(made):
                shown = True
                yield replies.status("QUEUE", choose(made, wanted, ("QUEUE", "TYPE")))
    if not shown:
        yield _nothing(context, name, handles)


def display_connections(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run DISPLAY CONN, of connections, of what they have open, or of both."""
    name = command.object_name
    parameters = Parameters(command)
    kind = parameters.take_keyword("TYPE", ("CONN", "HANDLE", "ALL"), "CONN")
    parameters.take("EXTCONN")
    extended = f"AMQC{context.qmgr().name[:12]:12}".encode().hex().upper()
    sources = [each for each in CONNECTION_SOURCES if kind in (each[0], "ALL")]
    known = {"CONN": "", **{name: value for _, fields, _ in sources for name, value in fields.items()}}
    wanted, where = read_status_wish(parameters, known, name.endswith("*"))
    context.go()
    shown = False
    for kind, fields, ask in sources:
        blank = {"CONN": "", **fields, "EXTCONN": extended, "TYPE": kind}
        for each in ask(context.engine):
            if each is None:
                yield replies.PAUSE
                continue
            made = _complete(blank, each)
            if _fits(str(made["CONN"]), name) and (where is None or where.matches(made)):
                shown = True
                yield replies.status("CONN", choose(made, wanted, CONNECTION_HEADS[kind]))
    if not shown:
        yield replies.failed("AMQ8461I", "Connection identifier not found.", 3173)


def _open_objects(engine: Any) -> Iterator[Row | None]:
    """Yield what connections have open, as DISPLAY CONN TYPE(HANDLE) shows it."""
    for each in engine.handles():
        if each is None:
            yield None
            continue
        options = "|".join(flag.name or "" for flag in Open(each["OPTIONS"]))
        yield {**each, "OBJNAME": each["QUEUE"], "OPENOPTS": options}


CONNECTION_SOURCES: tuple[tuple[str, Row, Any], ...] = (
    ("CONN", CONNECTION_FIELDS, lambda engine: engine.connections()),
    ("HANDLE", OPEN_FIELDS, _open_objects),
)
CONNECTION_HEADS = {
    "CONN": ("CONN", "EXTCONN", "TYPE"),
    "HANDLE": ("CONN", "EXTCONN", "TYPE", "OBJNAME", "OBJTYPE"),
}


def display_qmgr_status(command: Command, context: Context) -> Iterator[Reply]:
    """Run DISPLAY QMSTATUS."""
    name = context.qmgr().name
    host_facts = context.engine.host_facts
    told = {**(host_facts() if host_facts is not None else {}), **context.engine.qmgr_status(context.now)}
    found = {"QMNAME": name, **{key: told.get(key, value) for key, value in QMGR_FIELDS.items()}}
    fields = {key: found[key] for key in (*QMGR_HEAD, *sorted(found.keys() - set(QMGR_HEAD)))}
    wanted, _ = read_status_wish(Parameters(command), fields, False)
    context.go()
    if wanted is None and not command.parameters:
        wanted = {"CHINIT", "CMDSERV", "CONNS", "STANDBY", "STARTDA", "STARTTI"}
    yield replies.status("QMGR", choose(fields, wanted, QMGR_HEAD))


def display_runtime_status(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run DISPLAY CHSTATUS, LSSTATUS, SVSTATUS, CLUSQMGR and APSTATUS."""
    name = command.name.text if command.name.values else command.object_name
    kind, number, text, reason = RUNTIME_KINDS[command.noun]
    parameters = Parameters(command)
    for word in IGNORED_WORDS:
        parameters.take_word(word)
    for choice in IGNORED_CHOICES:
        if any(each.name == choice and each.values for each in command.parameters):
            parameters.take(choice)
    saved = parameters.take_word("SAVED")  # of message channels, which do not run: there are none
    wanted, where = read_status_wish(parameters, RUNTIME_FIELDS[kind], name.endswith("*"))
    context.go()
    running = () if saved else context.runtime.status(kind)
    shown = False
    for place, each in enumerate(running, 1):
        if place % LOOKED_AT_MAX == 0:
            yield replies.PAUSE
        own = str(next(iter(each.values())))
        if not _fits(own, name) or (kind in AUTHORISED and not context.may_see(kind, own)):
            continue
        if where is None or where.matches(each):
            shown = True
            yield replies.status(kind, choose(dict(each), wanted, RUNTIME_HEADS.get(kind) or tuple(each)[:2]))
    if shown:
        return
    if number:
        yield replies.failed(number, text, reason)
    elif kind in ("LISTENER", "SERVICE") and find(context, kind, name) is not None:
        yield replies.failed(
            "AMQ8147E", f"Penstock object {name} not found: it is defined but not running.", 2085
        )
    else:
        yield replies.not_found(name)


def read_status_wish(
    parameters: Parameters, fields: Row, generic: bool
) -> tuple[set[str] | None, Filter | None]:
    """Read ALL, MONITOR, WHERE and field names; None for all fields."""
    drop_tolerated(parameters)
    everything = parameters.take_word("ALL")
    monitor = parameters.take_word("MONITOR")
    where = parameters.take("WHERE")
    chosen = None
    if where is not None:
        chosen = parse_where(where, lambda name: status_attribute(name, fields), fields)
    wanted: set[str] = set()
    for parameter in parameters.rest():
        if parameter.name not in fields:
            raise parameter.fault(f"{parameter.name} cannot be displayed here", near(parameter.name, fields))
        wanted.add(parameter.name)
    if chosen is not None:
        wanted.add(chosen.attribute)
    if everything or monitor or not (wanted or generic):
        return None, chosen
    return wanted, chosen


def _complete(fields: Row, given: Mapping[str, Any]) -> Row:
    """Return a row with every field of MQ's, in order; other fields of the engine are not shown."""
    return {name: given.get(name, value) for name, value in fields.items()}


def _monitored(context: Context, definition: Definition, found: Row) -> Row:
    """Return queue status with the effective monitoring level; without monitoring its fields are blank."""
    level = definition.attributes.get("MONQ", "QMGR")
    if level == "QMGR":
        level = context.qmgr().attributes.get("MONQ", "OFF")
    if level in ("OFF", "NONE"):
        return {**found, **dict.fromkeys(MONITORED, ""), "QTIME": " , ", "MONQ": "OFF"}
    return {**found, "MONQ": level}


def choose(found: Row, wanted: set[str] | None, head: tuple[str, ...]) -> Mapping[str, Value]:
    """Return the head of a row and the requested fields; all of it for None."""
    if wanted is None:
        return found
    return {name: value for name, value in found.items() if name in head or name in wanted}


def _nothing(context: Context, name: str, handles: bool) -> Reply:
    if handles and find(context, "QLOCAL", name) is not None:
        return replies.failed("AMQ8565I", f"Queue Status for {name} not found: nobody has it open.", 3065)
    return replies.not_found(name)


def _fits(text: str, name: str) -> bool:
    return text.startswith(name[:-1]) if name.endswith("*") else text == name
