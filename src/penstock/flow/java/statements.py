"""Compiles statements of Java: each becomes a function that returns None, or how it was left.

A statement is left by `return` with a `Returned`, by `break` and `continue` with a `Left`. Exceptions are
Python's; the first statement that one passes writes its line into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.classes import is_a
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.scope import Scope
from penstock.flow.java.syntax import (
    Block,
    Do,
    ForEach,
    If,
    Labelled,
    Leave,
    Local,
    Loop,
    Return,
    Switch,
    Throw,
    Try,
)
from penstock.flow.java.throwables import Throwable, as_thrown, thrown
from penstock.flow.java.typed_code import code, compiled, stored_as
from penstock.flow.java.values import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.java.classes import JavaClass, JavaMethod
    from penstock.flow.java.syntax import Node

    Frame = dict[str, Any]
    Execute = Callable[[Frame], Any]


class Returned:
    """How a statement is left by `return`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Left:
    """How a statement is left by `break` or `continue`."""

    __slots__ = ("label", "word")

    def __init__(self, word: str, label: str) -> None:
        self.word = word
        self.label = label


def compiled_method(method: JavaMethod) -> Execute:
    """Return the function of a method: of its variables, to its result."""
    declared = method.declared
    if declared.body is None:
        raise JavaProblem(declared.line, f"method {declared.name} has no body")
    scope = Scope(method.owner, declared.is_static)
    for type_, name in declared.parameters:
        scope.check_type(type_, declared.line)
        scope.declare(type_, name)
    body = execution(declared.body, scope)

    def run(frame: Frame) -> Any:
        found = body(frame)
        return found.value if type(found) is Returned else None

    return run


def compiled_initialiser(class_: JavaClass, is_static: bool) -> Execute:
    """Return the function that sets the fields of a class or an object, in the order of the file."""
    scope = Scope(class_, is_static)
    parts: list[tuple[int, Execute]] = []
    for field in class_.declared.fields:
        if field.is_static is is_static and field.value is not None:
            value = stored_as(field.value, field.type, scope)
            parts.append((field.line, _set_field(class_, field.name, value, is_static)))
    for static, block in class_.declared.initialisers:
        if static is is_static:
            parts.append((block.line, execution(block, scope)))
    parts.sort(key=lambda part: part[0])

    def run(frame: Frame) -> None:
        for _, part in parts:
            part(frame)

    return run


def _set_field(class_: JavaClass, name: str, value: Execute, is_static: bool) -> Execute:
    if is_static:
        return lambda frame: class_.statics.__setitem__(name, value(frame))
    return lambda frame: frame["this"].fields.__setitem__(name, value(frame))


def execution(node: Node, scope: Scope) -> Execute:
    """Return the function of a statement."""
    return _RULES[type(node)](node, scope)


def _block(node: Block, scope: Scope) -> Execute:
    scope.blocks.append({})
    parts = [(each.line, execution(each, scope)) for each in node.body]
    scope.blocks.pop()
    file = scope.owner.file

    def run(frame: Frame) -> Any:
        at = 0
        try:
            for at, part in parts:  # noqa: B007 - for the exception below
                found = part(frame)
                if found is not None:
                    return found
        except Throwable as raised:
            if not raised.line:
                raised.line, raised.file = at, file
            raise
        return None

    return run


def _local(node: Local, scope: Scope) -> Execute:
    parts = []
    for type_, name, value in node.variables:
        scope.check_type(type_, node.line)
        evaluate = stored_as(value, type_, scope) if value is not None else None
        scope.declare(type_, name)
        if evaluate is not None:
            parts.append((name, evaluate))

    def run(frame: Frame) -> None:
        for name, evaluate in parts:
            frame[name] = evaluate(frame)

    return run


def _do(node: Do, scope: Scope) -> Execute:
    evaluate = code(node.expression, scope)

    def run(frame: Frame) -> None:
        evaluate(frame)

    return run


def _if(node: If, scope: Scope) -> Execute:
    test, then = code(node.test, scope), execution(node.then, scope)
    otherwise = execution(node.otherwise, scope) if node.otherwise is not None else None

    def run(frame: Frame) -> Any:
        if test(frame):
            return then(frame)
        return otherwise(frame) if otherwise is not None else None

    return run


def _ends(found: Any, label: str) -> bool:
    """Return whether what has left the body of a loop ends the loop: all but its own `continue`."""
    return not _is_own(found, label) or found.word == "break"


def _beyond(found: Any, label: str) -> Any:
    """Return what leaves a loop that ends: nothing for its own `break`."""
    return None if _is_own(found, label) else found


def _is_own(found: Any, label: str) -> bool:
    """Return whether a `break` or `continue` is of the loop with a label, or of the innermost one."""
    return type(found) is Left and found.label in ("", label)


