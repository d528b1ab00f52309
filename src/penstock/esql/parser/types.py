"""Reads data types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.parser import expressions, operands
from penstock.esql.syntax.types import INTERVAL_FIELDS, SIZED, TYPE_NAMES, DataType
from penstock.esql.tokens import WORD_NUMBER

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor

_FOREIGN = {
    "STRING": "CHARACTER",
    "VARCHAR": "CHARACTER",
    "TEXT": "CHARACTER",
    "LONG": "INTEGER",
    "BIGINT": "INTEGER",
    "SMALLINT": "INTEGER",
    "NUMBER": "DECIMAL",
    "NUMERIC": "DECIMAL",
    "DOUBLE": "FLOAT",
    "REAL": "FLOAT",
    "DATETIME": "TIMESTAMP",
    "BINARY": "BLOB",
    "BYTES": "BLOB",
}


def read_type(cursor: Cursor) -> DataType:
    """Read a type with its size or interval qualifier."""
    at = cursor.at
    name = TYPE_NAMES.get(cursor.word) or cursor.fail("a data type", _likely(cursor.word))
    cursor.advance()
    size = _read_size(cursor) if name in SIZED and _is_size(cursor) else ()
    qualifier: tuple[str, ...] = ()
    if name == "INTERVAL" and cursor.word in INTERVAL_FIELDS:
        qualifier = operands.read_interval_qualifier(cursor)
    return DataType(at, name, size, qualifier)


def _likely(word: str) -> str:
    return f"the ESQL type is {_FOREIGN[word]}" if word in _FOREIGN else ""


def _is_size(cursor: Cursor) -> bool:
    """Whether `(n)` or `(n, m)` follows; `('text')` and `(1) + 2` are initial values."""
    if cursor.word != "(" or cursor.next_word() != WORD_NUMBER:
        return False
    if cursor.next_word(2) == ")":
        return cursor.next_word(3) not in expressions.RANKS
    return cursor.next_word(2) == "," and cursor.next_word(3) == WORD_NUMBER and cursor.next_word(4) == ")"


def _read_size(cursor: Cursor) -> tuple[int, ...]:
    sizes: list[int] = []
    while not sizes or cursor.word == ",":
        cursor.advance()
        if not cursor.text.isdigit():
            cursor.fail("a whole number")
        sizes.append(int(cursor.text[:18]))
        cursor.advance()
    cursor.expect(")")
    return tuple(sizes)
