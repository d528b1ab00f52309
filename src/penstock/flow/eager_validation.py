"""A body read from its first byte to its last, to know whether it is what its domain and model say.

Validate and MQInput's `validate` come here. Trees are otherwise read where somebody touches them, so that a
mistake further on would not be seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.constants_reasons import PSRC_FLOW_INVALID
from penstock.model.errors import MQError, error
from penstock.tree import MISSING, Path
from penstock.tree.validated import parse_validated

if TYPE_CHECKING:
    from penstock.flow.project import Project
    from penstock.tree import Message

_MODELLED = ("MRM", "DFDL")
_SET, _TYPE, _FORMAT = (Path("Properties", name) for name in ("MessageSet", "MessageType", "MessageFormat"))


def read_through(message: Message, project: Project) -> None:
    """Read the whole body by its domain and model; 8309 when it is not what they say."""
    body, domain = message.body, message.domain
    if body is None:
        return
    try:
        data = message.folder_bytes(body)
        about = _modelled(message, domain, project)
        parse_validated(data, domain, doctype=message.accepts_doctype, **about)
    except MQError as wrong:
        text = f"the body is no {domain}: {wrong}"
        raise error(PSRC_FLOW_INVALID, text, cause=wrong.reason) from wrong


def message_set(message: Message) -> str:
    """Return what Properties says the model is."""
    return _text(message.get(_SET))


def message_type(message: Message) -> str:
    """Return what Properties says the message is within its model."""
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
