"""Collections, System, Math, and other small classes of java.lang and java.util."""

from __future__ import annotations

import base64
import logging
import math
import os
import random
import time
import uuid
from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.language import codec
from penstock.flow.java.library.thing import ByteArray, Long, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, as_bytes, bytes_array, text, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Iterator as Iteration

logger = logging.getLogger("penstock.flow.java")
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


class MapClass(Thing):
    """A map, in the order in which keys came (that of a HashMap is not Java's)."""

    names = ("HashMap", "LinkedHashMap", "Hashtable", "Map", "ConcurrentHashMap", "Properties")
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
        return ListClass(Entry(self, key) for key in self.items)

    def toString(self) -> str:
        return "{" + ", ".join(f"{text(key)}={text(value)}" for key, value in self.items.items()) + "}"


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
    def sort(array: Array) -> None:
        array.sort()


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
    def sort(items: ListClass) -> None:
        items.items.sort()


class System(Thing):
    """The process around."""

    abstract = True
    constant_types = {"out": "PrintStream", "err": "PrintStream"}

    @staticmethod
    def currentTimeMillis() -> Long:
        return int(time.time() * 1000)

    @staticmethod
    def nanoTime() -> Long:
        return time.monotonic_ns()

    @staticmethod
    def getenv(*name: str) -> Any:
        if name:
            return os.environ.get(name[0])
        found = MapClass()
        found.items = dict(os.environ)
        return found

    @staticmethod
    def lineSeparator() -> str:
        return "\n"

    @staticmethod
    def getProperty(name: str, other: str | None = None) -> str | None:
        known = {"line.separator": "\n", "file.separator": "/", "user.dir": str(os.getcwd())}  # noqa: PTH109
        return known.get(name, other)

    @staticmethod
    def arraycopy(source: Array, start: int, target: Array, place: int, length: int) -> None:
        if min(start, place, length) < 0 or start + length > len(source) or place + length > len(target):
            raise thrown("ArrayIndexOutOfBoundsException", "arraycopy")
        target[place : place + length] = source[start : start + length]


class PrintStream(Thing):
    """System.out and System.err: lines of the log."""

    packages = ("java.io",)
    abstract = True

    def println(self, value: Any = "") -> None:
        logger.info("%s", text(value))

    def print(self, value: Any) -> None:
        logger.info("%s", text(value))

    def flush(self) -> None:
        pass


System.constants = {"out": PrintStream(), "err": PrintStream()}


class Math(Thing):
    """Arithmetic."""

    abstract = True
    constants = {"PI": math.pi, "E": math.e}
    constant_types = {"PI": "double", "E": "double"}

    @staticmethod
    def random() -> float:
        return random.random()

    @staticmethod
    def abs(value: Any) -> Any:
        return abs(value)

    @staticmethod
    def max(one: Any, other: Any) -> Any:
        return max(one, other)

    @staticmethod
    def min(one: Any, other: Any) -> Any:
        return min(one, other)

    @staticmethod
    def floor(value: float) -> float:
        return float(math.floor(value))

    @staticmethod
    def ceil(value: float) -> float:
        return float(math.ceil(value))

    @staticmethod
    def round(value: float) -> Long:
        return math.floor(value + 0.5)

    @staticmethod
    def pow(value: float, power: float) -> float:
        return math.pow(value, power)

    @staticmethod
    def sqrt(value: float) -> float:
        return math.sqrt(value) if value >= 0 else math.nan


class Random(Thing):
    """Random numbers; those of a seed are not Java's, so it takes none."""

    names = ("Random", "SecureRandom")
    packages = ("java.util", "java.security")

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def nextInt(self, bound: int = 0) -> int:
        return self._random.randrange(bound) if bound else wrapped(self._random.getrandbits(32), 32)

    def nextLong(self) -> Long:
        return wrapped(self._random.getrandbits(64), 64)

    def nextDouble(self) -> float:
        return self._random.random()

    def nextBoolean(self) -> bool:
        return self._random.random() < 0.5


class AtomicInteger(Thing):
    """A whole number that is counted."""

    names = ("AtomicInteger", "AtomicLong")
    packages = ("java.util.concurrent.atomic",)

    def __init__(self, value: int = 0) -> None:
        self.value = value

    def get(self) -> int:
        return self.value

    def set(self, value: int) -> None:
        self.value = value

    def incrementAndGet(self) -> int:
        self.value += 1
        return self.value

    def getAndIncrement(self) -> int:
        self.value += 1
        return self.value - 1

    def decrementAndGet(self) -> int:
        self.value -= 1
        return self.value

    def addAndGet(self, more: int) -> int:
        self.value += more
        return self.value

    def toString(self) -> str:
        return str(self.value)


