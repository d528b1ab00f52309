"""TryCatch: handles what fails behind it. A message goes to `try`; when that fails, to `catch`.

The catch terminal gets message and LocalEnvironment as they came to this node, and an ExceptionList.
Environment keeps what was done to it, and queues what was put in the unit of work. When nothing is wired to
`catch`, failures pass on as if the node were not there.
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
    """A place where failures end: `guard.try_ >> ...`, `guard.catch >> ...`."""

    outputs = (TRY, CATCH)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        try:
            at.send(TRY, assembly)
        except MessageFailed as raised:
            if at.wire(CATCH) is None or raised.reason in CANNOT_BE_HANDLED:
                raise
            raised.fields["nodes"].append((at.label, type_name(self)))
            at.send(CATCH, assembly.sending(exception_list=exceptions_of(raised)))
