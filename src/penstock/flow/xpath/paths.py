"""Location paths as functions: steps with predicates, from a start or from the current node."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import cython

from penstock.flow.xpath.axes import BACKWARDS, step
from penstock.flow.xpath.evaluation import At, Evaluation, evaluated
from penstock.flow.xpath.operators import unique
from penstock.flow.xpath.values import truth_of
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import Step as NameStep
from penstock.tree.core._path import Path

if TYPE_CHECKING:
    from penstock.flow.xpath.axes import Test, Visits
    from penstock.flow.xpath.evaluation import Evaluate
    from penstock.flow.xpath.values import Item, Value
    from penstock.tree.core._reference import Reference

    Step = tuple[str, Test, list[Evaluate]]


def path_from(start: Evaluate | None, steps: list[Step]) -> Evaluate:
    """Steps from the result of `start`, or from the current node."""
    return LocationPath(start, steps)


@cython.cclass
class LocationPath(Evaluation):
    """Steps and their start; paths of names alone are one call of the tree."""

    def __init__(self, start: Evaluate | None, steps: list[Step]) -> None:
        self.start = start
        self.steps = steps
        self.names = _names(steps)

    def evaluate(self, at: At) -> Value:
        begin = [at.item] if self.start is None else evaluated(self.start, at)
        if not isinstance(begin, list):
            raise error(mq.PSRC_FLOW_XPATH, "a path begins with fields, not with a value")
        if self.names is not None and len(begin) == 1:
            return along(begin[0], self.names, at.visits)
        return walk(begin, self.steps, at)


def _names(steps: list[Step]) -> Path | None:
    """Return steps that only descend by name as a path of the tree, which finds them in one call."""
    found: list[NameStep] = []
    for axis, test, predicates in steps:
        if axis not in ("child", "attribute") or predicates or test.name is None or test.namespace is None:
            return None
        found.append(NameStep(test.name, test.namespace, attribute=axis == "attribute"))
    return Path(*found) if found else None


def along(item: Item, names: Path, visits: Visits) -> list[Item]:
    """Return the fields at a path of names: the same as `walk` finds with its steps."""
    if isinstance(item, str):
        return []
    place: Reference = item
    answer = place.every(names, visits.left)
    visits.left = answer[1]
    if visits.left < 0:
        raise visits.too_many()
    return cast("list[Item]", answer[0])


def walk(items: list[Item], steps: list[Step], at: At) -> list[Item]:
    """Take the steps in turn; each predicate sees positions along its own axis.

    The results of a reverse axis are put in document order afterwards.
    """
    for axis, test, predicates in steps:
        found: list[Item] = []
        for group in step(items, axis, test, at.visits):
            for predicate in predicates:
                group = _kept(group, predicate, at)
            found += group[::-1] if axis in BACKWARDS else group
        items = unique(found) if len(items) > 1 else found
    return items


def filtered(start: Evaluate, predicate: Evaluate) -> Evaluate:
    """A predicate after a primary expression."""

    def evaluate(at: At) -> Value:
        found = start(at)
        if not isinstance(found, list):
            raise error(mq.PSRC_FLOW_XPATH, "a predicate belongs to fields, not to a value")
        return _kept(found, predicate, at)

    return evaluate


def _kept(items: list[Item], predicate: Evaluate, at: At) -> list[Item]:
    size, kept = len(items), []
    for position, item in enumerate(items, 1):
        value = predicate(At(item, position, size, at.variables, at.visits))
        if value == position if isinstance(value, float) else truth_of(value):
            kept.append(item)
    return kept
