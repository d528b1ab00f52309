"""Reads functions whose arguments have words between them: CAST, SUBSTRING, TRIM, ROW ...

`operands.py` looks in READERS if a word precedes a parenthesis. A form with plain commas becomes an ordinary
Call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.parser import expressions, operands, paths, types
from penstock.esql.syntax.expressions import Call, Cast, Expression, Missing, RowConstructor, RowItem
from penstock.esql.syntax.functions import (
    AsBitStream,
    ContextReference,
    Extract,
    Overlay,
    ParserOptions,
    Passthru,
    Position,
    Round,
    Substring,
    Trim,
)
from penstock.esql.syntax.paths import ResultField

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.parser.cursor import Cursor

_TRIM_SIDES = ("BOTH", "LEADING", "TRAILING")
_OPTION_WORDS = ("OPTIONS", "ENCODING", "CCSID", "SET", "TYPE", "FORMAT")
_POSITIONAL = ("encoding", "ccsid", "set", "type", "format", "options")
_CONTEXT_PARTS = ("PAYLOAD", "PAYLOADDETAILS", "HEADERS", "METADATA")
_CAST_WORDS = ("CCSID", "ENCODING", "FORMAT", "DEFAULT")


def _open(cursor: Cursor) -> int:
    """Read the function's name and the parenthesis; return its offset."""
    at = cursor.at
    cursor.advance()
    cursor.advance()
    return at


def read_cast(cursor: Cursor) -> Cast:
    """Read `CAST(sources AS type ...)`."""
    at = _open(cursor)
    sources = [expressions.read_expression(cursor)]
    while cursor.take(","):
        sources.append(expressions.read_expression(cursor))
    cursor.expect("AS", "a cast is written CAST(value AS type)")
    kind = types.read_type(cursor)
    options: dict[str, Expression] = {}
    while word := cursor.take_any(_CAST_WORDS):
        options[word.lower()] = expressions.read_expression(cursor, expressions.ADD)
    cursor.expect(")")
    return Cast(at, tuple(sources), kind, **options)


def read_substring(cursor: Cursor) -> Expression:
    """Read `SUBSTRING(text FROM start FOR length)` and its BEFORE and AFTER forms."""
    at = _open(cursor)
    operand = expressions.read_expression(cursor)
    if cursor.word == ",":
        cursor.fail("FROM, BEFORE or AFTER", "ESQL writes SUBSTRING(text FROM start FOR length)")
    side = cursor.take_any(("FROM", "BEFORE", "AFTER"))
    anchor = expressions.read_expression(cursor) if side else None
    length = expressions.read_expression(cursor) if cursor.take("FOR") else None
    if anchor is None and length is None:
        cursor.fail("FROM, BEFORE, AFTER or FOR")
    cursor.expect(")")
    return Substring(at, operand, side, anchor, length)


def read_trim(cursor: Cursor) -> Trim:
    """Read `TRIM([[BOTH|LEADING|TRAILING] [singleton] FROM] text)`."""
    at = _open(cursor)
    side = cursor.take_any(_TRIM_SIDES)
    singleton = None
    if cursor.word != "FROM":
        singleton = expressions.read_expression(cursor)
        if not side and cursor.word != "FROM":
            cursor.expect(")", "ESQL writes TRIM(LEADING '0' FROM text)")
            return Trim(at, "", None, singleton)
    cursor.expect("FROM", "ESQL writes TRIM(LEADING '0' FROM text)")
    operand = expressions.read_expression(cursor)
    cursor.expect(")")
    return Trim(at, side or "BOTH", singleton, operand)


def read_position(cursor: Cursor) -> Position:
    """Read `POSITION(wanted IN text FROM start REPEAT count)`."""
    at = _open(cursor)
    wanted = expressions.read_expression(cursor, expressions.ADD)
    cursor.expect("IN", "ESQL writes POSITION(wanted IN text)")
    operand = expressions.read_expression(cursor)
    start = expressions.read_expression(cursor) if cursor.take("FROM") else None
    count = expressions.read_expression(cursor) if cursor.take("REPEAT") else None
    cursor.expect(")")
    return Position(at, wanted, operand, start, count)


def read_overlay(cursor: Cursor) -> Overlay:
    """Read `OVERLAY(text PLACING other FROM start FOR length)`."""
    at = _open(cursor)
    operand = expressions.read_expression(cursor)
    cursor.expect("PLACING", "ESQL writes OVERLAY(text PLACING other FROM start)")
    text = expressions.read_expression(cursor)
    cursor.expect("FROM")
    start = expressions.read_expression(cursor)
    length = expressions.read_expression(cursor) if cursor.take("FOR") else None
    cursor.expect(")")
    return Overlay(at, operand, text, start, length)


def read_extract(cursor: Cursor) -> Extract:
    """Read `EXTRACT(part FROM date)`; the checker knows the valid parts."""
    at = _open(cursor)
    part = cursor.name("YEAR, MONTH, DAY or another part of a date").upper()
    cursor.expect("FROM", "ESQL writes EXTRACT(YEAR FROM date)")
    operand = expressions.read_expression(cursor)
    cursor.expect(")")
    return Extract(at, part, operand)


