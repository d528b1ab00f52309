"""Compiles expressions of Java that call methods and make objects, arrays and functions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.flow.java.calling import (
    call_in_library,
    call_of_static,
    call_on,
    made_new,
    method_of,
    new_of,
    reference_in,
)
from penstock.flow.java.classes import JavaClass, blank
from penstock.flow.java.field_access import there
from penstock.flow.java.library.functional import Closure
from penstock.flow.java.syntax import (
    Block,
    Call,
    Lambda,
    MethodReference,
    Name,
    New,
    NewArray,
)
from penstock.flow.java.throwables import thrown
from penstock.flow.java.typed_code import code, compiled, stored_as
from penstock.flow.java.values import Array, number

if TYPE_CHECKING:
    from penstock.flow.java.library.registry import Known
    from penstock.flow.java.scope import Scope
    from penstock.flow.java.syntax import Class as ClassBody
    from penstock.flow.java.typed_code import Typed


def call(node: Call, scope: Scope) -> Typed:
    """Compile a call of a method."""
    arguments = [compiled(each, scope) for each in node.arguments]
    if node.target is None:
        return call_on(None, scope.owner.short, node, arguments, scope)
    if isinstance(node.target, Name) and node.target.name == "super":
        return call_on(None, "super", node, arguments, scope)
    class_ = scope.class_of(node.target)
    if isinstance(class_, JavaClass):
        return call_of_static(class_, node, arguments)
    if class_ is not None:
        return call_in_library(class_, node, arguments, scope)
    target, type_ = compiled(node.target, scope)
    return call_on(target, type_, node, arguments, scope)


def new(node: New, scope: Scope) -> Typed:
    """Compile the making of an object."""
    arguments = [code(each, scope) for each in node.arguments]
    class_ = scope.need_class(node.type, node.line)
    if node.body is not None:
        class_ = _without_a_name(node.body, class_, scope)
    return made_new(class_, node, arguments)


def _without_a_name(declared: ClassBody, above: JavaClass | Known, scope: Scope) -> JavaClass:
    """Return the class of `new Base() { ... }`."""
    if isinstance(above, JavaClass) and above.declared.kind == "interface":
        declared.base, declared.interfaces = "", [declared.base]
    owner = scope.owner
    made = JavaClass(owner.sources, owner.unit, declared, owner.file, owner)
    made.inner = {**owner.inner, owner.short: owner}
    made.captured = scope.variables()
    return made


def lambda_(node: Lambda, scope: Scope) -> Typed:
    """Compile a function without a name."""
    from penstock.flow.java.statements import Returned, execution

    scope.blocks.append({})
    for type_, name in node.parameters:
        scope.declare(type_, name)
    if isinstance(node.body, Block):
        body = execution(node.body, scope)
    else:
        evaluate = code(node.body, scope)
        body = lambda frame: Returned(evaluate(frame))  # noqa: E731
    scope.blocks.pop()
    names = [name for _, name in node.parameters]

    def made(frame: dict[str, Any]) -> Closure:
        kept = dict(frame)

        def run(*values: Any) -> Any:
            found = body({**kept, **dict(zip(names, values, strict=True))})
            return found.value if type(found) is Returned else None

        return Closure(run)

    return made, ""


def method_reference(node: MethodReference, scope: Scope) -> Typed:
    """Compile a method as a function."""
    name = node.name
    class_ = scope.class_of(node.target)
    if class_ is None:
        value, type_ = compiled(node.target, scope)
        call = method_of(scope.owner.find(type_) if type_ else None, name, node.line)
        return lambda frame: Closure(partial(call, there(value(frame)))), ""
    if name == "new":
        construct = new_of(class_, node.line)
        return lambda _: Closure(construct), ""
    found = reference_in(class_, name, node.line)
    return lambda _: Closure(found), ""


def new_array(node: NewArray, scope: Scope) -> Typed:
    """Compile the making of an array."""
    scope.check_type(node.type, node.line)
    if node.items is not None:
        items = [stored_as(each, node.type, scope) for each in node.items]
        type_ = node.type
        return lambda frame: Array(type_, [each(frame) for each in items]), f"{type_}[]"
    sizes = [code(each, scope) for each in node.sizes]
    type_ = node.type

    def made(frame: dict[str, Any]) -> Any:
        return _blank_array(type_, [number(each(frame)) for each in sizes])

    return made, f"{type_}[]"


def _blank_array(type_: str, sizes: list[int]) -> Array:
    if sizes[0] < 0:
        raise thrown("NegativeArraySizeException", str(sizes[0]))
    if len(sizes) == 1:
        return Array(type_, [blank(type_)] * sizes[0])
    inner = type_.removesuffix("[]")
    return Array(type_, [_blank_array(inner, sizes[1:]) for _ in range(sizes[0])])
