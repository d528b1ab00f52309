"""Reads DECLARE: variables, references, namespaces and handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.parser import expressions, operands, recovery, statements, types
from penstock.esql.syntax.statements import Declare, DeclareHandler, SqlState, Statement

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.types import DataType

_MODIFIERS = frozenset(("SHARED", "EXTERNAL", "CONSTANT"))


def read_declare(cursor: Cursor) -> Statement:
    """Read a declaration of variables or of a handler."""
    at = cursor.at
    cursor.advance()
    if cursor.word in ("CONTINUE", "EXIT") and cursor.next_word() == "HANDLER":
        return _read_handler(cursor, at)
    names = [cursor.name("the name of a variable")]
    while cursor.take(","):
        names.append(cursor.name("the name of a variable"))
    modifiers: set[str] = set()
    while word := cursor.take_any(_MODIFIERS):
        modifiers.add(word)
    kind = _read_type(cursor)
    while word := cursor.take_any(_MODIFIERS):
        modifiers.add(word)
    initial = _read_initial(cursor, kind)
    recovery.end_statement(cursor, "the declaration")
    return Declare(
        at,
        tuple(names),
        kind,
        initial,
        shared="SHARED" in modifiers,
        external="EXTERNAL" in modifiers,
        constant="CONSTANT" in modifiers,
    )


def _read_type(cursor: Cursor) -> DataType:
    if cursor.word in (";", "="):
        likely = "" if cursor.word == ";" else "an initial value follows the type without ="
        cursor.fail("a data type", likely)
    return types.read_type(cursor)


def _read_initial(cursor: Cursor, kind: DataType) -> Expression | None:
    if cursor.word == ";":
        return None
    if kind.name == "REFERENCE":
        if not cursor.take("TO"):
            if recovery.is_cut_off(cursor):
                return None
            cursor.fail("TO after REFERENCE", "a reference is declared with DECLARE r REFERENCE TO path")
        return operands.read_operand(cursor)
    if cursor.word == "=":
        cursor.fail("an initial value", "an initial value follows the type without =")
    if cursor.word == "DEFAULT":
        cursor.fail("an initial value", "an initial value follows the type without DEFAULT")
    if recovery.is_cut_off(cursor) and cursor.word != "CASE":
        return None
    return expressions.read_expression(cursor)


def _read_handler(cursor: Cursor, at: int) -> DeclareHandler:
    action = cursor.word
    cursor.advance()
    cursor.advance()
    cursor.expect("FOR")
    states = [_read_state(cursor)]
    while cursor.take(","):
        states.append(_read_state(cursor))
    return DeclareHandler(at, action, tuple(states), statements.read_statement(cursor))


def _read_state(cursor: Cursor) -> SqlState:
    at = cursor.at
    cursor.expect("SQLSTATE")
    like = cursor.take_any(("VALUE", "LIKE")) == "LIKE"
    text = expressions.read_expression(cursor, expressions.ADD)
    escape = expressions.read_expression(cursor, expressions.ADD) if cursor.take("ESCAPE") else None
    return SqlState(at, like, text, escape)
