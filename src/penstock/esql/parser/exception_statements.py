"""Reads THROW, RESIGNAL and LOG, which share their clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.parser import expressions, operands, recovery
from penstock.esql.syntax.statements import ExceptionDetail, Log, Resignal, Throw

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor


def read_throw(cursor: Cursor) -> Throw:
    """Read THROW."""
    at = cursor.at
    cursor.advance()
    user = cursor.take("USER")
    cursor.expect("EXCEPTION")
    detail = _read_detail(cursor)
    recovery.end_statement(cursor, "THROW")
    return Throw(at, user, detail)


def read_resignal(cursor: Cursor) -> Resignal:
    """Read RESIGNAL."""
    at = cursor.at
    cursor.advance()
    recovery.end_statement(cursor, "RESIGNAL")
    return Resignal(at)


def read_log(cursor: Cursor) -> Log:
    """Read LOG."""
    at = cursor.at
    cursor.advance()
    if cursor.take("USER"):
        cursor.expect("TRACE")
        target = "TRACE"
    else:
        cursor.expect("EVENT", "LOG writes to EVENT or to USER TRACE")
        target = "EVENT"
    full = cursor.take("FULL")
    exception = cursor.take("EXCEPTION")
    if full and not exception:
        cursor.fail("EXCEPTION after FULL")
    detail = _read_detail(cursor)
    recovery.end_statement(cursor, "LOG")
    return Log(at, target, exception, full, detail)


def _read_detail(cursor: Cursor) -> ExceptionDetail:
    at = cursor.at
    found: dict[str, Any] = {}
    while True:
        if word := cursor.take_any(("SEVERITY", "CATALOG", "MESSAGE")):
            found[word.lower()] = expressions.read_expression(cursor)
        elif cursor.word == "VALUES" and cursor.next_word() == "(":
            cursor.advance()
            cursor.advance()
            found["values"] = operands.read_arguments(cursor)
        else:
            return ExceptionDetail(at, **found)
