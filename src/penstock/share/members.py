"""Members of a group: numbers, incarnations, heartbeats, and the recovery of those that died.

Every session of a member holds the member's lock, shared. A peer that gets this lock exclusively knows that
all sessions are gone: nothing of that member can commit any more, so its claims are freed, counted as backed
out. A member that holds its sessions without a heartbeat (stopped, cut off) has them ended after
`member_timeout`. `Watch` is the thread that does all this, beside figures and expiry.
Invariant: claims of a member are freed only while its lock is held exclusively.
"""

from __future__ import annotations

import logging
import platform
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing.wishes import Row
from penstock.share import held_units, marks, shared_channels
from penstock.share.exchange import hang_up
from penstock.share.schema import LOCK_MEMBER
from penstock.share.usage import queue_figures

if TYPE_CHECKING:
    from penstock.share.facility import Facility

logger = logging.getLogger(__name__)

MEMBERS_MAX = 31
POLL_SECONDS = 0.25  # between looks at the other members
FIGURES_SECONDS = 1.0
FIGURES_SHARE = 20  # counting takes at most a part in this many of the time
EXPIRED_AT_ONCE = 100
FENCE_SECONDS = 5.0  # for sessions of an earlier life to end before they are ended
BEAT = "update member set heartbeat = now(), igq = %s where id = %s"


@dataclass(slots=True)
class Member:
    """One member as the facility knows it."""

    number: int
    name: str
    state: str
    incarnation: int
    heartbeat: float
    since: float
    host: str
    sessions: int


def key_of(member: int) -> int:
    """Return the second key of a member's lock."""
    return LOCK_MEMBER << 24 | member


def hold(connection: Any, space: int, member: int) -> None:
    """Show the group that this session is a member's."""
    connection.execute("select pg_advisory_lock_shared(%s, %s)", (space, key_of(member)))


def number_of(connection: Any, name: str) -> int:
    """Return a member's number. A new member gets one that nobody had, else that of one which has left.

    Its incarnation goes on counting: numbers of units and bodies are never used twice.
    """
    with connection.transaction():
        connection.execute("lock table member in share row exclusive mode")
        row = connection.execute("select id from member where name = %s", (name,)).fetchone()
        if row is not None:
            return int(row[0])
        free = connection.execute(
            "select i from generate_series(1, %s) i where not exists (select from member where id = i)"
            " order by i limit 1",
            (MEMBERS_MAX,),
        ).fetchone()
        if free is None:
            taken = connection.execute(
                "update member set name = %s, state = 'inactive' where id ="
                " (select min(id) from member where state = 'left') returning id",
                (name,),
            ).fetchone()
            if taken is not None:
                return int(taken[0])
            raise error(mq.MQRC_CF_STRUC_IN_USE, f"the group has {MEMBERS_MAX} members already")
        connection.execute(
            "insert into member values (%s, %s, 'inactive', 0, now(), now(), %s)",
            (free[0], name, platform.node()),
        )
        return int(free[0])


def fence(connection: Any, space: int, member: int, timeout: float) -> None:
    """Wait until no session of an earlier life is left; end those that stay."""
    end = time.monotonic() + min(FENCE_SECONDS, timeout)
    while not _try(connection, space, member):
        if time.monotonic() > end:
            _end_sessions(connection, space, member)
        time.sleep(0.02)


def _try(connection: Any, space: int, member: int) -> bool:
    row = connection.execute("select pg_try_advisory_lock(%s, %s)", (space, key_of(member))).fetchone()
    return bool(row[0])


def _end_sessions(connection: Any, space: int, member: int) -> None:
    connection.execute(
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = %s::oid"
        " and objid = %s::oid and database = (select oid from pg_database where datname = current_database())"
        " and granted and pid <> pg_backend_pid()",
        (space, key_of(member)),
    )


def rounds_of(connection: Any, member: int) -> list[tuple[int, list[int], list[int]]]:
    """Return the rounds of an earlier life whose outcomes are still there: number, failed units, places."""
    rows = connection.execute(
        "select unit, failed, seqs from outcome where member = %s and unit < 0 and state = 'C'", (member,)
    ).fetchall()
    return [(number, failed or [], seqs or []) for number, failed, seqs in rows]


def activate(connection: Any, member: int, space: int) -> int:
    """Begin a new life of a member whose lock is held exclusively; return its incarnation."""
    with connection.transaction():
        connection.execute("lock table era in exclusive mode")
        connection.execute(
            "insert into era select (extract(epoch from clock_timestamp()) * 1000000)::bigint"
            " where not exists (select from era)"
        )
        connection.execute(held_units.CLAIM_AGAIN)  # a new era has no claims
        connection.execute("select recover_1(%s::smallint)", (member,))
        connection.execute(
            "delete from outcome where member = %s and unit < 0", (member,)
        )  # rounds: resolved
        row = connection.execute(
            "update member set state = 'active', incarnation = incarnation + 1, heartbeat = now(),"
            " since = now(), host = %s, swept = 0 where id = %s returning incarnation",
            (platform.node(), member),
        ).fetchone()
    hold(connection, space, member)  # before the other lock goes: no peer may take this member for dead
    connection.execute("select pg_advisory_unlock(%s, %s)", (space, key_of(member)))
    return int(row[0])


