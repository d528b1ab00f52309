"""Compiles expressions of Java: the rule of each kind of expression.

Every class, method, field and variable is looked up while a rule compiles; an unknown name is a
`JavaProblem`, so nothing is found missing while a message runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java import calculating, field_access, making, storing, syntax

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.java.scope import Scope
    from penstock.flow.java.typed_code import Typed

RULES: dict[type, Callable[[Any, Scope], Typed]] = {
    syntax.Literal: field_access.literal,
    syntax.Name: field_access.named,
    syntax.Member: field_access.member,
    syntax.Item: field_access.item,
    syntax.Call: making.call,
    syntax.New: making.new,
    syntax.NewArray: making.new_array,
    syntax.Unary: calculating.unary,
    syntax.Step: storing.step_,
    syntax.Binary: calculating.binary,
    syntax.Assign: storing.assigned,
    syntax.Conditional: calculating.conditional,
    syntax.Cast: calculating.cast_,
    syntax.InstanceOf: calculating.instance_of,
    syntax.ClassValue: field_access.class_value,
    syntax.Lambda: making.lambda_,
    syntax.MethodReference: making.method_reference,
}
