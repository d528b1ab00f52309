"""The modules that an ESQL file declares, without compiling it: the importer must know the file of a module.

Reads tokens only, so that it works on files with errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.files import read_source
from penstock.esql.lexer import tokenise
from penstock.esql.tokens import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.esql.tokens import Tokens

KINDS = frozenset({"COMPUTE", "FILTER", "DATABASE", "DATABASEEVENT"})


def module_names(path: Path) -> Iterator[str]:
    """Return the modules of a file by name, each with its schema in front."""
    tokens = tokenise(read_source(path))
    words = tokens.words
    schema = ""
    for at in range(len(words) - 3):
        if words[at] == "SCHEMA" and words[at - 1] in ("BROKER", "CREATE"):
            schema = _dotted(tokens, at + 1)
        elif words[at] == "CREATE" and words[at + 1] in KINDS and words[at + 2] == "MODULE":
            name = tokens.texts[at + 3].strip('"')
            yield f"{schema}.{name}" if schema else name


def _dotted(tokens: Tokens, at: int) -> str:
    """Return a name with dots that begins at a token."""
    parts = [tokens.texts[at]]
    while tokens.words[at + 1] == "." and tokens.kinds[at + 2] <= Kind.QUOTED:
        at += 2
        parts.append(tokens.texts[at])
    return ".".join(parts)
