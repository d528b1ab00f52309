"""Paths whose names are computed at run time: `OutputRoot.XMLNSC.{name}`.

Paths cost more to make than to use, so the recent ones are cached, up to a limit that an unknown sender
cannot exceed with new names.
"""

from __future__ import annotations

from typing import Any

from penstock.esql.runtime.casts.cast import to_character
from penstock.esql.runtime.errors import DATA_ERROR, esql_error
from penstock.tree import Path, Step

PATHS_MAX = 4096
HERE = Path()

_kept: dict[tuple[Any, ...], Path] = {}


def dynamic_path(*steps: str | tuple[str, Any] | Step) -> Path:
    """Return the path of steps, some of them computed."""
    found = _kept.get(steps)
    if found is None:
        if len(_kept) >= PATHS_MAX:
            _kept.clear()
        found = _kept[steps] = Path(*steps)
    return found


def named_path(name: str | None, namespace: str | None, index: Any, kind: int | None) -> Path:
    """Return the path of one step whose name, namespace or type was computed."""
    key = (name, namespace, index, kind)
    found = _kept.get(key)
    if found is None:
        if len(_kept) >= PATHS_MAX:
            _kept.clear()
        found = _kept[key] = Path(computed_step(name, namespace, index, kind))
    return found


def computed_step(name: str | None, namespace: str | None, index: Any, kind: int | None) -> Step:
    """Return a step whose name, namespace or type was computed."""
    return Step(name, namespace, index, type=kind)


def name_text(value: Any) -> str:
    """Return the value in `{braces}` as a name; NULL is none."""
    if type(value) is str:
        return value
    text = to_character(value)
    if text is None:
        raise esql_error(DATA_ERROR, "a name in {braces} is NULL")
    return text


def index_number(value: Any, name: str) -> int:
    """Return the computed index of a step, which counts from 1 as a literal one does."""
    if type(value) is int and value > 0:
        return value
    if value is None:
        raise esql_error(DATA_ERROR, f"the index of {name}[...] is NULL")
    raise esql_error(
        DATA_ERROR, f"the index of {name}[...] is {value}, but it counts from 1; [<] is the last"
    )
