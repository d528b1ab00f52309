"""A Route node in a running flow: its expressions decide where a message goes.

`nodes/route.py` has the node with its table; `start` makes this from it. All expressions are evaluated before
the message is sent. Compiled through `route_run.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from penstock.flow.processing import Processing, forward
from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Process
    from penstock.flow.xpath.expression import XPath
    from penstock.tree import Reference
    from penstock.tree.core._message import Message

    Row = tuple[XPath, str]

ROOTS = ("Root", "InputRoot")
_PROPERTIES = Path("Properties")
_TREES = ("Root", "Body", "Properties", "LocalEnvironment", "DestinationList", "ExceptionList")
VARIABLES = frozenset({*_TREES, *(f"Input{name}" for name in _TREES), "Environment"})


@cython.cclass
class Routing(Processing):
    """A Route's function. `names` are the variables that its expressions use."""

    def __init__(
        self,
        table: list[Row],
        names: list[str],
        wires: dict[str, Process | None],
        default: str,
        only_first: bool,
    ) -> None:
        self.table = table
        self.names = names
        self.wires = wires
        self.default = default
        self.only_first = only_first

    def process(self, assembly: Assembly) -> None:
        """Send a message to every terminal whose expression is true."""
        for terminal in self._ways(assembly) or (self.default,):
            onward = self.wires[terminal]
            if onward is not None:
                forward(onward, assembly)

    def _ways(self, assembly: Assembly) -> list[str]:
        """Return the terminals for a message, each once, in the order of the table."""
        tree: Message = assembly.message
        root = tree.reference()
        variables = variables_of(self.names, assembly)
        ways: list[str] = []
        for xpath, terminal in self.table:
            if terminal not in ways and xpath.holds(root, variables):
                ways.append(terminal)
                if self.only_first:
                    break
        return ways


def variables_of(names: list[str], assembly: Assembly) -> dict[str, Reference | None]:
    """Return the trees of an assembly that expressions name."""
    tree: Message = assembly.message
    found: dict[str, Reference | None] = {}
    for name in names:
        found[name] = tree.reference() if name in ROOTS else _variable(name, assembly)
    return found


def _variable(name: str, assembly: Assembly) -> Reference | None:
    """Return the tree of a variable other than the root."""
    kind = name.removeprefix("Input")
    if kind == "Body":
        return assembly.message.body
    if kind == "Properties":
        return assembly.message.reference(_PROPERTIES)
    if kind == "ExceptionList":
        return assembly.exception_list.reference()
    if kind == "Environment":
        return assembly.environment.reference()
    return assembly.local_environment.reference()
