"""Calls: functions of the language from the runtime's table, and user routines.

A routine with OUT or INOUT parameters returns a tuple, its value first. Inside an expression the same
expression stores the OUT values; CALL stores them in separate statements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.checker.type_of import type_of
from penstock.esql.compiler.dispatch import value_of
from penstock.esql.compiler.expressions import CASTS, assigned, cast_to
from penstock.esql.compiler.field_targets import field_target, is_tree, scalar_of
from penstock.esql.compiler.generator import Uncompilable
from penstock.esql.compiler.items import is_scalar, item, list_code, reference_code
from penstock.esql.runtime.functions import FUNCTIONS
from penstock.esql.syntax import functions as words
from penstock.esql.syntax.expressions import Call, Expression, Literal, Missing, Quantified
from penstock.esql.syntax.paths import FieldReference

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.syntax.program import Parameter, Routine
    from penstock.esql.syntax.statements import CallStatement


@value_of(Call)
def call(g: Generator, node: Call) -> str:
    """Write a call as a value."""
    if id(node) in g.unit.routines:
        code = routine_call(g, node)
        return code if is_scalar(g, node) else f"{g.use('trees.rows', 'scalar')}({code})"
    name = node.name.upper()
    if id(node) in g.aggregates:
        return g.aggregates[id(node)]
    writer = _OWN.get(name)
    if writer is not None and not node.schema:
        return writer(g, node)
    if name not in FUNCTIONS or node.schema:
        shown = ".".join((*node.schema, node.name))
        return f"{g.use('deferred', 'missing_name')}({shown!r})"
    function = FUNCTIONS[name]
    write = reference_code if function.takes == "fields" else type(g).value
    arguments = ["ctx"] if function.context else []
    arguments += [write(g, argument) for argument in node.arguments]
    return f"{g.use(function.module, function.python)}({', '.join(arguments)})"


def _cardinality(g: Generator, node: Call) -> str:
    source = node.arguments[0]
    if is_tree(g, source) and isinstance(source, FieldReference):
        place = field_target(g, source)
        if place.is_list:
            return place.call("cardinality")
        return f"({reference_code(g, source)} is not None) * 1"
    return f"len({list_code(g, source)})"


def _exists(g: Generator, node: Call) -> str:
    source = node.arguments[0]
    if is_tree(g, source) and isinstance(source, FieldReference):
        place = field_target(g, source)
        return "True" if place.is_bare else place.call("exists")
    return f"({list_code(g, source)} != [])"


def _singular(g: Generator, node: Call) -> str:
    return f"({_cardinality(g, node)} == 1)"


def _the(g: Generator, node: Call) -> str:
    return f"{g.use('trees.rows', 'scalar')}({item(g, node)})"


def _coalesce(g: Generator, node: Call) -> str:
    first, *others = (g.value(argument) for argument in node.arguments)
    if len(others) == 1 and isinstance(node.arguments[1], Literal):
        return f"{g.use('values.operators', 'known_or')}({first}, {others[0]})"
    return (
        f"{g.use('values.operators', 'coalesce')}({first}{''.join(f', lambda: {each}' for each in others)})"
    )


def _nullif(g: Generator, node: Call) -> str:
    a, b = (g.value(argument) for argument in node.arguments)
    return f"{g.use('values.operators', 'nullif')}({a}, {b})"


def _lastmove(g: Generator, node: Call) -> str:
    source = node.arguments[0]
    binding = g.variable(source)
    if binding is None or not binding.is_tree:
        raise Uncompilable(node, "LASTMOVE takes a REFERENCE variable")
    return binding.moved or "True"


def _eval(g: Generator, node: Call) -> str:
    from penstock.esql.compiler.evaluation import eval_value

    return eval_value(g, node.arguments[0])


def _aggregate_outside(g: Generator, node: Call) -> str:
    raise Uncompilable(node, f"{node.name.upper()} works only in the select list of a SELECT")


_OWN = {
    "CARDINALITY": _cardinality,
    "EXISTS": _exists,
    "SINGULAR": _singular,
    "THE": _the,
    "COALESCE": _coalesce,
    "NULLIF": _nullif,
    "LASTMOVE": _lastmove,
    "EVAL": _eval,
    "COUNT": _aggregate_outside,
    "SUM": _aggregate_outside,
    "MIN": _aggregate_outside,
    "MAX": _aggregate_outside,
}


# Functions with words between their arguments
def _optional(g: Generator, *named: tuple[str, Expression | None]) -> str:
    return "".join(
        f", {name}={g.value(node)}"
        for name, node in named
        if node is not None and not isinstance(node, Missing)
    )


@value_of(words.Substring)
def substring(g: Generator, node: words.Substring) -> str:
    """Write SUBSTRING."""
    name = {"BEFORE": "substring_before", "AFTER": "substring_after"}.get(node.side, "substring")
    anchor = "1" if node.anchor is None else g.value(node.anchor)
    more = _optional(g, ("count", node.length))
    return f"{g.use('values.strings', name)}({g.value(node.operand)}, {anchor}{more})"


@value_of(words.Trim)
def trim(g: Generator, node: words.Trim) -> str:
    """Write TRIM."""
    side = f", side={node.side!r}" if node.side else ""
    more = _optional(g, ("singleton", node.singleton))
    return f"{g.use('values.strings', 'trim')}({g.value(node.operand)}{side}{more})"


@value_of(words.Position)
def position(g: Generator, node: words.Position) -> str:
    """Write POSITION."""
    more = _optional(g, ("start", node.start), ("count", node.count))
    return f"{g.use('values.strings', 'position')}({g.value(node.wanted)}, {g.value(node.operand)}{more})"


@value_of(words.Overlay)
def overlay(g: Generator, node: words.Overlay) -> str:
    """Write OVERLAY."""
    inside = ", ".join(g.value(each) for each in (node.operand, node.text, node.start))
    more = _optional(g, ("count", node.length))
    return f"{g.use('values.strings', 'overlay')}({inside}{more})"


@value_of(words.Extract)
def extract(g: Generator, node: words.Extract) -> str:
    """Write EXTRACT."""
    return f"{g.use('dates.functions', 'extract')}({node.part.upper()!r}, {g.value(node.operand)})"


@value_of(words.Round)
def round_mode(g: Generator, node: words.Round) -> str:
    """Write ROUND with a MODE."""
    inside = f"{g.value(node.operand)}, {g.value(node.places)}, mode={node.mode.upper()!r}"
    return f"{g.use('values.numbers', 'round_')}({inside})"


def parser_options(g: Generator, options: words.ParserOptions) -> str:
    """Return the keyword arguments of PARSE and ASBITSTREAM."""
    return _optional(
        g,
        ("options", options.options),
        ("encoding", options.encoding),
        ("ccsid", options.ccsid),
        ("set_", options.set),
        ("type_", options.type),
        ("format_", options.format),
    )


@value_of(words.AsBitStream)
def asbitstream(g: Generator, node: words.AsBitStream) -> str:
    """Write ASBITSTREAM."""
    field = reference_code(g, node.field)
    return f"{g.use('trees.fields', 'asbitstream')}(ctx, {field}{parser_options(g, node.options)})"


@value_of(words.ContextReference)
def context_reference(g: Generator, node: words.ContextReference) -> str:
    """Write CONTEXTREFERENCE or CONTEXTINVOCATIONNODE: the section of a node in the context tree, or None."""
    part = f", part={node.part!r}" if node.part else ""
    if node.name is None:
        return f"{g.use('context_nodes', 'invocation_node')}(ctx{part})"
    names = f"{g.value(node.name)}{_optional(g, ('level', node.level))}"
    return f"{g.use('context_nodes', 'context_node')}(ctx, {names}{part})"


@value_of(Quantified)
def quantified(g: Generator, node: Quantified) -> str:
    """Write FOR ALL|ANY|SOME source AS name (predicate)."""
    from penstock.esql.compiler.bindings import Binding
    from penstock.esql.compiler.conditions import test

    source = list_code(g, node.source)
    python = g.local(node.name)
    with g.block(**{node.name: Binding(python, "ROW")}):
        inside = test(g, node.predicate)
    word = "any" if node.quantifier in ("ANY", "SOME") else "all"
    return f"{word}({inside} for {python} in {g.use('trees.rows', 'rows_of')}(list({source})))"


# Routines of the user
def routine_call(g: Generator, node: Call) -> str:
    """Write a call of a user's routine as an expression, which also stores the OUT values."""
    routine = g.unit.routines[id(node)]
    code = f"{routine_name(g, routine)}({', '.join(routine_arguments(g, routine, node.arguments))})"
    outs = [
        (parameter, argument)
        for parameter, argument in zip(routine.parameters, node.arguments, strict=False)
        if parameter.direction in ("OUT", "INOUT")
    ]
    if not outs:
        return code
    name = g.local("t")
    stores = [f"{name} := {code}"]
    stores += [_store(g, argument, f"{name}[{place + 1}]") for place, (_, argument) in enumerate(outs)]
    return f"({', '.join(f'({each})' for each in stores)})[0][0]"


