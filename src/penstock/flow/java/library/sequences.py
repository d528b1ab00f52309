"""java.util.stream over lists, and Optional. A stream is worked off as soon as it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.containers import ListClass, MapClass, SetClass
from penstock.flow.java.library.functional import function_of, in_order
from penstock.flow.java.library.thing import Long, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STREAM = ("java.util.stream",)


class Stream(Thing):
    """Values in a row."""

    names = ("Stream", "IntStream", "LongStream", "DoubleStream")
    packages = STREAM
    abstract = True

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = list(items)

    @staticmethod
    def of(*items: Any) -> Stream:
        return Stream(items[0] if len(items) == 1 and isinstance(items[0], Array) else items)

    @staticmethod
    def range(start: int, end: int) -> Stream:
        return Stream(range(start, end))

    @staticmethod
    def rangeClosed(start: int, end: int) -> Stream:
        return Stream(range(start, end + 1))

    def filter(self, test: Any) -> Stream:
        of = function_of(test)
        return Stream(each for each in self._items if of(each))

    def map(self, function: Any) -> Stream:
        return Stream(map(function_of(function), self._items))

    mapToObj = mapToInt = mapToLong = mapToDouble = map

    def flatMap(self, function: Any) -> Stream:
        of = function_of(function)
        return Stream(inner for each in self._items for inner in of(each)._items)

    def peek(self, function: Any) -> Stream:
        self.forEach(function)
        return self

    def sorted(self, order: Any = None) -> Stream:
        return Stream(in_order(self._items, order))

    def distinct(self) -> Stream:
        return Stream(SetClass(self._items))

    def limit(self, count: int) -> Stream:
        return Stream(self._items[:count])

    def skip(self, count: int) -> Stream:
        return Stream(self._items[count:])

    def boxed(self) -> Stream:
        return self

    def forEach(self, function: Any) -> None:
        of = function_of(function)
        for each in self._items:
            of(each)

    forEachOrdered = forEach

    def anyMatch(self, test: Any) -> bool:
        return any(map(function_of(test), self._items))

    def allMatch(self, test: Any) -> bool:
        return all(map(function_of(test), self._items))

    def noneMatch(self, test: Any) -> bool:
        return not self.anyMatch(test)

    def count(self) -> Long:
        return len(self._items)

    def sum(self) -> Any:
        return sum(self._items)

    def findFirst(self) -> Optional:
        return Optional(self._items[0] if self._items else None)

    findAny = findFirst

    def max(self, order: Any = None) -> Optional:
        return Optional(in_order(self._items, order)[-1] if self._items else None)

    def min(self, order: Any = None) -> Optional:
        return Optional(in_order(self._items, order)[0] if self._items else None)

    def reduce(self, first: Any, function: Any) -> Any:
        of = function_of(function)
        for each in self._items:
            first = of(first, each)
        return first

    def collect(self, collector: Collector) -> Any:
        return collector._of(self._items)

    def toList(self) -> ListClass:
        return ListClass(self._items)

    def toArray(self, *_: Any) -> Any:
        return Array("Object", self._items)


class Collector(Thing):
    """What makes a result of a stream."""

    packages = STREAM
    abstract = True

    def __init__(self, of: Callable[[list[Any]], Any]) -> None:
        self._of = of


class Collectors(Thing):
    """Makes collectors."""

    packages = STREAM
    abstract = True

    @staticmethod
    def toList() -> Collector:
        return Collector(ListClass)

    @staticmethod
    def toSet() -> Collector:
        return Collector(SetClass)

    @staticmethod
    def joining(between: str = "", before: str = "", after: str = "") -> Collector:
        return Collector(lambda items: before + between.join(map(text, items)) + after)

    @staticmethod
    def counting() -> Collector:
        return Collector(len)

    @staticmethod
    def mapping(function: Any, collector: Collector) -> Collector:
        of = function_of(function)
        return Collector(lambda items: collector._of(list(map(of, items))))

    @staticmethod
    def toMap(key: Any, value: Any, merge: Any = None, made: Any = None) -> Collector:
        key_of, value_of = function_of(key), function_of(value)

        def collect(items: list[Any]) -> MapClass:
            found = MapClass() if made is None else function_of(made)()
            for each in items:
                name, one = key_of(each), value_of(each)
                if found.containsKey(name):
                    if merge is None:
                        raise thrown("IllegalStateException", f"Duplicate key {text(name)}")
                    one = function_of(merge)(found.get(name), one)
                found.put(name, one)
            return found

        return Collector(collect)

    @staticmethod
    def groupingBy(key: Any, collector: Collector | None = None) -> Collector:
        of = function_of(key)

        def collect(items: list[Any]) -> MapClass:
            groups: dict[Any, list[Any]] = {}
            for each in items:
                groups.setdefault(of(each), []).append(each)
            found = MapClass()
            for name, inner in groups.items():
                found.put(name, ListClass(inner) if collector is None else collector._of(inner))
            return found

        return Collector(collect)


class Optional(Thing):
    """A value, or none."""

    names = ("Optional", "OptionalInt", "OptionalLong", "OptionalDouble")
    packages = ("java.util",)
    abstract = True

    def __init__(self, value: Any) -> None:
        self._value = value

    @staticmethod
    def of(value: Any) -> Optional:
        if value is None:
            raise thrown("NullPointerException")
        return Optional(value)

    @staticmethod
    def ofNullable(value: Any) -> Optional:
        return Optional(value)

    @staticmethod
    def empty() -> Optional:
        return Optional(None)

    def isPresent(self) -> bool:
        return self._value is not None

    def isEmpty(self) -> bool:
        return self._value is None

    def get(self) -> Any:
        if self._value is None:
            raise thrown("NoSuchElementException", "No value present")
        return self._value

    getAsInt = getAsLong = getAsDouble = orElseThrow = get

    def orElse(self, other: Any) -> Any:
        return other if self._value is None else self._value

    def orElseGet(self, function: Any) -> Any:
        return function_of(function)() if self._value is None else self._value

    def map(self, function: Any) -> Optional:
        return Optional(None if self._value is None else function_of(function)(self._value))

    def filter(self, test: Any) -> Optional:
        return Optional(None if self._value is None or not function_of(test)(self._value) else self._value)

    def ifPresent(self, function: Any) -> None:
        if self._value is not None:
            function_of(function)(self._value)
