"""The entry point: parses one source into a Program with all its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.findings import Finding, finding
from penstock.esql.lexer import tokenise
from penstock.esql.limits import SOURCE_BYTES_MAX
from penstock.esql.parser import expressions, recovery, statements
from penstock.esql.parser.cursor import Cursor, Unreadable
from penstock.esql.source import Source
from penstock.esql.syntax.program import Program
from penstock.esql.tokens import Comment, Kind

if TYPE_CHECKING:
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.statements import Statement

_NO_ENDS: frozenset[str] = frozenset(("END",))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file after parsing: its program, its comments, and the errors, in the order of the source."""

    source: Source
    program: Program
    comments: tuple[Comment, ...]
    findings: tuple[Finding, ...]
    lost: frozenset[str] = frozenset()  # names in capitals whose declaration could not be read


def parse(source: Source) -> Parsed:
    """Parse a whole file. Never raises: syntax errors are in `findings`.

    >>> parsed = parse(Source("a.esql", "DECLARE x INTEGER 5"))
    >>> [found.message for found in parsed.findings]
    ['; is missing after the declaration']
    """
    if len(source.text) > SOURCE_BYTES_MAX:
        found = finding(source, "E115", f"the file is larger than {SOURCE_BYTES_MAX} characters", 0)
        return Parsed(source, Program(0, (), (), ()), (), (found,))
    cursor = Cursor(tokenise(source))
    program = _read_program(cursor)
    findings = sorted(cursor.findings, key=lambda found: found.at)
    return Parsed(source, program, tuple(cursor.tokens.comments), tuple(findings), frozenset(cursor.lost))


def parse_expression(text: str, name: str = "expression") -> tuple[Expression | None, tuple[Finding, ...]]:
    """Parse a text that is one expression, such as that of a Filter node."""
    cursor = Cursor(tokenise(Source(name, text)))
    value = None
    try:
        value = expressions.read_expression(cursor)
        cursor.take(";")
        if cursor.kind != Kind.END:
            cursor.fail("the end of the expression")
    except Unreadable as mistake:
        cursor.report(mistake.found)
    return value, tuple(cursor.findings)


def _read_program(cursor: Cursor) -> Program:
    schema: tuple[str, ...] = ()
    path: tuple[tuple[str, ...], ...] = ()
    try:
        schema, path = _read_schema(cursor), _read_path(cursor)
    except Unreadable as mistake:
        cursor.report(mistake.found)
        recovery.skip_statement(cursor, cursor.index)
    body: list[Statement] = []
    while cursor.kind != Kind.END:
        body += statements.read_statements(cursor, _NO_ENDS)
        if cursor.kind != Kind.END:
            _skip_stray_end(cursor)
    return Program(0, schema, path, tuple(body))


def _skip_stray_end(cursor: Cursor) -> None:
    """Report an END that closes nothing, and continue after it."""
    at, words = cursor.at, "END"
    cursor.advance()
    if cursor.take_any(("IF", "WHILE", "REPEAT", "LOOP", "FOR", "CASE", "MODULE")):
        words += " " + cursor.words[cursor.index - 1]
    cursor.take(";")
    cursor.complain("E112", f"{words} closes nothing that is open", at, len(words))


def _read_schema(cursor: Cursor) -> tuple[str, ...]:
    if cursor.word != "BROKER" or cursor.next_word() != "SCHEMA":
        return ()
    cursor.advance()
    cursor.advance()
    names = _read_dotted(cursor)
    cursor.take(";")
    return names


def _read_path(cursor: Cursor) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = []
    while cursor.word == "PATH" and cursor.is_name():
        cursor.advance()
        found.append(_read_dotted(cursor))
        while cursor.take(","):
            found.append(_read_dotted(cursor))
        cursor.take(";")
    return tuple(found)


def _read_dotted(cursor: Cursor) -> tuple[str, ...]:
    names = [cursor.name("the name of a schema")]
    while cursor.take("."):
        names.append(cursor.name("the name of a schema"))
    return tuple(names)
