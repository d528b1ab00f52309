"""SELECT and its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.syntax.expressions import Expression
from penstock.esql.syntax.node import Node

if TYPE_CHECKING:
    from penstock.esql.syntax.paths import FieldReference


@dataclass(frozen=True, slots=True)
class SelectItem(Node):
    """`value [AS path] [INSERT]`; a value of Star or a path ending in `*` takes all columns."""

    value: Expression
    name: FieldReference | None = None
    insert: bool = False


@dataclass(frozen=True, slots=True)
class SelectSource(Node):
    """`path [AS name]` in FROM."""

    value: Expression
    name: str | None


@dataclass(frozen=True, slots=True)
class Select(Expression):
    """`SELECT [ITEM] items FROM sources [WHERE condition]`."""

    item: bool
    items: tuple[SelectItem, ...]
    sources: tuple[SelectSource, ...]
    where: Expression | None
