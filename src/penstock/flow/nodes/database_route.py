"""DatabaseRoute: looks up a row in a database; expressions over its columns decide where a message goes.

The XPath expressions use the columns as variables (`$CUSTOMER_COUNTRY = 'GB'`) beside the trees of the
message. If there is no row it goes to `keyNotFound`, if no expression is true to `default`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.database_work import Statements
from penstock.flow.kinds import Kind
from penstock.flow.locations import Location
from penstock.flow.node import FAILURE, KW_ONLY
from penstock.flow.nodes.database_retrieve import (
    KEY_NOT_FOUND,
    Condition,
    select_statement,
    wrong_query,
)
from penstock.flow.nodes.route import DEFAULT, FilterTable
from penstock.flow.nodes.route_run import VARIABLES, variables_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process


class DatabaseRoute(FilterTable):
    """Routes: `DatabaseRoute("SHOP", query=[("customer.country", "ASC", "", "none"), ("customer.id", "=",
    "Body.Order.Customer")], filters=[("$customer_country = 'GB'", "home")])`.
    """

    kind = Kind.READS
    always = (DEFAULT, KEY_NOT_FOUND, FAILURE)

    data_source: str
    _: KW_ONLY
    query: Sequence[Any] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        self.query = [Condition(*each) for each in self.query]

    @property
    def _columns(self) -> list[str]:
        return list(dict.fromkeys(each.column for each in self.query))

    @property
    def variables(self) -> frozenset[str]:
        return VARIABLES | {_variable(column) for column in self._columns}

    def check(self) -> Iterable[str]:
        yield from super().check()
        if not self.data_source:
            yield "a DatabaseRoute needs a data source"
        if not self.query:
            yield "a DatabaseRoute needs a query: columns and conditions"
        yield from wrong_query([], self.query)

    def start(self, at: NodeContext) -> Process:
        statements = Statements(at, self.data_source)
        sql, values = select_statement(self._columns, self.query, self.namespaces)
        table = self.table()
        names = sorted({name for xpath, _ in table for name in xpath.used} & VARIABLES)
        only_first = self.distribution == "first"

        def process(assembly: Assembly) -> None:
            given = [each.read(assembly) if isinstance(each, Location) else each for each in values]
            rows = statements.databases.passthru(statements.context(assembly), None, sql, given)
            if not rows:
                at.send(KEY_NOT_FOUND, assembly)
                return
            variables: dict[str, Any] = variables_of(names, assembly)
            variables |= dict(zip(map(_variable, self._columns), rows[0], strict=True))
            root = assembly.message.reference()
            ways = dict.fromkeys(terminal for xpath, terminal in table if xpath.holds(root, variables))
            for terminal in (list(ways)[:1] if only_first else ways) or (DEFAULT,):
                at.send(terminal, assembly)

        return process


def _variable(column: str) -> str:
    return column.replace(".", "_")
