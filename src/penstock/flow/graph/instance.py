"""A running copy of a flow, the surroundings of its nodes. One thread at a time works in it.

Additional instances of a flow in one process share the `Deployment` (SHARED variables) and nothing else; each
has its own ports, and so its own connection and unit of work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.esql.runtime.deployment import Deployment
    from penstock.flow.context_trees import ContextTrees
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.ports import Ports


class Instance:
    """One instance. `places` has the input nodes, which a runner drives; `labels` the targets of routers."""

    def __init__(
        self,
        flow: CompiledFlow,
        ports: Ports,
        deployment: Deployment,
        *,
        broker_name: str = "",
        group_name: str = "default",
        is_running: bool = True,
    ) -> None:
        self.flow = flow
        self.flow_name = flow.name
        self.project = flow.project
        self.ports = ports
        self.deployment = deployment
        self.broker_name = broker_name
        self.group_name = group_name
        self.is_running = is_running  # False for a trial, which must not reach outside
        self.places: dict[str, NodeContext] = {}
        self.all_places: dict[str, NodeContext] = {}
        self.labels: dict[str, Process] = {}
        self.context_trees: ContextTrees | None = None
        self._apart: Any = None

    def databases(self, default: str = "") -> Any:
        """Return the data sources for a node whose statements name `default` or nothing."""
        known = self.deployment.databases
        return known.for_default(default) if known is not None and default else known

    def databases_apart(self) -> Any:
        """Return the data sources with connections that are in no unit of the flow; always the same ones."""
        if self._apart is None and self.deployment.databases is not None:
            self._apart = self.deployment.databases.apart()
        return self._apart

    def label(self, name: str) -> Process:
        """Return the function behind a Label node."""
        found = self.labels.get(name)
        if found is None:
            known = ", ".join(sorted(self.labels)) or "none"
            raise error(
                mq.PSRC_FLOW_LABEL, f"no Label node is called {name!r}; there are: {known}", label=name
            )
        return found
