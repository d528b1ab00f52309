"""ROW(..) and LIST{..}: rows and lists made in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.dispatch import value_of
from penstock.esql.compiler.field_targets import path_place
from penstock.esql.compiler.items import item
from penstock.esql.syntax.expressions import ListConstructor, RowConstructor
from penstock.esql.syntax.paths import FieldReference, PlainName, Step

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.syntax.expressions import Expression


def column_steps(value: Expression, name: Expression | None, number: int) -> tuple[Step, ...]:
    """Return the path of a column: its AS path, or the last name of its source."""
    if isinstance(name, FieldReference):
        return name.steps
    if isinstance(value, FieldReference):
        last = value.steps[-1]
        if isinstance(last.name, PlainName):
            return (Step(last.at, None, None, last.name, None),)
    return (Step(value.at, None, None, PlainName(value.at, f"Column{number}"), None),)


@value_of(RowConstructor)
def row_constructor(g: Generator, node: RowConstructor) -> str:
    """Write ROW(value AS path, ...) as a row filled from the left; unnamed columns are numbered from 0."""
    parts = []
    for number, each in enumerate(node.items):
        place = path_place(g, "row", column_steps(each.value, each.name, number))
        indexes = f", {place.indexes}" if place.indexes else ""
        parts.append(f"({place.path}, {item(g, each.value)}{indexes})")
    return f"{g.use('trees.rows', 'make_row')}({', '.join(parts)})"


@value_of(ListConstructor)
def list_constructor(g: Generator, node: ListConstructor) -> str:
    """Write LIST{..}."""
    return f"[{', '.join(item(g, each) for each in node.items)}]"
