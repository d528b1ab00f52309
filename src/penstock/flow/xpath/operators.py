"""Operators of XPath as functions of contexts: Booleans, comparisons, numbers, unions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import cython

from penstock.flow.xpath.evaluation import Evaluation, evaluated
from penstock.flow.xpath.values import compare, number_of, truth_of
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.flow.xpath.evaluation import At, Evaluate
    from penstock.flow.xpath.values import Item, Value


def either(left: Evaluate, right: Evaluate) -> Evaluate:
    """`or`."""
    return lambda at: truth_of(left(at)) or truth_of(right(at))


def both(left: Evaluate, right: Evaluate) -> Evaluate:
    """`and`."""
    return lambda at: truth_of(left(at)) and truth_of(right(at))


def comparison(operator: str, left: Evaluate, right: Evaluate) -> Evaluate:
    """`=`, `!=`, `<`, `<=`, `>`, `>=`."""
    return Comparison(operator, left, right)


@cython.cclass
class Comparison(Evaluation):
    """Two expressions, compared."""

    def __init__(self, operator: str, left: Evaluate, right: Evaluate) -> None:
        self.operator = operator
        self.left = left
        self.right = right

    def evaluate(self, at: At) -> Value:
        return compare(self.operator, evaluated(self.left, at), evaluated(self.right, at))


def arithmetic(operator: str, left: Evaluate, right: Evaluate) -> Evaluate:
    """`+`, `-`, `*`, `div`, `mod`."""
    return lambda at: _calculated(operator, number_of(left(at)), number_of(right(at)))


def negative(operand: Evaluate, signs: int) -> Evaluate:
    """One or more minus signs before an operand, which convert it to a number."""
    factor = -1.0 if signs % 2 else 1.0
    return lambda at: factor * number_of(operand(at))


def union(left: Evaluate, right: Evaluate) -> Evaluate:
    """`|`."""

    def evaluate(at: At) -> Value:
        one, other = left(at), right(at)
        if not isinstance(one, list) or not isinstance(other, list):
            raise error(mq.PSRC_FLOW_XPATH, "| joins fields, not values")
        return unique([*one, *other])

    return evaluate


def unique(items: list[Item]) -> list[Item]:
    """Return fields without duplicates; texts have no identity and are all kept."""
    seen: set[Item] = set()
    found: list[Item] = []
    for item in items:
        if isinstance(item, str) or item not in seen:
            found.append(item)
            seen.add(item)
    return found


def _calculated(operator: str, left: float, right: float) -> float:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if math.isnan(left) or math.isnan(right):
        return math.nan
    if right == 0:
        infinite = operator == "div" and left != 0
        return math.copysign(math.inf, left * math.copysign(1, right)) if infinite else math.nan
    if operator == "div":
        return left / right
    return math.fmod(left, right) if not math.isinf(left) else math.nan
