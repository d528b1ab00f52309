"""SELECT and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.expressions import Expression
from penstock.esql.syntax.node import Node

if TYPE_CHECKING:
    from penstock.esql.syntax.paths import FieldReference


class SelectItem(Node):
    """`value [AS path] [INSERT]`; a value of Star or a path ending in `*` takes all columns."""

    value: Expression
    name: FieldReference | None = None
    insert: bool = False


class SelectSource(Node):
    """`path [AS name]` in FROM."""

    value: Expression
    name: str | None


class Select(Expression):
    """`SELECT [ITEM] items FROM sources [WHERE condition]`."""

    item: bool
    items: tuple[SelectItem, ...]
    sources: tuple[SelectSource, ...]
    where: Expression | None
