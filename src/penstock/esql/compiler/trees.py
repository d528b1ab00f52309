"""Statements that build and walk trees: CREATE, MOVE, ATTACH, DETACH and DELETE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.calls import parser_options
from penstock.esql.compiler.dispatch import statement
from penstock.esql.compiler.expressions import assigned
from penstock.esql.compiler.field_targets import field_target, path_code, step_code
from penstock.esql.compiler.generator import Uncompilable
from penstock.esql.compiler.items import item, reference_code
from penstock.esql.syntax.expressions import Star
from penstock.esql.syntax.tree_statements import Attach, CreateField, DeleteField, Detach, Move

if TYPE_CHECKING:
    from penstock.esql.compiler.bindings import Binding
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.paths import FieldReference

_MOVES = {
    "FIRSTCHILD": "to_first_child",
    "LASTCHILD": "to_last_child",
    "NEXTSIBLING": "to_next",
    "PREVIOUSSIBLING": "to_previous",
}


def _variable(g: Generator, node: FieldReference) -> Binding:
    """Return the REFERENCE variable that a statement moves or fills."""
    binding = g.variable(node)
    if binding is None or binding.type != "REFERENCE" or len(node.steps) > 1:
        raise Uncompilable(node, f"{node.root} is no REFERENCE variable")
    return binding


def _field(g: Generator, node: FieldReference) -> str:
    """Return code for a Reference to a field that is created if necessary."""
    place = field_target(g, node)
    return place.base if place.is_bare else place.call("create")


@statement(CreateField)
def create(g: Generator, node: CreateField) -> None:
    """Write CREATE in all its forms: create the field, then set name, domain, value or contents."""
    options = _create_options(g, node)
    if node.place == "FIELD":
        target = field_target(g, node.target)
        code = target.base if target.is_bare else target.call("create")
        made = f"{g.use('trees.creating', 'created')}({code}{options})" if options else code
    else:
        made = f"{g.use('trees.creating', 'add_field')}({_field(g, node.target)}, {node.place!r}{options})"
    if node.reference is None and node.parse is None:
        g.write(made)
        return
    name = "made"
    if node.reference is not None:
        binding = _variable(g, node.reference)
        name = binding.python
        g.write(f"{name} = {made}")
        g.write(f"{binding.moved} = True")
    else:
        name = g.local("made")
        g.write(f"{name} = {made}")
    if node.parse is not None:
        domain = "None" if node.domain is None else g.value(node.domain)
        data = g.value(node.parse.data)
        parse = g.use("trees.creating", "parse_below")
        g.write(f"{parse}(ctx, {name}, {data}, {domain}{parser_options(g, node.parse.options)})")


def _create_options(g: Generator, node: CreateField) -> str:
    options = []
    if node.repeat:
        options.append("repeat=True")
    if node.identity is not None:
        options.append(f"identity={path_code(g, [step_code(g, node.identity, [])])}")
    if node.domain is not None:
        options.append(f"domain={assigned(g, 'CHARACTER', node.domain)}")
    for name, kind, part in (
        ("type_", "INTEGER", node.type),
        ("namespace", "CHARACTER", node.namespace),
        ("name", "CHARACTER", node.name),
    ):
        if part is not None:
            options.append(f"{name}={assigned(g, kind, part)}")
    if node.value is not None:
        options.append(f"value={item(g, node.value)}")
    if node.source is not None:
        options.append(f"source={reference_code(g, node.source)}")
    return "".join(f", {option}" for option in options)


@statement(Move)
def move(g: Generator, node: Move) -> None:
    """Write MOVE: the reference moves if it can, and LASTMOVE shows whether it did."""
    binding = _variable(g, node.reference)
    ref, moved = binding.python, binding.moved
    if node.direction == "TO" and node.target is not None:
        _move_to(g, binding, node.target)
    elif node.direction == "PARENT":
        g.write(f"{moved} = {ref}.to_parent()")
    elif node.repeat is not None:
        name = g.use("trees.moving", "move_repeat")
        g.write(f"{moved} = {name}({ref}, {node.direction == 'NEXTSIBLING'}, {node.repeat!r})")
    else:
        g.write(f"{moved} = {ref}.{_MOVES[node.direction]}({_move_step(g, node)})")


def _move_to(g: Generator, binding: Binding, target: FieldReference) -> None:
    place = field_target(g, target)
    found = g.local("found")
    code = place.base if place.is_bare else place.call("reference")
    g.write(f"{found} = {code}")
    g.write(f"{binding.moved} = {found} is not None")
    g.write(f"if {binding.moved}:")
    with g.text.indented():
        g.write(f"{binding.python} = {found}{'.copy()' if place.is_bare else ''}")


def _move_step(g: Generator, node: Move) -> str:
    """Return the path of one step that a MOVE looks for; empty if any field matches."""
    if node.identity is not None:
        return path_code(g, [step_code(g, node.identity, [])])
    if node.type is None and node.name is None and node.namespace is None:
        return ""
    namespace = _namespace(g, node.namespace, node.name)
    name = "None" if node.name is None else assigned(g, "CHARACTER", node.name)
    kind = "None" if node.type is None else assigned(g, "INTEGER", node.type)
    step = f"{g.use('trees.paths', 'computed_step')}({name}, {namespace}, None, {kind})"
    return f"{g.use('trees.paths', 'dynamic_path')}({step})"


def _namespace(g: Generator, namespace: Expression | None, name: Expression | None) -> str:
    if isinstance(namespace, Star):
        return "None"
    if namespace is None:
        return "''" if name is not None else "None"
    return assigned(g, "CHARACTER", namespace)


@statement(Attach)
def attach(g: Generator, node: Attach) -> None:
    """Write ATTACH."""
    binding = _variable(g, node.reference)
    name = g.use("trees.moving", "attach")
    g.write(f"{name}({binding.python}, {_field(g, node.target)}, {node.place!r})")


@statement(Detach)
def detach(g: Generator, node: Detach) -> None:
    """Write DETACH."""
    g.write(f"{_variable(g, node.reference).python}.detach()")


@statement(DeleteField)
def delete(g: Generator, node: DeleteField) -> None:
    """Write DELETE FIELD and DELETE place OF."""
    place = field_target(g, node.target)
    if node.place == "FIELD":
        if place.is_list:
            g.write(f"{g.use('trees.moving', 'delete_all')}(list({place.call('each')}))")
        else:
            g.write(
                f"{g.use('trees.moving', 'delete')}({place.base})" if place.is_bare else place.call("delete")
            )
        return
    code = place.base if place.is_bare else place.call("reference")
    g.write(f"{g.use('trees.moving', 'delete_beside')}({code}, {node.place!r})")
