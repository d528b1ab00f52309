"""String, StringBuilder, and the classes of numbers, truth values and characters."""

from __future__ import annotations

import re
from typing import Any

from penstock.flow.java.library.formatting import formatted
from penstock.flow.java.library.thing import ByteArray, Character, CharArray, Long, StringArray, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, Char, as_bytes, bytes_array, converted, text, wrapped

CHARSETS = {"utf8": "utf-8", "utf-8": "utf-8", "utf-16": "utf-16", "us-ascii": "ascii", "ascii": "ascii"}
_CODES = {"cp1047": "cp1047"}


def codec(charset: Any) -> str:
    """Return Python's name of a charset; UnsupportedEncodingException for an unknown one."""
    import codecs

    name = text(charset).lower()
    try:
        return codecs.lookup(CHARSETS.get(name, name)).name
    except LookupError:
        raise thrown("UnsupportedEncodingException", text(charset)) from None


def java_hash(value: str) -> int:
    """Return the hash code of a String."""
    found = 0
    for each in value:
        found = (31 * found + ord(each)) & 0xFFFFFFFF
    return wrapped(found, 32)


def checked(value: str, start: int, end: int) -> None:
    """Raise StringIndexOutOfBoundsException for places that a text does not have."""
    if not 0 <= start <= end <= len(value):
        what = f"begin {start}, end {end}, length {len(value)}"
        raise thrown("StringIndexOutOfBoundsException", what)


class Object(Thing):
    """What every class derives from."""

    def __init__(self) -> None:
        pass


class String(Thing):
    """A text."""

    holds = (str,)
    bases = ("CharSequence", "Comparable")

    @staticmethod
    def _new(value: Any = "", *charset: Any) -> str:
        if isinstance(value, Array):
            if value.type == "char":
                return "".join(value)
            return as_bytes(value).decode(codec(charset[-1]) if charset else "utf-8", "replace")
        return text(value)

    def length(self: str) -> int:  # type: ignore[misc]
        return len(self)

    def charAt(self: str, at: int) -> Character:  # type: ignore[misc]
        checked(self, at, at + 1)
        return Char(self[at])

    def substring(self: str, start: int, end: int | None = None) -> str:  # type: ignore[misc]
        end = len(self) if end is None else end
        checked(self, start, end)
        return self[start:end]

    def subSequence(self: str, start: int, end: int) -> str:  # type: ignore[misc]
        checked(self, start, end)
        return self[start:end]

    def indexOf(self: str, wanted: Any, start: int = 0) -> int:  # type: ignore[misc]
        return self.find(chr(wanted) if isinstance(wanted, int) else wanted, max(start, 0))

    def lastIndexOf(self: str, wanted: Any) -> int:  # type: ignore[misc]
        return self.rfind(chr(wanted) if isinstance(wanted, int) else wanted)

    def contains(self: str, wanted: Any) -> bool:  # type: ignore[misc]
        return text(wanted) in self if wanted is not None else _null()

    def equals(self: str, other: Any) -> bool:  # type: ignore[misc]
        return type(other) is str and self == other

    def contentEquals(self: str, other: Any) -> bool:  # type: ignore[misc]
        return self == text(other)

    def equalsIgnoreCase(self: str, other: str | None) -> bool:  # type: ignore[misc]
        return other is not None and self.lower() == other.lower()

    def compareTo(self: str, other: str) -> int:  # type: ignore[misc]
        for one, two in zip(self, other, strict=False):
            if one != two:
                return ord(one) - ord(two)
        return len(self) - len(other)

    def compareToIgnoreCase(self: str, other: str) -> int:  # type: ignore[misc]
        return String.compareTo(self.lower(), other.lower())

    def hashCode(self: str) -> int:  # type: ignore[misc]
        return java_hash(self)

    def isEmpty(self: str) -> bool:  # type: ignore[misc]
        return not self

    def isBlank(self: str) -> bool:  # type: ignore[misc]
        return not self.strip()

    def trim(self: str) -> str:  # type: ignore[misc]
        return self.strip("".join(map(chr, range(33))))

    def strip(self: str) -> str:  # type: ignore[misc]
        return str.strip(self)

    def toUpperCase(self: str, *_: Any) -> str:  # type: ignore[misc]
        return self.upper()

    def toLowerCase(self: str, *_: Any) -> str:  # type: ignore[misc]
        return self.lower()

    def startsWith(self: str, wanted: str, start: int = 0) -> bool:  # type: ignore[misc]
        return self.startswith(wanted, start)

    def endsWith(self: str, wanted: str) -> bool:  # type: ignore[misc]
        return self.endswith(wanted)

    def concat(self: str, other: str) -> str:  # type: ignore[misc]
        return self + other if other is not None else _null()

    def repeat(self: str, count: int) -> str:  # type: ignore[misc]
        return self * count

    def replace(self: str, old: Any, new: Any) -> str:  # type: ignore[misc]
        return str.replace(self, text(old), text(new))

    def replaceAll(self: str, pattern: str, new: str) -> str:  # type: ignore[misc]
        from penstock.flow.java.library.patterns import Pattern

        return Pattern.compile(pattern).matcher(self).replaceAll(new)

    def replaceFirst(self: str, pattern: str, new: str) -> str:  # type: ignore[misc]
        from penstock.flow.java.library.patterns import Pattern

        return Pattern.compile(pattern).matcher(self).replaceFirst(new)

    def matches(self: str, pattern: str) -> bool:  # type: ignore[misc]
        from penstock.flow.java.library.patterns import Pattern

        return Pattern.compile(pattern).matcher(self).matches()

    def split(self: str, pattern: str, limit: int = 0) -> StringArray:  # type: ignore[misc]
        from penstock.flow.java.library.patterns import compiled

        if not self:
            return Array("String", [""])
        found = compiled(pattern).split(self, max(limit - 1, 0) if limit > 0 else 0)
        if limit == 1:
            found = [self]
        while limit == 0 and len(found) > 1 and not found[-1]:
            found.pop()
        return Array("String", found)

    def toCharArray(self: str) -> CharArray:  # type: ignore[misc]
        return Array("char", map(Char, self))

    def getBytes(self: str, charset: Any = "UTF-8") -> ByteArray:  # type: ignore[misc]
        return bytes_array(self.encode(codec(charset), "replace"))

    def intern(self: str) -> str:  # type: ignore[misc]
        return self

    def toString(self: str) -> str:  # type: ignore[misc]
        return self

    @staticmethod
    def valueOf(value: Any) -> str:
        if isinstance(value, Array) and value.type == "char":
            return "".join(value)
        return text(value)

    @staticmethod
    def format(pattern: str, *values: Any) -> str:
        return formatted(pattern, values)

    @staticmethod
    def join(between: str, *values: Any) -> str:
        parts = values[0] if len(values) == 1 and not isinstance(values[0], str) else values
        return between.join(text(each) for each in parts)


