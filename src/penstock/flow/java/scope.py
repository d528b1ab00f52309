"""What names mean at a place of a method: variables, the class around, other classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.expressions import dotted
from penstock.flow.java.library.registry import Known, known_classes
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.reader import PRIMITIVES
from penstock.flow.java.values import BOXES

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.java.classes import JavaClass
    from penstock.flow.java.syntax import Node

    Evaluate = Callable[[dict[str, Any]], Any]

NUMBERS = ("byte", "short", "char", "int", "long", "float", "double")


class Scope:
    """The variables of a method, and the class that it belongs to."""

    def __init__(self, owner: JavaClass, is_static: bool) -> None:
        self.owner = owner
        self.is_static = is_static
        self.blocks: list[dict[str, str]] = [dict(owner.captured)]

    def declare(self, type_: str, name: str) -> None:
        """Add a variable to the innermost block."""
        self.blocks[-1][name] = type_

    def variable(self, name: str) -> str | None:
        """Return the type of a variable; None if there is none of this name."""
        for block in reversed(self.blocks):
            if name in block:
                return block[name]
        return None

    def variables(self) -> dict[str, str]:
        """Return all variables here with their types."""
        return {name: type_ for block in self.blocks for name, type_ in block.items()}

    def this_of(self, owner: JavaClass) -> Evaluate:
        """Return what finds the object of a class: this one, or one around it."""
        here = self.owner
        if here.is_or_extends(owner):
            return lambda frame: frame["this"]
        steps: list[str] = []
        for outer in here.outers:
            steps.append(here.name)
            here = outer
            if here.is_or_extends(owner):
                break

        def find(frame: dict[str, Any]) -> Any:
            this = frame["this"]
            for name in steps:
                this = this.around[name][0]
            return this

        return find

    def class_of(self, node: Node) -> JavaClass | Known | None:
        """Return the class that a name stands for, as in `Util.trim` or `com.acme.Util.trim`."""
        name = dotted(node)
        if not name or self.variable(name.partition(".")[0]) is not None:
            return None
        return self.owner.find(name)

    def need_class(self, name: str, line: int) -> JavaClass | Known:
        """Return a class; a problem if it is unknown."""
        found = self.owner.find(name)
        if found is None:
            raise JavaProblem(line, f"class {name} is not known here")
        return found

    def check_type(self, type_: str, line: int) -> None:
        """Refuse an unknown type."""
        bare = type_.replace("[]", "")
        if bare not in PRIMITIVES and bare != "void":
            self.need_class(bare, line)


def is_number(type_: str) -> bool:
    """Return whether a type is a number or a char, also in its box."""
    return BOXES.get(type_, type_) in NUMBERS


def library_class(type_: str) -> Known | None:
    """Return the class of the library for the type of an expression."""
    if type_.endswith("[]"):
        return known_classes()["array"]
    return known_classes().get(type_.rpartition(".")[2])