def read_round(cursor: Cursor) -> Expression:
    """Read `ROUND(number, places [MODE mode])`."""
    name, at = cursor.text, _open(cursor)
    found = [expressions.read_expression(cursor)]
    while cursor.take(","):
        found.append(expressions.read_expression(cursor))
    if len(found) == 2 and cursor.take("MODE"):
        mode = cursor.name("ROUND_HALF_UP or another mode").upper()
        cursor.expect(")")
        return Round(at, found[0], found[1], mode)
    cursor.expect(")")
    return Call(at, (), name, tuple(found))


def read_as_bit_stream(cursor: Cursor) -> AsBitStream:
    """Read ASBITSTREAM with its options by word or by position."""
    at = _open(cursor)
    field = expressions.read_expression(cursor)
    return AsBitStream(at, field, read_parser_options(cursor))


def read_parser_options(cursor: Cursor) -> ParserOptions:
    """Read the options after the first argument of ASBITSTREAM and PARSE, with the closing parenthesis."""
    at = cursor.at
    found: dict[str, Expression] = {}
    if cursor.word == ",":
        cursor.advance()
        values = operands.read_arguments(cursor)
        if len(values) > len(_POSITIONAL):
            message = f"at most {len(_POSITIONAL)} options: ENCODING, CCSID, SET, TYPE, FORMAT, OPTIONS"
            cursor.complain("E110", message, values[len(_POSITIONAL)].at)
        given = zip(_POSITIONAL, values, strict=False)
        return ParserOptions(at, **{word: value for word, value in given if not isinstance(value, Missing)})
    while word := cursor.take_any(_OPTION_WORDS):
        found[word.lower()] = expressions.read_expression(cursor, expressions.ADD)
    cursor.expect(")")
    return ParserOptions(at, **found)


def read_row(cursor: Cursor) -> Expression:
    """Read `ROW(value AS path, ...)` or `ROW(SELECT ...)`."""
    at = _open(cursor)
    items: list[RowItem] = []
    while not items or cursor.take(","):
        start = cursor.at
        value = expressions.read_expression(cursor)
        name = paths.read_reference(cursor) if cursor.take("AS") else None
        items.append(RowItem(start, value, name))
    cursor.expect(")")
    return RowConstructor(at, tuple(items))


def read_passthru(cursor: Cursor) -> Passthru:
    """Read `PASSTHRU(text [TO database] [VALUES(...)])` or `PASSTHRU(text, value, ...)`."""
    at = _open(cursor)
    found = read_passthru_parts(cursor, at)
    if not found.values and cursor.take(","):
        values = operands.read_arguments(cursor)
        return Passthru(at, found.text, found.database, values)
    cursor.expect(")")
    return found


def read_passthru_parts(cursor: Cursor, at: int) -> Passthru:
    """Read the text and the clauses of a PASSTHRU."""
    text = expressions.read_expression(cursor)
    return read_passthru_clauses(cursor, Passthru(at, text, None, ()))


def read_passthru_clauses(cursor: Cursor, call: Passthru) -> Passthru:
    """Read `[TO database] [VALUES(...)]` of a PASSTHRU."""
    database, values = call.database, call.values
    if cursor.take("TO"):
        database = paths.read_reference(cursor, "a database")
    if cursor.take("VALUES"):
        cursor.expect("(")
        values = operands.read_arguments(cursor)
    return Passthru(call.at, call.text, database, values)


def read_context_reference(cursor: Cursor) -> Expression:
    """Read `CONTEXTREFERENCE([NODENAME] name [LEVELNAME level] [part])`."""
    at = _open(cursor)
    _take_word(cursor, "NODENAME")
    name = expressions.read_expression(cursor)
    level = expressions.read_expression(cursor) if cursor.take("LEVELNAME") else None
    return _read_context_part(cursor, at, name, level)


def read_context_invocation_node(cursor: Cursor) -> Expression:
    """Read `CONTEXTINVOCATIONNODE([part])`."""
    return _read_context_part(cursor, _open(cursor), None, None)


def _take_word(cursor: Cursor, word: str) -> None:
    """Take a word that begins a clause; a variable of that name would be followed by something else."""
    if cursor.word == word and cursor.next_word() not in (".", ")", "["):
        cursor.advance()


def _read_context_part(
    cursor: Cursor, at: int, name: Expression | None, level: Expression | None
) -> Expression:
    part = cursor.take_any(_CONTEXT_PARTS)
    cursor.expect(")")
    found = ContextReference(at, name, level, part)
    if cursor.word == ".":
        return ResultField(at, found, paths.read_more_steps(cursor, at, []).steps)
    return found


READERS: dict[str, Callable[[Cursor], Expression]] = {
    "CAST": read_cast,
    "SUBSTRING": read_substring,
    "TRIM": read_trim,
    "POSITION": read_position,
    "OVERLAY": read_overlay,
    "EXTRACT": read_extract,
    "ROUND": read_round,
    "ASBITSTREAM": read_as_bit_stream,
    "ROW": read_row,
    "PASSTHRU": read_passthru,
    "CONTEXTREFERENCE": read_context_reference,
    "CONTEXTINVOCATIONNODE": read_context_invocation_node,
}
