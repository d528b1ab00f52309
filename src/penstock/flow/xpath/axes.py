"""Steps along axes, and their results: fields with a name, attributes, texts.

Attributes are fields that the tree marks as such; other fields without a name are texts, as is a field's own
value. Every visited field counts, so that an expression over a hostile message ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import cython

from penstock.flow.xpath.values import Text, item_text, scalar_text
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.flow.xpath.values import Item
    from penstock.model.errors import MQError
    from penstock.tree import Reference

VISITS_MAX = 1_000_000
BACKWARDS = ("ancestor", "ancestor-or-self", "preceding-sibling")


@cython.cclass
class Visits:
    """Counts the fields that one evaluation visits."""

    def __init__(self) -> None:
        self.left = VISITS_MAX

    def count(self) -> None:
        """Count one visit; 8308 beyond the limit."""
        self.left -= 1
        if self.left < 0:
            raise self.too_many()

    def too_many(self) -> MQError:
        """Return the error for an expression that visits too much."""
        return error(mq.PSRC_FLOW_XPATH, f"the expression looks at more than {VISITS_MAX} fields")


class Test(NamedTuple):
    """The test of a step: `kind` is name, text or node; None means any name or namespace."""

    kind: str
    name: str | None = None
    namespace: str | None = None


def step(items: list[Item], axis: str, test: Test, visits: Visits) -> list[list[Item]]:
    """Return for each item what an axis finds from it, in the order of the axis."""
    walk = AXES[axis]
    found: list[list[Item]] = []
    for item in items:
        if isinstance(item, str):
            continue
        found.append([each for each in walk(item, visits) if _passes(each, axis, test)])
    return found


def _passes(item: Item, axis: str, test: Test) -> bool:
    if test.kind == "node":
        return True
    if test.kind == "text":
        return isinstance(item, str)
    if isinstance(item, str) or item.is_attribute != (axis == "attribute"):
        return False
    if test.name is not None and item.name != test.name:
        return False
    return test.namespace is None or item.namespace == test.namespace


def _children(field: Reference, visits: Visits) -> Iterator[Item]:
    if field.has_value and field.value is not None:
        yield Text(scalar_text(field.value))
    for child in field:
        visits.count()
        if child.is_attribute:
            continue
        yield child if child.name else Text(item_text(child))


def _attributes(field: Reference, visits: Visits) -> Iterator[Item]:
    for child in field:
        visits.count()
        if child.is_attribute:
            yield child


def _descendants(field: Reference, visits: Visits) -> Iterator[Item]:
    waiting: list[Item] = list(_children(field, visits))[::-1]
    while waiting:
        item = waiting.pop()
        yield item
        if not isinstance(item, str):
            waiting += list(_children(item, visits))[::-1]


def _with_descendants(field: Reference, visits: Visits) -> Iterator[Item]:
    yield field
    yield from _descendants(field, visits)


def _self(field: Reference, visits: Visits) -> Iterator[Item]:
    visits.count()
    yield field


def _parent(field: Reference, visits: Visits) -> Iterator[Item]:
    visits.count()
    copy = field.copy()
    if not field.is_root and copy.to_parent():
        yield copy


def _ancestors(field: Reference, visits: Visits) -> Iterator[Item]:
    while not field.is_root:
        visits.count()
        field = field.copy()
        if not field.to_parent():
            return
        yield field


def _with_ancestors(field: Reference, visits: Visits) -> Iterator[Item]:
    yield field
    yield from _ancestors(field, visits)


def _siblings(field: Reference, visits: Visits, forward: bool) -> Iterator[Item]:
    place = field.copy()
    while place.to_next() if forward else place.to_previous():
        visits.count()
        if not place.is_attribute:
            yield place.copy() if place.name else Text(item_text(place))


def _following(field: Reference, visits: Visits) -> Iterator[Item]:
    return _siblings(field, visits, True)


def _preceding(field: Reference, visits: Visits) -> Iterator[Item]:
    return _siblings(field, visits, False)


AXES: dict[str, Callable[[Reference, Visits], Iterator[Item]]] = {
    "child": _children,
    "attribute": _attributes,
    "descendant": _descendants,
    "descendant-or-self": _with_descendants,
    "self": _self,
    "parent": _parent,
    "ancestor": _ancestors,
    "ancestor-or-self": _with_ancestors,
    "following-sibling": _following,
    "preceding-sibling": _preceding,
}
