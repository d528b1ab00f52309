"""START and STOP commands that were accepted and that the loop still has to carry out.

A command is accepted in a worker, under the engine's lock, and carried out by the loop a moment later, in
the order in which they were accepted. Until then it counts already: a script may stop what it has just
started. Used by `Listeners`, `Services` and `Channels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from penstock.admin.mqsc import Request
    from penstock.serve.server import Server


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
        """Return whether something runs, or will when what was accepted is done."""
        verbs = self._verbs.get(name)
        return verbs[-1] == "START" if verbs else name in running

    def starting(self) -> set[str]:
        """Return the names whose next command to be carried out is a START."""
        return {name for name, verbs in list(self._verbs.items()) if verbs[:1] == ["START"]}


def carry_out_soon(server: Server, request: Request, action: Callable[[], Any]) -> None:
    """Have the loop carry out a command that was accepted; a failure is a matter for the error log."""

    def carry_out() -> None:
        try:
            action()
        except MQError as failure:
            what = f"{request.verb} {request.kind}({request.name})"
            server.error_log.write("AMQ9999E", f"{what} failed: {failure}.")

    server.loop.call_soon_threadsafe(carry_out)
