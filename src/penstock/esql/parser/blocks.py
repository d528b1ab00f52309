"""Reads statements that contain others: IF, CASE, loops, BEGIN; and the END that closes each.

The cursor records the open blocks, so that an inner block does not consume the END of an outer one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.parser import expressions, recovery, statements
from penstock.esql.syntax.statements import Begin, Branch, Case, For, If, Loop, Repeat, While
from penstock.esql.tokens import Kind
from penstock.esql.words import words

if TYPE_CHECKING:
    from penstock.esql.parser.cursor import Cursor

BEGIN_END = ";"  # a BEGIN is closed by END alone
_CLOSABLE = words("IF WHILE REPEAT LOOP FOR CASE MODULE")


def begin(cursor: Cursor, kind: str) -> int:
    """Open a block and pass its first word; return where it is."""
    at = cursor.at
    cursor.blocks.append((kind, at))
    cursor.advance()
    return at


def read_if(cursor: Cursor) -> If:
    """Read IF with its branches."""
    at = cursor.at
    cursor.blocks.append(("IF", at))
    branches: list[Branch] = []
    while not branches or cursor.word == "ELSEIF":
        start = cursor.at
        cursor.advance()
        test = recovery.read_header(cursor, "THEN", "the condition")
        branches.append(Branch(start, test, statements.read_statements(cursor)))
    otherwise, likely = None, ""
    if cursor.take("ELSE"):
        likely = "ELSE IF opens another IF with an END IF of its own" if cursor.word == "IF" else ""
        otherwise = statements.read_statements(cursor)
    close(cursor, "IF", at, likely=likely)
    return If(at, tuple(branches), otherwise)


def read_case(cursor: Cursor) -> Case:
    """Read a CASE statement, simple or searched."""
    at = begin(cursor, "CASE")
    subject = None if cursor.word == "WHEN" else expressions.read_expression(cursor)
    branches: list[Branch] = []
    while cursor.word == "WHEN":
        start = cursor.at
        cursor.advance()
        test = recovery.read_header(cursor, "THEN", "WHEN")
        branches.append(Branch(start, test, statements.read_statements(cursor)))
    if not branches:
        cursor.fail("WHEN")
    otherwise = statements.read_statements(cursor) if cursor.take("ELSE") else None
    close(cursor, "CASE", at)
    return Case(at, subject, tuple(branches), otherwise)


def read_while(cursor: Cursor, label: str | None = None) -> While:
    """Read WHILE."""
    at = begin(cursor, "WHILE")
    test = recovery.read_header(cursor, "DO", "the condition")
    body = statements.read_statements(cursor)
    close(cursor, "WHILE", at, label)
    return While(at, label, test, body)


def read_repeat(cursor: Cursor, label: str | None = None) -> Repeat:
    """Read REPEAT."""
    at = begin(cursor, "REPEAT")
    body = statements.read_statements(cursor)
    cursor.expect("UNTIL", f"the REPEAT of line {cursor.tokens.source.line_of(at)} ends in UNTIL condition")
    test = expressions.read_expression(cursor)
    close(cursor, "REPEAT", at, label)
    return Repeat(at, label, body, test)


def read_loop(cursor: Cursor, label: str | None = None) -> Loop:
    """Read LOOP."""
    at = begin(cursor, "LOOP")
    body = statements.read_statements(cursor)
    close(cursor, "LOOP", at, label)
    return Loop(at, label, body)


def read_for(cursor: Cursor, label: str | None = None) -> For:
    """Read FOR over a list."""
    at = begin(cursor, "FOR")
    name = cursor.name("the name of a reference")
    cursor.expect("AS", "ESQL loops with FOR reference AS path[] DO")
    source = recovery.read_header(cursor, "DO", "the list")
    body = statements.read_statements(cursor)
    close(cursor, "FOR", at, label)
    return For(at, label, name, source, body)


def read_begin(cursor: Cursor, label: str | None = None) -> Begin:
    """Read BEGIN .. END."""
    at = begin(cursor, BEGIN_END)
    atomic = None
    if cursor.word == "NOT" and cursor.next_word() == "ATOMIC":
        cursor.advance()
        atomic = False
    if cursor.take("ATOMIC"):
        atomic = atomic is None
    body = statements.read_statements(cursor)
    close(cursor, BEGIN_END, at, label)
    return Begin(at, label, atomic, body)


def close(cursor: Cursor, kind: str, at: int, label: str | None = None, likely: str = "") -> None:
    """Read the END of a block with its semicolon, or report what is wrong with it."""
    while cursor.word in ("ELSE", "ELSEIF", "WHEN", "UNTIL") and _is_stray(cursor):
        _skip_stray(cursor)
    cursor.blocks.pop()
    opened = f"{'BEGIN' if kind == BEGIN_END else kind} of line {cursor.tokens.source.line_of(at)}"
    wanted = "END" if kind == BEGIN_END else f"END {kind}"
    if cursor.word != "END":
        open_end = f"the {opened} is not closed" if cursor.kind == Kind.END else ""
        cursor.fail(wanted, likely or open_end, "E113")
    found = cursor.next_word()
    found = found if found in _CLOSABLE else BEGIN_END
    if found != kind and any(word == found for word, _ in cursor.blocks):
        message = f"the {opened} is not closed before this END"
        cursor.complain("E113", message, cursor.at, 3, likely or f"{wanted}; is missing")
        return
    end_at = cursor.at
    cursor.advance()
    if found != BEGIN_END:
        cursor.advance()
    if found != kind:
        written = "END" if found == BEGIN_END else f"END {found}"
        cursor.complain("E112", f"{written} does not close the {opened}", end_at, 3, f"write {wanted}")
    _read_label(cursor, label)
    recovery.end_statement(cursor, wanted)


def _is_stray(cursor: Cursor) -> bool:
    """Whether a branch word belongs to no open block around."""
    owners = {"UNTIL": ("REPEAT",), "WHEN": ("CASE",)}.get(cursor.word, ("IF", "CASE"))
    return not any(word in owners for word, _ in cursor.blocks[:-1])


def _skip_stray(cursor: Cursor) -> None:
    cursor.complain("E116", f"{cursor.word} belongs to no open block", cursor.at, len(cursor.word))
    cursor.advance()
    statements.read_statements(cursor)


def _read_label(cursor: Cursor, label: str | None) -> None:
    if cursor.is_name() and cursor.next_word() == ";":
        at, length = cursor.at, len(cursor.text)
        name = cursor.name("a label")
        if label is None or name.upper() != label.upper():
            expected = f"the block's label is {label}" if label else "the block has no label"
            cursor.complain("E112", f"label {name} does not belong here", at, length, expected)
