"""Validate: lets through to `match` what is as it should be; the rest fails.

It looks at domain, model and message type where the properties name them, and with `content` at the whole
body: it is written and read again from the first byte to the last, by its model if it has one; SWIFT messages
are held against the rules of their type too.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from penstock.flow.eager_validation import message_set, message_type, read_through
from penstock.flow.node import FAILURE, Node
from penstock.model.constants_reasons import PSRC_FLOW_INVALID
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

MATCH = "match"
CONTENTS = ("none", "content", "contentAndValue")


@dataclass(eq=False, repr=False)
class Validate(Node):
    """Checks: `Validate(domain="XMLNSC", content="content")`. Properties that are empty are not looked at."""

    outputs = (MATCH, FAILURE)

    _: KW_ONLY
    domain: str = ""
    model: str = ""
    message_type: str = ""
    content: str = "none"
    name: str = ""

    def check(self) -> Iterable[str]:
        if self.content not in CONTENTS:
            yield f"content {self.content!r} is none of {', '.join(CONTENTS)}"

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
        raise error(PSRC_FLOW_INVALID, f"the {what} is {found or 'not set'!r}, not {wanted!r}")
