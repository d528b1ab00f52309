"""Removes the bodies in tables and object stores that a dead member stored for a unit that never ended.

A member stores a body, then sends the round with its row; one that is killed in between leaves a body that no
row refers to. Once a life of a member has ended, no session of it is left, so no row that refers to a body of
that life can still come. The active member with the lowest number compares the bodies of ended lives with all
rows, once for each life, and also frees what the group releases of members that do not run. Space maps of
data sets are rebuilt by their owners (`data_sets`). Called by `host.group_commands` once a second.
Invariant: a body of a life that goes on, or one that a row refers to, is never removed.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.share.reference_rows import stream, which
from penstock.store.body_reference import IN_OBJECT, IN_TABLE, decode_reference

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility
    from penstock.share.object_bodies import ObjectBodies

    Key = tuple[int, int]  # incarnation and number

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 60.0  # after an object store could not be reached
ENDED = """select id, name, incarnation, state <> 'active', swept,
    case when state in ('active', 'recovering') then incarnation - 1 else incarnation end
    from member where %s = (select min(id) from member where state = 'active') order by id"""
SWEPT = "update member set swept = %s where id = %s and incarnation = %s"
OF_TABLE = "select incarnation, number from body where member = %s and incarnation <= %s"
REMOVE = """delete from body using unnest(%s::bigint[], %s::bigint[]) as u(life, place)
    where member = %s and incarnation = u.life and number = u.place"""


class OrphanedBodies:
    """The bodies that members left behind."""

    def __init__(self, facility: Facility, bodies: Bodies) -> None:
        self._facility, self._bodies = facility, bodies
        self._again_at = 0.0

    def remove(self) -> None:
        """Remove the bodies without rows of lives that have ended, if this member is the one that does it."""
        if time.monotonic() < self._again_at:
            return
        members = self._facility.execute(ENDED, (self._facility.member,))
        if away := [number for number, _, _, is_away, _, _ in members if is_away]:
            self._bodies.collect_of(away)
        for number, name, incarnation, _, swept, last in members:
            if swept >= last:
                continue
            try:
                count = self._of_table(number, last) + self._of_objects(number, name, last)
            except MQError as failure:
                logger.info("orphans_not_removed member=%s cause=%s", name, failure)
                self._again_at = time.monotonic() + PAUSE_SECONDS
                continue
            self._facility.execute(SWEPT, (last, number, incarnation))
            if count:
                text = f"{count} message bodies that {name} stored for units that never ended are removed."
                self._facility.notices("CSQE016I", text)

    def _of_table(self, member: int, last: int) -> int:
        stored = set(self._facility.execute(OF_TABLE, (member, last)))
        orphans = self._without_rows(stored, which(IN_TABLE, member))
        if orphans:
            lives, numbers = zip(*orphans, strict=True)
            self._facility.execute(REMOVE, (list(lives), list(numbers), member))
        return len(orphans)

    def _of_objects(self, member: int, name: str, last: int) -> int:
        count = 0
        for structure in list(self._bodies.states):
            objects = self._bodies.objects(structure)
            if objects is not None:
                count += self._of_structure(objects, member, name, last)
        return count

    def _of_structure(self, objects: ObjectBodies, member: int, name: str, last: int) -> int:
        stored = objects.of_lives(name, last)
        orphans = self._without_rows(stored, which(IN_OBJECT, member, objects.number))
        objects.remove(name, [path for key in orphans for path in stored[key]])
        return len(orphans)

    def _without_rows(self, stored: Collection[Key], wanted: dict[str, int | None]) -> set[Key]:
        """Return the keys that no row refers to; they were listed before, and no row can come any more."""
        orphans = set(stored)
        if orphans:
            with self._facility.connect() as connection, connection.transaction():
                for data in stream(connection, wanted):
                    reference = decode_reference(data)
                    orphans.discard((reference.incarnation, reference.number))
        return orphans
