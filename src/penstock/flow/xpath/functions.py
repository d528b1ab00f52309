"""The core functions of XPath 1.0, by name: numbers of arguments, and implementation.

A function gets the context and its evaluated arguments. `id` and `lang` are missing: messages have neither.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.xpath.values import number_of, text_of, truth_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.xpath.evaluation import At
    from penstock.flow.xpath.values import Value


class Function(NamedTuple):
    """The signature of a function; `nodes` requires a node-set as its argument."""

    least: int
    most: int
    call: Callable[..., Any]
    nodes: bool = False


def _own(at: At, arguments: tuple[Value, ...]) -> Value:
    """Return the argument, or the current node."""
    return arguments[0] if arguments else [at.item]


def _name(at: At, *given: Value) -> str:
    items = _own(at, given)
    first = items[0] if isinstance(items, list) and items else None
    return "" if first is None or isinstance(first, str) else first.name


def _namespace(at: At, *given: Value) -> str:
    items = _own(at, given)
    first = items[0] if isinstance(items, list) and items else None
    return "" if first is None or isinstance(first, str) else first.namespace


def _count(at: At, items: Any) -> float:
    return float(len(items))


def _sum(at: At, items: Any) -> float:
    return math.fsum(number_of([item]) for item in items)


def _substring(at: At, text: Value, begin: Value, *length: Value) -> str:
    first = _rounded(number_of(begin))
    last = first + _rounded(number_of(length[0])) if length else math.inf
    return "".join(letter for place, letter in enumerate(text_of(text), 1) if first <= place < last)


def _rounded(value: float) -> float:
    return value if math.isnan(value) or math.isinf(value) else math.floor(value + 0.5)


def _translate(at: At, text: Value, these: Value, those: Value) -> str:
    target = text_of(those)
    table: dict[int, str | None] = {}
    for place, letter in enumerate(text_of(these)):
        table.setdefault(ord(letter), target[place] if place < len(target) else None)
    return text_of(text).translate(table)


def _whole(at: At, value: Value, how: Callable[[float], float]) -> float:
    number = number_of(value)
    return number if math.isnan(number) or math.isinf(number) else float(how(number))


def _before(at: At, text: Value, mark: Value) -> str:
    whole, wanted = text_of(text), text_of(mark)
    return whole[: whole.index(wanted)] if wanted in whole else ""


def _after(at: At, text: Value, mark: Value) -> str:
    whole, wanted = text_of(text), text_of(mark)
    return whole[whole.index(wanted) + len(wanted) :] if wanted in whole else ""


FUNCTIONS = {
    "last": Function(0, 0, lambda at: float(at.size)),
    "position": Function(0, 0, lambda at: float(at.position)),
    "count": Function(1, 1, _count, nodes=True),
    "sum": Function(1, 1, _sum, nodes=True),
    "local-name": Function(0, 1, _name, nodes=True),
    "name": Function(0, 1, _name, nodes=True),
    "namespace-uri": Function(0, 1, _namespace, nodes=True),
    "string": Function(0, 1, lambda at, *given: text_of(_own(at, given))),
    "concat": Function(2, 100, lambda at, *given: "".join(text_of(each) for each in given)),
    "starts-with": Function(2, 2, lambda at, text, part: text_of(text).startswith(text_of(part))),
    "contains": Function(2, 2, lambda at, text, part: text_of(part) in text_of(text)),
    "substring-before": Function(2, 2, _before),
    "substring-after": Function(2, 2, _after),
    "substring": Function(2, 3, _substring),
    "string-length": Function(0, 1, lambda at, *given: float(len(text_of(_own(at, given))))),
    "normalize-space": Function(0, 1, lambda at, *given: " ".join(text_of(_own(at, given)).split())),
    "translate": Function(3, 3, _translate),
    "boolean": Function(1, 1, lambda at, value: truth_of(value)),
    "not": Function(1, 1, lambda at, value: not truth_of(value)),
    "true": Function(0, 0, lambda at: True),
    "false": Function(0, 0, lambda at: False),
    "number": Function(0, 1, lambda at, *given: number_of(_own(at, given))),
    "floor": Function(1, 1, lambda at, value: _whole(at, value, math.floor)),
    "ceiling": Function(1, 1, lambda at, value: _whole(at, value, math.ceil)),
    "round": Function(1, 1, lambda at, value: _rounded(number_of(value))),
}
