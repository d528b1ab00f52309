"""The context of an evaluation: the current node, position and size, variables, visits left.

An expression is a function of the context. The most frequent kinds derive from `Evaluation`, which
`evaluated` calls without Python overhead. Compiled through `evaluation.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    from collections.abc import Callable

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
        variables: dict[str, Reference | None],
        visits: Visits,
    ) -> None:
        self.item = item
        self.position = position
        self.size = size
        self.variables = variables
        self.visits = visits


@cython.cclass
class Evaluation:
    """An expression as an object; subclasses implement `evaluate`."""

    def __call__(self, at: At) -> Value:
        return self.evaluate(at)

    def evaluate(self, at: At) -> Value:
        """Return the value of the expression in a context."""
        raise NotImplementedError


@cython.cclass
class Constant(Evaluation):
    """A number or text literal."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def evaluate(self, at: At) -> Value:
        return self.value


@cython.cclass
class Variable(Evaluation):
    """The value of a `$` variable: a field, or nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def evaluate(self, at: At) -> Value:
        found = at.variables[self.name]
        return [] if found is None else [found]


def evaluated(expression: Evaluate, at: At) -> Value:
    """Return the value of an expression in a context."""
    if isinstance(expression, Evaluation):
        own: Evaluation = expression
        return own.evaluate(at)
    return expression(at)
