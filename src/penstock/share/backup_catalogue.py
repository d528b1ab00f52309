"""Turns, backups and segments of message journals, as the facility lists them for all members.

Every statement about them is here. Called by `structure_turns`, `structure_actions` and `structure_recovery`.
It reads no file. Invariant: a segment is listed before its first frame is written.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.share.repository import OBJECTS_WAKE

if TYPE_CHECKING:
    from penstock.share.facility import Facility

TABLES = """
create table if not exists backup(structure text not null, member text not null, state text not null,
    began float8 not null, ended float8, bytes bigint not null default 0, messages bigint not null default 0,
    path text not null, failed_at float8);
alter table backup add column if not exists turn bigint not null default 0;
create sequence if not exists turn_number;
create table if not exists segment(path text primary key, member text not null, turn bigint not null,
    gap boolean not null default false);
"""


class BackupCatalogue:
    """What there is to recover structures from."""

    def __init__(self, facility: Facility) -> None:
        self._facility = facility

    def announce_backup(self, structure: str, member: str, began: float, path: str) -> int:
        """Begin a backup; return its turn."""
        return self._announce(
            "insert into backup(turn, structure, member, state, began, path)"
            " values (%s, %s, %s, 'ACTIVE', %s, %s)",
            (structure, member, began, path),
        )

    def announce_recovery(self, structure: str) -> int:
        """Begin a recovery; return its turn. 2346 if the structure is being recovered.

        A structure whose recovery ends with its member becomes FAILED again (`recover_1`).
        """
        return self._announce(
            "update structure set turn = %s, state = 'INRECOVER', recoverer = %s"
            " where name = %s and state <> 'INRECOVER'",
            (self._facility.member, structure),
        )

    def _announce(self, statement: str, arguments: tuple[Any, ...]) -> int:
        with self._facility.connect() as connection, connection.transaction():
            connection.execute("lock table backup in share row exclusive mode")  # turns are seen in order
            turn = int(connection.execute("select nextval('turn_number')").fetchone()[0])
            if not connection.execute(statement, (turn, *arguments)).rowcount:
                raise error(mq.MQRC_CF_STRUC_IN_USE, "the structure is being recovered")
        self._facility.notify(OBJECTS_WAKE, "")
        return turn

    def backup_failed(self, turn: int) -> None:
        """Note that a backup was given up."""
        self._facility.execute(
            "update backup set state = 'FAILED', failed_at = %s where turn = %s", (time.time(), turn)
        )

    def backup_ended(self, turn: int, size: int, messages: int) -> None:
        """Note that a backup is complete."""
        self._facility.execute(
            "update backup set state = 'NONE', ended = %s, bytes = %s, messages = %s where turn = %s",
            (time.time(), size, messages, turn),
        )

    def turn(self) -> tuple[int, frozenset[str]]:
        """Return the last turn, and the structures whose messages are recorded: those with a backup."""
        rows = self._facility.execute(
            "select (select greatest(coalesce((select max(turn) from backup), 0),"
            " coalesce((select max(turn) from structure), 0))),"
            " array(select distinct b.structure from backup b join structure s on s.name = b.structure"
            " where b.state in ('ACTIVE', 'NONE'))"
        )
        return int(rows[0][0]), frozenset(rows[0][1])

    def took_up(self, member: int, turn: int) -> None:
        """Note that a member has taken up a turn."""
        self._facility.execute("update member set turn = %s where id = %s", (turn, member))

    def behind(self, turn: int) -> list[str]:
        """Return the active members that have not taken up a turn."""
        return [
            row[0]
            for row in self._facility.execute(
                "select name from member where state = 'active' and turn < %s order by name", (turn,)
            )
        ]

    def add_segment(self, member: str, turn: int, path: str) -> None:
        """Note a segment before it is begun."""
        self._facility.execute(
            "insert into segment(path, member, turn) values (%s, %s, %s) on conflict do nothing",
            (path, member, turn),
        )

    def mark_gap(self, path: str) -> None:
        """Note that a segment is not complete."""
        self._facility.execute("update segment set gap = true where path = %s", (path,))

    def segments(self, turn: int) -> list[tuple[str, str, bool]]:
        """Return member, path and gap of the segments from a turn on, in the order they were begun."""
        rows = self._facility.execute(
            "select member, path, gap from segment where turn >= %s order by member, path", (turn,)
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def take_old_segments(self, member: str) -> list[str]:
        """Forget the segments of a member that no backup needs, but for the last two of each structure."""
        rows = self._facility.execute(
            "delete from segment where member = %s and turn < (select min(coalesce("
            " (select b.turn from backup b where b.structure = s.name and b.ended is not null"
            "  order by b.turn desc offset 1 limit 1),"
            " (select min(b.turn) from backup b where b.structure = s.name)))"
            " from structure s where exists (select from backup b where b.structure = s.name))"
            " returning path",
            (member,),
        )
        return [row[0] for row in rows]

    def backups(self, structure: str) -> list[tuple[int, str]]:
        """Return turn and path of the complete backups of a structure, the newest first."""
        rows = self._facility.execute(
            "select turn, path from backup where structure = %s and ended is not null order by turn desc",
            (structure,),
        )
        return [(int(row[0]), row[1]) for row in rows]

    def oldest_backed_up(self) -> str | None:
        """Return the structure whose last backup is the oldest."""
        rows = self._facility.execute(
            "select b.structure from backup b join structure s on s.name = b.structure"
            " group by b.structure order by max(b.turn) limit 1"
        )
        return str(rows[0][0]) if rows else None

    def forget_backups(self, structure: str) -> None:
        """Forget the backups of a structure that was emptied: none of their messages may come back."""
        self._facility.execute("delete from backup where structure = %s", (structure,))
