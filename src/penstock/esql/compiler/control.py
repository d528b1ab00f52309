"""Control: IF, CASE, loops, labels, blocks, RETURN and CALL.

The innermost Python loop is left by `break` and `continue`. A label further out is left by raising
`Leave`, which only blocks that are left in that way catch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.checker.builtins import FUNCTIONS
from penstock.esql.compiler.bindings import Binding
from penstock.esql.compiler.calls import call_outs, routine_arguments, routine_name
from penstock.esql.compiler.conditions import test
from penstock.esql.compiler.dispatch import statement
from penstock.esql.compiler.expressions import assigned, cast_to
from penstock.esql.compiler.field_targets import field_target, is_tree
from penstock.esql.compiler.generator import Uncompilable
from penstock.esql.compiler.items import is_scalar, item, list_code
from penstock.esql.syntax import statements as tree
from penstock.esql.syntax.expressions import Call
from penstock.esql.syntax.node import children
from penstock.esql.syntax.paths import FieldReference

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.compiler.generator import Generator
    from penstock.esql.syntax.expressions import Expression
    from penstock.esql.syntax.node import Node

BRANCHES_MAX = 100  # of one `if` of Python


@dataclass(frozen=True, slots=True)
class Label:
    """An enclosing loop or block.

    `is_loop` is a Python loop; `is_iteration` is one iteration of a loop, which ITERATE ends.
    """

    name: str
    mark: str
    is_loop: bool
    is_iteration: bool = False


# Branches
@statement(tree.If)
def if_(g: Generator, node: tree.If) -> None:
    """Write IF; all conditions are written before the first branch, so that their functions precede it."""
    _branches(g, node, [test(g, branch.test) for branch in node.branches])


@statement(tree.Case)
def case(g: Generator, node: tree.Case) -> None:
    """Write the CASE statement."""
    subject = ""
    if node.subject is not None:
        subject = g.local("subject")
        code = g.value(node.subject)
        g.write(f"{subject} = {code}")
    tests = []
    for branch in node.branches:
        if subject:
            tests.append(f"{g.use('values.operators', 'equal')}({subject}, {g.value(branch.test)})")
        else:
            tests.append(test(g, branch.test))
    if node.branches:
        _branches(g, node, tests)
    elif node.otherwise is not None:
        g.body(node.otherwise)


def _branches(g: Generator, node: tree.If | tree.Case, tests: list[str]) -> None:
    """Write branches in order. Python nests an `elif` in the previous one: many become several `if`."""
    pairs = list(zip(tests, node.branches, strict=True))
    if len(pairs) <= BRANCHES_MAX:
        _chain(g, pairs)
        if node.otherwise is not None:
            g.write("else:")
            _branch(g, node.otherwise)
        return
    seeking = g.local("seeking")
    g.write(f"{seeking} = True")
    for begin in range(0, len(pairs), BRANCHES_MAX):
        g.write(f"if {seeking}:")
        with g.text.indented():
            g.write(f"{seeking} = False")
            _chain(g, pairs[begin : begin + BRANCHES_MAX])
            g.write("else:")
            with g.text.indented():
                g.write(f"{seeking} = True")
    if node.otherwise is not None:
        g.write(f"if {seeking}:")
        _branch(g, node.otherwise)


def _chain(g: Generator, pairs: list[tuple[str, tree.Branch]]) -> None:
    for number, (code, branch) in enumerate(pairs):
        g.text.line = g.unit.line_of(branch.test.at)
        g.write(f"{'elif' if number else 'if'} {code}:")
        _branch(g, branch.body)


def _branch(g: Generator, body: tree.Body) -> None:
    with g.text.indented(), g.block():
        g.body(body)


# Loops
@statement(tree.While, tree.Loop, tree.Repeat)
def loop(g: Generator, node: tree.While | tree.Loop | tree.Repeat) -> None:
    """Write WHILE, LOOP and REPEAT."""
    code = test(g, node.test) if isinstance(node, tree.While) else "True"

    def write() -> None:
        g.write(f"while {code}:")
        _loop_body(g, node)

    _labelled(g, node.label, node, True, write)


def _loop_body(g: Generator, node: tree.While | tree.Loop | tree.Repeat) -> None:
    with g.text.indented(), g.block():
        _iterated(g, node)
        if isinstance(node, tree.Repeat):
            g.text.line = g.unit.line_of(node.test.at)
            g.write(f"if {test(g, node.test)}:")
            with g.text.indented():
                g.write("break")


def _iterated(g: Generator, node: tree.While | tree.Loop | tree.Repeat | tree.For) -> None:
    """Write the body of a loop, with a catch around it if `continue` cannot express ITERATE."""
    label = node.label
    repeat = isinstance(node, tree.Repeat)  # ITERATE goes on with UNTIL, `continue` would pass it
    if label is None or not (repeat or _goes_from_inside(node, label, tree.Iterate)):
        g.body(node.body)
        return
    entry = Label(label.upper(), f"{label}@{node.at}+", False, True)
    g.function.loops.append(entry)
    _caught(g, entry, lambda: g.body(node.body))
    g.function.loops.pop()


@statement(tree.For)
def for_(g: Generator, node: tree.For) -> None:
    """Write FOR: the loop's name is a reference of its own."""
    source = node.source
    if isinstance(source, FieldReference) and is_tree(g, source) and source.is_list:
        code = field_target(g, source).call("each")
    else:
        code = f"{g.use('trees.rows', 'rows_of')}({item(g, source)})"
    python, moved = g.local(node.name), g.local(f"{node.name}_moved")

    def write() -> None:
        g.write(f"{moved} = True")
        g.write(f"for {python} in {code}:")
        with g.text.indented(), g.block(**{node.name: Binding(python, "REFERENCE", moved)}):
            _iterated(g, node)

    _labelled(g, node.label, node, True, write)


