"""DECLARE of variables and SET: assignments to a variable, a field, a list, a whole tree.

Field-to-field copies decode nothing. A value that may be NULL deletes its target, so only values that are
certainly not NULL use the tree's plain `set`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.esql.compiler.bindings import UNKNOWN_VALUE
from penstock.esql.compiler.dispatch import statement
from penstock.esql.compiler.expressions import assigned
from penstock.esql.compiler.field_targets import FieldTarget, field_target, is_tree, list_parts, start_of
from penstock.esql.compiler.generator import Uncompilable
from penstock.esql.compiler.items import is_scalar, item, list_code
from penstock.esql.compiler.literals import constant_value, known_value
from penstock.esql.syntax.expressions import Call, Expression
from penstock.esql.syntax.functions import Passthru
from penstock.esql.syntax.node import walk
from penstock.esql.syntax.paths import FieldReference
from penstock.esql.syntax.select import Select
from penstock.esql.syntax.statements import Declare, Set

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator

_OWN_ROWS = frozenset(("local", "module", "schema", "parameter"))
_PARTS = {"NAME": ("name", "CHARACTER"), "NAMESPACE": ("namespace", "CHARACTER"), "TYPE": ("type", "INTEGER")}


@statement(Declare)
def declare(g: Generator, node: Declare) -> None:
    """Write a local DECLARE: every name gets its own initial value."""
    kind = node.type.name
    if kind == "REFERENCE":
        for name in node.names:
            code = reference_target(g, node.initial)  # the initial target may be a variable of this name
            made = g.declare(name, kind)
            g.write(f"{made.python}, {made.moved} = {code}")
        return
    value = constant_value(node) if node.constant or kind in ("NAMESPACE", "NAME") else UNKNOWN_VALUE
    code = initial_code(g, node, node.names[0])
    for name in node.names:
        if kind == "ROW":
            code = initial_code(g, node, name)
        made = g.declare(name, kind, node.type.qualifier)
        if value is not UNKNOWN_VALUE:
            g.blocks[-1][name] = type(made)(made.python, made.type, "", value)
        g.write(f"{made.python} = {code}")


def initial_code(g: Generator, node: Declare, name: str) -> str:
    """Return the initial value of a variable."""
    kind = node.type.name
    if kind == "ROW":
        if node.initial is None:
            return f"{g.use('trees.rows', 'new_row')}({row_name(name)!r})"
        return f"{g.use('trees.rows', 'row_from')}({row_name(name)!r}, {item(g, node.initial)})"
    if node.initial is None:
        return "None"
    if kind == "LIST":
        return f"list({list_code(g, node.initial)})"
    value = constant_value(node)
    if value is not UNKNOWN_VALUE:
        return g.constant(value)
    return assigned(
        g, "CHARACTER" if kind in ("NAMESPACE", "NAME") else kind, node.initial, node.type.qualifier
    )


def row_name(name: str) -> str:
    """Return the field name of a ROW variable; a name equal to a domain's must not create a body of it."""
    from penstock.tree import domain_names

    return f"{name}_" if name in domain_names() else name


def reference_target(g: Generator, node: Expression | None) -> str:
    """Return code for (Reference, whether the path was found completely)."""
    if node is None:
        return f"{g.use('trees.rows', 'new_row')}(), False"
    if isinstance(node, FieldReference) and is_tree(g, node):
        place = field_target(g, node)
        if place.is_bare:
            return f"{place.base}.copy(), True"
        indexes = f", {place.indexes}" if place.indexes else ""
        return f"{g.use('trees.rows', 'refer')}({place.base}, {place.path}{indexes})"
    return f"{g.use('trees.rows', 'refer_to')}({item(g, node)})"


@statement(Set)
def set_(g: Generator, node: Set) -> None:
    """Write SET."""
    if node.part:
        _set_part(g, node)
        return
    binding = g.variable(node.target)
    if isinstance(node.value, Passthru) and not node.target.is_list:
        node = replace(node, value=Call(node.value.at, (), "THE", (node.value,)))  # the first of its rows
    if binding is not None and len(node.target.steps) == 1 and binding.type in ("LIST",):
        g.write(f"{binding.python} = list({list_code(g, node.value)})")
    elif binding is not None and not binding.is_tree and len(node.target.steps) == 1:
        g.write(f"{binding.python} = {assigned(g, binding.type, node.value, binding.qualifier)}")
    elif is_table_target(g, node.target):
        raise Uncompilable(node.target, "a database table is changed by INSERT, UPDATE or DELETE")
    elif node.target.is_list:
        _set_list(g, node)
    else:
        _set_field(g, node)


def is_table_target(g: Generator, node: FieldReference) -> bool:
    """Whether a target is a table, which SET cannot change."""
    return g.variable(node) is None and (node.root or "").upper() == "DATABASE"


