"""Converts the question marks of PASSTHRU to the markers of a driver.

A question mark inside quotes or a comment is text. The rest of the SQL is unchanged.
"""

from __future__ import annotations

import re

# Quoted text and names, comments, and PostgreSQL's dollar quotes: what holds no markers.
_PARTS = re.compile(
    r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\2\$)|(\?)|(%)""", re.DOTALL
)


def with_markers(sql: str, style: str) -> tuple[str, int]:
    """Return SQL with the markers of a driver's style (qmark or format), and how many there are.

    >>> with_markers("select '?' where a = ? and b like 'x%'", "format")
    ("select '?' where a = %s and b like 'x%%'", 1)
    """
    count = 0

    def marked(found: re.Match[str]) -> str:
        nonlocal count
        if found[1] is not None:
            return found[1].replace("%", "%%") if style == "format" else found[1]
        if found[4] is not None:
            return "%%" if style == "format" else "%"
        count += 1
        return "%s" if style == "format" else "?"

    text = _PARTS.sub(marked, sql)
    return text, count
