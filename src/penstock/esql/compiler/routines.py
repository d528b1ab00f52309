"""Functions and procedures as Python functions, and the classes for variables of modules and schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.assignments import initial_code, reference_target
from penstock.esql.compiler.bindings import Binding
from penstock.esql.compiler.generator import Function
from penstock.esql.compiler.handlers import write_with_handlers
from penstock.esql.compiler.names import Names
from penstock.esql.syntax.node import walk
from penstock.esql.syntax.paths import FieldReference
from penstock.esql.syntax.statements import Begin
from penstock.esql.syntax.tree_statements import CreateField, Move

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.compiler.layout import ScopeLayout, VariablePlace
    from penstock.esql.syntax.program import Parameter, Routine


def write_routine(g: Generator, routine: Routine) -> None:
    """Write a routine: parameters, its prologue, its body, its OUT values."""
    line = g.unit.line_of(routine.at)
    g.text.line = line
    name = g.file.routines[id(routine)]
    outer, g.function = g.function, Function(Names(g.file.names), routine)
    with g.block() as block:
        parameters = [_parameter(g, block, each) for each in routine.parameters]
        g.write(f"def {name}({', '.join(('ctx', *parameters))}):")
        with g.text.indented():
            start = len(g.text.rows)
            _write_inside(g, routine, parameters)
            prologue = [f"{local} = {code}" for local, code in g.function.prologue.items()]
            g.text.insert(start, prologue, line)
    g.function = outer
    g.write("")
    g.write("")


def _parameter(g: Generator, block: dict[str, Binding], node: Parameter) -> str:
    kind = node.type.name if node.type else "CHARACTER"
    kind = "CHARACTER" if kind in ("NAMESPACE", "NAME") else kind
    python = g.local(node.name)
    moved = g.local(f"{node.name}_moved") if kind == "REFERENCE" else ""
    block[node.name] = Binding(python, kind, moved, qualifier=node.type.qualifier if node.type else ())
    if node.direction in ("OUT", "INOUT"):
        g.function.outs.append(python)
    return python


def _write_inside(g: Generator, routine: Routine, parameters: list[str]) -> None:
    _prepare_parameters(g, routine)
    if routine.external is not None or routine.body is None:
        _write_outside_call(g, routine, parameters)
        return
    if isinstance(routine.body, Begin) and routine.body.label is None and not routine.body.atomic:
        with g.block():
            write_with_handlers(g, routine.body.body)
    else:
        g.statement(routine.body)
    if g.function.outs:
        g.write(f"return {', '.join(('None', *g.function.outs))}")
    elif not routine.body or not g.text.rows:
        g.write("pass")


def _prepare_parameters(g: Generator, routine: Routine) -> None:
    """Write what parameters need: a private reference for one that moves; a new row for OUT."""
    moved = _moved_names(routine)
    for node in routine.parameters:
        binding = g.blocks[-1][node.name]
        if binding.type == "REFERENCE":
            g.write(f"{binding.moved} = True")
            if node.direction == "OUT":
                g.write(f"{binding.python} = {g.use('trees.rows', 'new_row')}()")
            elif node.name.upper() in moved:
                g.write(f"{binding.python} = {binding.python}.copy()")
        elif binding.type == "ROW" and node.direction == "OUT":
            g.write(f"{binding.python} = {g.use('trees.rows', 'new_row')}({node.name!r})")


def _moved_names(routine: Routine) -> set[str]:
    """Return the references, in capitals, that a routine moves."""
    found: set[str] = set()
    for node in walk(routine):
        if isinstance(node, (Move, CreateField)) and isinstance(node.reference, FieldReference):
            found.add((node.reference.root or "").upper())
    return found


def _write_outside_call(g: Generator, routine: Routine, parameters: list[str]) -> None:
    name = routine.external.name if routine.external is not None else routine.name
    given = [
        python for python, node in zip(parameters, routine.parameters, strict=True) if node.direction != "OUT"
    ]
    outs = len(g.function.outs)
    has_result = routine.returns is not None
    head = f"ctx, {routine.language or 'PYTHON'!r}, {name!r}, {has_result}, {outs}"
    g.write(f"return {g.use('deferred', 'call_outside')}({', '.join((head, *given))})")


def write_scope(g: Generator, scope: ScopeLayout, owner: str) -> None:
    """Write the classes that hold the variables of a module or schema."""
    for shared, name, life in (
        (True, scope.shared_class, "made once for a deployment"),
        (False, scope.run_class, "made anew for every message"),
    ):
        places = scope.of_kind(shared)
        if places:
            _write_class(g, name, f"Variables of {owner}, {life}.", places)


def _write_class(g: Generator, name: str, text: str, places: list[VariablePlace]) -> None:
    g.text.line = g.unit.line_of(places[0].declare.at)
    outer, g.function = g.function, Function(Names(g.file.names))
    g.write(f"class {name}:")
    with g.text.indented():
        g.write(f'"""{text}"""')
        g.write("")
        g.write("def __init__(self, ctx):")
        with g.text.indented(), g.block():
            start = len(g.text.rows)
            for place in places:
                _write_variable(g, place)
            prologue = [f"{local} = {code}" for local, code in g.function.prologue.items()]
            g.text.insert(start, prologue, g.text.line)
    g.function = outer
    g.write("")
    g.write("")


def _write_variable(g: Generator, place: VariablePlace) -> None:
    declare = place.declare
    g.text.line = g.unit.line_of(declare.at)
    target = f"self.{place.attribute}"
    kind = declare.type.name
    if kind == "REFERENCE":
        g.write(f"{target}, {target}_moved = {reference_target(g, declare.initial)}")
    elif declare.external:
        initial = (
            g.use("deployment", "NOTHING")
            if declare.initial is None
            else initial_code(g, declare, place.name)
        )
        from penstock.esql.compiler.expressions import cast_to

        value = f"ctx.deployment.property_value({place.name!r}, {initial})"
        g.write(f"{target} = {cast_to(g, kind, value, declare.type.qualifier)}")
    else:
        g.write(f"{target} = {initial_code(g, declare, place.name)}")
    kind = "CHARACTER" if kind in ("NAMESPACE", "NAME") else kind
    moved = f"{target}_moved" if kind == "REFERENCE" else ""
    g.blocks[-1][place.name] = Binding(target, kind, moved, qualifier=declare.type.qualifier)