class StringBuilder(Thing):
    """A text that grows."""

    names = ("StringBuilder", "StringBuffer")
    bases = ("CharSequence",)

    def __init__(self, value: Any = "") -> None:
        self.value = "" if isinstance(value, int) else text(value)

    def append(self, value: Any, start: int = 0, end: int | None = None) -> StringBuilder:
        more = String.valueOf(value)
        self.value += more if end is None else more[start:end]
        return self

    def insert(self, at: int, value: Any) -> StringBuilder:
        checked(self.value, at, len(self.value))
        self.value = self.value[:at] + String.valueOf(value) + self.value[at:]
        return self

    def reverse(self) -> StringBuilder:
        self.value = self.value[::-1]
        return self

    def delete(self, start: int, end: int) -> StringBuilder:
        end = min(end, len(self.value))
        checked(self.value, start, end)
        self.value = self.value[:start] + self.value[end:]
        return self

    def deleteCharAt(self, at: int) -> StringBuilder:
        checked(self.value, at, at + 1)
        return self.delete(at, at + 1)

    def replace(self, start: int, end: int, value: str) -> StringBuilder:
        end = min(end, len(self.value))
        checked(self.value, start, end)
        self.value = self.value[:start] + value + self.value[end:]
        return self

    def setCharAt(self, at: int, value: Char) -> None:
        checked(self.value, at, at + 1)
        self.value = self.value[:at] + value + self.value[at + 1 :]

    def setLength(self, length: int) -> None:
        self.value = self.value[:length].ljust(length, "\0")

    def charAt(self, at: int) -> Character:
        checked(self.value, at, at + 1)
        return Char(self.value[at])

    def length(self) -> int:
        return len(self.value)

    def indexOf(self, wanted: str, start: int = 0) -> int:
        return self.value.find(wanted, start)

    def lastIndexOf(self, wanted: str) -> int:
        return self.value.rfind(wanted)

    def substring(self, start: int, end: int | None = None) -> str:
        return String.substring(self.value, start, end)

    def toString(self) -> str:
        return self.value