def _loop(node: Loop, scope: Scope, label: str = "") -> Execute:
    scope.blocks.append({})
    start = [execution(each, scope) for each in node.start]
    test = code(node.test, scope) if node.test is not None else None
    after = [execution(each, scope) for each in node.after]
    body = execution(node.body, scope)
    scope.blocks.pop()
    tests_first = node.tests_first

    def run(frame: Frame) -> Any:
        for each in start:
            each(frame)
        is_first = not tests_first
        while is_first or test is None or test(frame):
            is_first = False
            found = body(frame)
            if found is not None and _ends(found, label):
                return _beyond(found, label)
            for each in after:
                each(frame)
        return None

    return run


def _for_each(node: ForEach, scope: Scope, label: str = "") -> Execute:
    scope.check_type(node.type, node.line)
    source = code(node.source, scope)
    scope.blocks.append({})
    scope.declare(node.type, node.name)
    body = execution(node.body, scope)
    scope.blocks.pop()
    name = node.name

    def run(frame: Frame) -> Any:
        items = source(frame)
        if items is None:
            raise thrown("NullPointerException")
        for each in list(items):
            frame[name] = each
            found = body(frame)
            if found is not None and _ends(found, label):
                return _beyond(found, label)
        return None

    return run


def _labelled(node: Labelled, scope: Scope) -> Execute:
    if isinstance(node.body, Loop):
        return _loop(node.body, scope, node.label)
    if isinstance(node.body, ForEach):
        return _for_each(node.body, scope, node.label)
    raise JavaProblem(node.line, "labels are supported at loops only")


def _leave(node: Leave, scope: Scope) -> Execute:
    left = Left(node.word, node.label)
    return lambda _: left


def _return(node: Return, scope: Scope) -> Execute:
    if node.value is None:
        nothing = Returned(None)
        return lambda _: nothing
    evaluate = code(node.value, scope)
    return lambda frame: Returned(evaluate(frame))


def _throw(node: Throw, scope: Scope) -> Execute:
    evaluate = code(node.value, scope)

    def run(frame: Frame) -> None:
        raised = evaluate(frame)
        raise raised if isinstance(raised, Throwable) else thrown("NullPointerException")

    return run


def _try(node: Try, scope: Scope) -> Execute:
    scope.blocks.append({})
    resources = [execution(each, scope) for each in node.resources]
    names = [name for each in node.resources if isinstance(each, Local) for _, name, _ in each.variables]
    inner = execution(node.body, scope)
    scope.blocks.pop()
    catches = [_catch(each, node.line, scope) for each in node.catches]
    last = execution(node.last, scope) if node.last is not None else None

    def body(frame: Frame) -> Any:
        try:
            for each in resources:
                each(frame)
            return inner(frame)
        finally:
            for name in reversed(names):
                if frame.get(name) is not None:
                    frame[name].close()

    def guarded(frame: Frame) -> Any:
        try:
            return body(frame)
        except Exception as raised:
            problem = as_thrown(raised)
            if problem is None:
                raise
            for types, name, handle in catches:
                if any(is_a(problem, each) for each in types):
                    frame[name] = problem
                    return handle(frame)
            raise problem from raised.__cause__

    def run(frame: Frame) -> Any:
        if last is None:
            return guarded(frame)
        try:
            found = guarded(frame)
        except BaseException:
            left = last(frame)
            if left is not None:
                return left
            raise
        left = last(frame)
        return found if left is None else left

    return run


def _catch(given: tuple[list[str], str, Node], line: int, scope: Scope) -> tuple[list[str], str, Execute]:
    types, name, body = given
    for each in types:
        scope.check_type(each, line)
    scope.blocks.append({})
    scope.declare(types[0] if len(types) == 1 else "Throwable", name)
    handle = execution(body, scope)
    scope.blocks.pop()
    return types, name, handle


def _switch(node: Switch, scope: Scope) -> Execute:
    subject, _ = compiled(node.subject, scope)
    scope.blocks.append({})
    bodies: list[list[Execute]] = []
    places: dict[Any, int] = {}
    default: int | None = None
    for at, (labels, body) in enumerate(node.cases):
        for label in labels:
            if label is None:
                default = at
            else:
                places[number(code(label, scope)({"this": None}))] = at
        bodies.append([execution(each, scope) for each in body])
    scope.blocks.pop()

    def run(frame: Frame) -> Any:
        value = subject(frame)
        if value is None:
            raise thrown("NullPointerException")
        at = places.get(number(value), default)
        for body in bodies[at:] if at is not None else ():
            for part in body:
                found = part(frame)
                if found is not None:
                    return (
                        None if type(found) is Left and (found.word, found.label) == ("break", "") else found
                    )
        return None

    return run


_RULES: dict[type, Callable[[Any, Scope], Execute]] = {
    Block: _block,
    Local: _local,
    Do: _do,
    If: _if,
    Loop: _loop,
    ForEach: _for_each,
    Labelled: _labelled,
    Leave: _leave,
    Return: _return,
    Throw: _throw,
    Try: _try,
    Switch: _switch,
}
