"""DatabaseRetrieve: looks up rows in a database and copies their columns into the message.

Conditions are joined by AND; a value is an element of the assembly, a constant or another column. If there is
no row, the unchanged message goes to `keyNotFound`. Nothing is written, so a flow that only looks up may
still run in batches.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.database_work import Statements
from penstock.flow.kinds import Kind
from penstock.flow.locations import BODY, LOCAL_ENVIRONMENT, MESSAGE, Location, location
from penstock.flow.new_messages import without_body
from penstock.flow.node import FAILURE, KW_ONLY, OUT, Node
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.tree import Reference

KEY_NOT_FOUND = "keyNotFound"
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "LIKE", "NOT LIKE")
WITHOUT_VALUE = ("IS NULL", "IS NOT NULL")
ORDERS = ("ASC", "DESC")
KINDS = ("element", "constant", "column", "none")
_COLUMN = re.compile(r"(?:[A-Za-z_][\w$#]*\.){1,2}[A-Za-z_][\w$#]*")  # [schema.]table.column


class Condition(NamedTuple):
    """A column and what it is compared with: an element of a tree, a constant, another column, or nothing.

    The operators ASC and DESC compare nothing: they order the rows.
    """

    column: str
    operator: str = "="
    value: str = ""
    kind: str = "element"


class DatabaseRetrieve(Node):
    """Looks rows up: `DatabaseRetrieve("SHOP", query=[("customer.id", "=", "Body.Order.Customer")], ...)`.

    `data` says where columns go: `{"customer.name": "OutputRoot.XMLNSC.Order.Name"}`.
    """

    outputs = (OUT, KEY_NOT_FOUND, FAILURE)
    kind = Kind.READS

    data_source: str
    _: KW_ONLY
    query: Sequence[Any] = ()
    data: Mapping[str, str] = field(default_factory=dict)
    namespaces: Mapping[str, str] = field(default_factory=dict)
    copy_message: bool = True
    multiple_rows: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.query = [Condition(*each) for each in self.query]
        self.data, self.namespaces = dict(self.data or {}), dict(self.namespaces or {})

    def check(self) -> Iterable[str]:
        if not self.data_source:
            yield "a DatabaseRetrieve needs a data source"
        if not self.data:
            yield "a DatabaseRetrieve needs data: columns and where they go"
        yield from wrong_query(list(self.data), self.query)

    def start(self, at: NodeContext) -> Process:
        statements = Statements(at, self.data_source)
        sql, values = select_statement(list(self.data), self.query, self.namespaces)
        targets = [location(text, self.namespaces) for text in self.data.values()]
        onward, not_found = at.wire(OUT), at.wire(KEY_NOT_FOUND)

        def process(assembly: Assembly) -> None:
            given = [each.read(assembly) if isinstance(each, Location) else each for each in values]
            rows = statements.databases.passthru(statements.context(assembly), None, sql, given)
            if not rows:
                if not_found is not None:
                    not_found(assembly)
            elif onward is not None:
                onward(self._filled(assembly, targets, rows if self.multiple_rows else rows[:1]))

        return process

    def _filled(self, assembly: Assembly, targets: list[Location], rows: list[Reference]) -> Assembly:
        """Return the output assembly, with the columns of the rows in it."""
        trees = {target.tree for target in targets}
        sent = assembly.sending(
            message=self._message(assembly) if trees & {MESSAGE, BODY} else None,
            local_environment=assembly.copied_local_environment() if LOCAL_ENVIRONMENT in trees else None,
        )
        for row in rows:
            for target, column in zip(targets, row, strict=True):
                place = target.create_in(sent) if row is rows[0] else _next(target, sent)
                place.value = column.value
        return sent

    def _message(self, assembly: Assembly) -> Any:
        return assembly.message.copy() if self.copy_message else without_body(assembly.message)


def _next(target: Location, sent: Assembly) -> Reference:
    """Return a new field after those of its name, for another row."""
    place = target.create_in(sent)
    parent = place.copy()
    parent.to_parent()
    assert target.path is not None
    return parent.append(Path(target.path.steps[-1]))


def wrong_query(columns: list[str], query: Sequence[Condition]) -> Iterable[str]:
    """Return the mistakes in the columns and conditions of a query."""
    named = [*columns, *(each.column for each in query)]
    named += [each.value for each in query if each.kind == "column"]
    for column in named:
        if not _COLUMN.fullmatch(column):
            yield f"{column!r} is no column, such as customer.name or shop.customer.name"
    for each in query:
        if each.operator.upper() not in (*COMPARISONS, *WITHOUT_VALUE, *ORDERS):
            yield f"{each.operator!r} is no operator of a condition"
        if each.kind not in KINDS:
            yield f"{each.kind!r} is not one of {', '.join(KINDS)}"


def select_statement(
    columns: list[str], query: Sequence[Condition], namespaces: Mapping[str, str]
) -> tuple[str, list[Any]]:
    """Return a SELECT with markers, and for each marker a constant or the location of its value."""
    conditions, values, orders = [], [], []
    tables = [column.rpartition(".")[0] for column in columns]
    for each in query:
        operator = each.operator.upper()
        tables.append(each.column.rpartition(".")[0])
        if operator in ORDERS:
            orders.append(f"{each.column} {operator}")
        elif operator in WITHOUT_VALUE:
            conditions.append(f"{each.column} {operator}")
        elif each.kind == "column":
            tables.append(each.value.rpartition(".")[0])
            conditions.append(f"{each.column} {operator} {each.value}")
        else:
            conditions.append(f"{each.column} {operator} ?")
            element = each.kind == "element"
            values.append(location(each.value, namespaces) if element else each.value)
    sql = f"SELECT {', '.join(columns)} FROM {', '.join(dict.fromkeys(tables))}"
    if conditions:
        sql += f" WHERE {' AND '.join(conditions)}"
    return (f"{sql} ORDER BY {', '.join(orders)}" if orders else sql), values
