"""Code objects with the file name and line numbers of the ESQL, for tracebacks, pdb and coverage.

The Python text is parsed, every node gets the line of its ESQL statement, and the tree is compiled under the
name of the ESQL file. Columns cover the whole line, so that a traceback underlines nothing wrong.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType

COLUMN_END = 1_000


class TooDeep(Exception):
    """Blocks or parentheses nested deeper than Python allows; `line` is that of the ESQL."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


def compile_lines(python: str, lines: list[int], file: str) -> CodeType:
    """Return the code of Python text whose line n belongs to line `lines[n - 1]` of a file."""
    try:
        tree = ast.parse(python)
    except (SyntaxError, RecursionError, MemoryError) as raised:
        line = getattr(raised, "lineno", None) or 1
        raise TooDeep(getattr(raised, "msg", "too many parts"), lines[line - 1]) from raised
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword, ast.alias)):
            line = lines[node.lineno - 1]
            node.lineno = node.end_lineno = line
            node.col_offset, node.end_col_offset = 0, COLUMN_END
    try:
        code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, RecursionError) as raised:
        text = getattr(raised, "msg", "too many parts")
        raise TooDeep(text, getattr(raised, "lineno", None) or 1) from raised
    return code
