"""Reads CREATE of fields, ATTACH, DETACH, MOVE and DELETE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.parser import expressions, functions, paths, recovery
from penstock.esql.syntax.database_statements import DeleteFrom
from penstock.esql.syntax.expressions import Star
from penstock.esql.syntax.tree_statements import (
    FIELD,
    PLACES,
    Attach,
    CreateField,
    DeleteField,
    Detach,
    Move,
    ParseClause,
)

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.paths import FieldReference
    from penstock.esql.syntax.statements import Statement

_PLACE_WORDS = "FIRSTCHILD, LASTCHILD, PREVIOUSSIBLING or NEXTSIBLING"


def read_create_field(cursor: Cursor, at: int) -> CreateField:
    """Read the rest of CREATE for a field."""
    place, target = _read_place_and_target(cursor, "a module, routine or field after CREATE")
    found: dict[str, Any] = {}
    while cursor.word != ";" and _read_create_clause(cursor, found):
        pass
    recovery.end_statement(cursor, "CREATE")
    return CreateField(at, place, target, **found)


def _read_place_and_target(cursor: Cursor, what: str) -> tuple[str, FieldReference]:
    if cursor.take(FIELD):
        return FIELD, paths.read_reference(cursor)
    place = cursor.take_any(PLACES) or cursor.fail(what)
    cursor.expect("OF")
    return place, paths.read_reference(cursor)


def _read_create_clause(cursor: Cursor, found: dict[str, Any]) -> bool:
    """Read one clause into `found`; False if there is none."""
    if cursor.take("AS"):
        found["reference"] = paths.read_reference(cursor)
    elif word := cursor.take_any(("DOMAIN", "TYPE", "NAMESPACE", "NAME", "VALUE")):
        found[word.lower()] = _read_value(cursor)
    elif cursor.take("REPEAT"):
        found["repeat"] = True
    elif cursor.take("IDENTITY"):
        found["identity"] = paths.read_step(cursor, first=True)
    elif cursor.take("FROM"):
        found["source"] = expressions.read_expression(cursor)
    elif cursor.word == "PARSE" and cursor.next_word() == "(":
        start = cursor.at
        cursor.advance()
        cursor.advance()
        data = expressions.read_expression(cursor)
        found["parse"] = ParseClause(start, data, functions.read_parser_options(cursor))
    else:
        return False
    return True


def _read_value(cursor: Cursor) -> Expression:
    if cursor.word == "*":
        at = cursor.at
        cursor.advance()
        return Star(at)
    return expressions.read_expression(cursor)


def read_attach(cursor: Cursor) -> Attach:
    """Read `ATTACH reference TO target AS place`."""
    at = cursor.at
    cursor.advance()
    reference = paths.read_reference(cursor)
    cursor.expect("TO")
    target = paths.read_reference(cursor)
    cursor.expect("AS")
    place = cursor.take_any(PLACES) or cursor.fail(_PLACE_WORDS)
    recovery.end_statement(cursor, "ATTACH")
    return Attach(at, reference, target, place)


def read_detach(cursor: Cursor) -> Detach:
    """Read `DETACH reference`."""
    at = cursor.at
    cursor.advance()
    reference = paths.read_reference(cursor)
    recovery.end_statement(cursor, "DETACH")
    return Detach(at, reference)


def read_delete(cursor: Cursor) -> Statement:
    """Read DELETE FIELD, DELETE place OF, or DELETE FROM a table."""
    at = cursor.at
    cursor.advance()
    if cursor.take("FROM"):
        table = paths.read_reference(cursor, "a table")
        name = cursor.name("a correlation name") if cursor.take("AS") else None
        where = expressions.read_expression(cursor) if cursor.take("WHERE") else None
        recovery.end_statement(cursor, "DELETE FROM")
        return DeleteFrom(at, table, name, where)
    place, target = _read_place_and_target(cursor, f"FIELD, FROM, {_PLACE_WORDS}")
    recovery.end_statement(cursor, "DELETE")
    return DeleteField(at, place, target)


def read_move(cursor: Cursor) -> Move:
    """Read MOVE with its direction and its conditions."""
    at = cursor.at
    cursor.advance()
    reference = paths.read_reference(cursor, "a reference variable")
    direction = cursor.take_any(("TO", "PARENT", *PLACES)) or cursor.fail(f"TO, PARENT, {_PLACE_WORDS}")
    found: dict[str, Any] = {}
    if direction == "TO":
        found["target"] = paths.read_reference(cursor)
    while cursor.word != ";":
        if word := cursor.take_any(("TYPE", "NAMESPACE", "NAME")):
            found[word.lower()] = _read_value(cursor)
        elif cursor.take("IDENTITY"):
            found["identity"] = paths.read_step(cursor, first=True)
        elif cursor.take("REPEAT"):
            found["repeat"] = _read_repeat(cursor)
        else:
            break
    recovery.end_statement(cursor, "MOVE")
    return Move(at, reference, direction, **found)


def _read_repeat(cursor: Cursor) -> tuple[str, ...]:
    words: list[str] = []
    while word := cursor.take_any(("TYPE", "NAME")):
        words.append(word)
    return tuple(words) or ("TYPE", "NAME")
