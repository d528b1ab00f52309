"""Database work of a node: the context of its module, and where its transaction ends.

With transaction "automatic" the node uses the connections of the flow's unit of work, which the flow's runner
commits. With "commit" it has its own connection and commits after its own work, which then stays even if the
flow fails later. Used by Database, Compute, DatabaseRetrieve and Mapping.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.context import Context
from penstock.esql.runtime.logs import level_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

TRANSACTIONS = ("automatic", "commit")


class Statements:
    """The connection that a node's statements use."""

    def __init__(self, at: NodeContext, data_source: str, transaction: str = "automatic") -> None:
        self.at = at
        self.labels = at.labels
        self.databases = at.instance.databases(data_source)
        self.commits = transaction == "commit" and self.databases is not None
        if self.commits:
            self.databases = self.databases.apart()

    @contextmanager
    def unit(self) -> Iterator[None]:
        """Bound the work on one message; the node's own connection, if any, is committed or rolled back."""
        if not self.commits:
            yield
            return
        try:
            yield
        except BaseException:
            self.databases.rollback_all()
            raise
        self.databases.commit_all()

    def pattern(self, *, throws_database_errors: bool) -> Context:
        """Return what the contexts of all messages have in common (`renewed_for`)."""
        ports = self.at.instance.ports
        return Context(
            deployment=self.at.deployment,
            labels=self.labels,
            log=lambda target, text, fields: ports.log(self.at.label, text),
            randomness=ports.randomness,
            make_uuid=ports.make_uuid,
            throws_database_errors=throws_database_errors,
            databases=self.databases,
        )

    def context(self, assembly: Assembly, **more: Any) -> Context:
        """Return what an ESQL module sees of an assembly."""
        ports = assembly.invocation.ports
        context = Context(
            assembly.message,
            deployment=self.at.deployment,
            environment=assembly.invocation.environment,
            local_environment=assembly.local_environment,
            exception_list=assembly.exception_list,
            labels=self.labels,
            log=lambda target, text, fields: ports.log(
                self.at.label, text, level_of(target, fields["severity"])
            ),
            now=datetime.fromtimestamp(ports.clock(), UTC),
            randomness=ports.randomness,
            make_uuid=ports.make_uuid,
            databases=self.databases,
            **more,
        )
        if self.at.instance.context_trees is not None:
            context.levels = self.at.instance.context_trees.levels(assembly, self.at.label)
        return context
