"""Compiles operators of Java that calculate, compare, choose and cast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.classes import JavaObject, is_a
from penstock.flow.java.operators import OPERATORS, binary_type, is_identity
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.reader import PRIMITIVES
from penstock.flow.java.scope import Scope, is_number
from penstock.flow.java.throwables import thrown
from penstock.flow.java.typed_code import code, compiled
from penstock.flow.java.values import BITS, BOXES, Char, converted, number, text, wrapped

if TYPE_CHECKING:
    from penstock.flow.java.scope import Evaluate
    from penstock.flow.java.syntax import (
        Binary,
        Cast,
        Conditional,
        InstanceOf,
        Unary,
    )
    from penstock.flow.java.typed_code import Typed


def unary(node: Unary, scope: Scope) -> Typed:
    """Compile an operator with one operand."""
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


def binary(node: Binary, scope: Scope) -> Typed:
    """Compile an operator with two operands."""
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


def conditional(node: Conditional, scope: Scope) -> Typed:
    """Compile a choice between two values."""
    test = code(node.test, scope)
    (then, one), (otherwise, other) = compiled(node.then, scope), compiled(node.otherwise, scope)
    type_ = one if one == other else binary_type(one, other) if is_number(one) and is_number(other) else ""
    type_ = other if one == "null" else one if other == "null" else type_
    return lambda frame: then(frame) if test(frame) else otherwise(frame), type_


def cast_(node: Cast, scope: Scope) -> Typed:
    """Compile a cast; ClassCastException if the value is of another class."""
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


def instance_of(node: InstanceOf, scope: Scope) -> Typed:
    """Compile a test of a value's class."""
    scope.check_type(node.type, node.line)
    operand, type_ = code(node.operand, scope), node.type
    return lambda frame: is_a(operand(frame), type_), "boolean"
