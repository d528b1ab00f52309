"""Trace: writes a text with parts of the message in it: to the log, to a file, or nowhere.

The text is a pattern: `${...}` holds a path (`${Root}`, `${Environment.Count}`), which is shown as a tree, or
any ESQL expression, which is shown as its value. A trace changes nothing; a message that is retried is traced
again.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from penstock.esql.compiler.compile import compile_expression
from penstock.esql.reach import text_reads_context
from penstock.flow.database_work import Statements
from penstock.flow.locations import Location, location, split_path
from penstock.flow.node import FAILURE, KW_ONLY, OUT, Node
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.dump import dump_field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.project import Project

    Part = Callable[[Assembly], str]

DESTINATIONS = ("userTrace", "file", "localError", "none")
PATTERN = "${Root}"
_STEP = re.compile(r'(?:\{[^{}]*\})?(?:"[^"]+"|[^\W\d]\w*)(?:\[\d+\])?')


class Trace(Node):
    """Writes a text with values of the message: `Trace("order ${Body.Order.Id} at ${CURRENT_TIMESTAMP}")`.

    `destination` is the flow's log ("userTrace" at level debug, "localError" for a warning), "file" with
    `file`, or "none".
    """

    outputs = (OUT, FAILURE)

    pattern: str = PATTERN
    _: KW_ONLY
    destination: str = "userTrace"
    file: str = ""

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(destination=DESTINATIONS)
        if self.destination == "file" and not self.file:
            yield "a Trace to a file needs the file's path"
        if any(part is None for part, _ in split_pattern(self.pattern)):
            yield "a ${ in the pattern is not closed"

    def reads_context(self, project: Project) -> bool:
        return self.destination != "none" and text_reads_context(self.pattern)

    def start(self, at: NodeContext) -> Process:
        onward = at.wire(OUT) or (lambda _: None)
        if self.destination == "none":
            return onward
        parts = [
            _constant(part) if not is_code else _shown(part or "", at)
            for part, is_code in split_pattern(self.pattern)
        ]
        write = self._writer(at)

        def process(assembly: Assembly) -> None:
            write("".join(part(assembly) for part in parts))
            onward(assembly)

        return process

    def _writer(self, at: NodeContext) -> Callable[[str], None]:
        if self.destination == "file":
            path = at.instance.project.folder / self.file
            return lambda text: _append(path, text)
        level = logging.WARNING if self.destination == "localError" else logging.DEBUG
        return lambda text: at.instance.ports.log(at.label, text, level)


def split_pattern(pattern: str) -> Iterator[tuple[str | None, bool]]:
    """Yield the parts of a pattern and whether each is code; None for unterminated code."""
    place = 0
    while True:
        begin = pattern.find("${", place)
        if begin < 0:
            yield pattern[place:], False
            return
        yield pattern[place:begin], False
        end = _end_of_code(pattern, begin + 2)
        if end < 0:
            yield None, True
            return
        yield pattern[begin + 2 : end], True
        place = end + 1


def _end_of_code(pattern: str, place: int) -> int:
    """Return the position of an expression's closing brace; braces and quotes inside belong to the
    expression.
    """
    depth, quote = 0, ""
    for at in range(place, len(pattern)):
        letter = pattern[at]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "{":
            depth += 1
        elif letter == "}":
            if not depth:
                return at
            depth -= 1
    return -1


def _constant(text: str | None) -> Part:
    return lambda _: text or ""


def _shown(code: str, at: NodeContext) -> Part:
    place = _place(code.strip())
    if place is not None:
        return lambda assembly: dump_field(place.reference(assembly))
    text = f"CAST({code} AS CHARACTER)"
    module = compile_expression(text, at.label, "CHARACTER", at.instance.project.cache).module("Expression")
    statements = Statements(at, "")

    def value(assembly: Assembly) -> str:
        answer: object = module.run(statements.context(assembly))
        return "NULL" if answer is None else str(answer)

    return value


def _place(code: str) -> Location | None:
    """Return the location that code names; None for an expression."""
    if not all(_STEP.fullmatch(step) for step in split_path(code)):
        return None
    try:
        return location(code)
    except MQError:
        return None


def _append(path: Path, text: str) -> None:
    """Append in one write, so that lines of several instances are not mixed; missing folders are made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(f"{text}\n".encode())
    except OSError as raised:
        raise error(mq.PSRC_FLOW_FILE, f"the trace cannot be written: {path}: {raised.strerror}") from raised
