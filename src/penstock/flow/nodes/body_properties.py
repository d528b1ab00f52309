"""The properties of nodes that parse a body: its domain, and model, message and format in the model."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(eq=False, repr=False)
class BodyProperties:
    """How a body is parsed. A base class of nodes, before `Node` or `InputNode`."""

    _: KW_ONLY
    domain: str = "BLOB"
    model: str = ""
    message_type: str = ""
    message_format: str = ""
