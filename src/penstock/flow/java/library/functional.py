"""Functions as values: lambda expressions, and the interfaces of java.util.function.

A lambda expression is a `Closure`, whatever interface it is assigned to: any method of that interface calls
it.
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.language import String
from penstock.flow.java.library.thing import Thing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FUNCTION = ("java.util.function",)


class Closure(Thing):
    """A lambda expression or a reference to a method."""

    abstract = True

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run = run

    def reversed(self) -> Closure:
        return Closure(lambda one, other: self.run(other, one))

    def thenComparing(self, other: Any) -> Closure:
        return Closure(lambda one, two: self.run(one, two) or compared(other)(one, two))

    def andThen(self, other: Any) -> Closure:
        """Return this function, then another: of its result, or with the same arguments if it has none."""

        def both(*values: Any) -> Any:
            found = self.run(*values)
            return function_of(other)(*(values if found is None else (found,)))

        return Closure(both)

    def negate(self) -> Closure:
        return Closure(lambda *values: not self.run(*values))


def function_of(given: Any) -> Callable[..., Any]:
    """Return the function in a closure, or in an object with one method for the interface it implements."""
    if isinstance(given, Closure):
        return given.run
    methods = [each for each in given.java.methods if each.declared.body is not None]
    names = {name for each in _INTERFACES for name in vars(each)} & {each.declared.name for each in methods}
    called = next(each for each in methods if each.declared.name in names)
    return lambda *values: called.call(given, values)


def compared(given: Any) -> Callable[[Any, Any], int]:
    """Return the function that compares two values: given, or of a function of them, or their own order."""
    if given is None:
        return natural
    return function_of(given)


def natural(one: Any, other: Any) -> int:
    """Return how two values are ordered by themselves."""
    if isinstance(one, str):
        return String.compareTo(one, other)
    own = getattr(one, "java", None)
    if own is not None:
        return int(own.method("compareTo", (other,)).call(one, (other,)))
    return int(one > other) - int(one < other)


def in_order(items: Iterable[Any], given: Any = None) -> list[Any]:
    """Return items in an order."""
    return sorted(items, key=cmp_to_key(compared(given)))


class Comparator(Thing):
    """An order."""

    packages = ("java.util",)

    def __init__(self) -> None:
        pass

    def compare(self, one: Any, other: Any) -> int:
        return function_of(self)(one, other)  # type: ignore[no-any-return]

    def reversed(self) -> Comparator:
        return Closure(function_of(self)).reversed()  # type: ignore[return-value]

    def thenComparing(self, other: Any) -> Comparator:
        return Closure(function_of(self)).thenComparing(other)  # type: ignore[return-value]

    @staticmethod
    def naturalOrder() -> Comparator:
        return Closure(natural)  # type: ignore[return-value]

    @staticmethod
    def reverseOrder() -> Comparator:
        return Closure(natural).reversed()  # type: ignore[return-value]

    @staticmethod
    def comparing(key: Any, order: Any = None) -> Comparator:
        of, compare = function_of(key), compared(order)
        return Closure(lambda one, other: compare(of(one), of(other)))  # type: ignore[return-value]


Comparator.comparingInt = Comparator.comparingLong = Comparator.comparing  # type: ignore[attr-defined]


class Runnable(Thing):
    """Something to do."""

    def __init__(self) -> None:
        pass

    def run(self) -> None:
        function_of(self)()


class CallableThing(Thing):
    """Something that returns a value."""

    names = ("Callable",)
    packages = ("java.util.concurrent",)

    def __init__(self) -> None:
        pass

    def call(self) -> Any:
        return function_of(self)()


class Supplier(Thing):
    """A source of values."""

    packages = FUNCTION

    def __init__(self) -> None:
        pass

    def get(self) -> Any:
        return function_of(self)()


class Consumer(Thing):
    """What takes values."""

    names = ("Consumer", "BiConsumer")
    packages = FUNCTION

    def __init__(self) -> None:
        pass

    def accept(self, *values: Any) -> None:
        function_of(self)(*values)


class Function(Thing):
    """A function of one value or two."""

    names = ("Function", "BiFunction", "UnaryOperator", "BinaryOperator")
    packages = FUNCTION

    def __init__(self) -> None:
        pass

    def apply(self, *values: Any) -> Any:
        return function_of(self)(*values)

    @staticmethod
    def identity() -> Function:
        return Closure(lambda value: value)  # type: ignore[return-value]

    def andThen(self, other: Any) -> Function:
        return Closure(function_of(self)).andThen(other)  # type: ignore[return-value]


class Predicate(Thing):
    """A test."""

    names = ("Predicate", "BiPredicate")
    packages = FUNCTION

    def __init__(self) -> None:
        pass

    def test(self, *values: Any) -> bool:
        return bool(function_of(self)(*values))

    def negate(self) -> Predicate:
        return Closure(function_of(self)).negate()  # type: ignore[return-value]


_INTERFACES = (Comparator, Runnable, CallableThing, Supplier, Consumer, Function, Predicate)
