"""Code objects that speak of the ESQL: its file name and its lines, in tracebacks, pdb and coverage.

The Python text is parsed, every node gets the line of the ESQL statement it was written for, and the tree
is compiled under the name of the ESQL file. Columns cover the whole line, so that a traceback underlines
nothing that is not there.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType

COLUMN_END = 1_000


def compile_lines(python: str, lines: list[int], file: str) -> CodeType:
    """Return the code of Python text whose line n was written for line `lines[n - 1]` of a file."""
    tree = ast.parse(python)
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword, ast.alias)):
            line = lines[node.lineno - 1]
            node.lineno = node.end_lineno = line
            node.col_offset, node.end_col_offset = 0, COLUMN_END
    code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    return code