def _set_part(g: Generator, node: Set) -> None:
    """Write SET field NAME|NAMESPACE|TYPE|VALUE = value."""
    place = field_target(g, node.target)
    if node.part == "VALUE":
        indexes = f", {place.indexes}" if place.indexes else ""
        value = (
            g.value(node.value)
            if is_scalar(g, node.value)
            else f"{g.use('trees.rows', 'scalar')}({item(g, node.value)})"
        )
        g.write(f"{place.base}.set_value({place.path or 'HERE'}, {value}{indexes})")
        return
    attribute, kind = _PARTS[node.part]
    target = place.base if place.is_bare else place.call("create")
    g.write(f"{target}.{attribute} = {assigned(g, kind, node.value)}")


def _set_list(g: Generator, node: Set) -> None:
    """Write SET path[] = list; the rows of a SELECT are built in their final position."""
    holder, last = list_target(g, node.target)
    value = node.value
    if isinstance(value, Select) and _builds_rows(value):
        from penstock.esql.compiler.queries import select_into

        function = select_into(g, value)
        into, newest = g.local("parent"), g.local("newest")
        g.write(f"{into} = {holder}")
        g.write(f"{newest} = {into}.newest")
        g.write(f"{function}({into}, {last})")
        g.write(f"{into}.delete_older({last}, {newest})")
        return
    items = f"{g.use('trees.rows', 'list_of')}({item(g, value)})"
    g.write(f"{g.use('trees.rows', 'put_list')}({holder}, {last}, {items})")


def list_target(g: Generator, node: FieldReference) -> tuple[str, str]:
    """Return code for the parent field of a list, and the path of the list's own step."""
    base, steps = start_of(g, node)
    parent, last = list_parts(g, base, steps)
    return (parent.base if parent.is_bare else parent.call("create")), last


def _builds_rows(node: Select) -> bool:
    from penstock.esql.compiler.queries import aggregates_of

    return not node.item and not aggregates_of(node)


def _set_field(g: Generator, node: Set) -> None:
    target = field_target(g, node.target)
    value = node.value
    if is_whole_row(g, node.target) and known_value(value) in (None, UNKNOWN_VALUE):
        g.write(f"{g.use('trees.rows', 'put_row')}({target.base}, {item(g, value)})")
        return
    if isinstance(value, FieldReference) and is_tree(g, value) and not value.is_list:
        _copy_field(g, target, field_target(g, value))
        return
    if not is_scalar(g, value):
        if _fills_one_row(g, node, value):
            return
        indexes = f", {target.indexes}" if target.indexes else ""
        g.write(
            f"{g.use('trees.rows', 'put')}({target.base}, {target.path or 'HERE'}, {item(g, value)}{indexes})"
        )
        return
    code = g.value(value)
    path = target.path or "HERE"
    if known_value(value) not in (None, UNKNOWN_VALUE):
        call = f"set_at({path}, {target.indexes}, {code})" if target.indexes else f"set({path}, {code})"
        g.write(f"{target.base}.{call}")
    elif code == "None" and not target.is_bare:
        g.write(target.call("delete"))
    else:
        indexes = f", {target.indexes}" if target.indexes else ""
        g.write(f"{target.base}.put({path}, {code}{indexes})")


def is_whole_row(g: Generator, node: FieldReference) -> bool:
    """Whether a target is a ROW variable itself; rows of loops and queries are fields of other trees."""
    found = g.unit.variables.get(id(node))
    declared = found is not None and found.type == "ROW" and found.level in _OWN_ROWS
    return declared and len(node.steps) == 1


def _copy_field(g: Generator, target: FieldTarget, source: FieldTarget) -> None:
    """Write SET field = field: one call of the tree, nothing decoded."""
    indexes = ""
    if source.indexes:
        indexes = f", {target.indexes or None}, {source.indexes}"
    elif target.indexes:
        indexes = f", {target.indexes}"
    g.write(
        f"{target.base}.copy_from({target.path or 'HERE'}, {source.base}, {source.path or 'HERE'}{indexes})"
    )


def _fills_one_row(g: Generator, node: Set, value: Expression) -> bool:
    """Write SET field = THE(SELECT ..) straight into the field, if the SELECT does not read what it fills."""
    select = value.arguments[0] if isinstance(value, Call) and value.name.upper() == "THE" else None
    if not isinstance(select, Select) or not _builds_rows(select):
        return False
    root = node.target.root
    if any(isinstance(each, FieldReference) and each.root == root for each in walk(select)):
        return False
    from penstock.esql.compiler.queries import select_into

    target = field_target(g, node.target)
    function = select_into(g, select)
    indexes = f", {target.indexes}" if target.indexes else ""
    g.write(
        f"{g.use('trees.rows', 'put_first')}({target.base}, {target.path or 'HERE'}, {function}{indexes})"
    )
    return True
