"""The base class of listeners that run a flow on each record or event in its own unit of work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.running.unit_runner import UnitRunner

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.project import Project


class NodeListener:
    """One instance of a flow at one input node. Used by one thread; subclasses have `prepare` and `run`."""

    def __init__(
        self, node: Any, flow: CompiledFlow, label: str, qm: BlockingQueueManager, **options: Any
    ) -> None:
        self.node: Any = node
        self.runner = UnitRunner(flow, label, qm, **options)
        self.tally = self.runner.tally
        self.pause = self.runner.pause
        self.prepare(flow.project)

    def prepare(self, project: Project) -> None:
        """Open what the node reads; called once, at the end of the construction."""