def _store(g: Generator, target: Expression, code: str) -> str:
    """Return an expression that stores the value of an OUT parameter."""
    binding = scalar_of(g, target) or g.variable(target)
    if binding is not None and isinstance(target, FieldReference) and len(target.steps) == 1:
        if "." in binding.python:
            holder, _, attribute = binding.python.rpartition(".")
            return f"setattr({holder}, {attribute!r}, {code})"
        if not binding.is_tree or binding.type == "REFERENCE":
            return f"{binding.python} := {cast_to(g, binding.type, code, binding.qualifier)}"
    if isinstance(target, FieldReference) and is_tree(g, target):
        place = field_target(g, target)
        indexes = f", {place.indexes}" if place.indexes else ""
        path = place.path or g.use("trees.paths", "HERE")
        return f"{g.use('trees.rows', 'put')}({place.base}, {path}, {code}{indexes})"
    raise Uncompilable(target, "an OUT parameter needs a variable or a field")


def routine_name(g: Generator, routine: Routine) -> str:
    """Return the Python function of a routine, in any file."""
    file = g.layout.routine_files[id(routine)]
    return f"{g.library(file.file)}{file.routines[id(routine)]}"


def routine_arguments(g: Generator, routine: Routine, arguments: tuple[Expression, ...]) -> list[str]:
    """Return the arguments of a call: the context, then the IN values."""
    codes = ["ctx"]
    for parameter, argument in zip(routine.parameters, arguments, strict=False):
        codes.append(_argument(g, parameter, argument))
    return codes


