"""Validate: sends valid messages to `match`; others fail.

It compares domain, model and message type with the properties that are set. With `content` it checks the
whole body: it is serialised and parsed completely, by its model if it has one; SWIFT messages are also
checked against the rules of their type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.eager_validation import message_set, message_type, read_through
from penstock.flow.node import FAILURE, KW_ONLY, Node
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

MATCH = "match"
CONTENTS = ("none", "content", "contentAndValue")


class Validate(Node):
    """Checks: `Validate(domain="XMLNSC", content="content")`. Empty properties are not checked."""

    outputs = (MATCH, FAILURE)

    _: KW_ONLY
    domain: str = ""
    model: str = ""
    message_type: str = ""
    content: str = "none"

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(content=CONTENTS)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message
        _compare("domain", self.domain, message.domain)
        _compare("model", self.model, message_set(message))
        _compare("message type", self.message_type, message_type(message))
        if self.content != "none":
            read_through(message, at.instance.project)
        at.send(MATCH, assembly)


def _compare(what: str, wanted: str, found: str) -> None:
    if wanted and wanted != found:
        raise error(mq.PSRC_FLOW_INVALID, f"the {what} is {found or 'not set'!r}, not {wanted!r}")
