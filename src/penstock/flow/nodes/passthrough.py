"""Passthrough: hands every message on as it is. A joint, or a place for a name or version in a subflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.node import OUT, Node

if TYPE_CHECKING:
    from penstock.flow.node import Process
    from penstock.flow.place import Place


class Passthrough(Node):
    """Changes nothing."""

    outputs = (OUT,)
    type_name: ClassVar[str] = "ComIbmPassthruNode"

    def start(self, at: Place) -> Process:
        return at.wire(OUT) or (lambda _: None)
