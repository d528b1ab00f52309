# cython: nonecheck=True
"""The outgoing side of a link for conversations and server: a buffer of frames, and a mark that it has some.

`Link` extends it by everything that has to do with its socket. Kept apart so that compiled code calls it
directly from both sides. Invariant: an outlet that is `marked` is in the server's list, once. Compiled
through `outlet.pxd`.
"""

from __future__ import annotations

from penstock.protocol._frames import Outgoing


class Outlet:
    """Answers on their way to one client."""

    def __init__(self, dirty: list[Outlet]) -> None:
        self.out = Outgoing()
        self.dirty = dirty
        self.marked = False
        self.messages = 0
        self.ending = ""
        self.commands_only = False  # a connection of an administrator: no messages

    def mark(self) -> None:
        """Note that there is something to write."""
        if not self.marked:
            self.marked = True
            self.dirty.append(self)

    def write(self) -> None:
        """Hand everything to the socket, in one write."""
        raise NotImplementedError
