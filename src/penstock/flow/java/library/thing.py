"""The base of classes of the library, and the names of types in their signatures.

A class lists the methods of a Java class under the same names. `holds` means that its objects are plain
Python values (a String is a `str`): then every method gets the value as its first argument. A method that
begins with `_` is none of Java's. The annotation of a result is the type that the checks go on with: `Any` is
an unknown type.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from penstock.flow.java.values import Array, Char

Long: TypeAlias = int
Character: TypeAlias = Char
ByteArray: TypeAlias = Array
CharArray: TypeAlias = Array
StringArray: TypeAlias = Array
IntArray: TypeAlias = Array


class Thing:
    """An object of the library."""

    names: tuple[str, ...] = ()  # of Java classes; by default the name of the Python class
    packages: tuple[str, ...] = ("java.lang",)
    constants: dict[str, Any] = {}
    constant_types: dict[str, str] = {}
    bases: tuple[str, ...] = ()  # names of Java classes that it may be assigned to
    holds: tuple[type, ...] = ()
    abstract = False  # has no constructor

    def equals(self, other: Any) -> bool:
        return self is other or self == other

    def hashCode(self) -> int:
        return hash(self) & 0x7FFFFFFF

    def getClass(self) -> Any:
        from penstock.flow.java.library.utilities import Class

        return Class(getattr(self, "java_name", type(self).__name__))

    def toString(self) -> str:
        return f"{type(self).__name__}@{id(self):x}"
