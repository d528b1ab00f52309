"""Runs the Python files of a project, and finds all that is wrong with one that fails, not only the first.

A file that fails is run once more, statement by statement: one that raises is noted, and the next one is
tried. Statements that need a name which a failed one should have made are passed over, because they would
only repeat its mistake. For a file with a syntax error, the first error of the compiler is reported.
"""

from __future__ import annotations

import ast
import re
import runpy
import traceback
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow import nodes
from penstock.flow.graph.graph import near
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from pathlib import Path

MISTAKES_MAX = 50
_UNKNOWN_PROPERTY = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")


def run_file(path: Path) -> dict[str, Any]:
    """Run a file and return its names; an error with all its mistakes, also as the field `mistakes`.

    Its reason is that of the first mistake: 8301 of a node or wire, 8304 of anything else.
    """
    try:
        return runpy.run_path(str(path))
    except (Exception, SystemExit) as raised:  # the edge between a project's code and ours
        found = tried(path).mistakes or [told(path, raised)]
        reason = raised.reason if isinstance(raised, MQError) else mq.PSRC_FLOW_PROJECT
        raise error(reason, "\n".join(found), mistakes=found) from raised


class Tried(NamedTuple):
    """What a failing file gave: its mistakes, each with its line, and the names that it made."""

    mistakes: list[str]
    names: dict[str, Any]


def tried(path: Path) -> Tried:
    """Run a file as far as it can be."""
    try:
        module = ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError) as raised:
        return Tried([told(path, raised)], {})
    names: dict[str, Any] = {"__name__": "<run_path>", "__file__": str(path), "__builtins__": __builtins__}
    missing: set[str] = set()
    found: list[str] = []
    for statement in module.body:
        try:
            exec(compile(ast.Module([statement], []), str(path), "exec"), names)  # noqa: S102 - the project's own code
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - as above
            if not (isinstance(raised, NameError) and raised.name in missing):
                found.append(told(path, raised))
            missing |= _made_by(statement) - names.keys()
        if len(found) >= MISTAKES_MAX:
            break
    return Tried(found, names)


def told(path: Path, raised: BaseException) -> str:
    """Return a mistake with the file and the line it is in."""
    if isinstance(raised, SyntaxError):
        return f"{path}, line {raised.lineno}: {raised.msg}"
    lines = [at.lineno for at in traceback.extract_tb(raised.__traceback__) if at.filename == str(path)]
    where = f"{path}, line {lines[-1]}" if lines else str(path)
    what = raised.detail if isinstance(raised, MQError) else f"{type(raised).__name__}: {raised}"
    return f"{where}: {what}{_near(raised)}"


def _near(raised: BaseException) -> str:
    """Return what may have been meant by a name of a node or of a property that there is not."""
    if isinstance(raised, AttributeError) and raised.obj is not None:
        return near(raised.name or "", [name for name in dir(raised.obj) if not name.startswith("_")])
    found = _UNKNOWN_PROPERTY.search(str(raised)) if isinstance(raised, TypeError) else None
    node = getattr(nodes, found[1], None) if found else None
    return near(found[2], signature(node).parameters) if found and node is not None else ""


def _made_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement would have made."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
    return found
