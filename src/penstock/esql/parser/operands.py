"""Reads operands: literals, parentheses, CASE, calls and field references.

A word is a keyword here only if the next token makes it one: DATE before a text, CAST before a parenthesis,
SELECT before anything that can start a select list.
"""

from __future__ import annotations

from penstock.esql.parser import expressions, functions, paths, select
from penstock.esql.parser.cursor import QUOTED, Cursor, unquote
from penstock.esql.syntax.expressions import (
    Call,
    CaseExpression,
    Expression,
    IntervalOf,
    ListConstructor,
    Literal,
    Missing,
    Quantified,
    Star,
    When,
)
from penstock.esql.syntax.paths import FieldReference, ResultField
from penstock.esql.syntax.types import INTERVAL_FIELDS
from penstock.esql.tokens import WORD_STRING, Kind
from penstock.esql.words import words

CONSTANTS = {"TRUE": "BOOLEAN", "FALSE": "BOOLEAN", "UNKNOWN": "BOOLEAN", "NULL": "NULL"}
TYPED_LITERALS = {
    "DATE": "DATE",
    "TIME": "TIME",
    "TIMESTAMP": "TIMESTAMP",
    "GMTTIME": "GMTTIME",
    "GMTTIMESTAMP": "GMTTIMESTAMP",
    "DECIMAL": "DECIMAL",
    "DEC": "DECIMAL",
    "INTERVAL": "INTERVAL",
    "CHARACTER": "CHARACTER",
    "CHAR": "CHARACTER",
    "BLOB": "BLOB",
    "BIT": "BIT",
    "INTEGER": "INTEGER",
    "FLOAT": "FLOAT",
}
_QUANTIFIERS = frozenset(("ALL", "ANY", "SOME"))
_PATH_GOES_ON = frozenset((".", "[", ":"))
_NOT_AN_OPERAND = words("THEN DO END ELSE ELSEIF WHERE FROM AS")


def read_operand(cursor: Cursor) -> Expression:
    """Read the operand of an operator."""
    kind = cursor.kinds[cursor.index]
    if kind == Kind.NAME:
        return _read_name(cursor)
    at = cursor.starts[cursor.index]
    if kind == Kind.STRING:
        text = unquote(cursor.texts[cursor.index], "'")
        cursor.advance()
        return Literal(at, "CHARACTER", text)
    if kind == Kind.NUMBER:
        return _read_number(cursor, at)
    if kind in (Kind.BLOB, Kind.BIT):
        text = cursor.text[2:-1]
        cursor.advance()
        return Literal(at, "BLOB" if kind == Kind.BLOB else "BIT", text)
    if cursor.word == "(":
        return _read_parentheses(cursor, at)
    if kind == Kind.QUOTED:
        return _read_reference_or_call(cursor)
    return cursor.fail("an expression")


def _read_number(cursor: Cursor, at: int) -> Expression:
    text = cursor.texts[cursor.index]
    cursor.advance()
    if text[:2] in ("0x", "0X"):
        return Literal(at, "HEX", text[2:])
    return Literal(at, "INTEGER" if text.isdigit() else "FLOAT", text)


def _read_parentheses(cursor: Cursor, at: int) -> Expression:
    cursor.advance()
    value = expressions.read_expression(cursor)
    cursor.expect(")")
    if cursor.word in INTERVAL_FIELDS:
        return IntervalOf(at, value, read_interval_qualifier(cursor))
    return value


def read_interval_qualifier(cursor: Cursor) -> tuple[str, ...]:
    """Read `DAY` or `DAY TO SECOND`."""
    first = cursor.take_any(INTERVAL_FIELDS) or cursor.fail("YEAR, MONTH, DAY, HOUR, MINUTE or SECOND")
    if cursor.word == "TO" and cursor.next_word() in INTERVAL_FIELDS:
        cursor.advance()
        return first, cursor.take_any(INTERVAL_FIELDS)
    return (first,)


def _read_name(cursor: Cursor) -> Expression:
    """Read an operand that starts with a word, which may be a keyword here."""
    word, following = cursor.word, cursor.words[cursor.index + 1]
    if word == "CASE" and following not in _PATH_GOES_ON:
        return read_case(cursor)
    if word == "SELECT" and select.starts_here(cursor):
        return select.read_select(cursor)
    if following == "(":
        reader = functions.READERS.get(word)
        return reader(cursor) if reader else _read_reference_or_call(cursor)
    if following == WORD_STRING and word in TYPED_LITERALS:
        return _read_typed_literal(cursor)
    if following in _PATH_GOES_ON:
        return _read_reference_or_call(cursor)
    if word in CONSTANTS:
        at = cursor.at
        cursor.advance()
        return Literal(at, CONSTANTS[word], word)
    if word == "LIST" and following == "{":
        return _read_list(cursor)
    if word == "FOR" and _is_quantified(cursor):
        return _read_quantified(cursor)
    if word in _NOT_AN_OPERAND and _is_out_of_place(cursor):
        cursor.fail("an expression")
    return _read_reference_or_call(cursor)


