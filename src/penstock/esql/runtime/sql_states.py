"""Matches errors with handlers: SQLSTATE values and patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import state_of
from penstock.esql.runtime.values.strings import like

if TYPE_CHECKING:
    from penstock.model.errors import MQError


def handles(problem: MQError, *states: tuple[bool, Any, Any]) -> bool:
    """Return whether one of a handler's states, each (is a pattern, text, escape), matches an error."""
    found = state_of(problem)
    for pattern, text, escape in states:
        if pattern and (like(found, text) if escape is None else like(found, text, escape)):
            return True
        if not pattern and text == found:
            return True
    return False
