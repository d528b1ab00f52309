"""Reads INSERT, UPDATE, PASSTHRU, COMMIT and ROLLBACK; DELETE FROM is with the other DELETEs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.parser import expressions, functions, operands, paths, recovery
from penstock.esql.syntax.database_statements import (
    ColumnValue,
    Insert,
    PassthruStatement,
    Transaction,
    Update,
)

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor
    from penstock.esql.syntax.paths import FieldReference


def read_insert(cursor: Cursor) -> Insert:
    """Read `INSERT INTO table [(columns)] VALUES (values)`."""
    at = cursor.at
    cursor.advance()
    cursor.expect("INTO")
    table = paths.read_reference(cursor, "a table")
    columns: list[FieldReference] = []
    if cursor.take("("):
        while not columns or cursor.take(","):
            columns.append(paths.read_reference(cursor, "a column"))
        cursor.expect(")")
    cursor.expect("VALUES")
    cursor.expect("(")
    values = operands.read_arguments(cursor)
    recovery.end_statement(cursor, "INSERT")
    return Insert(at, table, tuple(columns), values)


def read_update(cursor: Cursor) -> Update:
    """Read `UPDATE table [AS name] SET column = value, ... [WHERE condition]`."""
    at = cursor.at
    cursor.advance()
    table = paths.read_reference(cursor, "a table")
    name = cursor.name("a correlation name") if cursor.take("AS") else None
    cursor.expect("SET")
    columns: list[ColumnValue] = []
    while not columns or cursor.take(","):
        start = cursor.at
        column = paths.read_reference(cursor, "a column")
        cursor.expect("=")
        columns.append(ColumnValue(start, column, expressions.read_expression(cursor)))
    where = expressions.read_expression(cursor) if cursor.take("WHERE") else None
    recovery.end_statement(cursor, "UPDATE")
    return Update(at, table, name, tuple(columns), where)


def read_passthru(cursor: Cursor) -> PassthruStatement:
    """Read PASSTHRU as a statement, with or without parentheses around everything."""
    at = cursor.at
    if cursor.next_word() == "(":
        call = functions.read_passthru(cursor)
        if cursor.word in ("TO", "VALUES"):
            call = functions.read_passthru_clauses(cursor, call)
    else:
        cursor.advance()
        call = functions.read_passthru_parts(cursor, at)
    recovery.end_statement(cursor, "PASSTHRU")
    return PassthruStatement(at, call)


def read_transaction(cursor: Cursor) -> Transaction:
    """Read `COMMIT [database]` or `ROLLBACK [database]`."""
    at, action = cursor.at, cursor.word
    cursor.advance()
    database = paths.read_reference(cursor) if cursor.is_name() else None
    recovery.end_statement(cursor, action)
    return Transaction(at, action, database)
