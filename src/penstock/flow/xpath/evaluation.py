"""Where an evaluation stands: the node at hand, its position among how many, variables, what it may visit.

Compiled through `evaluation.pxd`: every expression makes one for every message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.flow.xpath.axes import Visits
    from penstock.flow.xpath.values import Item, Value
    from penstock.tree import Reference

    Evaluate = Callable[["At"], Value]


@cython.freelist(16)
@cython.cclass
class At:
    """The context of XPath's chapter 1."""

    def __init__(
        self,
        item: Item,
        position: int,
        size: int,
        variables: Mapping[str, Reference | None],
        visits: Visits,
    ) -> None:
        self.item = item
        self.position = position
        self.size = size
        self.variables = variables
        self.visits = visits
