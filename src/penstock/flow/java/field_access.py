"""Compiles expressions of Java that read: literals, variables, fields, items of arrays, classes as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.calling import (
    constant_in_library,
)
from penstock.flow.java.classes import JavaClass
from penstock.flow.java.expressions import dotted
from penstock.flow.java.library.utilities import Class
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.throwables import thrown
from penstock.flow.java.typed_code import code, compiled
from penstock.flow.java.values import Array, Char, number

if TYPE_CHECKING:
    from penstock.flow.java.scope import Scope
    from penstock.flow.java.syntax import (
        ClassValue,
        Item,
        Literal,
        Member,
        Name,
    )
    from penstock.flow.java.typed_code import Typed


def literal(node: Literal, scope: Scope) -> Typed:
    """Compile a value that stands in the source."""
    value = Char(node.value) if node.type == "char" else node.value
    return lambda _: value, node.type


def named(node: Name, scope: Scope) -> Typed:
    """Compile a variable, or a field of this object or one around it."""
    if node.name in ("this", "super"):
        return lambda frame: frame["this"], scope.owner.short
    type_ = scope.variable(node.name)
    if type_ is not None:
        name = node.name
        return lambda frame: frame[name], type_
    return _own_field(node.name, node.line, scope)


def _own_field(name: str, line: int, scope: Scope) -> Typed:
    owner = scope.owner.owner_of(name) or outer_field(name, scope)
    if owner is None:
        known = scope.owner.library_base
        if known is not None and name in known.constants:
            return constant_in_library(known, name, line)
        raise JavaProblem(line, f"{name} is not known here")
    if name in owner.statics:
        return _static_field(owner, name)
    this = scope.this_of(owner)
    return lambda frame: this(frame).fields[name], owner.types[name]


def outer_field(name: str, scope: Scope) -> JavaClass | None:
    """Return the class around this one with a field of a name that is reached from here."""
    reached = scope.owner.outers
    outer = scope.owner.outer
    while outer is not None:
        found = outer.owner_of(name)
        if found is not None and (name in found.statics or outer in reached):
            return found
        outer = outer.outer
    return None


def _static_field(owner: JavaClass, name: str) -> Typed:
    owner.sources.initialiser(owner, is_static=True)

    def read(_: dict[str, Any]) -> Any:
        owner.begin()
        return owner.statics[name]

    return read, owner.types[name]


def member(node: Member, scope: Scope) -> Typed:
    """Compile a field of an object or class, or the length of an array."""
    class_ = scope.class_of(node.target)
    if isinstance(class_, JavaClass):
        owner = class_.owner_of(node.name)
        if owner is not None and node.name in owner.statics:
            return _static_field(owner, node.name)
        raise JavaProblem(node.line, f"{class_.name} has no field {node.name}")
    if class_ is not None:
        return constant_in_library(class_, node.name, node.line)
    target, type_ = compiled(node.target, scope)
    name = node.name
    if name == "length" and (type_.endswith("[]") or not type_):
        return lambda frame: len(there(target(frame))), "int"
    owner_class = scope.owner.find(type_) if type_ else None
    owner = owner_class.owner_of(name) if isinstance(owner_class, JavaClass) else None
    if owner is None:
        raise JavaProblem(node.line, f"{type_ or 'the value'} has no field {name}")
    if name in owner.statics:
        return _static_field(owner, name)
    return lambda frame: there(target(frame)).fields[name], owner.types[name]


def there(value: Any) -> Any:
    """Return a value; NullPointerException if there is none."""
    if value is None:
        raise thrown("NullPointerException")
    return value


def item(node: Item, scope: Scope) -> Typed:
    """Compile an item of an array."""
    target, type_ = compiled(node.target, scope)
    index = code(node.index, scope)

    def read(frame: dict[str, Any]) -> Any:
        array = there(target(frame))
        return array[place(array, index(frame))]

    return read, type_[:-2] if type_.endswith("[]") else ""


def place(array: Array, at: Any) -> int:
    """Return an index of an array; an exception of Java if it is outside."""
    at = number(at)
    if not 0 <= at < len(array):
        what = f"Index {at} out of bounds for length {len(array)}"
        raise thrown("ArrayIndexOutOfBoundsException", what)
    return int(at)


def class_value(node: ClassValue, scope: Scope) -> Typed:
    """Compile a class as a value."""
    name = dotted(node.name)
    found = scope.need_class(name, node.line)
    value = Class(found.name, found)
    return lambda _: value, "Class"
