"""The properties of nodes that parse a body: its domain, and model, message and format in the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.new_messages import arrived
from penstock.flow.node import KW_ONLY, Node

if TYPE_CHECKING:
    from penstock.flow.project import Project
    from penstock.tree import Message


class BodyProperties(Node):
    """How a body is parsed. A base class of nodes, before `InputNode`."""

    _: KW_ONLY
    domain: str = "BLOB"
    model: str = ""
    message_type: str = ""
    message_format: str = ""

    def model_in(self, project: Project) -> Any:
        """Return the model of the bodies; None if there is none."""
        return project.model(self.model) if self.model else None

    def arrived(self, data: bytes, model: Any, domain: str = "", **details: Any) -> Message:
        """Return a message tree for a body; see `new_messages.arrived`. Another domain has no model."""
        return arrived(
            data,
            domain or self.domain,
            model if domain in ("", self.domain) else None,
            set=self.model,
            type=self.message_type,
            format=self.message_format,
            **details,
        )
