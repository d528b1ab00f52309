"""Where parsing continues after an error: at the next statement, END, branch or CREATE.

One mistake gives one finding. A missing `;`, THEN or DO is reported and assumed if what follows is
unambiguous; otherwise the rest of the statement is skipped.
"""

from __future__ import annotations

from penstock.esql.findings import finding
from penstock.esql.parser import expressions
from penstock.esql.parser.cursor import QUOTED, Cursor, Unreadable, unquote
from penstock.esql.syntax.expressions import Expression, Literal
from penstock.esql.tokens import Kind
from penstock.esql.words import words

STATEMENT_WORDS = words(
    "ATTACH BEGIN CALL CASE COMMIT CREATE DECLARE DELETE DETACH EVAL FOR IF INSERT ITERATE LEAVE LOG LOOP "
    "MOVE PASSTHRU PROPAGATE REPEAT RESIGNAL RETURN ROLLBACK SET SLEEP THROW UPDATE WHILE"
)
BLOCK_ENDS = words("END ELSE ELSEIF WHEN UNTIL")
_CREATABLE = words(
    "COMPUTE FILTER DATABASE DATABASEEVENT FUNCTION PROCEDURE FIELD "
    "FIRSTCHILD LASTCHILD PREVIOUSSIBLING NEXTSIBLING"
)
_END_OF = words("IF WHILE REPEAT LOOP FOR CASE MODULE ;")


def starts_statement(cursor: Cursor) -> bool:
    """Whether the current word starts a statement or ends a block, or the file ends."""
    if cursor.kind == Kind.END:
        return True
    if cursor.kind != Kind.NAME:
        return False
    if cursor.word == "END":
        return cursor.next_word() in _END_OF or cursor.index + 2 >= len(cursor.words)
    if cursor.word in STATEMENT_WORDS:
        return cursor.word != "CREATE" or cursor.next_word() in _CREATABLE
    return cursor.word in ("ELSE", "ELSEIF")


def is_cut_off(cursor: Cursor) -> bool:
    """Whether the next statement starts here, on a new line, although no `;` was read.

    The line decides, because every word that starts a statement is also a valid name: RETURN set;
    """
    return _is_first_on_line(cursor) and starts_statement(cursor)


def end_statement(cursor: Cursor, what: str) -> None:
    """Read the `;` after a statement; if it is missing before another one, report it and continue."""
    if cursor.word == ";":
        cursor.advance()
        return
    if cursor.index and is_cut_off(cursor):
        complain_missing(cursor, ";", what)
        return
    cursor.fail("; after " + what)


def complain_missing(cursor: Cursor, mark: str, what: str) -> None:
    """Report a missing mark after the last token."""
    before = cursor.index - 1
    at = cursor.starts[before] + len(cursor.texts[before])
    cursor.report(finding(cursor.tokens.source, "E111", f"{mark} is missing after {what}", at))


def read_header(cursor: Cursor, end: str, what: str) -> Expression:
    """Read the condition of a block and the word after it; an error there does not end the block."""
    start, depth = cursor.index, cursor.depth
    try:
        value = expressions.read_expression(cursor)
        if cursor.word == end:
            cursor.advance()
        elif starts_statement(cursor):
            complain_missing(cursor, end, what)
        else:
            cursor.fail(f"{end} after {what}")
        return value
    except Unreadable as mistake:
        cursor.depth = depth
        if not _skip_to(cursor, end):
            raise
        cursor.report(mistake.found)
        cursor.advance()
        return Literal(cursor.starts[start], "NULL", "NULL")


def _skip_to(cursor: Cursor, end: str) -> bool:
    """Go to a word before the next `;`; stay and return False if there is none."""
    words, place = cursor.words, cursor.index
    while words[place] and words[place] != ";":
        if words[place] == end:
            cursor.index, cursor.word = place, end
            return True
        place += 1
    return False


def skip_statement(cursor: Cursor, start: int) -> None:
    """Skip the rest of an invalid statement; at least one token is consumed."""
    while cursor.kind != Kind.END:
        if cursor.index > start:
            if cursor.word == "END" and cursor.next_word() in _END_OF:
                return
            if cursor.word in ("ELSE", "ELSEIF") and _is_first_on_line(cursor):
                return
            if cursor.word in STATEMENT_WORDS and _is_first_on_line(cursor) and starts_statement(cursor):
                if cursor.word != "CASE":  # which may be an expression on a line of its own
                    return
        if cursor.take(";"):
            return
        cursor.advance()


def note_lost_names(cursor: Cursor, start: int) -> None:
    """Remember the names of an invalid declaration.

    So that their uses are not reported as unknown.
    """
    words, kinds = cursor.words, cursor.kinds
    place = start + 1
    if words[start] == "CREATE" and words[place] in ("FUNCTION", "PROCEDURE"):
        place += 1
    elif words[start] != "DECLARE":
        return
    while kinds[place] <= QUOTED:
        cursor.lost.add(words[place] if kinds[place] != QUOTED else unquote(cursor.texts[place], '"').upper())
        if words[place + 1] != ",":
            return
        place += 2


def _is_first_on_line(cursor: Cursor) -> bool:
    if cursor.kind == Kind.END:
        return True
    before = cursor.index - 1
    text = cursor.tokens.source.text
    end = cursor.starts[before] + len(cursor.texts[before])
    return before < 0 or "\n" in text[end : cursor.at] or "\r" in text[end : cursor.at]