def _is_out_of_place(cursor: Cursor) -> bool:
    """Whether a word that ends expressions is where one should begin, and is not a variable."""
    before = cursor.words[cursor.index - 1] if cursor.index else ""
    return before in expressions.RANKS or before in (
        "(",
        ",",
        "IF",
        "WHEN",
        "WHILE",
        "THEN",
        "SELECT",
        "ITEM",
    )


def _read_typed_literal(cursor: Cursor) -> Expression:
    at, kind = cursor.at, TYPED_LITERALS[cursor.word]
    cursor.advance()
    text = unquote(cursor.text, "'")
    cursor.advance()
    qualifier: tuple[str, ...] = ()
    if kind == "INTERVAL":
        qualifier = read_interval_qualifier(cursor)
    return Literal(at, kind, text, qualifier)


def read_case(cursor: Cursor) -> CaseExpression:
    """Read a CASE expression, simple or searched."""
    at = cursor.at
    cursor.advance()
    subject = None if cursor.word == "WHEN" else expressions.read_expression(cursor)
    branches: list[When] = []
    while cursor.word == "WHEN":
        start = cursor.at
        cursor.advance()
        test = expressions.read_expression(cursor)
        cursor.expect("THEN")
        branches.append(When(start, test, expressions.read_expression(cursor)))
    if not branches:
        cursor.fail("WHEN")
    otherwise = expressions.read_expression(cursor) if cursor.take("ELSE") else None
    cursor.expect("END")
    if cursor.word == "CASE" and cursor.next_word() not in ("WHEN",):
        cursor.complain(
            "E112", "a CASE expression ends in END alone", cursor.at, 4, "END CASE ends the statement"
        )
        cursor.advance()
    return CaseExpression(at, subject, tuple(branches), otherwise)


def _read_list(cursor: Cursor) -> ListConstructor:
    at = cursor.at
    cursor.advance()
    cursor.expect("{")
    return ListConstructor(at, expressions.read_list(cursor, "}"))


def _is_quantified(cursor: Cursor) -> bool:
    """Whether FOR is followed by its list; else it is a variable."""
    if cursor.next_word() in _QUANTIFIERS:
        return True
    return cursor.kinds[cursor.index + 1] <= QUOTED and cursor.next_word(2) in (".", "[")


def _read_quantified(cursor: Cursor) -> Quantified:
    at = cursor.at
    cursor.advance()
    quantifier = cursor.take_any(_QUANTIFIERS)
    source = expressions.read_expression(cursor, expressions.ADD)
    name = cursor.name("a name") if cursor.take("AS") else ""
    cursor.expect("(")
    predicate = expressions.read_expression(cursor)
    cursor.expect(")")
    return Quantified(at, quantifier, source, name, predicate)


def _read_reference_or_call(cursor: Cursor) -> Expression:
    """Read a path, or a call if a parenthesis follows plain names."""
    at = cursor.starts[cursor.index]
    reference = paths.read_reference(cursor)
    if cursor.word == "(" and (names := plain_names(reference)):
        cursor.advance()
        call = read_call(cursor, at, names)
        if cursor.word == ".":
            return ResultField(at, call, paths.read_more_steps(cursor, at, []).steps)
        return call
    return reference


def plain_names(reference: FieldReference) -> tuple[str, ...]:
    """Return the names of a path of plain names only, else nothing."""
    names = tuple(step.plain for step in reference.steps)
    return tuple(name for name in names if name is not None) if None not in names else ()


def read_call(cursor: Cursor, at: int, names: tuple[str, ...]) -> Call:
    """Read the arguments of a call after its parenthesis; some may be left out between commas."""
    distinct = cursor.take("DISTINCT")
    every = (
        not distinct and cursor.word == "ALL" and cursor.next_word() not in (",", ")") and cursor.take("ALL")
    )
    arguments = read_arguments(cursor)
    return Call(at, names[:-1], names[-1], arguments, distinct, every)


def read_arguments(cursor: Cursor) -> tuple[Expression, ...]:
    """Read arguments, including the closing parenthesis."""
    if cursor.take(")"):
        return ()
    found: list[Expression] = []
    while True:
        at = cursor.at
        if cursor.word in (",", ")"):
            found.append(Missing(at))
        elif cursor.word == "*" and cursor.next_word() in (",", ")"):
            cursor.advance()
            found.append(Star(at))
        else:
            found.append(expressions.read_expression(cursor))
        if not cursor.take(","):
            break
    if cursor.word != ")":
        cursor.fail(", or )", "" if cursor.word != ";" else "a closing parenthesis is missing")
    cursor.advance()
    return tuple(found)