def _labelled(
    g: Generator, label: str | None, node: tree.Statement, is_loop: bool, write: Callable[[], None]
) -> None:
    """Write a loop or block, with a catch around it if it is left from inside another loop."""
    entry = Label((label or "").upper(), f"{label or ''}@{node.at}", is_loop)
    g.function.loops.append(entry)
    if label is not None and _goes_from_inside(node, label, tree.Leave, not is_loop):
        _caught(g, entry, write)
    else:
        write()
    g.function.loops.pop()


def _caught(g: Generator, entry: Label, write: Callable[[], None]) -> None:
    g.write("try:")
    with g.text.indented():
        write()
    g.write(f"except {g.use('leave', 'Leave')} as leaving:")
    with g.text.indented():
        g.write(f"leaving.arrive({entry.mark!r})")


def _goes_from_inside(
    node: Node, label: str, kind: type[tree.Leave | tree.Iterate], inside: bool = False
) -> bool:
    """Whether a loop or block is left by its label from within another Python loop."""
    for each in children(node):
        if isinstance(each, kind) and inside and each.label.upper() == label.upper():
            return True
        loops = isinstance(each, (tree.While, tree.Loop, tree.Repeat, tree.For))
        handles = isinstance(each, tree.Begin) and any(isinstance(x, tree.DeclareHandler) for x in each.body)
        if _goes_from_inside(each, label, kind, inside or loops or handles):
            return True
    return False


@statement(tree.Leave)
def leave(g: Generator, node: tree.Leave) -> None:
    """Write LEAVE."""
    _go(g, node, "break", node.label)


@statement(tree.Iterate)
def iterate(g: Generator, node: tree.Iterate) -> None:
    """Write ITERATE."""
    _go(g, node, "continue", node.label)


def _go(g: Generator, node: tree.Statement, word: str, label: str) -> None:
    loops = g.function.loops
    for depth, entry in enumerate(reversed(loops)):
        if entry.name != label.upper() or (entry.is_iteration and word == "break"):
            continue
        inner = [each for each in loops[len(loops) - depth :] if each.is_loop]
        if entry.is_loop and not inner:
            g.write(word)
        else:
            g.write(f"raise {g.use('leave', 'Leave')}({entry.mark!r})")
        return
    raise Uncompilable(node, f"no loop around this has the label {label}")


