"""The project whose Java runs at the moment: some static methods of the broker need it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.flow.project import Project

here: ContextVar[Project | None] = ContextVar("here", default=None)
