"""The function of a started node, for nodes that most messages pass: called without Python overhead.

A `Process` is any function of an assembly. `forward` calls those that are a `Processing` as a C method, all
others as Python functions. Compiled through `processing.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Process


@cython.cclass
class Processing:
    """A node's function as an object; subclasses implement `process`."""

    def __call__(self, assembly: Assembly) -> None:
        self.process(assembly)

    def process(self, assembly: Assembly) -> None:
        """Process an assembly that arrived on a wire."""
        raise NotImplementedError


def forward(onward: Process, assembly: Assembly) -> None:
    """Pass an assembly to the function behind a wire."""
    if isinstance(onward, Processing):
        cython.cast(Processing, onward).process(assembly)
    else:
        onward(assembly)
