"""Values of XPath and their conversions: node-sets, texts, numbers, Booleans.

A node-set is a list of fields (`tree.Reference`) and texts (`Text`). A field's text is its value followed by
those of the fields below it, without attributes. Comparisons follow chapter 3.4 of the recommendation.
Compiled through `values.pxd`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.tree.dump import value_text

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference


class Text(str):
    """A text in a node-set: what `text()` finds."""

    __slots__ = ()


Item: TypeAlias = "Reference | Text"
Value: TypeAlias = "list[Item] | str | float | bool"


def text_of(value: Value) -> str:
    """Return a value as text."""
    if isinstance(value, list):
        return item_text(value[0]) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value)
    return _number_text(value)


def item_text(item: Item) -> str:
    """Return the text of a field or text."""
    if isinstance(item, str):
        return str(item)
    if item.is_leaf:
        return scalar_text(item.value)
    found: list[str] = []
    waiting = [item]
    while waiting:
        field = waiting.pop()
        if field.has_value:
            found.append(scalar_text(field.value))
        waiting += [child for child in field if not child.is_attribute][::-1]
    return "".join(found)


def number_of(value: Value) -> float:
    """Return a value as a number; NaN if it is not one."""
    if isinstance(value, bool | float):
        return float(value)
    if isinstance(value, list) and len(value) == 1:
        return item_number(value[0])
    return _text_number(text_of(value))


def item_number(item: Item) -> float:
    """Return a field or a text as a number."""
    if isinstance(item, str):
        return _text_number(str(item))
    place: Reference = item
    own = place.leaf_value()
    if type(own) is str:  # nearly always
        return _text_number(own)
    own = place.value
    if isinstance(own, int | float | Decimal) and not isinstance(own, bool):
        return float(own)
    return _text_number(item_text(item))


def _text_number(text: str) -> float:
    if text.isdecimal():
        return float(text)
    text = text.strip(" \t\r\n")
    return float(text) if text.lstrip("-").replace(".", "", 1).isdecimal() else math.nan


def truth_of(value: Value) -> bool:
    """Return a value as a Boolean."""
    if isinstance(value, float):
        return bool(value) and not math.isnan(value)
    return bool(value)


def compare(operator: str, left: Value, right: Value) -> bool:
    """Compare two values: node-sets by any of their members."""
    if isinstance(left, list) and isinstance(right, list):
        others = list(map(item_text, right))
        for one in map(item_text, left):
            for other in others:
                if _compare(operator, one, other):
                    return True
        return False
    if isinstance(left, list):
        return _members(operator, left, right, False)
    if isinstance(right, list):
        return _members(operator, right, left, True)
    return _compare(operator, left, right)


def _members(operator: str, items: list[Item], other: Value, swapped: bool) -> bool:
    if isinstance(other, bool):
        one: Value = bool(items)
        return _compare(operator, other, one) if swapped else _compare(operator, one, other)
    if isinstance(other, float):
        number = other
        for item in items:
            own = item_number(item)
            if _ordered(operator, number, own) if swapped else _ordered(operator, own, number):
                return True
        return False
    for item in items:
        one = item_text(item)
        if _compare(operator, other, one) if swapped else _compare(operator, one, other):
            return True
    return False


def _compare(operator: str, left: Value, right: Value) -> bool:
    if operator in ("=", "!="):
        return _equal(left, right) == (operator == "=")
    return _ordered(operator, number_of(left), number_of(right))


def _ordered(operator: str, left: float, right: float) -> bool:
    if operator == ">":
        return left > right
    if operator == "<":
        return left < right
    if operator == ">=":
        return left >= right
    if operator == "<=":
        return left <= right
    return left == right if operator == "=" else left != right


def _equal(left: Value, right: Value) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return truth_of(left) == truth_of(right)
    if isinstance(left, float) or isinstance(right, float):
        return number_of(left) == number_of(right)
    return left == right


def scalar_text(value: Any) -> str:
    """Return the value of a field as text, as XML would write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex().upper()
    return value_text(value)


def _number_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == int(value):
        return str(int(value))
    return format(Decimal(repr(value)), "f")
