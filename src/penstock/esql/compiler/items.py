"""Expressions where a tree or a list is needed: arguments, sources, assignments.

`reference_code` gives `Reference | None`, `list_code` a Python iterable, `item` whatever the expression is: a
Reference for a field, a list for a list, else its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.field_targets import field_target, is_tree, scalar_of
from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax.functions import ContextReference, Passthru
from penstock.esql.syntax.paths import FieldReference, ResultField
from penstock.esql.syntax.select import Select

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator

_WHOLE = (Select, tree.RowConstructor, tree.ListConstructor, Passthru, ContextReference)


def is_scalar(g: Generator, node: tree.Expression) -> bool:
    """Whether an expression certainly gives a scalar and never a row or a list."""
    if isinstance(node, Select):
        from penstock.esql.compiler.queries import gives_scalar

        return gives_scalar(node)
    if isinstance(node, _WHOLE) or is_tree(g, node) or isinstance(node, ResultField):
        return False
    if isinstance(node, tree.Call):
        routine = g.unit.routines.get(id(node))
        if routine is not None:
            return routine.returns is not None and not g.is_tree_type(routine.returns.name)
        return node.name.upper() not in ("THE", "EVAL", "COALESCE", "NULLIF")
    if isinstance(node, tree.CaseExpression):
        results = [*(branch.result for branch in node.branches), node.otherwise]
        return all(each is None or is_scalar(g, each) for each in results)
    return True


def reference_code(g: Generator, node: tree.Expression) -> str:
    """Return code for the field that an expression names, or None if it does not exist."""
    if is_tree(g, node) and isinstance(node, FieldReference):
        place = field_target(g, node)
        return place.base if place.is_bare else place.call("reference")
    return f"{g.use('trees.rows', 'field_of')}({item(g, node)})"


def list_code(g: Generator, node: tree.Expression) -> str:
    """Return code for a list: the fields that a path names, or the value of an expression."""
    if is_tree(g, node) and isinstance(node, FieldReference):
        place = field_target(g, node)
        if place.is_list:
            return place.call("each")
        return f"{g.use('trees.rows', 'list_of')}({reference_code(g, node)})"
    return f"{g.use('trees.rows', 'list_of')}({item(g, node)})"


def item(g: Generator, node: tree.Expression) -> str:
    """Return code for the value of an expression: Reference, list or scalar."""
    if is_tree(g, node) and isinstance(node, FieldReference):
        return f"list({list_code(g, node)})" if node.is_list else reference_code(g, node)
    if isinstance(node, Select):
        from penstock.esql.compiler.queries import select_code

        return select_code(g, node)
    if isinstance(node, tree.Call) and id(node) not in g.unit.routines:
        name = node.name.upper()
        if name in ("THE", "COALESCE"):
            inside = [item(g, argument) for argument in node.arguments]
            if name == "THE":
                return f"{g.use('trees.rows', 'first')}({g.use('trees.rows', 'list_of')}({inside[0]}))"
            others = "".join(f", lambda: {each}" for each in inside[1:])
            return f"{g.use('values.operators', 'coalesce')}({inside[0]}{others})"
    if isinstance(node, tree.CaseExpression) and not is_scalar(g, node):
        from penstock.esql.compiler.expressions import case

        return case(g, node, item)
    if isinstance(node, ResultField):
        from penstock.esql.compiler.field_targets import path_place

        place = path_place(g, f"{g.use('trees.rows', 'row_of')}({item(g, node.call)})", node.steps)
        return f"list({place.call('each')})" if place.is_list else place.call("reference")
    return raw(g, node)


def raw(g: Generator, node: tree.Expression) -> str:
    """Return code for a node whose own writer gives a row or a list."""
    from penstock.esql.compiler.calls import routine_call
    from penstock.esql.compiler.constructors import list_constructor, row_constructor
    from penstock.esql.compiler.databases import passthru

    if isinstance(node, tree.RowConstructor):
        return row_constructor(g, node)
    if isinstance(node, tree.ListConstructor):
        return list_constructor(g, node)
    if isinstance(node, Passthru):
        return passthru(g, node)
    if isinstance(node, tree.Call) and id(node) in g.unit.routines:
        return routine_call(g, node)
    if (binding := scalar_of(g, node)) is not None:
        return binding.python
    return g.value(node)
