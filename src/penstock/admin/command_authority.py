"""The authority that a command needs: CHG, DLT, DSP, CRT, CTRL ... for an object, or for the queue manager.

Every command checks authority before it does anything; only connections with permissions are refused. A
DISPLAY of many objects is not refused: it shows those that the user may see (`Context.may_see`). Invariant:
a refused command has changed nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.authority import CLASS
from penstock.qmgr import authorization
from penstock.qmgr.catalogue.attributes import QUEUE_KINDS
from penstock.qmgr.catalogue.system_objects import default_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.admin.context import Context
    from penstock.qmgr.catalogue.attributes import Value

Need = tuple[str, str, tuple[str, ...]]  # type of object, name, authorities

OBJECT_TYPES = {
    **dict.fromkeys((*QUEUE_KINDS, "QUEUE", "QSTATUS", "QSTATS"), "QUEUE"),
    **dict.fromkeys(("CHANNEL", "CHSTATUS"), "CHANNEL"),
    **dict.fromkeys(("LISTENER", "LSSTATUS"), "LISTENER"),
    **dict.fromkeys(("SERVICE", "SVSTATUS"), "SERVICE"),
    **{each: each for each in ("PROCESS", "NAMELIST", "TOPIC", "AUTHINFO", "COMMINFO")},
}
WORDS = {
    "ALTER": "CHG",
    "BACKUP": "CTRLX",
    "CLEAR": "CLR",
    "DELETE": "DLT",
    "DISPLAY": "DSP",
    "PING": "CTRL",
    "PURGE": "CTRL",
    "RECOVER": "CTRLX",
    "RESET": "CTRLX",
    "RESOLVE": "CTRLX",
    "START": "CTRL",
    "STOP": "CTRL",
}


def check(context: Context, verb: str, noun: str, name: str = "", subtype: str = "") -> None:
    """Raise 2035 if the user may not carry a command out."""
    _require(context, verb, noun, name, lambda: _needs(context, verb, noun, name, subtype))


def check_define(
    context: Context,
    kind: str,
    name: str,
    given: Mapping[str, Value],
    subtype: str,
    like: str,
    replace: bool,
) -> None:
    """Raise 2035 if the user may not define this."""

    def needs() -> list[Need]:
        found = _needs(context, "DEFINE", kind, name, subtype)
        if kind not in OBJECT_TYPES:
            return found
        object_type = _object_type(context, kind, name, subtype)
        there = context.engine.objects.find(object_type, name) is not None
        found = [(object_type, name, ("CHG",)) if replace and there else (object_type, CLASS, ("CRT",))]
        if like:
            found.append((object_type, like, ("DSP",)))
        model = context.engine.objects.find("QUEUE", like or default_object(kind, ""))
        copied = str(model.attributes.get("STREAMQ", "")) if model is not None else ""
        return found + _of_stream(context, kind, name, str(given.get("STREAMQ", copied)))

    _require(context, "DEFINE", kind, name, needs)


def check_alter(context: Context, kind: str, name: str, changes: Mapping[str, Value], subtype: str) -> None:
    """Raise 2035 if the user may not change these attributes."""

    def needs() -> list[Need]:
        stream = str(changes.get("STREAMQ", ""))
        return [*_needs(context, "ALTER", kind, name, subtype), *_of_stream(context, kind, name, stream)]

    _require(context, "ALTER", kind, name, needs)


def check_administrator(context: Context, why: str) -> None:
    """Raise 2035 for a command of somebody who is not an administrator."""
    connection = context.connection
    permissions = connection.permissions if connection is not None else None
    if permissions is not None and connection is not None and not permissions.administrator:
        authorization.refuse_command(context.engine, connection, why, context.qmgr().name, context.now)


def _require(context: Context, verb: str, noun: str, name: str, needs: Callable[[], list[Need]]) -> None:
    connection = context.connection
    permissions = connection.permissions if connection is not None else None
    if permissions is None or connection is None:
        return
    if noun == "SERVICE" and verb != "DISPLAY" and not permissions.administrator:
        why = "only an administrator may define and run programs"
        authorization.refuse_command(context.engine, connection, why, name, context.now)
    for object_type, wanted, words in needs():
        why = permissions.refusal(object_type, wanted, words)
        if why:
            authorization.refuse_command(context.engine, connection, why, wanted, context.now)


def _needs(context: Context, verb: str, noun: str, name: str, subtype: str) -> list[Need]:
    if (verb, noun) == ("PING", "QMGR"):
        return []
    if noun not in OBJECT_TYPES or not name:
        return [(*authorization.QMGR, ("DSP" if verb == "DISPLAY" else "CHG",))]
    if verb == "DEFINE" or (verb == "DISPLAY" and "*" in name):
        return []
    words = ("CHG" if noun == "QSTATS" else WORDS[verb],)
    return [(_object_type(context, noun, name, subtype), name, words)]


def _object_type(context: Context, noun: str, name: str, subtype: str) -> str:
    found = OBJECT_TYPES[noun]
    if found != "CHANNEL":
        return found
    objects = context.engine.objects
    only_client = objects.find("CHANNEL", name) is None and objects.find("CLNTCONN", name) is not None
    return "CLNTCONN" if subtype == "CLNTCONN" or (not subtype and only_client) else found


def _of_stream(context: Context, kind: str, name: str, stream: str) -> list[Need]:
    """Return the authority that a queue with a stream queue needs: to change the stream queue too.

    An unchanged one needs nothing.
    """
    if kind not in ("QLOCAL", "QMODEL") or not stream:
        return []
    before = context.engine.objects.find("QUEUE", name)
    same = before is not None and before.attributes.get("STREAMQ") == stream
    return [] if same else [("QUEUE", stream, ("CHG",))]
