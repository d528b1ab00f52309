"""Places in an assembly's trees as node properties name them: `InputRoot.XMLNSC.Order`, `Environment.Cache`.

A location is a tree's name and the names of fields below it: dotted, quoted where need be, with `{namespace}`
before a name and a number in brackets behind it. Nodes read it when they start. Expressions are ESQL's
business; a location is a plain place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.tree import Message, Reference

STEPS_MAX = 100
_STEP = re.compile(r'(\{[^{}]*\}\s*:?\s*)?(?:"((?:[^"]|"")+)"|([^\W\d]\w*))(?:\s*\[\s*(\d{1,9})\s*\])?')
_TREES = {
    "root": "message",
    "inputroot": "message",
    "outputroot": "message",
    "body": "body",
    "inputbody": "body",
    "outputbody": "body",
    "localenvironment": "local_environment",
    "inputlocalenvironment": "local_environment",
    "outputlocalenvironment": "local_environment",
    "destinationlist": "local_environment",
    "inputdestinationlist": "local_environment",
    "outputdestinationlist": "local_environment",
    "exceptionlist": "exception_list",
    "inputexceptionlist": "exception_list",
    "outputexceptionlist": "exception_list",
    "environment": "environment",
    "resultroot": "result",
}


class Location(NamedTuple):
    """A tree (message, body, local_environment, exception_list, environment, result) and a path in it."""

    tree: str
    path: Path | None

    def find(self, assembly: Assembly, result: Message | None = None) -> Reference | None:
        """Return the field in an assembly's trees; None when it is not there."""
        start = self.start(assembly, result)
        return start if start is None or self.path is None else start.reference(self.path)

    def start(self, assembly: Assembly, result: Message | None = None) -> Reference | None:
        """Return where the path begins."""
        if self.tree == "body":
            return assembly.message.body
        if self.tree == "result":
            return None if result is None else result.reference()
        message: Message = getattr(assembly, self.tree)
        return message.reference()


def location_of(text: str) -> Location | None:
    """Read a location; None when the text is none."""
    steps: list[str | tuple[str, int]] = []
    place = 0
    for _ in range(STEPS_MAX):
        found = _STEP.match(text, place)
        if found is None:
            return None
        steps.append(_step(found))
        place = found.end()
        if place == len(text):
            return _location(steps)
        if text[place] != ".":
            return None
        place += 1
    return None


def _step(found: re.Match[str]) -> str | tuple[str, int]:
    namespace = (found[1] or "").rstrip(" :")
    name = namespace + (found[2].replace('""', '"') if found[2] else found[3])
    return (name, int(found[4])) if found[4] else name


def _location(steps: list[str | tuple[str, int]]) -> Location | None:
    first = steps[0]
    tree = _TREES.get(first.lower()) if isinstance(first, str) else None
    if tree is None:
        return None
    return Location(tree, Path(*steps[1:]) if len(steps) > 1 else None)
