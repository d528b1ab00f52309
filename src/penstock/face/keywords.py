"""Keyword arguments that a call takes by a table: their defaults, and what `help` and `inspect` show of them.

A verb of the clients has `**parameters`, typed by a dictionary of `face/declared.py`. Its signature names
every argument, as that of the embedded queue manager does.
"""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.face.arguments import DYNAMIC_NAME, check_names
from penstock.model import constants as mq
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Method = TypeVar("Method", bound="Callable[..., Any]")

_MESSAGE: dict[str, Any] = {
    "persistent": None,
    "correl_id": None,
    "msg_id": None,
    "priority": None,
    "expiry": None,
    "properties": None,
}
PUT = {**_MESSAGE, "options": 0}
HANDLE_PUT = {"options": 0, **_MESSAGE, "put_time": None}
PUBLISH = {"retain": False, **_MESSAGE, "topic_object": "", "level": LEVEL_MAX, "options": 0}
PUBLICATION_GET: dict[str, Any] = {
    "options": 0,
    "wait": 0.0,
    "max_length": None,
    "msg_id": None,
    "correl_id": None,
    "group_id": None,
    "seq_number": -1,
    "offset": -1,
    "token": None,
    "selector": None,
    "ccsid": 0,
    "encoding": mq.MQENC_NATIVE,
}
_MATCH = dict.fromkeys(("correl_id", "msg_id", "selector"))
GET: dict[str, Any] = {"wait": 0.0, **_MATCH}
MESSAGES: dict[str, Any] = {"wait": None, "unit_of_work": True, **_MATCH}
CONSUME: dict[str, Any] = {"unit_of_work": True, "on_error": None, **_MATCH}
REQUEST: dict[str, Any] = {"wait": 30.0, "persistent": None}
HANDLE_GET = {**PUBLICATION_GET, "quiet": False}
OPEN: dict[str, Any] = {
    "object_type": mq.MQOT_Q,
    "qmgr": "",
    "dynamic_name": DYNAMIC_NAME,
    "selector": None,
    "alternate_user": "",
    "object_string": "",
}
_CHOSEN = "durable name selector queue qmgr topic_object wildcard level user_data expiry correl_id priority"
_CHOSEN += " persistence properties accounting_token appl_identity_data"
SUBSCRIBE: dict[str, Any] = {
    **dict.fromkeys(_CHOSEN.split()),
    "new_only": False,
    "on_request": False,
    "options": 0,
}
_CHANGED = "selector user_data expiry priority persistence properties level correl_id"
ALTER: dict[str, Any] = {**dict.fromkeys(_CHANGED.split()), "queue": "", "qmgr": ""}
ACCESS = dict.fromkeys(["channel", "address", "host", "peer", "issuer", "object", "object_type", "verb"], "")
PEEK: dict[str, Any] = {"after": None, "count": 50, "body_bytes": 256, "backwards": False}


def takes(table: type, defaults: Mapping[str, Any], *, fields: bool = False) -> Callable[[Method], Method]:
    """Show the arguments of a table in a method's signature; `fields`: those of a descriptor too."""

    def shown(method: Method) -> Method:
        known = signature(method)
        itself, *own = [each for each in known.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        hints = table.__annotations__
        named = [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=value,
                annotation=getattr(hints[name], "__forward_arg__", hints[name]),
            )
            for name, value in defaults.items()
        ]
        rest, kind = ("fields", "Any") if fields else ("unknown", "Never")
        every = [
            itself.replace(annotation=Parameter.empty),
            *own,
            *named,
            Parameter(rest, Parameter.VAR_KEYWORD, annotation=kind),
        ]
        method.__signature__ = known.replace(parameters=every)  # type: ignore[attr-defined]
        return method

    return shown


def completed(
    method: Callable[..., Any], defaults: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return arguments with the defaults of those that were not given; a name of no argument is refused."""
    if not given.keys() <= defaults.keys():
        check_names(method, given, defaults)
    return {**defaults, **given}


def divided(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments of a put, with defaults, and the fields that were given beside them."""
    if given.keys() <= defaults.keys():
        return {**defaults, **given}, {}
    fields = {name: value for name, value in given.items() if name not in defaults}
    return {name: given.get(name, value) for name, value in defaults.items()}, fields