# Blocks and routines
@statement(tree.Begin)
def begin(g: Generator, node: tree.Begin) -> None:
    """Write BEGIN [ATOMIC] .. END, with its handlers."""
    from penstock.esql.compiler.handlers import write_with_handlers

    def write() -> None:
        if node.atomic:
            schema = ".".join(g.unit.program.schema)
            g.write(f"with ctx.deployment.atomic({schema!r}):")
            with g.text.indented(), g.block():
                write_with_handlers(g, node.body)
        else:
            with g.block():
                write_with_handlers(g, node.body)

    _labelled(g, node.label, node, False, write)


@statement(tree.Return)
def return_(g: Generator, node: tree.Return) -> None:
    """Write RETURN, followed by the values of OUT parameters."""
    routine = g.function.routine
    kind = routine.returns.name if routine is not None and routine.returns is not None else ""
    if node.value is None:
        code = "None"
    elif kind == "REFERENCE":
        code = f"{g.use('trees.rows', 'refer_to')}({item(g, node.value)})[0]"
    elif kind == "ROW":
        code = f"{g.use('trees.rows', 'row_from')}('Row', {item(g, node.value)})"
    elif kind == "LIST":
        code = f"list({list_code(g, node.value)})"
    else:
        code = returned(g, kind, node.value)
    g.write(f"return {', '.join((code, *g.function.outs))}")


def returned(g: Generator, kind: str, node: Expression) -> str:
    """Return the code of a scalar that a routine returns."""
    if is_scalar(g, node) or kind:
        return assigned(g, kind, node)
    return item(g, node)


@statement(tree.CallStatement)
def call(g: Generator, node: tree.CallStatement) -> None:
    """Write CALL: the call, then the assignments of OUT arguments and INTO."""
    from penstock.esql.compiler.databases import call_database

    routine = g.unit.routines.get(id(node))
    if routine is None and not node.schema and node.name.upper() in FUNCTIONS:
        _store_into(g, node, g.value(Call(node.at, (), node.name, node.arguments)))
        return
    if routine is None:
        shown = ".".join((*node.schema, node.name))
        g.write(f"{g.use('deferred', 'missing_name')}({shown!r})")
        return
    if routine.language == "DATABASE" and routine.external is not None:
        call_database(g, node, routine)
        return
    code = f"{routine_name(g, routine)}({', '.join(routine_arguments(g, routine, node.arguments))})"
    outs = call_outs(routine, node)
    if not outs:
        _store_into(g, node, code)
        return
    answer = g.local("answer")
    g.write(f"{answer} = {code}")
    for place, argument in outs:
        store(g, argument, f"{answer}[{place}]")
    if node.into is not None:
        store(g, node.into, f"{answer}[0]")


def _store_into(g: Generator, node: tree.CallStatement, code: str) -> None:
    if node.into is None:
        g.write(code)
    else:
        store(g, node.into, code)


def store(g: Generator, target: Expression, code: str) -> None:
    """Write the assignment of a Python value to a variable or field."""
    binding = g.variable(target)
    if not isinstance(target, FieldReference):
        raise Uncompilable(target, "this needs a variable or a field")
    if binding is not None and len(target.steps) == 1:
        if binding.type == "REFERENCE":
            g.write(f"{binding.python} = {code}")
            return
        if not binding.is_tree:
            g.write(f"{binding.python} = {cast_to(g, binding.type, code, binding.qualifier)}")
            return
    if target.is_list:
        from penstock.esql.compiler.assignments import list_target

        holder, last = list_target(g, target)
        g.write(f"{g.use('trees.rows', 'put_list')}({holder}, {last}, {code})")
        return
    from penstock.esql.compiler.assignments import is_whole_row

    place = field_target(g, target)
    if is_whole_row(g, target):
        g.write(f"{g.use('trees.rows', 'put_row')}({place.base}, {code})")
        return
    indexes = f", {place.indexes}" if place.indexes else ""
    g.write(f"{g.use('trees.rows', 'put')}({place.base}, {place.path or 'HERE'}, {code}{indexes})")
