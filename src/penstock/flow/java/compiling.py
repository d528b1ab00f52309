"""Compiles expressions of Java into closures over the variables of a call, with the type of each.

A type is a text, empty if it is unknown (what a List has in it). Every class, method, field and variable is
looked up here; an unknown name is a `JavaProblem`, so nothing is found missing while a message runs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.flow.java.calling import (
    call_in_library,
    call_of_static,
    call_on,
    constant_in_library,
    made_new,
    method_of,
    new_of,
    reference_in,
)
from penstock.flow.java.classes import JavaClass, JavaObject, blank, is_a
from penstock.flow.java.expressions import dotted
from penstock.flow.java.library.functional import Closure
from penstock.flow.java.library.utilities import Class
from penstock.flow.java.operators import OPERATORS, binary_type, is_identity
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.reader import PRIMITIVES
from penstock.flow.java.scope import Scope, is_number
from penstock.flow.java.syntax import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    ClassValue,
    Conditional,
    InstanceOf,
    Item,
    Lambda,
    Literal,
    Member,
    MethodReference,
    Name,
    New,
    NewArray,
    Step,
    Unary,
)
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import BITS, BOXES, Array, Char, converted, number, text, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.java.library.registry import Known
    from penstock.flow.java.scope import Evaluate
    from penstock.flow.java.syntax import Class as ClassBody
    from penstock.flow.java.syntax import Node

    Typed = tuple[Evaluate, str]
    Store = Callable[[dict[str, Any], Any], None]


def compiled(node: Node, scope: Scope) -> Typed:
    """Return the function and the type of an expression."""
    return _RULES[type(node)](node, scope)


def code(node: Node, scope: Scope) -> Evaluate:
    """Return the function of an expression."""
    return compiled(node, scope)[0]


def stored_as(node: Node, type_: str, scope: Scope) -> Evaluate:
    """Return the function of an expression, with the value as a variable of a type takes it."""
    evaluate, known = compiled(node, scope)
    if known == type_ or (type_ not in PRIMITIVES and type_ not in BOXES):
        return evaluate
    return lambda frame: converted(evaluate(frame), type_)


def _literal(node: Literal, scope: Scope) -> Typed:
    value = Char(node.value) if node.type == "char" else node.value
    return lambda _: value, node.type


def _name(node: Name, scope: Scope) -> Typed:
    if node.name in ("this", "super"):
        return lambda frame: frame["this"], scope.owner.short
    type_ = scope.variable(node.name)
    if type_ is not None:
        name = node.name
        return lambda frame: frame[name], type_
    return _own_field(node.name, node.line, scope)


def _own_field(name: str, line: int, scope: Scope) -> Typed:
    owner = scope.owner.owner_of(name) or _outer_field(name, scope)
    if owner is None:
        known = scope.owner.library_base
        if known is not None and name in known.constants:
            return constant_in_library(known, name, line)
        raise JavaProblem(line, f"{name} is not known here")
    if name in owner.statics:
        return _static_field(owner, name)
    this = scope.this_of(owner)
    return lambda frame: this(frame).fields[name], owner.types[name]


def _outer_field(name: str, scope: Scope) -> JavaClass | None:
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


def _member(node: Member, scope: Scope) -> Typed:
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
        return lambda frame: len(_there(target(frame))), "int"
    owner_class = scope.owner.find(type_) if type_ else None
    owner = owner_class.owner_of(name) if isinstance(owner_class, JavaClass) else None
    if owner is None:
        raise JavaProblem(node.line, f"{type_ or 'the value'} has no field {name}")
    if name in owner.statics:
        return _static_field(owner, name)
    return lambda frame: _there(target(frame)).fields[name], owner.types[name]


def _there(value: Any) -> Any:
    if value is None:
        raise thrown("NullPointerException")
    return value


def _item(node: Item, scope: Scope) -> Typed:
    target, type_ = compiled(node.target, scope)
    index = code(node.index, scope)

    def read(frame: dict[str, Any]) -> Any:
        array = _there(target(frame))
        return array[_place(array, index(frame))]

    return read, type_[:-2] if type_.endswith("[]") else ""


def _place(array: Array, at: Any) -> int:
    at = number(at)
    if not 0 <= at < len(array):
        what = f"Index {at} out of bounds for length {len(array)}"
        raise thrown("ArrayIndexOutOfBoundsException", what)
    return int(at)


def _call(node: Call, scope: Scope) -> Typed:
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


def _new(node: New, scope: Scope) -> Typed:
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


def _lambda(node: Lambda, scope: Scope) -> Typed:
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


def _method_reference(node: MethodReference, scope: Scope) -> Typed:
    name = node.name
    class_ = scope.class_of(node.target)
    if class_ is None:
        value, type_ = compiled(node.target, scope)
        call = method_of(scope.owner.find(type_) if type_ else None, name, node.line)
        return lambda frame: Closure(partial(call, _there(value(frame)))), ""
    if name == "new":
        construct = new_of(class_, node.line)
        return lambda _: Closure(construct), ""
    found = reference_in(class_, name, node.line)
    return lambda _: Closure(found), ""


def _new_array(node: NewArray, scope: Scope) -> Typed:
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


def _unary(node: Unary, scope: Scope) -> Typed:
    operand, type_ = compiled(node.operand, scope)
    if node.operator == "!":
        return lambda frame: not operand(frame), "boolean"
    type_ = binary_type(type_, "int")
    bits = BITS.get(type_, 64)
    if node.operator == "-":

        def negative(frame: dict[str, Any]) -> Any:
            value = -number(operand(frame))
            return value if isinstance(value, float) else wrapped(value, bits)

        return negative, type_
    if node.operator == "~":
        return lambda frame: ~number(operand(frame)), type_
    return lambda frame: number(operand(frame)), type_


def _step(node: Step, scope: Scope) -> Typed:
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


def _binary(node: Binary, scope: Scope) -> Typed:
    left, one = compiled(node.left, scope)
    right, other = compiled(node.right, scope)
    operator = node.operator
    if operator == "&&":
        return lambda frame: left(frame) and right(frame), "boolean"
    if operator == "||":
        return lambda frame: left(frame) or right(frame), "boolean"
    if operator in ("==", "!="):
        return _equality(node, left, one, right, other)
    if operator == "+" and not (is_number(one) and is_number(other)):
        return lambda frame: _plus(left(frame), right(frame)), "String" if "String" in (one, other) else ""
    apply = OPERATORS[operator]
    if operator in ("<", ">", "<=", ">="):
        return lambda frame: apply(number(left(frame)), number(right(frame))), "boolean"
    if operator in ("&", "|", "^") and "boolean" in (BOXES.get(one, one), BOXES.get(other, other)):
        return lambda frame: bool(apply(left(frame), right(frame))), "boolean"
    if operator in ("<<", ">>", ">>>"):
        type_ = binary_type(one, "int")
        bits = BITS.get(type_, 32)
        return lambda frame: apply(number(left(frame)), number(right(frame)), bits), type_
    type_ = binary_type(one, other)
    bits = BITS.get(type_, 64)
    if type_ in ("double", "float"):
        return lambda frame: apply(float(number(left(frame))), float(number(right(frame)))), type_

    def calculated(frame: dict[str, Any]) -> Any:
        value = apply(number(left(frame)), number(right(frame)))
        return value if isinstance(value, float) else wrapped(value, bits)

    return calculated, type_


def _equality(node: Binary, left: Evaluate, one: str, right: Evaluate, other: str) -> Typed:
    if is_identity(one, other):
        raise JavaProblem(node.line, f"{node.operator} compares objects of class {one}, not their values")
    wanted = node.operator == "=="
    if one in PRIMITIVES or other in PRIMITIVES:
        return lambda frame: (number(left(frame)) == number(right(frame))) is wanted, "boolean"

    def same(frame: dict[str, Any]) -> bool:
        first, second = left(frame), right(frame)
        if first is None or second is None or isinstance(first, bool):
            return (first is second) is wanted
        found = getattr(first, "is_same", None)
        is_same = found(second) if found is not None else first is second or _equal_values(first, second)
        return is_same is wanted

    return same, "boolean"


def _equal_values(first: Any, second: Any) -> bool:
    return type(first) in (int, float, str, Char) and bool(number(first) == number(second))


def _plus(first: Any, second: Any) -> Any:
    if type(first) is str or type(second) is str:
        return text(first) + text(second)
    return number(first) + number(second)


def _assign(node: Assign, scope: Scope) -> Typed:
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
        owner = scope.owner.owner_of(name) or _outer_field(name, scope)
        if owner is None:
            raise JavaProblem(node.line, f"{name} is not known here")
        if name in owner.statics:
            return lambda _, value: owner.statics.__setitem__(name, value)
        this = scope.this_of(owner)
        return lambda frame, value: this(frame).fields.__setitem__(name, value)
    if isinstance(node, Item):
        target, index = code(node.target, scope), code(node.index, scope)

        def set_item(frame: dict[str, Any], value: Any) -> None:
            array = _there(target(frame))
            array[_place(array, index(frame))] = converted(value, array.type)

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
    return lambda frame, value: _there(target(frame)).fields.__setitem__(name, value)


def _conditional(node: Conditional, scope: Scope) -> Typed:
    test = code(node.test, scope)
    (then, one), (otherwise, other) = compiled(node.then, scope), compiled(node.otherwise, scope)
    type_ = one if one == other else binary_type(one, other) if is_number(one) and is_number(other) else ""
    type_ = other if one == "null" else one if other == "null" else type_
    return lambda frame: then(frame) if test(frame) else otherwise(frame), type_


def _cast(node: Cast, scope: Scope) -> Typed:
    scope.check_type(node.type, node.line)
    operand, known = compiled(node.operand, scope)
    type_ = node.type
    if type_ in PRIMITIVES:
        return lambda frame: converted(operand(frame), type_), type_
    if known == type_ or type_ == "Object" or type_.endswith("[]") or known == "null":
        return operand, type_

    def cast(frame: dict[str, Any]) -> Any:
        value = operand(frame)
        if value is not None and not is_a(value, type_):
            what = value.java.name if isinstance(value, JavaObject) else type(value).__name__
            raise thrown("ClassCastException", f"{what} cannot be cast to {type_}")
        return value

    return cast, type_


def _instance_of(node: InstanceOf, scope: Scope) -> Typed:
    scope.check_type(node.type, node.line)
    operand, type_ = code(node.operand, scope), node.type
    return lambda frame: is_a(operand(frame), type_), "boolean"


def _class_value(node: ClassValue, scope: Scope) -> Typed:
    name = dotted(node.name)
    found = scope.need_class(name, node.line)
    value = Class(found.name, found)
    return lambda _: value, "Class"


_RULES: dict[type, Callable[[Any, Scope], Typed]] = {
    Literal: _literal,
    Name: _name,
    Member: _member,
    Item: _item,
    Call: _call,
    New: _new,
    NewArray: _new_array,
    Unary: _unary,
    Step: _step,
    Binary: _binary,
    Assign: _assign,
    Conditional: _conditional,
    Cast: _cast,
    InstanceOf: _instance_of,
    ClassValue: _class_value,
    Lambda: _lambda,
    MethodReference: _method_reference,
}