class Class(Thing):
    """A class as a value: its name."""

    abstract = True

    def __init__(self, name: str) -> None:
        self._name = name

    @staticmethod
    def forName(name: str) -> Class:
        """Return a class: programs load drivers of databases so, which here is no work."""
        return Class(name)

    def getName(self) -> str:
        return self._name

    def getSimpleName(self) -> str:
        return self._name.rpartition(".")[2]

    def getCanonicalName(self) -> str:
        return self._name

    def toString(self) -> str:
        return f"class {self._name}"


class UUID(Thing):
    """Universal identifiers."""

    packages = UTIL
    abstract = True

    def __init__(self, value: uuid.UUID) -> None:
        self.value = value

    @staticmethod
    def randomUUID() -> UUID:
        return UUID(uuid.uuid4())

    @staticmethod
    def fromString(value: str) -> UUID:
        return UUID(uuid.UUID(value))

    def toString(self) -> str:
        return str(self.value)


class Objects(Thing):
    """Functions of objects that may be null."""

    packages = UTIL
    abstract = True

    @staticmethod
    def equals(one: Any, other: Any = None) -> bool:  # type: ignore[override]
        return bool(one == other)

    @staticmethod
    def isNull(value: Any) -> bool:
        return value is None

    @staticmethod
    def nonNull(value: Any) -> bool:
        return value is not None


class Thread(Thing):
    """Only waiting: nothing runs beside a message."""

    abstract = True

    @staticmethod
    def currentThread() -> Thread:
        return Thread()

    def getContextClassLoader(self) -> Any:
        from penstock.flow.java.library.unit_testing import ClassLoader

        return ClassLoader()

    @staticmethod
    def sleep(milliseconds: int) -> None:
        time.sleep(milliseconds / 1000)


class StringTokenizer(Thing):
    """Parts of a text."""

    packages = UTIL

    def __init__(self, value: str, between: str = " \t\n\r\f") -> None:
        spaced = "".join("\0" if each in between else each for each in value)
        self._left = [each for each in spaced.split("\0") if each]

    def hasMoreTokens(self) -> bool:
        return bool(self._left)

    def nextToken(self) -> str:
        if not self._left:
            raise thrown("NoSuchElementException")
        return self._left.pop(0)

    def countTokens(self) -> int:
        return len(self._left)


class StandardCharsets(Thing):
    """Names of charsets."""

    packages = ("java.nio.charset",)
    abstract = True
    constants = {"UTF_8": "UTF-8", "US_ASCII": "US-ASCII", "ISO_8859_1": "ISO-8859-1", "UTF_16": "UTF-16"}
    constant_types = dict.fromkeys(constants, "Charset")


class Charset(Thing):
    """A charset, which is its name here."""

    packages = ("java.nio.charset",)
    abstract = True

    @staticmethod
    def forName(name: str) -> str:
        codec(name)
        return name


class Base64(Thing):
    """Base64 of java.util, of commons-codec and of the XML security library."""

    packages = (*UTIL, "org.apache.commons.codec.binary", "com.sun.org.apache.xml.internal.security.utils")
    abstract = True

    @staticmethod
    def getEncoder() -> Encoder:
        return Encoder()

    @staticmethod
    def getDecoder() -> Decoder:
        return Decoder()

    @staticmethod
    def decode(given: str) -> ByteArray:
        return bytes_array(base64.b64decode(given))

    @staticmethod
    def decodeBase64(given: Any) -> ByteArray:
        return bytes_array(base64.b64decode(given if isinstance(given, str) else as_bytes(given)))

    @staticmethod
    def encodeBase64String(data: Array) -> str:
        return base64.b64encode(as_bytes(data)).decode()


class BASE64Encoder(Thing):
    """Base64 of sun.misc, in lines."""

    packages = ("sun.misc",)

    def __init__(self) -> None:
        pass

    def encode(self, data: Array) -> str:
        return base64.encodebytes(as_bytes(data)).decode().removesuffix("\n")


class BASE64Decoder(Thing):
    """Base64 of sun.misc, whatever is between its characters."""

    packages = ("sun.misc",)

    def __init__(self) -> None:
        pass

    def decodeBuffer(self, given: str) -> ByteArray:
        return bytes_array(base64.b64decode(given))


class Encoder(Thing):
    """Writes Base64."""

    names = ("Encoder", "Base64.Encoder")
    packages = UTIL
    abstract = True

    def encodeToString(self, data: Array) -> str:
        return base64.b64encode(as_bytes(data)).decode()

    def encode(self, data: Array) -> ByteArray:
        return bytes_array(base64.b64encode(as_bytes(data)))


class Decoder(Thing):
    """Reads Base64."""

    names = ("Decoder", "Base64.Decoder")
    packages = UTIL
    abstract = True

    def decode(self, data: Any) -> ByteArray:
        given = data if isinstance(data, str) else as_bytes(data).decode("ascii", "replace")
        try:
            return bytes_array(base64.b64decode(given, validate=True))
        except ValueError as raised:
            raise thrown("IllegalArgumentException", str(raised)) from None
