"""Prints names, with quotes where a bare word would be ambiguous."""

from __future__ import annotations

import re

from penstock.esql.parser.expressions import RANKS
from penstock.esql.parser.functions import READERS
from penstock.esql.parser.operands import CONSTANTS, TYPED_LITERALS
from penstock.esql.parser.recovery import BLOCK_ENDS, STATEMENT_WORDS
from penstock.esql.syntax.types import INTERVAL_FIELDS, TYPE_NAMES
from penstock.esql.tokens import RESERVED
from penstock.esql.words import words

_PLAIN = re.compile(r"[^\W\d]\w*")
_CLAUSES = words(
    "AS TO DO THEN WHERE INTO IN OUT INOUT VALUES VALUE LAST CONSTANT SHARED EXTERNAL CONTINUE EXIT "
    "FINALIZE MESSAGE ENVIRONMENT EXCEPTION SEVERITY CATALOG DOMAIN IDENTITY PARSE ESCAPE FORMAT "
    "CCSID ENCODING DEFAULT OPTIONS BEFORE AFTER PLACING MODE SELECT LIST ANY SOME NULLABLE USER "
    "FULL ATOMIC LABEL TERMINAL NODENAME LEVELNAME BROKER PATH SCHEMA"
)
QUOTED_WORDS = frozenset(
    {
        *RESERVED,
        *RANKS,
        *READERS,
        *CONSTANTS,
        *TYPED_LITERALS,
        *BLOCK_ENDS,
        *STATEMENT_WORDS,
        *INTERVAL_FIELDS,
        *TYPE_NAMES,
        *_CLAUSES,
    }
)


def show_name(name: str) -> str:
    """Return a name as ESQL, in quotes when it needs them.

    >>> show_name("Order"), show_name("Content-Type"), show_name("From")
    ('Order', '"Content-Type"', '"From"')
    """
    if _PLAIN.fullmatch(name) and name.upper() not in QUOTED_WORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def show_dotted(names: tuple[str, ...]) -> str:
    """Return names with dots between them."""
    return ".".join(show_name(name) for name in names)


def show_text(text: str) -> str:
    """Return a text literal."""
    return "'" + text.replace("'", "''") + "'"
