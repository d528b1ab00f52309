"""What a compiled module accesses beyond its message: nothing, lookups, or changes.

Read from the code that `Main` can reach, through all routines it calls. Room `flow` uses it to choose the
engine of a node, to decide whether it needs a context tree, and to check its labels. EVAL may contain
anything, and external routines may do anything: both count as changing.
"""

from __future__ import annotations

import dis
from enum import IntEnum
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime import deferred, tables
from penstock.esql.runtime.terminals import LabelName
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.esql.library import Module

SELECT = "select"
SOURCE_AT = {"passthru": 0, "call": 1}  # number of literals before the data source
CONTEXT_NAMES = frozenset(("context_tree", "context_node", "invocation_node"))
OUTPUT_TREES = {
    "output_local_environment": "OutputLocalEnvironment",
    "output_exception_list": "OutputExceptionList",
}
EVALUATION = "penstock.esql.compiler.evaluation"


class Reach(IntEnum):
    """What a module may access besides its trees."""

    NOTHING = 0
    READS = 1
    WRITES = 2


def reach_of(module: Module) -> Reach:
    """Return the furthest access of the code that Main can reach."""
    found = Reach.NOTHING
    for code, names in _all_codes(module):
        found = max(found, _reach(code, names))
        if found == Reach.WRITES:
            break
    return found


def reads_context(module: Module) -> bool:
    """Return whether a module reads the context tree, or may with EVAL, so that a flow has to keep one."""
    return any(
        not CONTEXT_NAMES.isdisjoint(code.co_names) or _evaluates(code, names)
        for code, names in _all_codes(module)
    )


def labels_of(module: Module) -> set[str]:
    """Return the labels that a module may propagate to, as far as they are literals."""
    return {
        str(names[each])
        for code, names in _all_codes(module)
        for each in code.co_names
        if type(names.get(each)) is LabelName
    }


def sources_of(module: Module) -> set[str | None]:
    """Return the data sources that a module's statements name, as far as they are literals; None for none."""
    found: set[str | None] = set()
    for code, names in _all_codes(module):
        found |= _sources(code, names)
    return found


def missing_of(module: Module) -> set[str]:
    """Return the names that a module may ask for and that none of its files declares."""
    return {name for code, names in _all_codes(module) for name in _missing(code, names)}


def calls_outside(module: Module) -> bool:
    """Return whether a module may call a routine in another language."""
    return any(
        names.get(each) is deferred.call_outside
        for code, names in _all_codes(module)
        for each in code.co_names
    )


def names_in_paths(module: Module) -> set[str]:
    """Return the names of all fields that a module's paths have."""
    return {
        step if isinstance(step, str) else step.name or ""
        for code, names in _all_codes(module)
        for each in code.co_names
        if isinstance(path := names.get(each), Path)
        for step in path.steps
    }


def trees_of(module: Module) -> set[str]:
    """Return which output trees besides the message a module names: attributes of its context."""
    return {each for code, _ in _all_codes(module) for each in OUTPUT_TREES if each in code.co_names}


def text_reads_context(text: str) -> bool:
    """Return the same for an expression that is not compiled yet; naming such a field counts too."""
    return any(word in text.upper() for word in ("CONTEXT", "EVAL"))


def _evaluates(code: CodeType, names: dict[str, Any]) -> bool:
    return any(getattr(names.get(each), "__module__", "") == EVALUATION for each in code.co_names)


def _all_codes(module: Module) -> Iterator[tuple[CodeType, dict[str, Any]]]:
    """Yield the code of all routines that a module can reach, each with its global names."""
    waiting: list[Any] = list(module.functions.values())
    seen: set[Any] = set()
    while waiting:
        function = waiting.pop()
        if function in seen or not isinstance(function, FunctionType):
            continue
        seen.add(function)
        for code in _codes(function.__code__):
            yield code, function.__globals__
            waiting += _called(code, function.__globals__)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _reach(code: CodeType, names: dict[str, Any]) -> Reach:
    """Find uses of `databases(ctx)`, and external calls."""
    found, is_next = Reach.NOTHING, False
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            value = names.get(str(step.argval))
            if value is deferred.call_outside or getattr(value, "__module__", "") == EVALUATION:
                return Reach.WRITES
            is_next = is_next or value is tables.databases
        elif is_next and step.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            if step.argval != SELECT:
                return Reach.WRITES
            found, is_next = Reach.READS, False
    return found


def _sources(code: CodeType, names: dict[str, Any]) -> set[str | None]:
    """Find the first argument of `Table(...)`, and the data source of `passthru(ctx, ...)` and such calls."""
    found: set[str | None] = set()
    left = -1  # literals before the one that names the source; -1: no such name is awaited
    is_next = False
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            value = names.get(str(step.argval))
            left = 0 if value is tables.Table else -1
            is_next = is_next or value is tables.databases
        elif is_next and step.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            left, is_next = SOURCE_AT.get(str(step.argval), -1), False
        elif left >= 0 and step.opname == "LOAD_CONST":
            if left == 0:
                found.add(step.argval)
            left -= 1
        elif left >= 0 and step.opname.startswith("LOAD_") and step.argval != "ctx":
            left = -1  # worked out when it runs
    return found


def _missing(code: CodeType, names: dict[str, Any]) -> Iterator[str]:
    """Yield the argument of `missing_name(...)`."""
    is_next = False
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            is_next = names.get(str(step.argval)) is deferred.missing_name
        elif is_next and step.opname == "LOAD_CONST":
            yield str(step.argval)
            is_next = False


def _called(code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """Yield the routines that code names: of its own file, or of another file of the library."""
    for name in code.co_names:
        value = names.get(name)
        if isinstance(value, FunctionType) and "library" in value.__globals__:
            yield value
        elif isinstance(value, ModuleType) and "library" in value.__dict__:
            yield from (value.__dict__.get(each) for each in code.co_names)
