"""What an ESQL name stands for in the Python at hand, and the blocks in which names are looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNKNOWN_VALUE = object()
TREE_TYPES = frozenset(("ROW", "REFERENCE", "LIST"))


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable: the Python expression for it, its ESQL type, and what is known of it.

    `moved` is the Python variable that LASTMOVE reads; `value` is the value of a constant that is known
    while compiling. A tree (ROW, REFERENCE, correlation name) is a Reference in Python.
    """

    python: str
    type: str
    moved: str = ""
    value: Any = UNKNOWN_VALUE
    qualifier: tuple[str, ...] = ()

    @property
    def is_tree(self) -> bool:
        """Whether it is a place in a tree and not a scalar."""
        return self.type in TREE_TYPES

    @property
    def is_known(self) -> bool:
        """Whether its value is known while compiling."""
        return self.value is not UNKNOWN_VALUE


Block = dict[str, Binding]
