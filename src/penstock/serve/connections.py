"""The sockets of a server: how many there may be at once, and which is closed when there are too many.

A silent peer does not keep a connection: one that has not finished its greeting is closed when
its address has too many of them, or when there is no room left for another. The oldest goes first, of the
address that has most; those that have not even said hello before those whose hello is being looked at.
A greeted client is never closed. `listeners` adds connections here, `Link` reports their progress.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NEWCOMERS_MAX = 4096  # connections that may be on their way in at once
NEWCOMERS_OF_ONE_MAX = 1024  # of these, from one address
OWNER_ROOM = 16  # connections reserved for the owner of the queue manager, who can always administer it


class Stage(IntEnum):
    """How far a connection is."""

    SILENT = 0
    CHECKED = 1  # its hello has arrived and is being checked
    GREETED = 2
    GONE = 3


class Connection:
    """One socket, from accept to close."""

    __slots__ = ("close", "origin", "stage")

    def __init__(self, origin: str, close: Callable[[], object]) -> None:
        self.origin = origin
        self.close = close  # how to end it, which changes on the way in
        self.stage = Stage.SILENT


class Connections:
    """All sockets of one server except listening ones."""

    def __init__(
        self, sockets_max: int, newcomers_max: int = NEWCOMERS_MAX, of_one_max: int = NEWCOMERS_OF_ONE_MAX
    ) -> None:
        self.sockets_max = sockets_max
        self.newcomers_max = newcomers_max
        self.of_one_max = of_one_max
        self.greeted = 0
        self.newcomers = 0
        self._by_origin: dict[str, _Newcomers] = {}
        self._by_count: dict[int, dict[str, None]] = {}  # origins by number of connecting clients
        self._most = 0

    def enter(self, origin: str, close: Callable[[], object], is_owner: bool = False) -> Connection | None:
        """Add a new connection, closing another if necessary; None if there is no room for it."""
        room = self.sockets_max - (0 if is_owner else OWNER_ROOM)
        mine = self._by_origin.get(origin)
        if mine is not None and mine.count >= self.of_one_max:
            self._close(mine.oldest())
        elif self.newcomers and (self.newcomers >= self.newcomers_max or self._used() >= room):
            self._close(self._by_origin[next(iter(self._by_count[self._most]))].oldest())
        if self._used() >= room:
            return None
        connection = Connection(origin, close)
        self._by_origin.setdefault(origin, _Newcomers()).stages[Stage.SILENT][connection] = None
        self._count(origin, 1)
        return connection

    def has_room(self) -> bool:
        """Return whether this end may open a further connection itself."""
        return self._used() < self.sockets_max - OWNER_ROOM

    def dialled(self, origin: str) -> Connection:
        """Add a connection that this end has opened; it is never closed for others."""
        connection = Connection(origin, _nothing)
        connection.stage = Stage.GREETED
        self.greeted += 1
        return connection

    def said_hello(self, connection: Connection) -> None:
        """Record that a client has sent its hello: silent ones are closed before it."""
        if connection.stage is Stage.SILENT:
            stages = self._by_origin[connection.origin].stages
            del stages[Stage.SILENT][connection]
            stages[Stage.CHECKED][connection] = None
            connection.stage = Stage.CHECKED

    def was_greeted(self, connection: Connection) -> None:
        """Note that a client is in: nothing here closes it any more."""
        if connection.stage < Stage.GREETED:
            self._move(connection, Stage.GREETED)
            self.greeted += 1

    def leave(self, connection: Connection) -> None:
        """Count a connection out that is closed."""
        if connection.stage is Stage.GREETED:
            self.greeted -= 1
            connection.stage = Stage.GONE
        elif connection.stage is not Stage.GONE:
            self._move(connection, Stage.GONE)

    def _used(self) -> int:
        return self.greeted + self.newcomers

    def _close(self, connection: Connection) -> None:
        self._move(connection, Stage.GONE)
        connection.close()

    def _move(self, connection: Connection, stage: Stage) -> None:
        """Take a connection out of the newcomers."""
        del self._by_origin[connection.origin].stages[connection.stage][connection]
        connection.stage = stage
        self._count(connection.origin, -1)

    def _count(self, origin: str, change: int) -> None:
        """Keep the origins sorted by how many newcomers they have, after one has come or gone."""
        now = self._by_origin[origin].count
        before = now - change
        self.newcomers += change
        if before:
            del self._by_count[before][origin]
            if not self._by_count[before]:
                del self._by_count[before]
        if now:
            self._by_count.setdefault(now, {})[origin] = None
        else:
            del self._by_origin[origin]
        if now > self._most or self._most not in self._by_count:
            self._most = now  # counts change by one, so no other origin can have more


def _nothing() -> None:
    """Do nothing: the close of a connection that is closed elsewhere."""


class _Newcomers:
    """The connections of one origin that are not greeted yet, by stage, the oldest first."""

    __slots__ = ("stages",)

    def __init__(self) -> None:
        self.stages: tuple[dict[Connection, None], dict[Connection, None]] = ({}, {})

    @property
    def count(self) -> int:
        return len(self.stages[0]) + len(self.stages[1])

    def oldest(self) -> Connection:
        """Return the one that is closed first."""
        silent, checked = self.stages
        return next(iter(silent or checked))
