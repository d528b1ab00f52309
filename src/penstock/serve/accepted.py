"""START and STOP commands that were accepted and that the loop still has to carry out.

A command is accepted in a worker, under the engine's lock, and carried out by the loop a moment later, in
the order in which they were accepted. Until then it counts already: a script may stop what it has just
started. Used by `Listeners` and `Services`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container


class Accepted:
    """What was accepted for each name, oldest first."""

    def __init__(self) -> None:
        self._verbs: dict[str, list[str]] = {}

    def add(self, name: str, verb: str) -> None:
        """Note a command that the loop will carry out."""
        self._verbs.setdefault(name, []).append(verb)

    def done(self, name: str) -> None:
        """Forget the oldest command for a name: it is being carried out."""
        if self._verbs.get(name):
            self._verbs[name].pop(0)  # the empty list stays: another thread may be adding to it

    def runs(self, name: str, running: Container[str]) -> bool:
        """Say whether something runs, or will when what was accepted is done."""
        verbs = self._verbs.get(name)
        return verbs[-1] == "START" if verbs else name in running
