"""Where Java runs at the moment, for static methods that need it: the project, and the running flow."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from penstock.flow.java.throwables import thrown

if TYPE_CHECKING:
    from penstock.flow.graph.instance import Instance
    from penstock.flow.project import Project

here: ContextVar[Project | None] = ContextVar("here", default=None)
instance: ContextVar[Instance | None] = ContextVar("instance", default=None)


def running() -> Instance:
    """Return the running flow around Java; an exception of Java outside one."""
    found = instance.get()
    if found is None:
        raise thrown("IllegalStateException", "this works only in a running flow")
    return found
