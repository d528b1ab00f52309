"""The location that a node's property refers to: a tree of the assembly and a path in it.

Written as in ESQL (`InputRoot.XMLNSC.Order.Id`, `OutputLocalEnvironment.Found`) or as XPath in flow files
(`$Root/XMLNSC/Order/Id`, `$Body/Order/ns:Id`). Steps are simple: a name, `{uri}name`, `@name`, an index in
brackets. Anything more needs ESQL.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.flow.assembly import Assembly
    from penstock.tree import Message, Reference

MESSAGE, BODY, LOCAL_ENVIRONMENT, ENVIRONMENT, EXCEPTIONS = (
    "message",
    "body",
    "local_environment",
    "environment",
    "exception_list",
)
_TREES = {
    "root": MESSAGE,
    "body": BODY,
    "localenvironment": LOCAL_ENVIRONMENT,
    "destinationlist": LOCAL_ENVIRONMENT,
    "environment": ENVIRONMENT,
    "exceptionlist": EXCEPTIONS,
}
_STEP = re.compile(r'(\{[^}]*\})?(@?)(?:"([^"]+)"|([^.\[\]{}@"/]+))(?:\[(\d+)\])?')


class Location(NamedTuple):
    """A location in one of the trees of an assembly."""

    tree: str
    path: Path | None  # None is the whole tree
    text: str

    def read(self, assembly: Assembly) -> Any:
        """Return the value at the location; None if there is none."""
        place = self.reference(assembly)
        if place is None:
            return None
        value = place.value
        return None if value is MISSING else value

    def reference(self, assembly: Assembly) -> Reference | None:
        """Return a reference to the location; None if it does not exist."""
        start = self._start(assembly)
        return start if start is None or self.path is None else start.reference(self.path)

    def create_in(self, assembly: Assembly) -> Reference:
        """Create the location in a tree of an assembly, if necessary, and return it."""
        start = self._start(assembly)
        if start is None:
            raise error(mq.PSRC_FLOW_GRAPH, f"{self.text}: the message has no body")
        return start if self.path is None else start.create(self.path)

    def _start(self, assembly: Assembly) -> Reference | None:
        if self.tree == BODY:
            return assembly.message.body
        message: Message = getattr(assembly, self.tree)
        return message.reference()


def location(text: str, namespaces: Mapping[str, str] | None = None) -> Location:
    """Read a location; 8301 if it is invalid.

    >>> location("$LocalEnvironment/File/Name").tree
    'local_environment'
    """
    if text.startswith("$"):
        first, *steps = split_path(text[1:], "/")
    else:
        first, *steps = split_path(text, ".")
    tree = _TREES.get(first.lower().removeprefix("input").removeprefix("output"))
    if tree is None:
        known = "Root, Body, LocalEnvironment, Environment and ExceptionList"
        raise error(mq.PSRC_FLOW_GRAPH, f"{text!r} is no location: one begins with {known}")
    made = [path_step(step, namespaces) for step in steps]
    return Location(tree, Path(*made) if made else None, text)


def path_step(text: str, namespaces: Mapping[str, str] | None = None) -> Step:
    """Read one step of a location, `{uri}name`, `prefix:name`, `@name`, `name[2]`; 8301 if it is invalid."""
    found = _STEP.fullmatch(text)
    if found is None:
        raise error(mq.PSRC_FLOW_GRAPH, f"{text!r} is no step of a path")
    uri, attribute, quoted, plain, index = found.groups()
    name = quoted or plain
    prefix, colon, local = name.rpartition(":")
    if colon and quoted is None:
        if prefix not in (namespaces or {}):
            raise error(mq.PSRC_FLOW_GRAPH, f"{text!r}: prefix {prefix} is not declared")
        name, uri = local, "{" + (namespaces or {})[prefix] + "}"
    space = uri[1:-1] if uri else ""
    return Step(name, space, int(index) if index else None, attribute=bool(attribute))


def split_path(text: str, separator: str = ".") -> list[str]:
    """Split at separators that are neither in braces nor in quotes."""
    steps, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == '"'
        depth += (character == "{") - (character == "}")
        if character == separator and not depth and not quoted:
            steps.append("")
        else:
            steps[-1] += character
    return steps
