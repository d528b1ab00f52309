"""DISPLAY of status rather than definitions: QSTATUS, CHSTATUS, LSSTATUS, CONN, QMSTATUS ...

The status of queues, connections and the queue manager comes from the engine; that of channels, listeners
and services from the runtime. For kinds that this queue manager does not run nothing is found. Topics are
in `display_topics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.admin import command_authority, replies
from penstock.admin.commands.alter import find
from penstock.admin.commands.display import LOOKED_AT_MAX, find_all
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.syntax import near
from penstock.admin.where import Filter, parse_where, status_attribute
from penstock.admin.words.values import drop_tolerated
from penstock.model import constants as mq
from penstock.model import status
from penstock.model.status import HandleStatus, OpenObjectStatus, QueueStatus, blank, values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from penstock.admin.context import Action, Context, Engine
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply
    from penstock.model.status import Row
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.objects import Definition

    Fields = Mapping[str, Any]

RUNTIME_KINDS = {
    "LSSTATUS": ("LISTENER", "", "", 0),
    "SVSTATUS": ("SERVICE", "", "", 0),
    "APSTATUS": ("APPLICATION", "", "", 0),
}
RUNTIME_HEADS = {
    "LISTENER": ("LISTENER", "STATUS", "PID"),
    "SERVICE": ("SERVICE", "STATUS", "PID"),
}
# Fields that may be requested, even if there is no row; of listeners also MQ fields that no row has here.
ASKED: dict[str, Fields] = {
    "CHANNEL": {**blank(status.MessageChannelStatus), **blank(status.ServerConnectionStatus)},
    "LISTENER": {
        **blank(status.ListenerStatus),
        **dict.fromkeys(("ADAPTER", "CONTROL", "DESCR", "LOCLNAME", "NTBNAMES", "TPNAME"), ""),
        **dict.fromkeys(("STARTDA", "STARTTI"), ""),
        **dict.fromkeys(("BACKLOG", "COMMANDS", "SESSIONS", "SOCKET"), 0),
    },
    "SERVICE": blank(status.ServiceStatus),
    "APPLICATION": blank(status.ApplicationStatus),
}
APPLICATION_FIELDS = {
    "APPL": ("APPLNAME", "TYPE", "CLUSTER", "COUNT", "MOVCOUNT", "BALANCED"),
    "QMGR": (
        *("APPLNAME", "TYPE", "CLUSTER", "COUNT", "MOVCOUNT", "QMNAME", "QMID", "ACTIVE", "BALSTATE"),
        *("LMGSDATE", "LMGSTIME"),
    ),
    "LOCAL": (
        *("APPLNAME", "TYPE", "CLUSTER", "CHANNEL", "CONNS", "CONNTAG", "BALTYPE", "BALTMOUT", "BALOPTS"),
        *("MOVABLE", "IMMREASN", "IMMCOUNT", "IMMDATE", "IMMTIME"),
    ),
}
APPLICATION_TYPES = tuple(APPLICATION_FIELDS)
MONITORED = ("lgetdate", "lgettime", "lputdate", "lputtime", "msgage")  # blank unless MONQ is on
OWN_COUNTS = {  # of queues, since the start: shown with ALL or by name
    *("BROWSES", "EXPIRED", "GETBACK", "GETBYTES", "GETEMPTY", "GETFAIL", "GETS", "HIQDEPTH"),
    *("PURGED", "PUTBACK", "PUTBYTES", "PUTFAIL", "PUTS"),
}
QMGR_HEAD = ("QMNAME", "TYPE", "STATUS")
AUTHORISED = ("LISTENER", "SERVICE")  # kinds that have authority records of their own
IGNORED_WORDS = ("MONITOR",)
IGNORED_CHOICES = ("TYPE", "CHLDISP")


def display_queue_status(command: Command, context: Context) -> Action:
    """Run DISPLAY QSTATUS, of queues or of the handles that have them open."""
    name = command.object_name
    parameters = Parameters(command)
    handles = parameters.take_keyword("TYPE", ("QUEUE", "HANDLE"), "QUEUE") == "HANDLE"
    open_for = parameters.take_keyword("OPENTYPE", ("ALL", "INPUT", "OUTPUT"), "ALL")
    fields = blank(HandleStatus if handles else QueueStatus)
    wanted, where = read_status_wish(parameters, fields, name.endswith("*"))
    if wanted is None and not any(each.name == "ALL" for each in command.parameters):
        wanted = fields.keys() - OWN_COUNTS

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        shown = False
        needs_log = not handles and (wanted is None or "MEDIALOG" in wanted)
        logs = context.engine.media_logs() if needs_log and context.engine.media_logs is not None else None
        for definition in find_all(context, ("QLOCAL",), name):
            if definition is None:
                yield replies.PAUSE
                continue
            for each in _handles(context, definition) if handles else (_queue(context, definition, logs),):
                if each is None:
                    yield replies.PAUSE
                    continue
                found = values(each)
                if _is_open(found, open_for) and (where is None or where.matches(found)):
                    shown = True
                    yield replies.status("QUEUE", choose(found, wanted, ("QUEUE", "TYPE")))
        if not shown:
            yield _nothing(context, name, handles)

    return carry_out


def display_connections(command: Command, context: Context) -> Action:
    """Run DISPLAY CONN for connections, their open objects, or both."""
    name = command.object_name
    parameters = Parameters(command)
    kind = parameters.take_keyword("TYPE", ("CONN", "HANDLE", "ALL"), "CONN")
    parameters.take("EXTCONN")
    extended = f"AMQC{context.qmgr().name[:12]:12}".encode().hex().upper()
    sources = [each for each in CONNECTION_SOURCES if kind in (each[0], "ALL")]
    known = {name: value for _, row, _ in sources for name, value in blank(row).items()}
    wanted, where = read_status_wish(parameters, known, name.endswith("*"))

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        shown = False
        for kind, _, ask in sources:
            for each in ask(context.engine):
                if each is None:
                    yield replies.PAUSE
                    continue
                found = {**values(each), "EXTCONN": extended}
                if fits(each.conn, name) and (where is None or where.matches(found)):
                    shown = True
                    yield replies.status("CONN", choose(found, wanted, CONNECTION_HEADS[kind]))
        if not shown:
            yield replies.failed("AMQ8461I", "Connection identifier not found.", 3173)

    return carry_out


CONNECTION_SOURCES: tuple[tuple[str, type[Row], Callable[[Engine], Iterable[Any]]], ...] = (
    ("CONN", status.ConnectionStatus, lambda engine: engine.connections()),
    ("HANDLE", OpenObjectStatus, lambda engine: engine.open_objects()),
)
CONNECTION_HEADS = {
    "CONN": ("CONN", "EXTCONN", "TYPE"),
    "HANDLE": ("CONN", "EXTCONN", "TYPE", "OBJNAME", "OBJTYPE"),
}


def display_qmgr_status(command: Command, context: Context) -> Action:
    """Run DISPLAY QMSTATUS."""
    fields = values(_qmgr_status(context))
    wanted, _ = read_status_wish(Parameters(command), fields, False)
    if wanted is None and not command.parameters:
        wanted = {"CHINIT", "CMDSERV", "CONNS", "STANDBY", "STARTDA", "STARTTI"}

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        yield replies.status("QMGR", choose(fields, wanted, QMGR_HEAD))

    return carry_out


def _qmgr_status(context: Context) -> status.QmgrStatus:
    found = context.engine.qmgr_status()
    if context.engine.host_facts is not None:
        context.engine.host_facts(found)
    return found


def display_runtime_status(command: Command, context: Context) -> Action:
    """Run DISPLAY LSSTATUS, SVSTATUS and APSTATUS."""
    name = command.name.text if command.name.values else command.object_name
    kind, number, text, reason = RUNTIME_KINDS[command.noun]
    parameters = Parameters(command)
    for word in IGNORED_WORDS:
        parameters.take_word(word)
    shown_type = parameters.take_keyword("TYPE", APPLICATION_TYPES, "APPL") if kind == "APPLICATION" else ""
    for choice in IGNORED_CHOICES:
        if any(each.name == choice and each.values for each in command.parameters):
            parameters.take(choice)
    wanted, where = read_status_wish(parameters, ASKED[kind], name.endswith("*"))

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        running = context.runtime.status(kind)
        shown = False
        for place, row in enumerate(running, 1):
            if place % LOOKED_AT_MAX == 0:
                yield replies.PAUSE
            found = values(row)
            own = str(next(iter(found.values())))
            if not fits(own, name) or (kind in AUTHORISED and not context.may_see(kind, own)):
                continue
            if shown_type:
                if found["TYPE"] != shown_type:
                    continue
                found = {
                    name: value for name, value in found.items() if name in APPLICATION_FIELDS[shown_type]
                }
            if where is None or where.matches(found):
                shown = True
                yield replies.status(kind, choose(found, wanted, RUNTIME_HEADS.get(kind) or tuple(found)[:2]))
        if shown:
            return
        if number:
            yield replies.failed(number, text, reason)
        elif kind in ("LISTENER", "SERVICE") and find(context, kind, name) is not None:
            yield replies.failed(
                "AMQ8147E",
                f"Penstock object {name} not found: it is defined but not running.",
                mq.MQRC_UNKNOWN_OBJECT_NAME,
            )
        else:
            yield replies.not_found(name)

    return carry_out


def read_status_wish(
    parameters: Parameters, fields: Fields, generic: bool
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


def _handles(context: Context, definition: Definition) -> Iterator[HandleStatus | None]:
    for each in context.engine.handles(definition.name):
        if each is not None:
            each.queue = definition.name
        yield each


def _is_open(found: Fields, way: str) -> bool:
    """Say whether a queue, or one handle of it, is open for INPUT or OUTPUT; ALL is true for every row."""
    count, opened = {"INPUT": ("IPPROCS", "INPUT"), "OUTPUT": ("OPPROCS", "OUTPUT")}.get(way, ("", ""))
    return way == "ALL" or found.get(count, 0) > 0 or found.get(opened, "NO") != "NO"


def _queue(context: Context, definition: Definition, logs: Callable[[Definition], str] | None) -> QueueStatus:
    """Return queue status with the effective monitoring level; without monitoring its fields are blank."""
    found = context.engine.queue_status(definition.name, context.now)
    found.medialog = logs(definition) if logs is not None else ""
    level = definition.attributes.get("MONQ", "QMGR")
    if level == "QMGR":
        level = context.qmgr().attributes.get("MONQ", "OFF")
    if level in ("OFF", "NONE"):
        for field in MONITORED:
            setattr(found, field, "")
        found.qtime = " , "
    else:
        found.monq = str(level)
    return found


def choose(found: Fields, wanted: set[str] | None, head: tuple[str, ...]) -> Mapping[str, Value]:
    """Return the head of a row and the requested fields; all of it for None."""
    if wanted is None:
        return found
    return {name: value for name, value in found.items() if name in head or name in wanted}


def _nothing(context: Context, name: str, handles: bool) -> Reply:
    if handles and find(context, "QLOCAL", name) is not None:
        return replies.failed(
            "AMQ8565I",
            f"Queue Status for {name} not found: nobody has it open.",
            mq.MQRCCF_CHL_STATUS_NOT_FOUND,
        )
    return replies.not_found(name)


def fits(text: str, name: str) -> bool:
    """Return whether a name is the requested one, or has the same prefix before an asterisk."""
    return text.startswith(name[:-1]) if name.endswith("*") else text == name
