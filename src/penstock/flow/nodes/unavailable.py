"""Unavailable: replaces a node of an imported flow that cannot be run here, and says why.

The importer adds it; the rest of the flow runs. A message that arrives here fails with 8362, which goes to
the failure terminal if it is wired. `penstock flow check` lists these nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import FAILURE, IN, OUT, Node
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


class Unavailable(Node):
    """A node that fails: `Unavailable("ComIbmIMSRequest", "there is no IMS here")`."""

    def __init__(
        self,
        type: str,  # the type name in the flow file
        reason: str,
        *,
        inputs: Iterable[str] = (IN,),
        outputs: Iterable[str] = (OUT, FAILURE),
        name: str = "",
    ) -> None:
        super().__init__(name=name or type)
        self.type = type
        self.reason = reason
        self.inputs = tuple(inputs)  # type: ignore[misc]
        self.outputs = tuple(outputs)

    def start(self, at: NodeContext) -> Mapping[str, Callable[[Assembly], None]]:
        def process(_: Assembly) -> None:
            raise error(
                mq.PSRC_FLOW_UNAVAILABLE,
                f"node {at.label} ({self.type}) cannot be run: {self.reason}",
                node=at.label,
                type=self.type,
            )

        return dict.fromkeys(self.inputs, process)
