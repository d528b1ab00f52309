"""Validate: lets through to `match` what is as it should be; the rest fails.

It looks at domain, model and message type where the properties name them, and with `content` at the whole
body: it is written and read again from the first byte to the last, by its model if it has one; SWIFT messages
are held against the rules of their type too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.node import FAILURE, Node
from penstock.model.constants_reasons import PSRC_FLOW_INVALID
from penstock.model.errors import MQError, error
from penstock.tree import MISSING, Path, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.place import Place
    from penstock.tree import Message

MATCH = "match"
CONTENTS = ("none", "content", "contentAndValue")
_MODELLED = ("MRM", "DFDL")
_SET, _TYPE, _FORMAT = (Path("Properties", name) for name in ("MessageSet", "MessageType", "MessageFormat"))


class Validate(Node):
    """Checks: `Validate(domain="XMLNSC", content="content")`. Properties that are empty are not looked at."""

    outputs = (MATCH, FAILURE)

    def __init__(
        self,
        *,
        domain: str = "",
        model: str = "",
        message_type: str = "",
        content: str = "none",
        name: str = "",
    ) -> None:
        super().__init__(name=name)
        self.domain = domain
        self.model = model
        self.message_type = message_type
        self.content = content

    def check(self) -> Iterable[str]:
        if self.content not in CONTENTS:
            yield f"content {self.content!r} is none of {', '.join(CONTENTS)}"

    def process(self, assembly: Assembly, at: Place) -> None:
        message = assembly.message
        _compare("domain", self.domain, message.domain)
        _compare("model", self.model, _text(message.get(_SET)))
        _compare("message type", self.message_type, _text(message.get(_TYPE)))
        if self.content != "none":
            _read_through(message, at)
        at.send(MATCH, assembly)


def _compare(what: str, wanted: str, found: str) -> None:
    if wanted and wanted != found:
        raise error(PSRC_FLOW_INVALID, f"the {what} is {found or 'not set'!r}, not {wanted!r}")


def _read_through(message: Message, at: Place) -> None:
    body, domain = message.body, message.domain
    if body is None:
        return
    try:
        data = message.folder_bytes(body)
        again = parse(data, domain, timing="complete", **_modelled(message, domain, at))
        if domain == "SWIFT":
            from penstock.tree.swift.validation import check

            check(again)
    except MQError as wrong:
        text = f"the body is no {domain}: {wrong}"
        raise error(PSRC_FLOW_INVALID, text, cause=wrong.reason) from wrong


def _modelled(message: Message, domain: str, at: Place) -> dict[str, Any]:
    found: dict[str, Any] = {"ccsid": message.ccsid or None, "encoding": message.encoding or None}
    model = _text(message.get(_SET))
    if domain in _MODELLED and model:
        found["model"] = at.instance.project.model(model)
        found["message"] = _text(message.get(_TYPE)).rpartition(":")[2] or None
        found["format"] = _text(message.get(_FORMAT)) or None
    return found


def _text(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value)
