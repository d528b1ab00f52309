"""The meaning of an ESQL name in the current Python code, and the blocks in which names are looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNKNOWN_VALUE = object()
TREE_TYPES = frozenset(("ROW", "REFERENCE", "LIST"))


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable: its Python expression, its ESQL type, and known facts.

    `moved` is the Python variable that LASTMOVE reads; `value` is the value of a constant that is known at
    compile time. A tree (ROW, REFERENCE, correlation name) is a Reference in Python.
    """

    python: str
    type: str
    moved: str = ""
    value: Any = UNKNOWN_VALUE
    qualifier: tuple[str, ...] = ()

    @property
    def is_tree(self) -> bool:
        """Whether it is a position in a tree and not a scalar."""
        return self.type in TREE_TYPES

    @property
    def is_known(self) -> bool:
        """Whether its value is known at compile time."""
        return self.value is not UNKNOWN_VALUE


Block = dict[str, Binding]