def parsed(value: Any, radix: int, bits: int) -> int:
    """Return the whole number in a text; NumberFormatException if there is none."""
    if not isinstance(value, str) or not re.fullmatch(r"[+-]?[0-9a-zA-Z]+", value):
        raise thrown("NumberFormatException", f'For input string: "{text(value)}"')
    try:
        found = int(value, radix)
    except ValueError:
        found = 1 << 64
    if found != wrapped(found, bits):
        raise thrown("NumberFormatException", f'For input string: "{value}"')
    return found


class Integer(Thing):
    """A whole number: int, long, short or byte."""

    names: tuple[str, ...] = ("Integer", "Short", "Byte")
    holds: tuple[type, ...] = (int,)
    bases = ("Number", "Comparable")
    constants = {"MAX_VALUE": (1 << 31) - 1, "MIN_VALUE": -(1 << 31)}

    @staticmethod
    def _new(value: Any) -> int:
        return parsed(value, 10, 32) if isinstance(value, str) else value

    def intValue(self: int) -> int:  # type: ignore[misc]
        return wrapped(self, 32)

    def longValue(self: int) -> Long:  # type: ignore[misc]
        return self

    def doubleValue(self: int) -> float:  # type: ignore[misc]
        return float(self)

    def byteValue(self: int) -> int:  # type: ignore[misc]
        return wrapped(self, 8)

    def shortValue(self: int) -> int:  # type: ignore[misc]
        return wrapped(self, 16)

    def equals(self: int, other: Any) -> bool:  # type: ignore[misc]
        return type(other) is int and self == other

    def compareTo(self: int, other: int) -> int:  # type: ignore[misc]
        return (self > other) - (self < other)

    def hashCode(self: int) -> int:  # type: ignore[misc]
        return wrapped(self ^ (self >> 32) if wrapped(self, 32) != self else self, 32)

    def toString(self: int, radix: int = 10) -> str:  # type: ignore[misc]
        return in_base(self, radix)

    @staticmethod
    def parseInt(value: str | None, radix: int = 10) -> int:
        return parsed(value, radix, 32)

    @staticmethod
    def valueOf(value: Any, radix: int = 10) -> int:
        return parsed(value, radix, 32) if isinstance(value, str) else value

    @staticmethod
    def toBinaryString(value: int) -> str:
        return in_base(value & 0xFFFFFFFF, 2)

    @staticmethod
    def toHexString(value: int) -> str:
        return in_base(value & 0xFFFFFFFF, 16)

    @staticmethod
    def toOctalString(value: int) -> str:
        return in_base(value & 0xFFFFFFFF, 8)

    @staticmethod
    def compare(one: int, other: int) -> int:
        return (one > other) - (one < other)

    @staticmethod
    def max(one: int, other: int) -> int:
        return max(one, other)

    @staticmethod
    def min(one: int, other: int) -> int:
        return min(one, other)

    @staticmethod
    def sum(one: int, other: int) -> int:
        return wrapped(one + other, 32)


def in_base(value: int, base: int) -> str:
    """Return a whole number in a base up to 36."""
    if not value:
        return "0"
    digits = ""
    left = abs(value)
    while left:
        left, digit = divmod(left, base)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{'-' if value < 0 else ''}{digits}"


class LongNumber(Integer):
    """Long: its texts may be longer."""

    names = ("Long",)
    holds = ()
    constants = {"MAX_VALUE": (1 << 63) - 1, "MIN_VALUE": -(1 << 63)}
    constant_types = {"MAX_VALUE": "long", "MIN_VALUE": "long"}

    @staticmethod
    def _new(value: Any) -> Long:
        return parsed(value, 10, 64) if isinstance(value, str) else value

    @staticmethod
    def parseLong(value: str | None, radix: int = 10) -> Long:
        return parsed(value, radix, 64)

    @staticmethod
    def valueOf(value: Any, radix: int = 10) -> Long:
        return parsed(value, radix, 64) if isinstance(value, str) else value

    @staticmethod
    def toHexString(value: int) -> str:
        return in_base(value & ((1 << 64) - 1), 16)

    @staticmethod
    def toBinaryString(value: int) -> str:
        return in_base(value & ((1 << 64) - 1), 2)


