"""What an expression of Java becomes: a closure over the variables of a call, and the type of its value.

A type is a text, empty if it is unknown (what a List has in it). `compiling` has the table of rules; a rule
compiles the expressions inside its own with `compiled`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.reader import PRIMITIVES
from penstock.flow.java.values import BOXES, converted

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.java.scope import Evaluate, Scope
    from penstock.flow.java.syntax import Node

    Typed = tuple[Evaluate, str]
    Store = Callable[[dict[str, Any], Any], None]


def compiled(node: Node, scope: Scope) -> Typed:
    """Return the function and the type of an expression."""
    from penstock.flow.java.compiling import RULES  # whose rules come back here

    return RULES[type(node)](node, scope)


def code(node: Node, scope: Scope) -> Evaluate:
    """Return the function of an expression."""
    return compiled(node, scope)[0]


def stored_as(node: Node, type_: str, scope: Scope) -> Evaluate:
    """Return the function of an expression, with the value as a variable of a type takes it."""
    evaluate, known = compiled(node, scope)
    if known == type_ or (type_ not in PRIMITIVES and type_ not in BOXES):
        return evaluate
    return lambda frame: converted(evaluate(frame), type_)
