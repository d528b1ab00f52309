"""DatabaseRoute: looks up a row in a database; expressions over its columns decide where a message goes.

The XPath expressions use the columns as variables (`$CUSTOMER_COUNTRY = 'GB'`) beside the trees of the
message. If there is no row it goes to `keyNotFound`, if no expression is true to `default`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.database_work import Statements
from penstock.flow.kinds import Kind
from penstock.flow.locations import Location
from penstock.flow.node import FAILURE, Node
from penstock.flow.nodes.database_retrieve import (
    KEY_NOT_FOUND,
    Condition,
    select_statement,
    wrong_query,
)
from penstock.flow.nodes.route import DEFAULT, DISTRIBUTIONS, FILTERS_MAX
from penstock.flow.nodes.route_run import VARIABLES, variables_of
from penstock.flow.xpath import compile_xpath
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.xpath import XPath


class DatabaseRoute(Node):
    """Routes: `DatabaseRoute("SHOP", query=[("customer.country", "ASC", "", "none"), ("customer.id", "=",
    "Body.Order.Customer")], filters=[("$customer_country = 'GB'", "home")])`.
    """

    kind = Kind.READS

    def __init__(
        self,
        data_source: str,
        *,
        query: Sequence[tuple[str, ...]] = (),
        filters: Sequence[tuple[str, str]] = (),
        distribution: str = "all",
        namespaces: Mapping[str, str] | None = None,
        name: str = "",
    ) -> None:
        super().__init__(name=name)
        self.data_source = data_source
        self.query = [Condition(*each) for each in query]
        self.filters = tuple((expression, terminal) for expression, terminal in filters)
        self.distribution = distribution
        self.namespaces = dict(namespaces or {})

    @property
    def outputs(self) -> tuple[str, ...]:  # type: ignore[override]
        """The terminals of the table, each once, and those that every DatabaseRoute has."""
        own = dict.fromkeys(terminal for _, terminal in self.filters)
        return (*own, *(each for each in (DEFAULT, KEY_NOT_FOUND, FAILURE) if each not in own))

    @property
    def _columns(self) -> list[str]:
        return list(dict.fromkeys(each.column for each in self.query))

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(distribution=DISTRIBUTIONS)
        if not self.data_source:
            yield "a DatabaseRoute needs a data source"
        if not self.query:
            yield "a DatabaseRoute needs a query: columns and conditions"
        if len(self.filters) > FILTERS_MAX:
            yield f"a DatabaseRoute has at most {FILTERS_MAX} expressions"
        yield from wrong_query([], self.query)
        for expression, _ in self.filters:
            try:
                self._compiled(expression)
            except MQError as wrong:
                yield wrong.detail

    def start(self, at: NodeContext) -> Process:
        statements = Statements(at, self.data_source)
        sql, values = select_statement(self._columns, self.query, self.namespaces)
        table = [(self._compiled(expression), terminal) for expression, terminal in self.filters]
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

    def _compiled(self, expression: str) -> XPath:
        known = VARIABLES | {_variable(column) for column in self._columns}
        return compile_xpath(expression, known, self.namespaces)


def _variable(column: str) -> str:
    return column.replace(".", "_")