class Boolean(Thing):
    """A truth value."""

    holds = (bool,)
    constants = {"TRUE": True, "FALSE": False}
    constant_types = {"TRUE": "boolean", "FALSE": "boolean"}

    @staticmethod
    def _new(value: Any) -> bool:
        return Boolean.parseBoolean(value) if not isinstance(value, bool) else value

    def booleanValue(self: bool) -> bool:  # type: ignore[misc]
        return self

    def equals(self: bool, other: Any) -> bool:  # type: ignore[misc]
        return type(other) is bool and self == other

    def toString(self: bool) -> str:  # type: ignore[misc]
        return text(self)

    @staticmethod
    def parseBoolean(value: str | None) -> bool:
        return isinstance(value, str) and value.lower() == "true"

    @staticmethod
    def valueOf(value: Any) -> bool:
        return value if isinstance(value, bool) else Boolean.parseBoolean(value)


class Double(Thing):
    """A double or float."""

    names = ("Double", "Float")
    holds = (float,)
    bases = ("Number", "Comparable")

    @staticmethod
    def _new(value: Any) -> float:
        return Double.valueOf(value)

    def doubleValue(self: float) -> float:  # type: ignore[misc]
        return self

    def intValue(self: float) -> int:  # type: ignore[misc]
        return int(converted(self, "int"))

    def longValue(self: float) -> Long:  # type: ignore[misc]
        return int(converted(self, "long"))

    def equals(self: float, other: Any) -> bool:  # type: ignore[misc]
        return type(other) is float and self == other

    def compareTo(self: float, other: float) -> int:  # type: ignore[misc]
        return (self > other) - (self < other)

    def isNaN(self: float) -> bool:  # type: ignore[misc]
        return self != self

    def toString(self: float) -> str:  # type: ignore[misc]
        return text(self)

    @staticmethod
    def valueOf(value: Any) -> float:
        return Double.parseDouble(value) if isinstance(value, str) else float(value)

    @staticmethod
    def parseDouble(value: str | None) -> float:
        if value is None:
            raise thrown("NullPointerException")
        try:
            return float(value.strip().rstrip("dDfF"))
        except ValueError:
            raise thrown("NumberFormatException", f'For input string: "{value}"') from None

    @staticmethod
    def compare(one: float, other: float) -> int:
        return (one > other) - (one < other)


class CharacterClass(Thing):
    """A char."""

    names = ("Character",)
    holds = (Char,)

    @staticmethod
    def _new(value: Char) -> Character:
        return value

    def charValue(self: Char) -> Character:  # type: ignore[misc]
        return self

    def equals(self: Char, other: Any) -> bool:  # type: ignore[misc]
        return type(other) is Char and str(self) == str(other)

    def toString(self: Char) -> str:  # type: ignore[misc]
        return str(self)

    @staticmethod
    def isDigit(value: Char) -> bool:
        return text(value).isdigit()

    @staticmethod
    def isLetter(value: Char) -> bool:
        return text(value).isalpha()

    @staticmethod
    def isLetterOrDigit(value: Char) -> bool:
        return text(value).isalnum()

    @staticmethod
    def isWhitespace(value: Char) -> bool:
        return text(value).isspace()

    @staticmethod
    def isUpperCase(value: Char) -> bool:
        return text(value).isupper()

    @staticmethod
    def isLowerCase(value: Char) -> bool:
        return text(value).islower()

    @staticmethod
    def toUpperCase(value: Char) -> Character:
        return Char(value.upper())

    @staticmethod
    def toLowerCase(value: Char) -> Character:
        return Char(value.lower())

    @staticmethod
    def valueOf(value: Char) -> Character:
        return value

    @staticmethod
    def getNumericValue(value: Char) -> int:
        return _digit(value)

    @staticmethod
    def digit(value: Char, radix: int) -> int:
        """Return the value of a digit, -1 if it is none of the radix."""
        found = _digit(value)
        return found if found < radix else -1


def _digit(value: Char) -> int:
    """Return the value of a digit or letter, -1 if it is neither."""
    try:
        return int(value, 36)
    except ValueError:
        return -1


class ArrayMethods(Thing):
    """What arrays can."""

    names = ("array",)
    holds = (Array,)

    def clone(self: Array) -> Any:  # type: ignore[misc]
        return Array(self.type, self)

    def equals(self: Array, other: Any) -> bool:  # type: ignore[misc]
        return self is other

    def toString(self: Array) -> str:  # type: ignore[misc]
        return text(self)


def _null() -> Any:
    raise thrown("NullPointerException")