def deactivate(connection: Any, member: int) -> None:
    """End the life of a member that stops cleanly."""
    with connection.transaction():
        connection.execute("select recover_1(%s::smallint)", (member,))
        connection.execute("update member set state = 'inactive', heartbeat = now() where id = %s", (member,))


def names_of(connection: Any) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the members, and of those that have intra-group queuing, dead ones among them."""
    rows = connection.execute("select name, igq from member where state <> 'left'").fetchall()
    return frozenset(name for name, _ in rows), frozenset(name for name, igq in rows if igq)


def listing(connection: Any, space: int) -> list[Member]:
    """Return the members and how many sessions each has."""
    rows = connection.execute(
        "select m.id, m.name, m.state, m.incarnation, extract(epoch from m.heartbeat)::float8,"
        " extract(epoch from m.since)::float8, m.host, (select count(*) from pg_locks l where"
        " l.locktype = 'advisory' and l.classid = %s::oid and l.objid = (%s | m.id)::oid and l.granted"
        " and l.database = (select oid from pg_database where datname = current_database()))"
        " from member m where m.state <> 'left' order by m.id",
        (space, LOCK_MEMBER << 24),
    ).fetchall()
    return [Member(*row) for row in rows]


class Watch(threading.Thread):
    """Looks after the group for one member."""

    def __init__(self, facility: Facility, connection: Any) -> None:
        super().__init__(name="penstock-members", daemon=True)
        self._facility = facility
        self._connection = connection
        self._ended = threading.Event()
        self._figures_at = 0.0

    def run(self) -> None:
        """Look at the group until the session ends."""
        try:
            while not self._ended.wait(POLL_SECONDS):
                self._look(time.monotonic())
        except (psycopg.Error, OSError, MQError) as failure:
            if not self._ended.is_set():
                self._facility.session_lost(failure)
        except Exception as failure:  # a thread's edge: the facility is begun anew
            logger.exception("watch_failed")
            self._facility.session_lost(failure)
        finally:
            self._connection.close()

    def _look(self, now: float) -> None:
        facility, connection = self._facility, self._connection
        connection.execute(BEAT, (facility.queues_inside, facility.member))
        self.recover_dead()
        if now >= self._figures_at:
            figures = queue_figures(connection, facility.member)
            took = time.monotonic() - now
            self._figures_at = now + max(FIGURES_SECONDS, took * FIGURES_SHARE)
            facility.figures = figures
            facility.names, facility.queuing = names_of(connection)
            facility.ended_units = held_units.outcomes(connection, facility.member)
            facility.counted(figures)
            facility.listed_channels(shared_channels.listing(connection))
            if self._is_first():
                connection.execute("select arm_1()")
                connection.execute(marks.EXPIRED)
                self._expire()

    def recover_dead(self) -> None:
        """Free the claims of members whose sessions are all gone, one peer at a time."""
        facility, connection = self._facility, self._connection
        slow = connection.execute(
            "select id from member where id <> %s and state = 'active'"
            " and heartbeat < now() - %s * interval '1 s'",
            (facility.member, facility.group.member_timeout),
        ).fetchall()
        for (member,) in slow:
            _end_sessions(connection, facility.lock_space, member)
        dead = connection.execute(
            "select id, name from member where id <> %s and state in ('active', 'recovering')"
            " and pg_try_advisory_lock(%s, %s | id)",
            (facility.member, facility.lock_space, LOCK_MEMBER << 24),
        ).fetchall()
        for member, name in dead:
            self._recover(member, name)

    def _recover(self, member: int, name: str) -> None:
        facility, connection = self._facility, self._connection
        group = facility.group.name
        facility.notices("CSQE011I", f"Recovery of failed member {name} of group {group} has begun.")
        try:
            with connection.transaction():
                queues = connection.execute(
                    "select distinct queue from claim where member = %s", (member,)
                ).fetchall()
                freed = connection.execute("select recover_1(%s::smallint)", (member,)).fetchone()[0]
                connection.execute("update member set state = 'failed' where id = %s", (member,))
        finally:
            connection.execute("select pg_advisory_unlock(%s, %s)", (facility.lock_space, key_of(member)))
        if queues:
            text = ",".join(str(queue) for (queue,) in queues)
            connection.execute("select pg_notify(%s, %s)", (facility.channel, f"q:{text}"))
        facility.notices(
            "CSQE012I",
            f"Recovery of failed member {name} of group {group} is complete, {freed} messages freed.",
        )

    def _is_first(self) -> bool:
        row = self._connection.execute("select min(id) from member where state = 'active'").fetchone()
        return bool(row[0] == self._facility.member)

    def _expire(self) -> None:
        while not self._ended.is_set():
            rows = self._connection.execute(
                "select * from expired_1(%s::smallint, %s, %s)",
                (self._facility.member, EXPIRED_AT_ONCE, time.time()),
            ).fetchall()
            if rows:
                self._facility.expired([Row(*row) for row in rows])
            if len(rows) < EXPIRED_AT_ONCE:
                return

    def close(self) -> None:
        """End the session."""
        self._ended.set()
        if self.is_alive():
            hang_up(self._connection)
        else:
            self._connection.close()
