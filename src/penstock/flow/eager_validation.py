"""Reads a whole body to check it against its domain and model.

Called by Validate and by MQInput's `validate`. Trees are otherwise parsed on demand, so that an error in an
unread part would go unnoticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import MISSING, Path
from penstock.tree.validated import parse_validated

if TYPE_CHECKING:
    from penstock.flow.project import Project
    from penstock.tree import Message

_MODELLED = ("MRM", "DFDL")
_SET, _TYPE, _FORMAT = (Path("Properties", name) for name in ("MessageSet", "MessageType", "MessageFormat"))


def read_through(message: Message, project: Project) -> None:
    """Read the whole body; 8309 if it does not conform to its domain and model."""
    body, domain = message.body, message.domain
    if body is None:
        return
    try:
        data = message.folder_bytes(body)
        about = _modelled(message, domain, project)
        parse_validated(data, domain, doctype=message.accepts_doctype, **about)
    except MQError as wrong:
        text = f"the body is no {domain}: {wrong}"
        raise error(mq.PSRC_FLOW_INVALID, text, cause=wrong.reason) from wrong


def message_set(message: Message) -> str:
    """Return the model that Properties names."""
    return _text(message.get(_SET))


def message_type(message: Message) -> str:
    """Return the message type that Properties names."""
    return _text(message.get(_TYPE))


def _modelled(message: Message, domain: str, project: Project) -> dict[str, Any]:
    found: dict[str, Any] = {"ccsid": message.ccsid or None, "encoding": message.encoding or None}
    model = message_set(message)
    if domain in _MODELLED and model:
        found["model"] = project.model(model)
        found["message"] = message_type(message).rpartition(":")[2] or None
        found["format"] = _text(message.get(_FORMAT)) or None
    return found


def _text(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value)
