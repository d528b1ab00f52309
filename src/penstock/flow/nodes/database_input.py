"""DatabaseInput: a flow that starts with events in a database table, read by a DATABASEEVENT module of ESQL.

ReadEvents finds events, BuildMessage makes the message of one, EndEvent removes it.
`running.database_listener` calls them: ReadEvents in a transaction of its own, the others in that of the
flow, so that an event is gone if and only if the flow has done its work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.esql_modules import EsqlNode
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, KW_ONLY, OUT, InputNode
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.project import Project
    from penstock.flow.running.listener import Listener

ROUTINES = ("READEVENTS", "BUILDMESSAGE", "ENDEVENT")


class DatabaseInput(EsqlNode, InputNode):
    """Reads events: `DatabaseInput("esql/events.esql", module="NewOrders", data_source="SHOP")`.

    `polling` is how long it waits after it found no event, in seconds. An event that fails is tried again
    `retries` times, then goes to `failure` and ends; without that terminal it is tried for ever.
    """

    outputs = (OUT, FAILURE, CATCH)
    kind = Kind.EFFECT

    _: KW_ONLY
    polling: float = 5.0
    retries: int = 0

    def check(self) -> Iterable[str]:
        if not self.module:
            yield "a DatabaseInput needs the name of its ESQL module"
        if not self.data_source:
            yield "a DatabaseInput needs a data source"
        if self.polling <= 0:
            yield "polling has to be more than 0 seconds"
        if self.retries < 0:
            yield "retries cannot be negative"

    def missing(self, project: Project) -> Iterable[str]:
        try:
            module = self.esql_module(project)
        except MQError as raised:
            yield raised.detail
            return
        for name in ROUTINES:
            if name not in module.functions:
                yield f"module {module.full_name} has no procedure {name}"

    @property
    def is_ordered(self) -> bool:
        """One instance reads the events: another one would read them too."""
        return True

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.database_listener import DatabaseListener

        return DatabaseListener(self, flow, label, connect(), **options)
