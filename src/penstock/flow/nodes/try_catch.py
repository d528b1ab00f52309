"""TryCatch: handles failures behind it. A message goes to `try`; if that fails, to `catch`.

The catch terminal gets message and LocalEnvironment as they arrived at this node, and an ExceptionList.
Changes to Environment and puts in the unit of work remain. If nothing is wired to `catch`, failures pass
through as if the node did not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.failing import CANNOT_BE_HANDLED, exceptions_of, type_name
from penstock.flow.node import CATCH, Node
from penstock.model.errors import MessageFailed

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

TRY = "try"


class TryCatch(Node):
    """Catches failures: `guard.try_ >> ...`, `guard.catch >> ...`."""

    outputs = (TRY, CATCH)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        try:
            at.send(TRY, assembly)
        except MessageFailed as raised:
            if at.wire(CATCH) is None or raised.reason in CANNOT_BE_HANDLED:
                raise
            raised.fields["nodes"].append((at.label, type_name(self)))
            at.send(CATCH, assembly.sending(exception_list=exceptions_of(raised)))
