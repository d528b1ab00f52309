"""Reads field references: `Corr.(Type)ns:Name[index]`, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.limits import PATH_STEPS_MAX
from penstock.esql.parser import expressions
from penstock.esql.parser.cursor import QUOTED, Cursor, unquote
from penstock.esql.syntax.paths import AnyName, ComputedName, FieldReference, Index, Name, PlainName, Step
from penstock.esql.tokens import Kind

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression

CLAUSES = ("TYPE", "NAME", "NAMESPACE", "VALUE", "DOMAIN")  # of CREATE, after a path


def read_reference(cursor: Cursor, what: str = "a field reference") -> FieldReference:
    """Read a path; its first step is a name, `{...}` or `*`, and may have a type or a namespace."""
    if not (cursor.is_name() or cursor.word in ("{", "*", "(")):
        cursor.fail(what)
    return read_more_steps(cursor, cursor.at, [read_step(cursor, first=True)])


def read_more_steps(cursor: Cursor, at: int, steps: list[Step]) -> FieldReference:
    """Read the remaining steps of a path."""
    while cursor.word == ".":
        cursor.advance()
        if len(steps) == PATH_STEPS_MAX:
            cursor.refuse(f"a path of more than {PATH_STEPS_MAX} steps")
        steps.append(read_step(cursor))
    return FieldReference(at, tuple(steps))


def read_step(cursor: Cursor, first: bool = False) -> Step:
    """Read one element of a path: `[(type)] [namespace:] [name] [index]`."""
    at = cursor.at
    kind = _read_type(cursor) if cursor.word == "(" else None
    namespace: Name | None = None
    name = None if kind is not None and _is_clause(cursor) else _read_name(cursor)
    if cursor.word == ":":
        cursor.advance()
        namespace, name = name or AnyName(at), _read_name(cursor)
        if name is None:
            cursor.fail("a name after :", "ESQL assigns with =" if cursor.word == "=" else "")
    index = read_index(cursor) if cursor.word == "[" else None
    if name is None and kind is None and index is None and namespace is None:
        cursor.fail("a name", "" if first else "a path ends in a name, * or an index, not in a dot")
    return Step(at, kind, namespace, name, index)


def _is_clause(cursor: Cursor) -> bool:
    """Return whether a word after a type begins a clause of CREATE: `(XML.XmlDecl) TYPE XML.Version`."""
    return cursor.word in CLAUSES and cursor.kinds[cursor.index + 1] in (Kind.NAME, Kind.STRING)


def _read_name(cursor: Cursor) -> Name | None:
    at, kind = cursor.starts[cursor.index], cursor.kinds[cursor.index]
    if kind == Kind.NAME:
        text = cursor.texts[cursor.index]
        cursor.advance()
        return PlainName(at, text)
    if kind == QUOTED:
        text = unquote(cursor.text, '"')
        cursor.advance()
        return PlainName(at, text)
    if cursor.word == "*":
        cursor.advance()
        return AnyName(at)
    if cursor.word == "{":
        cursor.advance()
        value = _read_inside(cursor)
        cursor.expect("}")
        return ComputedName(at, value)
    return None


def _read_type(cursor: Cursor) -> Expression:
    cursor.advance()
    value = _read_inside(cursor)
    cursor.expect(")", "a type in a path is written (XMLNSC.Attribute)name")
    return value


def _read_inside(cursor: Cursor) -> Expression:
    """Read an expression inside a path; it counts twice because a path is several calls deep."""
    cursor.deeper()
    value = expressions.read_expression(cursor)
    cursor.depth -= 1
    return value


def read_index(cursor: Cursor) -> Index:
    """Read `[]`, `[n]`, `[<]`, `[<n]`, `[>]`, `[>n]` or `[LAST]`."""
    at = cursor.at
    cursor.advance()
    if cursor.take("]"):
        return Index(at, "", None)
    direction = cursor.take_any(("<", ">")) or "="
    if cursor.word == "LAST" and cursor.next_word() == "]":
        cursor.advance()
        cursor.advance()
        return Index(at, "<", None)
    value = None if direction != "=" and cursor.word == "]" else _read_inside(cursor)
    cursor.expect("]")
    return Index(at, direction, value)
