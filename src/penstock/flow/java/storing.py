"""Compiles expressions of Java that set a variable, a field or an item: assignments, ++ and --."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.classes import JavaClass
from penstock.flow.java.field_access import outer_field, place, there
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.syntax import (
    Assign,
    Binary,
    Item,
    Member,
    Name,
    Step,
)
from penstock.flow.java.typed_code import code, compiled, stored_as
from penstock.flow.java.values import converted, number

if TYPE_CHECKING:
    from penstock.flow.java.scope import Scope
    from penstock.flow.java.syntax import Node
    from penstock.flow.java.typed_code import Store, Typed


def step_(node: Step, scope: Scope) -> Typed:
    """Compile ++ or --."""
    read, type_ = compiled(node.operand, scope)
    store = _store(node.operand, scope)
    more = 1 if node.operator == "++" else -1
    before = not node.is_prefix

    def step(frame: dict[str, Any]) -> Any:
        old = read(frame)
        new = converted(number(old) + more, type_)
        store(frame, new)
        return old if before else new

    return step, type_


def assigned(node: Assign, scope: Scope) -> Typed:
    """Compile an assignment."""
    type_ = _target_type(node.target, scope)
    value = node.value
    if node.operator:
        value = Binary(node.line, node.operator, node.target, node.value)
        read, known = compiled(value, scope)
        evaluate = read if known == type_ else lambda frame: converted(read(frame), type_)
    else:
        evaluate = stored_as(value, type_, scope)
    store = _store(node.target, scope)

    def assign(frame: dict[str, Any]) -> Any:
        found = evaluate(frame)
        store(frame, found)
        return found

    return assign, type_


def _target_type(node: Node, scope: Scope) -> str:
    return compiled(node, scope)[1]


def _store(node: Node, scope: Scope) -> Store:
    """Return the function that sets a variable, field or item."""
    if isinstance(node, Name):
        name = node.name
        if scope.variable(name) is not None:
            return lambda frame, value: frame.__setitem__(name, value)
        owner = scope.owner.owner_of(name) or outer_field(name, scope)
        if owner is None:
            raise JavaProblem(node.line, f"{name} is not known here")
        if name in owner.statics:
            return lambda _, value: owner.statics.__setitem__(name, value)
        this = scope.this_of(owner)
        return lambda frame, value: this(frame).fields.__setitem__(name, value)
    if isinstance(node, Item):
        target, index = code(node.target, scope), code(node.index, scope)

        def set_item(frame: dict[str, Any], value: Any) -> None:
            array = there(target(frame))
            array[place(array, index(frame))] = converted(value, array.type)

        return set_item
    if isinstance(node, Member):
        return _store_member(node, scope)
    raise JavaProblem(node.line, "nothing can be assigned to this")


def _store_member(node: Member, scope: Scope) -> Store:
    name = node.name
    class_ = scope.class_of(node.target)
    if isinstance(class_, JavaClass) and name in class_.statics:
        found = class_
        return lambda _, value: found.statics.__setitem__(name, value)
    target, type_ = compiled(node.target, scope)
    owner_class = scope.owner.find(type_) if type_ else None
    if not isinstance(owner_class, JavaClass) or owner_class.owner_of(name) is None:
        raise JavaProblem(node.line, f"{type_ or 'the value'} has no field {name}")
    return lambda frame, value: there(target(frame)).fields.__setitem__(name, value)
