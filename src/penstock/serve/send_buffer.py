# cython: nonecheck=True
"""The outgoing side of a link for conversations and server: a buffer of frames, and a mark that it has some.

`Link` extends it by everything that has to do with its socket. Kept apart so that compiled code calls it
directly from both sides. Invariant: one that is `marked` is in the server's list, once. Compiled
through `send_buffer.pxd`.
"""

from __future__ import annotations

import logging

from penstock.protocol._frames import Outgoing

logger = logging.getLogger(__name__)


class SendBuffer:
    """Answers on their way to one client."""

    def __init__(self, dirty: list[SendBuffer]) -> None:
        self.out = Outgoing()
        self.dirty = dirty
        self.marked = False
        self.messages = 0
        self.ending = ""
        self.commands_only = False  # a connection of an administrator: no messages
        self.patient = False  # nobody waits for what it has: others are written first

    def mark(self) -> None:
        """Note that there is something to write."""
        if not self.marked:
            self.marked = True
            self.dirty.append(self)

    def write(self) -> None:
        """Hand everything to the socket, in one write."""
        raise NotImplementedError

    def not_written(self, failure: Exception) -> None:
        """End: what was to be written is lost."""
        raise NotImplementedError


def write_all(dirty: list[SendBuffer]) -> None:
    """Write what send buffers have, and empty the list; one that fails ends, and the others are written."""
    for rest in (False, True):
        for outlet in dirty:
            if outlet.marked and (rest or not outlet.patient):
                outlet.marked = False
                try:
                    outlet.write()
                except Exception as failure:  # an edge: the failure of one client
                    logger.exception("write_failed")
                    outlet.not_written(failure)
    dirty.clear()
