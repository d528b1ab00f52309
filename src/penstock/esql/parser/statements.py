"""Reads lists of statements, and each statement by its first word.

READERS has the reader of every statement word; a label before a loop or a block is read here. Errors are
caught here: an invalid statement is reported and skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.parser import (
    blocks,
    database_statements,
    declarations,
    exception_statements,
    recovery,
    routines,
    simple_statements,
    tree_statements,
)
from penstock.esql.parser.cursor import Cursor, Unreadable
from penstock.esql.syntax.statements import Empty, Statement
from penstock.esql.tokens import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Container

LABELLED = {
    "WHILE": blocks.read_while,
    "REPEAT": blocks.read_repeat,
    "LOOP": blocks.read_loop,
    "FOR": blocks.read_for,
    "BEGIN": blocks.read_begin,
}


def read_statements(cursor: Cursor, ends: Container[str] = recovery.BLOCK_ENDS) -> tuple[Statement, ...]:
    """Read statements up to a word that ends the list; the word is left."""
    found: list[Statement] = []
    while cursor.word not in ends and cursor.kinds[cursor.index] != Kind.END:
        start, depth, blocks_open = cursor.index, cursor.depth, len(cursor.blocks)
        try:
            found.append(read_statement(cursor))
        except Unreadable as mistake:
            cursor.depth = depth
            del cursor.blocks[blocks_open:]
            cursor.report(mistake.found)
            recovery.note_lost_names(cursor, start)
            recovery.skip_statement(cursor, start)
    return tuple(found)


def read_statement(cursor: Cursor) -> Statement:
    """Read one statement with its semicolon."""
    cursor.deeper()
    reader = READERS.get(cursor.word)
    if reader is not None and cursor.words[cursor.index + 1] != ":":
        found = reader(cursor)
    elif cursor.is_name() and cursor.next_word() == ":":
        found = _read_labelled(cursor)
    elif cursor.word == ";":
        found = Empty(cursor.at)
        cursor.advance()
    else:
        found = _fail(cursor)
    cursor.depth -= 1
    return found


def _read_labelled(cursor: Cursor) -> Statement:
    label = cursor.name("a label")
    cursor.advance()
    reader = LABELLED.get(cursor.word) or cursor.fail("WHILE, REPEAT, LOOP, FOR or BEGIN after a label")
    return reader(cursor, label)


def _fail(cursor: Cursor) -> Statement:
    likely = ""
    if cursor.is_name():
        following = cursor.next_word()
        if following in ("=", ".", "["):
            likely = "an assignment starts with SET"
        elif following == "(":
            likely = "a procedure is run with CALL"
        elif cursor.word in ("ELSIF", "ELIF") or (cursor.word == "ELSE" and following == "IF"):
            likely = "ESQL writes ELSEIF"
    return cursor.fail("a statement", likely, "E116")


READERS: dict[str, Callable[[Cursor], Statement]] = {
    **LABELLED,
    "IF": blocks.read_if,
    "CASE": blocks.read_case,
    "DECLARE": declarations.read_declare,
    "SET": simple_statements.read_set,
    "CALL": simple_statements.read_call,
    "RETURN": simple_statements.read_return,
    "LEAVE": simple_statements.read_jump,
    "ITERATE": simple_statements.read_jump,
    "PROPAGATE": simple_statements.read_propagate,
    "EVAL": simple_statements.read_eval,
    "SLEEP": simple_statements.read_sleep,
    "THROW": exception_statements.read_throw,
    "RESIGNAL": exception_statements.read_resignal,
    "LOG": exception_statements.read_log,
    "CREATE": routines.read_create,
    "ATTACH": tree_statements.read_attach,
    "DETACH": tree_statements.read_detach,
    "MOVE": tree_statements.read_move,
    "DELETE": tree_statements.read_delete,
    "INSERT": database_statements.read_insert,
    "UPDATE": database_statements.read_update,
    "PASSTHRU": database_statements.read_passthru,
    "COMMIT": database_statements.read_transaction,
    "ROLLBACK": database_statements.read_transaction,
}
