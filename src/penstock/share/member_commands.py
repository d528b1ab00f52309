"""Commands that one member has others carry out (CMDSCOPE): a table of commands with their answers.

`host.group_scope` asks and carries out; every statement about commands is here. A command is for one
incarnation of a member: a later one never carries it out. Invariant: a command is taken once; one that its
asker has given up is not taken any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.share.facility import Facility

COMMAND_WAKE, ANSWER_WAKE = "command", "answer"
EVERYONE = "*"
TABLES = """
create unlogged table if not exists command(id bigint generated always as identity primary key,
    asker smallint not null, life int not null, member smallint not null,
    incarnation int not null, text text not null, taken boolean not null default false, answer text,
    failed boolean);
"""


@dataclass(slots=True)
class Asked:
    """A command for one member, and what became of it."""

    number: int
    member: str
    taken: bool = False
    answer: str | None = None
    failed: bool = False
    gone: bool = False  # the member's life has ended, or PostgreSQL has lost the command


class MemberCommands:
    """The commands between the members of one group."""

    def __init__(self, facility: Facility) -> None:
        self._facility = facility

    def forget_own(self) -> None:
        """Remove what this member asked, or was asked, in an earlier life."""
        member, life = self._facility.member, self._facility.incarnation
        self._facility.execute(
            "delete from command where (asker = %s and life < %s) or (member = %s and incarnation < %s)",
            (member, life, member, life),
        )

    def ask(self, text: str, member: str) -> list[Asked]:
        """Leave a command for an active member, or for all of them; empty if there is none."""
        rows = self._facility.execute(
            "with new as (insert into command(asker, life, member, incarnation, text)"
            " select %s, %s, id, incarnation, %s from member where state = 'active'"
            " and (%s = '*' or name = %s) order by id returning id, member)"
            " select new.id, m.name from new join member m on m.id = new.member order by m.id",
            (self._facility.member, self._facility.incarnation, text, member, member),
        )
        self._facility.notify(COMMAND_WAKE, "")
        return [Asked(row[0], row[1]) for row in rows]

    def look(self, asked: Sequence[Asked]) -> None:
        """Take over the answers that have come."""
        rows = self._facility.execute(
            "select c.id, c.taken, c.answer, c.failed, m.state <> 'active' or m.incarnation <> c.incarnation"
            " from command c join member m on m.id = c.member where c.id = any(%s)",
            ([each.number for each in asked],),
        )
        found = {row[0]: row[1:] for row in rows}
        for each in asked:
            if each.number in found:
                each.taken, each.answer, failed, each.gone = found[each.number]
                each.failed = bool(failed)
            else:
                each.gone = True

    def give_up(self, asked: Sequence[Asked]) -> None:
        """Remove commands; what was not taken will never be carried out."""
        self._facility.execute("delete from command where id = any(%s)", ([each.number for each in asked],))

    def take(self) -> tuple[int, str] | None:
        """Return the next command for this member, which is its own to carry out now."""
        rows = self._facility.execute(
            "update command set taken = true where id = (select min(id) from command"
            " where member = %s and incarnation = %s and not taken) and not taken returning id, text",
            (self._facility.member, self._facility.incarnation),
        )
        return (rows[0][0], rows[0][1]) if rows else None

    def reply(self, number: int, text: str, failed: bool) -> None:
        """Answer a command."""
        self._facility.execute(
            "update command set answer = %s, failed = %s where id = %s", (text, failed, number)
        )
        self._facility.notify(ANSWER_WAKE, "")
