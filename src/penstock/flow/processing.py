"""What a node becomes when it starts, for nodes that most messages go through: called without Python between.

A `Process` is any function of an assembly. Those that are a `Processing` are called by `forward` as C calls
one method; all others as Python calls them. Compiled through `processing.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.node import Process


@cython.cclass
class Processing:
    """A node's function as an object: subclasses have `process`."""

    def __call__(self, assembly: Assembly) -> None:
        self.process(assembly)

    def process(self, assembly: Assembly) -> None:
        """Work on what a wire brought."""
        raise NotImplementedError


def forward(onward: Process, assembly: Assembly) -> None:
    """Give an assembly to what stands behind a wire."""
    if isinstance(onward, Processing):
        cython.cast(Processing, onward).process(assembly)
    else:
        onward(assembly)
