"""Connection tags: one connection of the group at a time has each, for applications that are serialised.

A connection takes a tag through `reserve` and the facility's answer, and has it until it ends. The tag is
free for the next one when nothing of that connection can still come back: its units have ended in the
facility, and what was claimed for its gets is returned. A member that dies loses tags and claims together.
No I/O. Invariant: whoever has a tag finds the messages of its predecessors in their places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing.wishes import Untag

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.connections import Connection
    from penstock.qmgr.sharing.sharing import Sharing


class ConnectionTags:
    """The tags of one member's connections."""

    def __init__(self, sharing: Sharing) -> None:
        self._sharing = sharing
        self.held: dict[str, tuple[Connection, Callable[[], object]]] = {}  # and how to end the connection
        self.under_way: WeakSet[Any] = WeakSet()  # tickets and claims that are not done
        self._ending: dict[str, WeakSet[Any]] = {}  # what must be done before a tag is free

    def reserve(self, tag: str, connection: Connection, end: Callable[[], object]) -> bool:
        """Keep a tag for a connection, which asks the facility next; False if it has the tag already."""
        self._sharing.check_connected()
        holder = self.held.get(tag)
        if holder is not None and holder[0] is connection:
            return False
        if holder is not None or tag in self._ending:
            raise in_use(tag)
        self.held[tag] = connection, end
        return True

    def disconnected(self, connection: Connection) -> None:
        """Free the tags of a connection that has ended, as soon as nothing of it is left."""
        for tag in [tag for tag, (holder, _) in self.held.items() if holder is connection]:
            del self.held[tag]
            self._ending[tag] = WeakSet(self.under_way)
        self.look()

    def look(self) -> None:
        """Free tags for which nothing is left to wait for."""
        for tag, left in list(self._ending.items()):
            if left:
                continue
            if (ticket := self._sharing.return_claimed()) is not None:
                left.add(ticket)
                continue
            del self._ending[tag]
            self._sharing.submit(Untag(tag))

    def done(self, work: Any, then: Any = None) -> None:
        """Note that a ticket or a claim is done, or that something else must be done instead."""
        self.under_way.discard(work)
        if self._ending:
            for left in self._ending.values():
                if then is not None and work in left:
                    left.add(then)
                left.discard(work)
            self.look()

    def lost(self) -> None:
        """Note that the facility was lost: it frees what ends with the member's life there."""
        self._ending.clear()


def in_use(tag: str) -> MQError:
    """Return the error of a connection that wants a tag which another one has."""
    text = f"connection tag {tag} is in use, or messages of the connection that had it are not yet free"
    return error(mq.MQRC_CONN_TAG_IN_USE, text, object=tag)
