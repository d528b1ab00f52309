"""Values: literals, operators, names, CASE and CAST as Python expressions.

`g.value(node)` calls these through the table in `dispatch`. A condition that only selects a branch uses
`conditions` instead, where three-valued logic costs less.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from penstock.esql.checker import builtins
from penstock.esql.checker.type_of import POINT, mixed_type, operand_type, point_literal, type_of
from penstock.esql.compiler import conditions
from penstock.esql.compiler.dispatch import value_of
from penstock.esql.compiler.field_targets import FieldTarget, field_target, is_tree, type_constant
from penstock.esql.compiler.generator import Generator, Uncompilable
from penstock.esql.compiler.literals import known_value
from penstock.esql.runtime.functions import BARE
from penstock.esql.runtime.options import BIT_STREAM_OPTIONS
from penstock.esql.runtime.values.arithmetic import PointLiteral
from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax.paths import FieldReference, ResultField

if TYPE_CHECKING:
    from collections.abc import Callable

COMPARISONS = {
    "=": "equal",
    "<>": "unequal",
    "<": "less",
    ">": "greater",
    "<=": "less_equal",
    ">=": "greater_equal",
}
OPERANDS_NESTED = 40
CHAIN_MAX = 40  # branches of one conditional expression of Python
_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
CASTS = {
    "BOOLEAN": "to_boolean",
    "INTEGER": "to_integer",
    "FLOAT": "to_float",
    "DECIMAL": "to_decimal",
    "CHARACTER": "to_character",
    "BLOB": "to_blob",
    "BIT": "to_bit",
    "DATE": "to_date",
    "TIME": "to_time",
    "GMTTIME": "to_gmttime",
    "TIMESTAMP": "to_timestamp",
    "GMTTIMESTAMP": "to_gmttimestamp",
}
_ZONED = frozenset(("DATE", "TIME", "GMTTIME", "TIMESTAMP", "GMTTIMESTAMP"))
_EXACT = frozenset(("CHARACTER", "DECIMAL"))


@value_of(tree.Literal)
def literal(g: Generator, node: tree.Literal) -> str:
    """Write a literal, or the constant for it."""
    value = known_value(node)
    if value is not None and type(value) is object:
        raise Uncompilable(node, f"'{node.text}' is no {node.kind}")
    return g.constant(value)


@value_of(FieldReference)
def field(g: Generator, node: FieldReference) -> str:
    """Write a variable, the value of a field, or a name of the language."""
    binding = g.variable(node)
    if binding is not None and not binding.is_tree and len(node.steps) == 1:
        return binding.python
    if binding is not None or is_tree(g, node):
        place = field_target(g, node)
        if place.is_bare:
            return f"{place.base}.value"
        return place.call("read_at" if place.indexes else "read")
    return _language_name(g, node)


def _language_name(g: Generator, node: FieldReference) -> str:
    names = [(step.plain or "").upper() for step in node.steps]
    number = type_constant(g, node)
    if len(names) == 1 and names[0] in BARE:
        function = BARE[names[0]]
        return f"{g.use(function.module, function.python)}(ctx)"
    if number is not None:
        return str(number)
    if names[0] in builtins.LABELS and len(names) <= 2:
        return f"ctx.labels.get({names[-1]!r})"
    if len(names) == 1 and names[0] in BIT_STREAM_OPTIONS:
        return str(BIT_STREAM_OPTIONS[names[0]])
    if len(names) == 1 and (constant := builtins.MQ_CONSTANTS.get(names[0])) is not None:
        return g.constant(constant)
    return unknown_name(g, node)


def unknown_name(g: Generator, node: FieldReference) -> str:
    """Write code that fails when it runs: a name of a schema that is not among the files."""
    shown = ".".join(step.plain or "*" for step in node.steps)
    return f"{g.use('deferred', 'missing_name')}({shown!r})"


@value_of(ResultField)
def result_field(g: Generator, node: ResultField) -> str:
    """Write `function().Name`."""
    from penstock.esql.compiler.field_targets import path_place

    place = path_place(g, f"{g.use('trees.rows', 'row_of')}({g.value(node.call)})", node.steps)
    return place.call("read_at" if place.indexes else "read")


@value_of(tree.Unary)
def unary(g: Generator, node: tree.Unary) -> str:
    """Write `-a`, `+a` or NOT."""
    if node.operator == "NOT":
        return f"{g.use('values.operators', 'negated')}({conditions.truth(g, node.operand)})"
    value = known_value(node)
    if type(value) in (int, float):
        return g.constant(value)
    inside = g.value(node.operand)
    return inside if node.operator == "+" else f"{g.use('values.operators', 'negate')}({inside})"


@value_of(tree.Chain)
def chain(g: Generator, node: tree.Chain) -> str:
    """Write operators of one rank from left to right."""
    if node.operators[0] in ("AND", "OR"):
        return conditions.truth(g, node)
    if node.operators[0] == "||":
        inside = ", ".join(g.value(operand) for operand in node.operands)
        return f"{g.use('values.strings', 'concatenate')}({inside})"
    return _arithmetic(g, node)


def _arithmetic(g: Generator, node: tree.Chain) -> str:
    kinds = [operand_type(g.unit, operand) for operand in node.operands]
    code, before = _number_beside(g, node.operands[0], kinds[1]), kinds[0]
    if len(kinds) > OPERANDS_NESTED:
        return _long_arithmetic(g, node, code)
    for operator, operand, kind in zip(node.operators, node.operands[1:], kinds[1:], strict=True):
        name = g.use("values.operators", _ARITHMETIC[operator])
        code = f"{name}({code}, {_number_beside(g, operand, before)})"
        before = mixed_type(before, kind)
    return code


def _long_arithmetic(g: Generator, node: tree.Chain, first: str) -> str:
    """Write more operators in a row than Python can nest: operators and operands alternately."""
    parts = [first]
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        parts += (g.use("values.operators", _ARITHMETIC[operator]), _number_beside(g, operand, ""))
    return f"{g.use('values.operators', 'in_a_row')}({', '.join(parts)})"


def _number_beside(g: Generator, node: tree.Expression, other: str) -> str:
    """Return an operand: with a DECIMAL, a literal with a point is a DECIMAL too."""
    text = point_literal(node)
    if text is None or other in (POINT, "INTEGER", "FLOAT"):
        return g.value(node)
    return g.constant(Decimal(text) if other == "DECIMAL" else PointLiteral(text))


@value_of(tree.Comparison)
def comparison(g: Generator, node: tree.Comparison) -> str:
    """Write a comparison; two rows or lists are compared element by element."""
    if _is_whole(g, node.left) and _is_whole(g, node.right) and node.operator in ("=", "<>"):
        from penstock.esql.compiler.items import item

        same = f"{g.use('trees.rows', 'same_trees')}({item(g, node.left)}, {item(g, node.right)})"
        return same if node.operator == "=" else f"{g.use('values.operators', 'negated')}({same})"
    name = g.use("values.operators", COMPARISONS[node.operator])
    return f"{name}({_beside(g, node.left, node.right)}, {_beside(g, node.right, node.left)})"


def _beside(g: Generator, node: tree.Expression, other: tree.Expression) -> str:
    """Return an operand of a comparison: a field compared with a FLOAT is read as one if its text is one."""
    if type_of(g.unit, other) == "FLOAT" or type(known_value(other)) is float:
        place = _plain_place(g, node)
        if place is not None:
            return place.call("read_float")
    return g.value(node)


def _plain_place(g: Generator, node: tree.Expression) -> FieldTarget | None:
    """Return the target of a path without open indexes, else None."""
    if not isinstance(node, FieldReference) or node.is_list or not is_tree(g, node):
        return None
    place = field_target(g, node)
    return None if place.is_bare or place.indexes else place


def _is_whole(g: Generator, node: tree.Expression) -> bool:
    """Whether an operand is a row or a list itself, not the value of a field."""
    if isinstance(node, (tree.ListConstructor, tree.RowConstructor)):
        return True
    if not isinstance(node, FieldReference):
        return False
    if node.is_list:
        return True
    binding = g.variable(node)
    return binding is not None and binding.type == "ROW" and len(node.steps) == 1


@value_of(tree.Is, tree.Between, tree.In, tree.Like)
def predicate(g: Generator, node: tree.Is | tree.Between | tree.In | tree.Like) -> str:
    """Write IS, BETWEEN, IN and LIKE."""
    if isinstance(node, tree.Is):
        return conditions.is_test(g, node)
    if isinstance(node, tree.Between):
        name = g.use("values.operators", "between_symmetric" if node.symmetric else "between")
        code = f"{name}({g.value(node.operand)}, {g.value(node.low)}, {g.value(node.high)})"
    elif isinstance(node, tree.In):
        code = f"{g.use('values.operators', 'is_in')}({g.value(node.operand)}, {_choices(g, node)})"
    else:
        escape = "" if node.escape is None else f", {g.value(node.escape)}"
        code = f"{g.use('values.strings', 'like')}({g.value(node.operand)}, {g.value(node.pattern)}{escape})"
    return f"{g.use('values.operators', 'negated')}({code})" if node.negated else code


def _choices(g: Generator, node: tree.In) -> str:
    if len(node.choices) == 1 and isinstance(node.choices[0], FieldReference) and node.choices[0].is_list:
        from penstock.esql.compiler.items import list_code

        return f"{g.use('trees.rows', 'values_of')}({list_code(g, node.choices[0])})"
    return f"({''.join(g.value(choice) + ', ' for choice in node.choices)})"


@value_of(tree.IntervalOf)
def interval_of(g: Generator, node: tree.IntervalOf) -> str:
    """Write `(a - b) DAY`."""
    operand = node.operand
    if isinstance(operand, tree.Chain) and operand.operators == ("-",):
        a, b = (g.value(each) for each in operand.operands)
        return f"{g.use('dates.functions', 'subtract_dates')}({a}, {b}, {node.qualifier!r})"
    return f"{g.use('casts.cast', 'to_interval')}({g.value(operand)}, {node.qualifier!r})"


@value_of(tree.CaseExpression)
def case(
    g: Generator,
    node: tree.CaseExpression,
    result: Callable[[Generator, tree.Expression], str] | None = None,
) -> str:
    """Write CASE as a chain of Python's conditional expressions; `result` writes the values of branches.

    Python nests each in the one before it: many branches become several chains, tried one after the other.
    """
    write = result or Generator.value
    otherwise = "None" if node.otherwise is None else write(g, node.otherwise)
    subject = None if node.subject is None else g.local("t")
    pairs = []
    for branch in reversed(node.branches):
        if subject is None:
            test = conditions.test(g, branch.test)
        else:
            test = f"{g.use('values.operators', 'equal')}({subject}, {g.value(branch.test)})"
        pairs.append((write(g, branch.result), test))
    pairs.reverse()
    if len(pairs) <= CHAIN_MAX:
        code = _chain(pairs, otherwise)
    else:
        missed = g.use("deferred", "NO_BRANCH")
        chains = [_chain(pairs[at : at + CHAIN_MAX], missed) for at in range(0, len(pairs), CHAIN_MAX)]
        tried = ", ".join(f"lambda: {chain}" for chain in (*chains, otherwise))
        code = f"{g.use('deferred', 'first_branch')}({tried})"
    if subject is None or node.subject is None:
        return f"({code})"
    return f"(({subject} := {g.value(node.subject)}), ({code}))[1]"


def _chain(pairs: list[tuple[str, str]], otherwise: str) -> str:
    return "".join(f"{value} if {test} else " for value, test in pairs) + otherwise


@value_of(tree.Cast)
def cast(g: Generator, node: tree.Cast) -> str:
    """Write CAST; DEFAULT is tried only when the cast fails."""
    code = _cast_code(g, node)
    if node.default is None:
        return code
    return f"{g.use('deferred', 'or_default')}(lambda: {code}, lambda: {g.value(node.default)})"


def _cast_code(g: Generator, node: tree.Cast) -> str:
    options = [
        f"{name}={g.value(option)}"
        for name, option in (("ccsid", node.ccsid), ("encoding", node.encoding), ("format", node.format))
        if option is not None
    ]
    kind = node.type
    if len(node.sources) == 1 and not options and kind.name == "FLOAT":
        place = _plain_place(g, node.sources[0])
        if place is not None:
            return f"{g.use('casts.numbers', 'field_as_float')}({place.base}, {place.path})"
    if len(node.sources) == 1 and not options and kind.name in (*CASTS, "INTERVAL"):
        return cast_to(g, kind.name, _to_cast(g, kind.name, node.sources[0]), kind.qualifier, kind.size)
    values = "".join(g.value(source) + ", " for source in node.sources)
    if kind.size:
        options.append(f"size={kind.size!r}")
    if kind.qualifier:
        options.append(f"qualifier={kind.qualifier!r}")
    more = "".join(f", {option}" for option in options)
    return f"{g.use('casts.cast', 'cast')}(({values}), {kind.name!r}{more}, ctx=ctx)"


def _to_cast(g: Generator, kind: str, node: tree.Expression) -> str:
    """Return the operand of a cast; a JSON number becomes text or a DECIMAL with its own digits."""
    if kind in _EXACT and isinstance(node, FieldReference) and not node.is_list and is_tree(g, node):
        return field_target(g, node).call("read_written")
    return g.value(node)


def cast_to(
    g: Generator, kind: str, code: str, qualifier: tuple[str, ...] = (), size: tuple[int, ...] = ()
) -> str:
    """Return a cast of Python code to a type; types without casts leave it unchanged."""
    if kind == "INTERVAL":
        return f"{g.use('casts.cast', 'to_interval')}({code}, {qualifier or None!r})"
    name = CASTS.get(kind)
    if name is None:
        return code
    more = ", ctx=ctx" if kind in _ZONED else ""
    if kind == "DECIMAL" and size:
        more = "".join(f", {number}" for number in size)
    return f"{g.use('casts.cast', name)}({code}{more})"


def assigned(g: Generator, kind: str, node: tree.Expression, qualifier: tuple[str, ...] = ()) -> str:
    """Return a value converted for a variable of a type: cast, unless it certainly has that type."""
    code = _to_cast(g, kind, node)
    found = type_of(g.unit, node)
    if found == kind or code == "None" or kind not in (*CASTS, "INTERVAL"):
        return code
    if kind == "INTERVAL" and not qualifier:
        return f"{g.use('trees.rows', 'as_interval')}({code})"
    return cast_to(g, kind, code, qualifier)
