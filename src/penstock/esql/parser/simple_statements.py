"""Reads statements of one line: SET, CALL, RETURN, LEAVE, ITERATE, PROPAGATE, EVAL, SLEEP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.parser import expressions, operands, paths, recovery
from penstock.esql.syntax.statements import (
    CallStatement,
    Eval,
    Iterate,
    Leave,
    Propagate,
    Return,
    Set,
    Sleep,
)

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor

_SET_PARTS = frozenset(("TYPE", "NAMESPACE", "NAME", "VALUE"))


def read_set(cursor: Cursor) -> Set:
    """Read `SET target [TYPE|NAMESPACE|NAME|VALUE] = value`."""
    at = cursor.at
    cursor.advance()
    target = paths.read_reference(cursor, "the target of SET")
    part = cursor.take_any(_SET_PARTS)
    cursor.expect("=")
    value = expressions.read_expression(cursor)
    recovery.end_statement(cursor, "SET")
    return Set(at, target, part, value)


def read_call(cursor: Cursor) -> CallStatement:
    """Read `CALL routine(arguments) [IN schema] [EXTERNAL SCHEMA e] [INTO target]`."""
    at = cursor.at
    cursor.advance()
    names = [cursor.name("the name of a routine")]
    while cursor.take("."):
        names.append(cursor.name("the name of a routine"))
    cursor.expect("(", "a call has parentheses, even without arguments")
    arguments = operands.read_arguments(cursor)
    found: dict[str, Any] = {}
    while True:
        if cursor.take("IN"):
            found["database_schema"] = paths.read_reference(cursor)
        elif cursor.word == "EXTERNAL" and cursor.next_word() == "SCHEMA":
            cursor.advance()
            cursor.advance()
            found["external_schema"] = expressions.read_expression(cursor)
        elif cursor.take("INTO"):
            found["into"] = paths.read_reference(cursor)
        else:
            break
    recovery.end_statement(cursor, "CALL")
    return CallStatement(at, tuple(names[:-1]), names[-1], arguments, **found)


def read_return(cursor: Cursor) -> Return:
    """Read `RETURN [value]`."""
    at = cursor.at
    cursor.advance()
    bare = cursor.word == ";" or (recovery.is_cut_off(cursor) and cursor.word != "CASE")
    value = None if bare else expressions.read_expression(cursor)
    recovery.end_statement(cursor, "RETURN")
    return Return(at, value)


def read_jump(cursor: Cursor) -> Leave | Iterate:
    """Read `LEAVE label` or `ITERATE label`."""
    at, word = cursor.at, cursor.word
    cursor.advance()
    label = cursor.name("a label")
    recovery.end_statement(cursor, word)
    return Leave(at, label) if word == "LEAVE" else Iterate(at, label)


def read_propagate(cursor: Cursor) -> Propagate:
    """Read PROPAGATE with its clauses in any order."""
    at = cursor.at
    cursor.advance()
    found: dict[str, Any] = {}
    while cursor.word != ";":
        if cursor.take("TO"):
            word = cursor.take_any(("TERMINAL", "LABEL")) or cursor.fail("TERMINAL or LABEL after TO")
            found[word.lower()] = expressions.read_expression(cursor)
        elif word := cursor.take_any(("ENVIRONMENT", "MESSAGE", "EXCEPTION")):
            found[word.lower()] = expressions.read_expression(cursor)
        elif word := cursor.take_any(("FINALIZE", "DELETE")):
            found[word.lower()] = cursor.take_any(("DEFAULT", "NONE")) or cursor.fail("DEFAULT or NONE")
        else:
            break
    recovery.end_statement(cursor, "PROPAGATE")
    return Propagate(at, **found)


def read_eval(cursor: Cursor) -> Eval:
    """Read `EVAL(text)` as a statement."""
    at = cursor.at
    cursor.advance()
    cursor.expect("(")
    text = expressions.read_expression(cursor)
    cursor.expect(")")
    recovery.end_statement(cursor, "EVAL")
    return Eval(at, text)


def read_sleep(cursor: Cursor) -> Sleep:
    """Read `SLEEP(milliseconds)` as a statement."""
    at = cursor.at
    cursor.advance()
    duration = expressions.read_expression(cursor)
    recovery.end_statement(cursor, "SLEEP")
    return Sleep(at, duration)
