"""One run of a map on one message: variables, clock, names; what expressions and transforms share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.mapping.graphical.targets import Spot
    from penstock.flow.mapping.graphical.values import Sequence

PLACES_MAX = 1_000_000  # items that one range or loop may make


class Run:
    """The surroundings of a map while it runs; `returned` is what the last database statement did."""

    def __init__(self, assembly: Assembly, at: NodeContext, context: Any, data_source: str) -> None:
        self.assembly = assembly
        self.at = at
        self.context = context  # of database statements
        self.data_source = data_source
        self.labels = at.labels
        self.properties: dict[str, Any] = dict(at.deployment.properties)
        self.clock: Callable[[], float] = assembly.invocation.ports.clock
        self.make_uuid = assembly.invocation.ports.make_uuid
        self.variables: dict[str, Sequence] = {}
        self.targets: dict[str, Spot] = {}  # by the variables of outputs inside the map
        self.returned: Any = None
