"""The classes of the library by their Java names, with methods, types of results and constants."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.java.library import (
    broker,
    buffers,
    caches,
    ciphers,
    containers,
    dates,
    dom,
    elements,
    files,
    functional,
    jaxb,
    language,
    mq_constants,
    patterns,
    processes,
    security,
    sequences,
    sql,
    streams,
    unit_testing,
    utilities,
)
from penstock.flow.java.library.thing import Thing
from penstock.flow.java.throwables import THROWABLES, Throwable

if TYPE_CHECKING:
    from collections.abc import Callable

_MODULES = (
    language,
    patterns,
    utilities,
    containers,
    functional,
    sequences,
    dates,
    buffers,
    streams,
    files,
    sql,
    elements,
    broker,
    caches,
    dom,
    jaxb,
    security,
    ciphers,
    processes,
    mq_constants,
    unit_testing,
)
# How the annotation of a result names a type of Java.
_TYPES = {
    "str": "String",
    "int": "int",
    "bool": "boolean",
    "float": "double",
    "None": "void",
    "Any": "",
    "Long": "long",
    "Character": "char",
    "ByteArray": "byte[]",
    "CharArray": "char[]",
    "IntArray": "int[]",
    "StringArray": "String[]",
    "ListClass": "List",
    "SetClass": "Set",
    "MapClass": "Map",
    "LongNumber": "Long",
}
_ANY = inspect.Parameter.VAR_POSITIONAL


class Signature(NamedTuple):
    """A method of the library: how many arguments it takes, and the type of its result."""

    name: str
    is_static: bool
    least: int
    most: int
    result: str
    function: Callable[..., Any]

    def takes(self, count: int) -> bool:
        """Return whether the method can be called with some arguments."""
        return self.least <= count <= self.most


class Known(NamedTuple):
    """A class of the library."""

    name: str
    python: type
    methods: dict[str, Signature]
    constants: dict[str, Any]
    constant_types: dict[str, str]
    construct: Signature | None
    bases: tuple[str, ...]


@cache
def known_classes() -> dict[str, Known]:
    """Return all classes by their names without packages."""
    found: dict[str, Known] = {}
    for module in _MODULES:
        for python in vars(module).values():
            if (
                isinstance(python, type)
                and issubclass(python, Thing)
                and python.__module__ == module.__name__
            ):
                for name in _names(python):
                    found[name] = _known(name, python)
    for name, exception in THROWABLES.items():
        bases = tuple(each.__name__ for each in exception.__mro__ if issubclass(each, Throwable))
        found[name] = Known(name, exception, _methods(exception), {}, {}, _constructor(exception), bases)
    return found


@cache
def packages() -> frozenset[str]:
    """Return the packages that the library has classes of."""
    things = {each for module in _MODULES for each in vars(module).values() if _is_thing(each)}
    named = {package for each in things for package in each.packages}
    return frozenset(named | {each.java_name.rpartition(".")[0] for each in THROWABLES.values()})


@cache
def holders() -> dict[type, Known]:
    """Return the classes whose objects are plain Python values, by the Python type."""
    return {type_: each for each in known_classes().values() for type_ in vars(each.python).get("holds", ())}


def _is_thing(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Thing)


def _names(python: type[Thing]) -> tuple[str, ...]:
    return vars(python).get("names") or (python.__name__,)


def _known(name: str, python: type[Thing]) -> Known:
    constants = dict(python.constants)
    types = {each: python.constant_types.get(each, _type_of(value)) for each, value in constants.items()}
    lines = [_names(each) for each in python.__mro__ if _is_thing(each) and each is not Thing]
    bases = (*(each for names in lines for each in names), *python.bases)
    construct = None if python.abstract else _constructor(python)
    return Known(name, python, _methods(python), constants, types, construct, bases)


def _type_of(value: Any) -> str:
    return {str: "String", bool: "boolean", int: "int", float: "double"}.get(type(value), "")


def _constructor(python: type) -> Signature:
    made = getattr(python, "_new", None)
    function = made if made is not None else python
    begin: Any = python.__init__  # type: ignore[misc]
    return _signature(
        "<init>",
        made if made is not None else begin,
        made is not None,
        function,
    )


def _methods(python: type) -> dict[str, Signature]:
    found = {}
    for owner in reversed(python.__mro__):
        for name, value in vars(owner).items():
            is_static = isinstance(value, staticmethod)
            function = value.__func__ if is_static else value
            if not name.startswith("_") and inspect.isfunction(function) and name not in _NOT_JAVA:
                found[name] = _signature(name, function, is_static, function)
    return found


_NOT_JAVA = ("with_traceback", "add_note", "set_up")


def _signature(name: str, function: Any, is_static: bool, call: Callable[..., Any]) -> Signature:
    given = list(inspect.signature(function).parameters.values())[0 if is_static else 1 :]
    least = sum(1 for each in given if each.default is each.empty and each.kind != _ANY)
    most = 255 if any(each.kind == _ANY for each in given) else len(given)
    result = str(getattr(function, "__annotations__", {}).get("return", "Any"))
    result = result.replace(" | None", "").strip("\"'")
    return Signature(name, is_static, least, most, _TYPES.get(result, result), call)
