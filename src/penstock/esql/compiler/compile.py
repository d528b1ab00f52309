"""The entry point: sources in, a Library out; ESQL with errors is refused as a whole, with every finding.

Files are compiled together, because they call each other. With a cache folder, sources that this compiler and
this Python compiled before are not even parsed again: neither parser nor compiler is loaded then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.cache import Cache
from penstock.esql.library import Library
from penstock.esql.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

EXPRESSION_FILE = "expression"


def compile_sources(sources: Iterable[Source], cache: Path | None = None) -> Library:
    """Return the modules of related files; raise 8201 with all findings if one has errors."""
    given = list(sources)
    kept = None if cache is None else Cache(cache)
    found = None if kept is None else kept.load(given)
    if found is None:
        from penstock.esql.compiler.compiling import compile_all

        found = compile_all(given)
        if kept is not None:
            kept.save(given, found)
    return Library(found)


def compile_expression(
    text: str, name: str = EXPRESSION_FILE, returns: str = "BOOLEAN", cache: Path | None = None
) -> Library:
    """Return a library with module `Expression`, for a Filter node with only an expression."""
    head = f"CREATE FILTER MODULE Expression CREATE FUNCTION Main() RETURNS {returns} RETURN "
    return compile_sources([Source(name, f"{head}{text.strip().rstrip(';')}\n; END MODULE;")], cache)
