"""Where an evaluation stands: the node at hand, its position among how many, variables, what it may visit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.flow.xpath.axes import Visits
    from penstock.flow.xpath.values import Item, Value
    from penstock.tree import Reference

    Evaluate = Callable[["At"], Value]


class At(NamedTuple):
    """The context of XPath's chapter 1."""

    item: Item
    position: int
    size: int
    variables: Mapping[str, Reference | None]
    visits: Visits
