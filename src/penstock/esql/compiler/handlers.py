"""Exceptions: handlers, THROW, RESIGNAL, LOG, PROPAGATE, SLEEP and EVAL as statements.

A block with handlers is a Python `try`. EXIT leaves it; CONTINUE resumes after the statement that failed, so
there the statements are numbered and the `try` is in a loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.compiler.control import Label
from penstock.esql.compiler.dispatch import statement
from penstock.esql.compiler.expressions import assigned
from penstock.esql.compiler.items import reference_code
from penstock.esql.compiler.literals import known_value
from penstock.esql.runtime.terminals import LabelName
from penstock.esql.syntax import statements as tree

if TYPE_CHECKING:
    from penstock.esql.compiler.generator import Generator

DEFAULT_SEVERITY, DEFAULT_NUMBER = 1, 2951


def write_with_handlers(g: Generator, body: tree.Body) -> None:
    """Write the statements of a block, guarded by the handlers that it declares."""
    handlers = [each for each in body if isinstance(each, tree.DeclareHandler)]
    others = tuple(each for each in body if not isinstance(each, (tree.DeclareHandler, tree.Empty)))
    if not handlers:
        g.body(others)
    elif all(each.action == "EXIT" for each in handlers):
        g.write("try:")
        with g.text.indented():
            g.body(others)
        _catch(g, handlers, None)
    else:
        _numbered(g, handlers, others)


def _numbered(g: Generator, handlers: list[tree.DeclareHandler], body: tree.Body) -> None:
    """Write a block that CONTINUE handlers can resume."""
    position = g.local("position")
    g.write(f"{position} = 0")
    g.write(f"while {position} < {len(body)}:")
    g.function.loops.append(Label("", "", True))
    with g.text.indented():
        g.write("try:")
        with g.text.indented():
            for number, each in enumerate(body):
                if isinstance(each, tree.Declare):  # names live on in the block, whatever was skipped
                    _numbered_statement(g, each, position, number)
                else:
                    with g.block():
                        _numbered_statement(g, each, position, number)
        _catch(g, handlers, position)
    g.function.loops.pop()


def _numbered_statement(g: Generator, node: tree.Statement, position: str, number: int) -> None:
    g.write(f"if {position} == {number}:")
    with g.text.indented():
        g.write(f"{position} = {number + 1}")
        g.statement(node)


def _catch(g: Generator, handlers: list[tree.DeclareHandler], position: str | None) -> None:
    """Write the `except` clause: the first matching handler takes the error."""
    problem = g.local("problem")
    before = g.local("before")
    g.write(f"except {g.use('errors', 'MQError')} as {problem}:")
    with g.text.indented():
        for number, handler in enumerate(handlers):
            g.text.line = g.unit.line_of(handler.at)
            states = ", ".join(_state(g, state) for state in handler.states)
            g.write(f"{'elif' if number else 'if'} {g.use('sql_states', 'handles')}({problem}, {states}):")
            with g.text.indented():
                g.write(f"{before} = ctx.begin_handling({problem})")
                g.write("try:")
                with g.text.indented(), g.block():
                    g.function.handlers += 1
                    g.statement(handler.body)
                    g.function.handlers -= 1
                g.write("finally:")
                with g.text.indented():
                    g.write(f"ctx.end_handling({before})")
                if position is not None and handler.action == "EXIT":
                    g.write("break")
        g.write("else:")
        with g.text.indented():
            g.write("raise")


def _state(g: Generator, node: tree.SqlState) -> str:
    escape = "None" if node.escape is None else g.value(node.escape)
    return f"({node.like}, {g.value(node.text)}, {escape})"


@statement(tree.DeclareHandler)
def lone_handler(g: Generator, node: tree.DeclareHandler) -> None:
    """Write nothing: the block that declares a handler writes it."""


@statement(tree.Throw)
def throw(g: Generator, node: tree.Throw) -> None:
    """Write THROW."""
    severity, catalog, number, values = detail_codes(g, node.detail)
    g.write(f"raise {g.use('errors', 'user_error')}({severity}, {catalog}, {number}, ({values}))")


def detail_codes(g: Generator, detail: tree.ExceptionDetail) -> tuple[str, str, str, str]:
    """Return code for severity, catalogue, number and inserts."""
    severity = str(DEFAULT_SEVERITY) if detail.severity is None else assigned(g, "INTEGER", detail.severity)
    catalog = "'BIPmsgs'" if detail.catalog is None else assigned(g, "CHARACTER", detail.catalog)
    number = str(DEFAULT_NUMBER) if detail.message is None else assigned(g, "INTEGER", detail.message)
    values = "".join(g.value(each) + ", " for each in detail.values or ())
    return severity, catalog, number, values


@statement(tree.Resignal)
def resignal(g: Generator, node: tree.Resignal) -> None:
    """Write RESIGNAL: raise the handled error again."""
    g.write("raise ctx.handled")


@statement(tree.Log)
def log(g: Generator, node: tree.Log) -> None:
    """Write LOG."""
    severity, catalog, number, values = detail_codes(g, node.detail)
    more = f", exception={node.exception}, full={node.full}" if node.exception else ""
    name = g.use("logs", "write_log")
    g.write(f"{name}(ctx, {node.target!r}, {severity}, {catalog}, {number}, ({values}){more})")


@statement(tree.Propagate)
def propagate(g: Generator, node: tree.Propagate) -> None:
    """Write PROPAGATE."""
    options = []
    if node.terminal is not None:
        options.append(f"terminal={g.value(node.terminal)}")
    if node.label is not None:
        known = known_value(node.label)
        name = g.constant(LabelName(known)) if type(known) is str else assigned(g, "CHARACTER", node.label)
        name = name if type(known) is str else f"{g.use('terminals', 'label_name')}({name})"
        options.append(f"terminal='', label={name}")
    for name, part in (
        ("message", node.message),
        ("environment", node.environment),
        ("exceptions", node.exception),
    ):
        if part is not None:
            options.append(f"{name}={reference_code(g, part)}")
    if node.finalize == "NONE":
        options.append("finalize=False")
    keep = ", delete=False" if node.delete == "NONE" else ""
    g.write(f"ctx.propagate({g.use('context', 'Propagation')}({', '.join(options)}){keep})")


@statement(tree.Sleep)
def sleep(g: Generator, node: tree.Sleep) -> None:
    """Write SLEEP."""
    g.write(f"{g.use('misc', 'sleep')}(ctx, {assigned(g, 'INTEGER', node.duration)})")


@statement(tree.Eval)
def eval_(g: Generator, node: tree.Eval) -> None:
    """Write EVAL as a statement."""
    from penstock.esql.compiler.evaluation import eval_statement

    eval_statement(g, node.text)
