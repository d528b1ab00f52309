"""JMSHeader: adds, changes or removes the JMSTransport folder of a message."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from penstock.flow.jms_transport import jms_folder
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.flow.nodes.http_header import ACTIONS, ADD, DELETE, KEEP, MODIFY
from penstock.tree import Path
from penstock.tree.headers.node_folders import JMS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

FIELDS = ("JMSDeliveryMode", "JMSExpiration", "JMSPriority", "JMSCorrelationID", "JMSReplyTo", "JMSType")


class JMSHeader(Node):
    """Changes JMSTransport: `JMSHeader("modify", fields={"JMSPriority": 7}, application={"colour": "red"})`.

    `fields` are those of Header_Values, `application` those of Application_Properties.
    """

    action: str = KEEP
    _: KW_ONLY
    fields: dict[str, Any] = field(default_factory=dict)
    application: dict[str, Any] = field(default_factory=dict)

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(action=ACTIONS)
        for name in self.fields:
            if name not in FIELDS:
                yield f"{name!r} is not one of {', '.join(FIELDS)}"
        if (self.fields or self.application) and self.action not in (ADD, MODIFY):
            yield "fields and application properties need the action add or modify"

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        if self.action in (ADD, DELETE):
            message.delete(Path(JMS_FOLDER))
        if self.action in (ADD, MODIFY):
            folder = jms_folder(message)
            for name, value in self.fields.items():
                folder.set(Path("Transport_Folders", "Header_Values", name), value)
            for name, value in self.application.items():
                folder.set(Path("Transport_Folders", "Application_Properties", name), value)
        at.send(OUT, assembly.sending(message))
