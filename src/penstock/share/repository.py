"""The definitions that a group keeps for its members: structures, shared queues, group objects.

One table of objects with a generation that each change raises, one of structures and one of data sets with
their states. Called by `host.group_commands` and by `bodies`; every statement about definitions is here. It
installs nothing in an engine. Invariant: a member that sees the same generation again has missed nothing.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.share.facility import Facility

ACTIVE, FAILED, INRECOVER = "ACTIVE", "FAILED", "INRECOVER"
OBJECTS_WAKE = "objects"
TABLES = """
create sequence if not exists object_generation;
create table if not exists object(space text not null, kind text not null, name text not null,
    disposition text not null, attributes jsonb not null, generation bigint not null,
    created float8 not null, altered float8 not null, primary key(space, name));
create table if not exists structure(id smallint generated always as identity, name text primary key,
    state text not null default 'ACTIVE', failed_at float8, recovered_at float8);
create table if not exists smds(structure text not null, member text not null, status text not null,
    access text not null default 'ENABLED', dsbufs text not null default 'DEFAULT',
    dsexpand text not null default 'DEFAULT', recovered_at float8, failed_at float8,
    primary key(structure, member));
create table if not exists body(member smallint, incarnation bigint, number bigint, data bytea not null,
    primary key(member, incarnation, number));
alter table structure add column if not exists turn bigint not null default 0;
alter table structure add column if not exists recoverer smallint;
alter table structure add column if not exists rebuild boolean not null default false;
alter table body alter column data set storage external;
"""
FAILED_AT = """case when state <> 'ACTIVE' and failed_at > coalesce(recovered_at, 0)
    then failed_at else %s end"""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One definition as the facility has it."""

    kind: str
    name: str
    disposition: str
    attributes: Mapping[str, Any]
    generation: int
    created: float
    altered: float


@dataclass(slots=True)
class StructureState:
    """One structure as the facility has it."""

    number: int
    name: str
    state: str
    failed_at: float | None
    recovered_at: float | None
    rebuild: bool  # messages may be missing, not only bodies


@dataclass(slots=True)
class DataSetState:
    """One data set as the facility has it."""

    structure: str
    member: str
    status: str
    access: str
    buffers: str
    expand: str
    recovered_at: float | None
    failed_at: float | None


def space_of(kind: str) -> str:
    """Return where names of a kind must differ."""
    return "QUEUE" if kind in ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL") else kind


class Repository:
    """The definitions of one group."""

    def __init__(self, facility: Facility) -> None:
        self._facility = facility

    def store(self, kind: str, name: str, disposition: str, attributes: Mapping[str, Any], new: bool) -> None:
        """Keep a definition and wake the members; 2100 if it is to be new and exists."""
        now = time.time()
        values = (space_of(kind), kind, name, disposition, json.dumps(dict(attributes)), now, now)
        conflict = (
            "nothing"
            if new
            else "update set kind = excluded.kind, disposition = excluded.disposition,"
            " attributes = excluded.attributes, generation = excluded.generation, altered = excluded.altered"
        )
        if kind == "CFSTRUCT":  # first: members look for the row of every structure whose definition they see
            self._facility.execute("insert into structure(name) values (%s) on conflict do nothing", (name,))
        rows = self._facility.execute(
            "insert into object(space, kind, name, disposition, attributes, generation, created, altered)"
            " values (%s, %s, %s, %s, %s, nextval('object_generation'), %s, %s)"
            f" on conflict (space, name) do {conflict} returning generation",
            values,
        )
        if not rows:
            raise error(mq.MQRC_OBJECT_ALREADY_EXISTS, f"the group has {name} already", object=name)
        self._facility.notify(OBJECTS_WAKE, str(rows[0][0]))

    def remove(self, kind: str, name: str) -> None:
        """Remove a definition and wake the members."""
        self._facility.execute("delete from object where space = %s and name = %s", (space_of(kind), name))
        if kind == "CFSTRUCT":
            self._facility.execute("delete from structure where name = %s", (name,))
            self._facility.execute("delete from smds where structure = %s", (name,))
            self._facility.execute("delete from backup where structure = %s", (name,))
        self._facility.notify(OBJECTS_WAKE, "")

    def all(self) -> list[StoredObject]:
        """Return every definition; structures before the queues that name them."""
        rows = self._facility.execute(
            "select kind, name, disposition, attributes, generation, created, altered from object"
            " order by kind <> 'CFSTRUCT', generation"
        )
        return [StoredObject(*row) for row in rows]

    def generation(self) -> tuple[int, int, int]:
        """Return what differs after every change; only what is committed counts, in any order of commits."""
        rows = self._facility.execute(
            "select coalesce(max(generation), 0), count(*), coalesce(sum(generation), 0) from object"
        )
        return int(rows[0][0]), int(rows[0][1]), int(rows[0][2])

    def find(self, kind: str, name: str) -> StoredObject | None:
        """Return one definition."""
        rows = self._facility.execute(
            "select kind, name, disposition, attributes, generation, created, altered from object"
            " where space = %s and name = %s",
            (space_of(kind), name),
        )
        return StoredObject(*rows[0]) if rows else None

    def queue_use(self, name: str) -> tuple[int, int]:
        """Return how many messages a shared queue holds and how many members have it open."""
        rows = self._facility.execute(
            "select (select count(*) from p where queue = q.id)"
            " + (select count(*) from n where queue = q.id),"
            " (select count(*) from opened o where o.queue = q.id and inputs + outputs > 0)"
            " from queue q where q.name = %s",
            (name,),
        )
        return (int(rows[0][0]), int(rows[0][1])) if rows else (0, 0)

    def is_claimed(self, queue: int) -> bool:
        """Return whether a unit of any member holds messages of a shared queue."""
        rows = self._facility.execute(
            "select exists (select from claim where queue = %s)"
            " or exists (select from kept where queue = %s)",
            (queue, queue),
        )
        return bool(rows[0][0])

    # -- structures and data sets --------------------------------------------------------------

    def structures(self) -> dict[str, StructureState]:
        """Return the structures with their states."""
        rows = self._facility.execute(
            "select id, name, state, failed_at, recovered_at, rebuild from structure"
        )
        return {row[1]: StructureState(*row) for row in rows}

    def set_structure(self, name: str, state: str, rebuild: bool = False) -> None:
        """Change the state of a structure for all members. A recovery that fails is no new failure."""
        change = f"failed_at = {FAILED_AT}" if state == FAILED else "recovered_at = %s"
        self._facility.execute(
            f"update structure set state = %s, {change},"
            " rebuild = (rebuild or %s) and %s <> 'ACTIVE' where name = %s"
            " and (state <> 'INRECOVER' or recoverer = %s)",  # only who recovers it ends that
            (state, time.time(), rebuild, state, name, self._facility.member),
        )
        self._facility.notify(OBJECTS_WAKE, "")

    def data_sets(self) -> list[DataSetState]:
        """Return the data sets of all members."""
        rows = self._facility.execute(
            "select structure, member, status, access, dsbufs, dsexpand, recovered_at, failed_at from smds"
            " order by structure, member"
        )
        return [DataSetState(*row) for row in rows]

    def set_data_set(self, structure: str, member: str, **changes: Any) -> None:
        """Change the state of a data set, and make its row if there is none."""
        self._facility.execute(
            "insert into smds(structure, member, status) values (%s, %s, 'NEW') on conflict do nothing",
            (structure, member),
        )
        for column, value in changes.items():
            self._facility.execute(
                f"update smds set {column} = %s where structure = %s and member = %s",
                (value, structure, member),
            )
