"""A Route node in a running flow: asks its expressions which ways a message goes.

`nodes/route.py` has the node with its table; this is what `start` makes of it. All ways are found before
any is gone. Compiled through `routing.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from penstock.flow.processing import Processing, forward

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Process
    from penstock.flow.xpath import XPath
    from penstock.tree import Reference

    Row = tuple[XPath, str]
    Getter = Callable[[Assembly], Reference | None]


@cython.cclass
class Routing(Processing):
    """A Route's function. `getters` are the variables that its expressions name."""

    def __init__(
        self,
        table: list[Row],
        getters: dict[str, Getter],
        wires: dict[str, Process | None],
        default: str,
        only_first: bool,
    ) -> None:
        self.table = table
        self.getters = getters
        self.wires = wires
        self.default = default
        self.only_first = only_first

    def process(self, assembly: Assembly) -> None:
        """Send a message on along every way whose expression holds."""
        for terminal in self._ways(assembly) or (self.default,):
            onward = self.wires[terminal]
            if onward is not None:
                forward(onward, assembly)

    def _ways(self, assembly: Assembly) -> list[str]:
        """Return the terminals to go to, each once, in the order of the table."""
        root = assembly.message.reference()
        variables = {}
        for name, get in self.getters.items():
            variables[name] = get(assembly)
        ways: list[str] = []
        for xpath, terminal in self.table:
            if terminal not in ways and xpath.holds(root, variables):
                ways.append(terminal)
                if self.only_first:
                    break
        return ways
