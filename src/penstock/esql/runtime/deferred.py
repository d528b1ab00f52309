"""Work that compiled code does at run time: cast defaults, EVAL, missing names, external routines."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NoReturn

from penstock.model import constants as mq
from penstock.model.errors import EsqlError, MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.runtime.context import Context


def or_default(value: Callable[[], Any], default: Callable[[], Any]) -> Any:
    """Return a cast's value, or its DEFAULT if it fails."""
    try:
        return value()
    except EsqlError:
        return default()


NO_BRANCH = object()  # of a CASE was chosen


def first_branch(*attempts: Callable[[], Any]) -> Any:
    """Return the value of the first part of a long CASE in which a branch is chosen."""
    found = None
    for attempt in attempts:
        found = attempt()
        if found is not NO_BRANCH:
            break
    return found


def missing_name(name: str) -> NoReturn:
    """Fail because the schema of a name was not compiled with the rest."""
    raise error(mq.PSRC_ESQL_ROUTINE, f"{name} is declared in none of the deployed files", name=name)


def call_outside(ctx: Context, language: str, name: str, has_result: bool, outs: int, *values: Any) -> Any:
    """Call the Python function of an EXTERNAL routine.

    It gets the IN and INOUT arguments. It returns the result; if there are OUT or INOUT parameters, a tuple:
    the result, if the routine RETURNS one, and then their values.
    """
    function = _outside(ctx, language, name)
    try:
        answer = function(*values)
    except (MQError, RecursionError):
        raise
    except Exception as problem:
        text = f"{name} raised {type(problem).__name__}: {problem}"
        raise error(mq.PSRC_ESQL_ROUTINE, text, routine=name) from problem
    if not outs:
        return answer
    given = answer if isinstance(answer, tuple) else (answer,)
    wanted = outs + has_result
    if len(given) != wanted:
        raise error(mq.PSRC_ESQL_ROUTINE, f"{name} returned {len(given)} values, not {wanted}", routine=name)
    return given if has_result else (None, *given)


def _outside(ctx: Context, language: str, name: str) -> Callable[..., Any]:
    if language != "PYTHON" or ctx.deployment.found_routine(name) is not None:
        return ctx.deployment.routine(name)
    module, _, function = name.rpartition(".")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as problem:
        text = f"Python function {name!r} cannot be imported: {problem}"
        raise error(mq.PSRC_ESQL_ROUTINE, text, routine=name) from problem
    return found
