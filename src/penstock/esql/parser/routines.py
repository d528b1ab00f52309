"""Reads CREATE: modules, functions and procedures; `tree_statements.py` reads fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.parser import operands, recovery, statements, tree_statements, types
from penstock.esql.parser.blocks import close
from penstock.esql.parser.cursor import QUOTED, Cursor, unquote
from penstock.esql.syntax.program import MODULE_KINDS, External, Module, Option, Parameter, Routine
from penstock.esql.syntax.types import TYPE_NAMES
from penstock.esql.tokens import Kind
from penstock.esql.words import words

if TYPE_CHECKING:
    from penstock.esql.syntax.statements import Statement

_EXTERNAL_OPTIONS = words("ASSEMBLY VERSION CULTURE PUBLICKEYTOKEN APPDOMAIN CLASSLOADER")
_LANGUAGES = words("ESQL JAVA DATABASE PYTHON CLR NET")
_OTHER_LANGUAGE = "ESQL, JAVA, DATABASE, PYTHON, .NET or CLR"


def read_create(cursor: Cursor) -> Statement:
    """Read what CREATE makes."""
    at = cursor.at
    cursor.advance()
    if cursor.word in MODULE_KINDS and cursor.next_word() == "MODULE":
        return _read_module(cursor, at)
    if cursor.word in ("FUNCTION", "PROCEDURE"):
        return _read_routine(cursor, at)
    if cursor.word in MODULE_KINDS:
        cursor.advance()
        cursor.fail("MODULE")
    return tree_statements.read_create_field(cursor, at)


def _read_module(cursor: Cursor, at: int) -> Module:
    kind = cursor.word
    cursor.advance()
    cursor.advance()
    cursor.blocks.append(("MODULE", at))
    name = _read_dotted(cursor, "the name of the module")
    cursor.take(";")
    body = statements.read_statements(cursor)
    if cursor.kind == Kind.END:
        cursor.blocks.pop()
        message = f"the MODULE of line {cursor.tokens.source.line_of(at)} is not closed"
        cursor.complain("E113", message, cursor.at, 1, "END MODULE; is missing")
    else:
        close(cursor, "MODULE", at)
    return Module(at, kind, name, body)


def _read_dotted(cursor: Cursor, what: str) -> str:
    parts = [cursor.name(what)]
    while cursor.take("."):
        parts.append(cursor.name(what))
    return ".".join(parts)


def _read_routine(cursor: Cursor, at: int) -> Routine:
    kind = cursor.word
    cursor.advance()
    name = _read_dotted(cursor, f"the name of the {kind.lower()}")
    cursor.expect("(", "the parameters must be in parentheses, even if there are none")
    parameters = _read_parameters(cursor)
    found: dict[str, Any] = {}
    while _read_property(cursor, found):
        pass
    if "external" in found:
        recovery.end_statement(cursor, "EXTERNAL NAME")
        return Routine(at, kind, name, parameters, **found)
    if cursor.take(";"):
        return Routine(at, kind, name, parameters, **found)
    body = statements.read_statement(cursor)
    return Routine(at, kind, name, parameters, body=body, **found)


def _read_parameters(cursor: Cursor) -> tuple[Parameter, ...]:
    if cursor.take(")"):
        return ()
    found = [_read_parameter(cursor)]
    while cursor.take(","):
        found.append(_read_parameter(cursor))
    cursor.expect(")", "parameters are written name type, with commas between them")
    return tuple(found)


def _read_parameter(cursor: Cursor) -> Parameter:
    at = cursor.at
    direction = ""
    if cursor.word in ("IN", "OUT", "INOUT") and cursor.kinds[cursor.index + 1] <= QUOTED:
        if cursor.next_word() not in TYPE_NAMES or cursor.next_word(2) not in (",", ")", "("):
            direction = cursor.word
            cursor.advance()
    name = cursor.name("the name of a parameter")
    constant = cursor.take("CONSTANT")
    kind = types.read_type(cursor) if cursor.word not in (",", ")") else None
    constant = constant or cursor.take("CONSTANT")
    return Parameter(at, direction, name, constant, kind, _read_nullable(cursor))


def _read_nullable(cursor: Cursor) -> bool | None:
    if cursor.word == "NOT" and cursor.next_word() == "NULL":
        cursor.advance()
        cursor.advance()
        return False
    if cursor.take_any(("NULL", "NULLABLE")):
        return True
    return None


def _read_property(cursor: Cursor, found: dict[str, Any]) -> bool:
    """Read RETURNS, LANGUAGE, DYNAMIC RESULT SETS or EXTERNAL NAME into `found`; False for anything else."""
    if cursor.take("RETURNS"):
        found["returns"] = types.read_type(cursor)
        nullable = _read_nullable(cursor)
        if nullable is not None:
            found["returns_nullable"] = nullable
    elif cursor.take("LANGUAGE"):
        dotted = cursor.take(".")
        language = cursor.take_any(_LANGUAGES) or cursor.fail(_OTHER_LANGUAGE)
        found["language"] = ".NET" if dotted or language == "NET" else language
    elif cursor.take("DYNAMIC"):
        cursor.expect("RESULT")
        cursor.expect("SETS")
        if not cursor.text.isdigit():
            cursor.fail("a whole number")
        found["result_sets"] = int(cursor.text[:9])
        cursor.advance()
    elif cursor.word == "EXTERNAL":
        found["external"] = _read_external(cursor)
    else:
        return False
    return True


def _read_external(cursor: Cursor) -> External:
    at = cursor.at
    cursor.advance()
    cursor.expect("NAME")
    if cursor.kind == Kind.STRING:
        name = unquote(cursor.text, "'")
        cursor.advance()
    elif cursor.kind == QUOTED:
        name = cursor.name("a name")
    else:
        name = _read_dotted(cursor, "the external name in quotes")
    options: list[Option] = []
    while cursor.word in _EXTERNAL_OPTIONS:
        start, word = cursor.at, cursor.word
        cursor.advance()
        options.append(Option(start, word, operands.read_operand(cursor)))
    return External(at, name, tuple(options))
