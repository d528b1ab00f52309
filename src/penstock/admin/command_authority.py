"""The authority that a command needs: CHG, DLT, DSP, CRT, CTRL ... for an object, or for the queue manager.

`runner` asks before it runs a command, if the sending connection has permissions. A DISPLAY of many objects
is not refused: it shows those that the user may see (`Context.may_see`). Invariant: a refused command has
changed nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.authority import CLASS
from penstock.qmgr import authorization
from penstock.qmgr.attributes import QUEUE_KINDS
from penstock.qmgr.system_objects import default_object

if TYPE_CHECKING:
    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command

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
    "CLEAR": "CLR",
    "DELETE": "DLT",
    "DISPLAY": "DSP",
    "PING": "CTRL",
    "PURGE": "CTRL",
    "RESET": "CTRLX",
    "RESOLVE": "CTRLX",
    "START": "CTRL",
    "STOP": "CTRL",
}


def check(command: Command, context: Context) -> None:
    """Raise 2035 if the user who sent a command may not run it."""
    connection = context.connection
    permissions = connection.permissions if connection is not None else None
    if permissions is None or connection is None:
        return
    if command.noun == "SERVICE" and command.verb != "DISPLAY" and not permissions.administrator:
        why = "only an administrator may define and run programs"
        authorization.refuse_command(context.engine, connection, why, _name_in(command), context.now)
    for object_type, name, words in _needs(command, context):
        why = permissions.refusal(object_type, name, words)
        if why:
            authorization.refuse_command(context.engine, connection, why, name, context.now)


def _needs(command: Command, context: Context) -> list[Need]:
    verb, noun = command.verb, command.noun
    object_type = OBJECT_TYPES.get(noun, "")
    name = _name_in(command)
    if (verb, noun) == ("PING", "QMGR"):
        return []
    if not object_type or not name:
        return [(*authorization.QMGR, ("DSP" if verb == "DISPLAY" else "CHG",))]
    if object_type == "CHANNEL" and _is_client_channel(command, context, name):
        object_type = "CLNTCONN"
    if verb == "DEFINE":
        return _of_define(command, context, object_type, name) + _of_stream(command, context, name)
    if verb == "DISPLAY" and "*" in name:
        return []
    first = (object_type, name, ("CHG" if noun == "QSTATS" else WORDS[verb],))
    return [first, *(_of_stream(command, context, name) if verb == "ALTER" else ())]


def _name_in(command: Command) -> str:
    return command.name.values[0].text if command.name.values else ""


def _of_define(command: Command, context: Context, object_type: str, name: str) -> list[Need]:
    """Return what DEFINE needs: to change what it replaces, else to create; and to display what it copies."""
    given = {parameter.name: parameter for parameter in command.parameters}
    there = context.engine.objects.find(object_type, name) is not None
    first = (object_type, name, ("CHG",)) if "REPLACE" in given and there else (object_type, CLASS, ("CRT",))
    like = given.get("LIKE")
    return [first, (object_type, like.text, ("DSP",))] if like is not None else [first]


def _of_stream(command: Command, context: Context, name: str) -> list[Need]:
    """Return what a queue with a stream needs: to change the stream too, which will get messages.

    A stream may come from LIKE or the default object; an unchanged one needs nothing.
    """
    if command.noun not in ("QLOCAL", "QMODEL"):
        return []
    given = {parameter.name: parameter for parameter in command.parameters}
    objects = context.engine.objects
    before = objects.find("QUEUE", name)
    if "STREAMQ" in given:
        stream = given["STREAMQ"].text
    elif command.verb == "ALTER":
        return []
    else:
        model = given["LIKE"].text if "LIKE" in given else default_object(command.noun, "")
        found = objects.find("QUEUE", model)
        stream = str(found.attributes.get("STREAMQ", "")) if found is not None else ""
    same = before is not None and before.attributes.get("STREAMQ") == stream
    return [("QUEUE", stream, ("CHG",))] if stream and not same else []


def _is_client_channel(command: Command, context: Context, name: str) -> bool:
    for parameter in command.parameters:
        if parameter.name == "CHLTYPE" and parameter.values:
            return parameter.values[0].text.upper() == "CLNTCONN"
    objects = context.engine.objects
    return objects.find("CHANNEL", name) is None and objects.find("CLNTCONN", name) is not None
