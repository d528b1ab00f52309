"""Collections of java.util: lists, sets, maps, and functions of them and of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.functional import Closure, Comparator, function_of, in_order
from penstock.flow.java.library.thing import Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Iterator as Iteration

    from penstock.flow.java.library.sequences import Stream

UTIL = ("java.util",)


class ListClass(Thing):
    """A list."""

    names: tuple[str, ...] = ("ArrayList", "LinkedList", "Vector", "List", "Collection", "AbstractList")
    packages = UTIL
    bases = ("Iterable",)

    def __init__(self, items: Any = ()) -> None:
        self.items: list[Any] = [] if isinstance(items, int) else list(items)

    def __iter__(self) -> Iteration[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListClass) and self.items == other.items

    __hash__ = None  # type: ignore[assignment]

    def _at(self, at: int) -> int:
        if not 0 <= at < len(self.items):
            what = f"Index {at} out of bounds for length {len(self.items)}"
            raise thrown("IndexOutOfBoundsException", what)
        return at

    def add(self, first: Any, *second: Any) -> bool:
        if second:
            self.items.insert(first, second[0])
        else:
            self.items.append(first)
        return True

    def addAll(self, items: Iterable[Any]) -> bool:
        self.items.extend(items)
        return True

    def get(self, at: int) -> Any:
        return self.items[self._at(at)]

    def set(self, at: int, value: Any) -> Any:
        old = self.items[self._at(at)]
        self.items[at] = value
        return old

    def remove(self, what: Any) -> Any:
        if type(what) is int:
            return self.items.pop(self._at(what))
        if what in self.items:
            self.items.remove(what)
            return True
        return False

    def size(self) -> int:
        return len(self.items)

    def isEmpty(self) -> bool:
        return not self.items

    def contains(self, what: Any) -> bool:
        return what in self.items

    def indexOf(self, what: Any) -> int:
        return self.items.index(what) if what in self.items else -1

    def clear(self) -> None:
        self.items.clear()

    def iterator(self) -> Iterator:
        return Iterator(self.items)

    def forEach(self, function: Any) -> None:
        of = function_of(function)
        for each in list(self.items):
            of(each)

    def removeIf(self, test: Any) -> bool:
        before, of = len(self.items), function_of(test)
        self.items = [each for each in self.items if not of(each)]
        return len(self.items) < before

    def sort(self, order: Any) -> None:
        self.items = in_order(self.items, order)

    def stream(self) -> Stream:
        from penstock.flow.java.library.sequences import Stream

        return Stream(self.items)

    def listIterator(self) -> Iterator:
        return Iterator(self.items)

    def subList(self, start: int, end: int) -> ListClass:
        return ListClass(self.items[start:end])

    def toArray(self, *_: Any) -> Any:
        return Array("Object", self.items)

    def toString(self) -> str:
        return f"[{', '.join(map(text, self.items))}]"


class Iterator(Thing):
    """A walk through items."""

    names = ("Iterator", "ListIterator", "Enumeration")
    packages = UTIL
    abstract = True

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = list(items)
        self._at = 0

    def hasNext(self) -> bool:
        return self._at < len(self._items)

    def next(self) -> Any:
        if self._at >= len(self._items):
            raise thrown("NoSuchElementException")
        self._at += 1
        return self._items[self._at - 1]

    hasMoreElements = hasNext
    nextElement = next


class SetClass(ListClass):
    """A set, in the order in which items came (that of a HashSet is not Java's)."""

    names = ("HashSet", "LinkedHashSet", "Set")

    def __init__(self, items: Any = ()) -> None:
        super().__init__()
        self.addAll([] if isinstance(items, int) else items)

    def add(self, first: Any, *second: Any) -> bool:
        if first in self.items:
            return False
        self.items.append(first)
        return True

    def addAll(self, items: Iterable[Any]) -> bool:
        before = len(self.items)
        for each in items:
            self.add(each)
        return len(self.items) > before


MORE_MAPS = ("ConcurrentHashMap", "Properties")


class MapClass(Thing):
    """A map, in the order in which keys came (that of a HashMap is not Java's)."""

    names: tuple[str, ...] = (
        "HashMap",
        "LinkedHashMap",
        "Hashtable",
        "Map",
        "ConcurrentHashMap",
        "Properties",
    )
    packages = ("java.util", "java.util.concurrent")

    def __init__(self, items: Any = ()) -> None:
        self.items: dict[Any, Any] = dict(items.items) if isinstance(items, MapClass) else {}

    def put(self, key: Any, value: Any) -> Any:
        old = self.items.get(key)
        self.items[key] = value
        return old

    def putAll(self, other: MapClass) -> None:
        self.items.update(other.items)

    def putIfAbsent(self, key: Any, value: Any) -> Any:
        return self.items.get(key) if key in self.items else self.put(key, value)

    def get(self, key: Any) -> Any:
        return self.items.get(key)

    def getOrDefault(self, key: Any, other: Any) -> Any:
        return self.items.get(key, other)

    def getProperty(self, key: Any, other: Any = None) -> str | None:
        found: str | None = self.items.get(key, other)
        return found

    def load(self, below: Any) -> None:
        """Read `name=value` lines, as Properties have them."""
        read = below.data.read()
        for line in (read.decode("latin-1") if isinstance(read, bytes) else read).splitlines():
            name, _, value = line.strip().partition("=")
            if name and name[0] not in "#!":
                self.items[name.strip()] = value.strip()

    def setProperty(self, key: Any, value: Any) -> Any:
        return self.put(key, value)

    def remove(self, key: Any) -> Any:
        return self.items.pop(key, None)

    def containsKey(self, key: Any) -> bool:
        return key in self.items

    def containsValue(self, value: Any) -> bool:
        return value in self.items.values()

    def size(self) -> int:
        return len(self.items)

    def isEmpty(self) -> bool:
        return not self.items

    def clear(self) -> None:
        self.items.clear()

    def keySet(self) -> SetClass:
        return SetClass(self.items)

    def values(self) -> ListClass:
        return ListClass(self.items.values())

    def entrySet(self) -> ListClass:
        return ListClass(Entry(self, key) for key in self.keySet())

    def forEach(self, function: Any) -> None:
        of = function_of(function)
        for key in self.keySet():
            of(key, self.items[key])

    def computeIfAbsent(self, key: Any, function: Any) -> Any:
        if self.items.get(key) is None:
            self.items[key] = function_of(function)(key)
        return self.items[key]

    def computeIfPresent(self, key: Any, function: Any) -> Any:
        if self.items.get(key) is not None:
            self.items[key] = function_of(function)(key, self.items[key])
        return self.items.get(key)

    def merge(self, key: Any, value: Any, function: Any) -> Any:
        old = self.items.get(key)
        self.items[key] = value if old is None else function_of(function)(old, value)
        return self.items[key]

    def toString(self) -> str:
        return "{" + ", ".join(f"{text(key)}={text(self.items[key])}" for key in self.keySet()) + "}"


class TreeMap(MapClass):
    """A map in the order of its keys."""

    names = ("TreeMap", "SortedMap", "NavigableMap")

    def __init__(self, items: Any = None) -> None:
        is_order = items is not None and not isinstance(items, MapClass)
        super().__init__(() if is_order else items)
        self._order = items if is_order else None

    def keySet(self) -> SetClass:
        return SetClass(in_order(self.items, self._order))

    def values(self) -> ListClass:
        return ListClass(self.items[key] for key in self.keySet())

    def firstKey(self) -> Any:
        return self.keySet().iterator().next()

    def lastKey(self) -> Any:
        if not self.items:
            raise thrown("NoSuchElementException")
        return self.keySet().items[-1]


class Entry(Thing):
    """A key of a map with its value."""

    names = ("Entry", "Map.Entry")
    packages = ("java.util", "java.util.Map")
    abstract = True

    def __init__(self, owner: MapClass, key: Any) -> None:
        self._owner = owner
        self._key = key

    def getKey(self) -> Any:
        return self._key

    def getValue(self) -> Any:
        return self._owner.items.get(self._key)

    def setValue(self, value: Any) -> Any:
        return self._owner.put(self._key, value)

    @staticmethod
    def comparingByKey(order: Any = None) -> Comparator:
        return Comparator.comparing(Closure(Entry.getKey), order)

    @staticmethod
    def comparingByValue(order: Any = None) -> Comparator:
        return Comparator.comparing(Closure(Entry.getValue), order)


class Arrays(Thing):
    """Functions of arrays."""

    packages = UTIL
    abstract = True

    @staticmethod
    def asList(*items: Any) -> ListClass:
        return ListClass(items[0] if len(items) == 1 and isinstance(items[0], Array) else items)

    @staticmethod
    def toString(array: Any = None) -> str:
        return "null" if array is None else f"[{', '.join(map(text, array))}]"

    @staticmethod
    def copyOfRange(array: Array, start: int, end: int) -> Any:
        blank = 0 if array.type in ("byte", "int", "long", "short") else None
        return Array(array.type, [*array[start:end], *[blank] * (end - max(len(array), start))])

    @staticmethod
    def copyOf(array: Array, length: int) -> Any:
        return Arrays.copyOfRange(array, 0, length)

    @staticmethod
    def fill(array: Array, value: Any) -> None:
        array[:] = [value] * len(array)

    @staticmethod
    def equals(one: Any, other: Any = None) -> bool:  # type: ignore[override]
        return (one is None and other is None) or (list(one) == list(other))

    @staticmethod
    def sort(array: Array, order: Any = None) -> None:
        array[:] = in_order(array, order)

    @staticmethod
    def stream(array: Array) -> Stream:
        from penstock.flow.java.library.sequences import Stream

        return Stream(array)


class Collections(Thing):
    """Functions of collections; what cannot be changed in Java is a copy here."""

    packages = UTIL
    abstract = True

    @staticmethod
    def emptyList() -> ListClass:
        return ListClass()

    @staticmethod
    def emptyMap() -> MapClass:
        return MapClass()

    @staticmethod
    def unmodifiableList(items: ListClass) -> ListClass:
        return ListClass(items)

    @staticmethod
    def unmodifiableMap(items: MapClass) -> MapClass:
        return MapClass(items)

    @staticmethod
    def reverse(items: ListClass) -> None:
        items.items.reverse()

    @staticmethod
    def sort(items: ListClass, order: Any = None) -> None:
        items.items = in_order(items.items, order)