def _argument(g: Generator, parameter: Parameter, argument: Expression) -> str:
    kind = parameter.type.name if parameter.type else "CHARACTER"
    if parameter.direction == "OUT":
        return "None"
    if kind == "REFERENCE":
        if is_tree(g, argument) and isinstance(argument, FieldReference):
            place = field_target(g, argument)
            if place.is_bare:
                return place.base
            indexes = f", {place.indexes}" if place.indexes else ""
            return f"{g.use('trees.rows', 'refer')}({place.base}, {place.path}{indexes})[0]"
        return f"{g.use('trees.rows', 'row_of')}({item(g, argument)})"
    if kind == "ROW":
        return f"{g.use('trees.rows', 'row_from')}({parameter.name!r}, {item(g, argument)})"
    if kind == "LIST":
        return f"list({list_code(g, argument)})"
    if kind in ("NAMESPACE", "NAME"):
        kind = "CHARACTER"
    qualifier = parameter.type.qualifier if parameter.type else ()
    if kind in CASTS and type_of(g.unit, argument) == kind:
        return g.value(argument)
    return assigned(g, kind, argument, qualifier)


def call_outs(routine: Routine, node: CallStatement) -> list[tuple[int, Expression]]:
    """Return which argument takes which of the values after the result."""
    found: list[tuple[int, Expression]] = []
    for parameter, argument in zip(routine.parameters, node.arguments, strict=False):
        if parameter.direction in ("OUT", "INOUT"):
            found.append((len(found) + 1, argument))
    return found
