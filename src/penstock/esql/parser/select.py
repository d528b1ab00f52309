"""Reads SELECT: the select list, FROM with correlation names, WHERE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.parser import expressions, paths
from penstock.esql.syntax.expressions import Expression, Star
from penstock.esql.syntax.select import Select, SelectItem, SelectSource
from penstock.esql.tokens import Kind

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor

_NOT_A_LIST = frozenset((";", ",", ")", "=", "<>", "<", ">", "<=", ">=", "||", "+", "/", "]", "}", ""))


def starts_here(cursor: Cursor) -> bool:
    """Whether the word SELECT begins a query; else it is a variable."""
    following = cursor.next_word()
    return following not in _NOT_A_LIST and following not in (".", "[", ":")


def read_select(cursor: Cursor) -> Select:
    """Read a query from SELECT to the end of its WHERE."""
    at = cursor.at
    cursor.advance()
    item = cursor.word == "ITEM" and cursor.kind == Kind.NAME
    if item:
        cursor.advance()
    items = [_read_item(cursor)]
    while cursor.take(","):
        items.append(_read_item(cursor))
    cursor.expect("FROM", "a select list is followed by FROM")
    sources = [_read_source(cursor)]
    while cursor.take(","):
        sources.append(_read_source(cursor))
    where = expressions.read_expression(cursor) if cursor.take("WHERE") else None
    return Select(at, item, tuple(items), tuple(sources), where)


def _read_item(cursor: Cursor) -> SelectItem:
    at = cursor.at
    value: Expression
    if cursor.word == "*" and cursor.next_word() in ("FROM", ",", "AS"):
        cursor.advance()
        value = Star(at)
    else:
        value = expressions.read_expression(cursor)
    name = paths.read_reference(cursor, "a path after AS") if cursor.take("AS") else None
    return SelectItem(at, value, name, cursor.take("INSERT"))


def _read_source(cursor: Cursor) -> SelectSource:
    at = cursor.at
    value = expressions.read_expression(cursor, expressions.ADD)
    name = cursor.name("a correlation name") if cursor.take("AS") else None
    return SelectSource(at, value, name)
