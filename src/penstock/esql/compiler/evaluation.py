"""EVAL: ESQL text that is compiled while it runs, with the visible variables.

The text becomes the body of a procedure whose parameters are those variables, INOUT, and is compiled as
usual. It can use trees, variables and functions of the language, but not user routines.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import BAD_ARGUMENT, esql_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.compiler.bindings import Binding
    from penstock.esql.compiler.generator import Generator
    from penstock.esql.runtime.context import Context
    from penstock.esql.syntax.expressions import Expression

TEXTS_MAX = 256
_HERE = "penstock.esql.compiler.evaluation"


def eval_value(g: Generator, node: Expression) -> str:
    """Write EVAL as a function."""
    variables = _visible(g)
    name = g.use_from(_HERE, "evaluate")
    return f"{name}(ctx, {g.value(node)}, {_signature(variables)}, {_values(variables)})"


def eval_statement(g: Generator, node: Expression) -> None:
    """Write EVAL as a statement: variables are updated from the text's."""
    variables = _visible(g)
    name = g.use_from(_HERE, "execute")
    call = f"{name}(ctx, {g.value(node)}, {_signature(variables)}, {_values(variables)})"
    targets = "".join(f"{binding.python}, " for binding in variables.values())
    g.write(f"{targets}= {call}" if targets else call)


def _visible(g: Generator) -> dict[str, Binding]:
    """Return the variables that a text may name, inner ones before outer ones of the same name."""
    found: dict[str, Binding] = {}
    for block in reversed(g.blocks):
        for name, binding in block.items():
            if "." not in binding.python and binding.type != "LIST" and not binding.is_known:
                found.setdefault(name, binding)
    return found


def _signature(variables: dict[str, Binding]) -> str:
    parts = []
    for name, binding in variables.items():
        kind = "REFERENCE" if binding.is_tree else binding.type
        if kind == "INTERVAL":
            kind = "INTERVAL " + (" TO ".join(binding.qualifier) or "SECOND")
        parts.append(f'INOUT "{name}" {kind}')
    return repr(", ".join(parts))


def _values(variables: dict[str, Binding]) -> str:
    return f"({''.join(f'{binding.python}, ' for binding in variables.values())})"


def evaluate(ctx: Context, text: Any, signature: str, values: tuple[Any, ...]) -> Any:
    """Return the value of a text as an expression."""
    answer = _compiled(f"BEGIN RETURN {_checked(text)}\n; END", signature)(ctx, *values)
    return answer[0] if values else answer


def execute(ctx: Context, text: Any, signature: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run a text as a statement; return the values of the variables afterwards."""
    answer = _compiled(f"BEGIN {_checked(text)}\n; END", signature)(ctx, *values)
    return tuple(answer[1:]) if values else ()


def _checked(text: Any) -> str:
    if not isinstance(text, str):
        raise esql_error(BAD_ARGUMENT, "EVAL takes a text")
    return text


@lru_cache(TEXTS_MAX)
def _compiled(body: str, signature: str) -> Callable[..., Any]:
    from penstock.esql.compiler.compile import compile_sources
    from penstock.esql.source import Source

    library = compile_sources([Source("EVAL", f"CREATE PROCEDURE Evaluated({signature}) {body};")])
    found: Callable[..., Any] = library.function("EVAL", "Evaluated")
    return found
