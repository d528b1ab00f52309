"""System, Math, and other small classes of java.lang and java.util."""

from __future__ import annotations

import base64
import logging
import math
import os
import random
import time
import uuid
from typing import Any

from penstock.flow.java.library.containers import UTIL, MapClass
from penstock.flow.java.library.language import codec
from penstock.flow.java.library.thing import ByteArray, Long, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, as_bytes, bytes_array, text, wrapped

logger = logging.getLogger("penstock.flow.java")


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
    def getProperties() -> MapClass:
        names = ("line.separator", "file.separator", "user.dir")
        found = MapClass()
        found.items = {name: System.getProperty(name) for name in names}
        return found

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

    def __init__(self, name: str, of: Any = None) -> None:
        self._name = name
        self.of = of  # a class of the project

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


class StringUtils(Thing):
    """Functions of texts that may be null: of commons-lang and of commons-codec."""

    packages = ("org.apache.commons.lang", "org.apache.commons.lang3", "org.apache.commons.codec.binary")
    abstract = True

    @staticmethod
    def getBytesUtf8(value: str | None) -> ByteArray | None:
        return None if value is None else bytes_array(value.encode())

    @staticmethod
    def newStringUtf8(data: Array | None) -> str | None:
        return None if data is None else as_bytes(data).decode("utf-8", "replace")

    @staticmethod
    def isEmpty(value: str | None) -> bool:
        return not value

    @staticmethod
    def isNotEmpty(value: str | None) -> bool:
        return bool(value)

    @staticmethod
    def isBlank(value: str | None) -> bool:
        return not (value or "").strip()

    @staticmethod
    def isNotBlank(value: str | None) -> bool:
        return bool((value or "").strip())

    @staticmethod
    def trimToEmpty(value: str | None) -> str:
        return (value or "").strip()

    @staticmethod
    def equals(one: str | None, other: str | None = None) -> bool:  # type: ignore[override]
        return one == other

    @staticmethod
    def leftPad(value: str | None, size: int, pad: Any = " ") -> str | None:
        return None if value is None else value.rjust(size, pad)

    @staticmethod
    def rightPad(value: str | None, size: int, pad: Any = " ") -> str | None:
        return None if value is None else value.ljust(size, pad)


class BASE64Encoder(Thing):
    """Base64 of sun.misc, in lines."""

    packages = ("sun.misc", "com.ibm.misc")

    def __init__(self) -> None:
        pass

    def encode(self, data: Array) -> str:
        return base64.encodebytes(as_bytes(data)).decode().removesuffix("\n")


class BASE64Decoder(Thing):
    """Base64 of sun.misc, whatever is between its characters."""

    packages = ("sun.misc", "com.ibm.misc")

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
