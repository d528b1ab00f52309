"""Displays of a group: members, structures, data sets and their use, as rows.

Reads the facility and what this member has open; decides nothing. Called by `host.group_commands` for
DISPLAY GROUP, CFSTATUS, SMDS, SMDSCONN and USAGE, and by `penstock qsg status`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from penstock.model import status
from penstock.qmgr.sharing import offload_rules, structures
from penstock.share.repository import ACTIVE, FAILED
from penstock.store.body_reference import IN_DATA_SET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.model.status import Row
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility
    from penstock.share.repository import Repository

MEGABYTE = 1 << 20
PLACES = """select q.structure, array_agg(distinct m.place) from queue q
    join (select queue, place from p where place > 0 union all select queue, place from n where place > 0) m
    on m.queue = q.id group by q.structure"""
OFFLOADED = f"""select q.structure, count(*) from queue q
    join (select queue, body from p where place = {IN_DATA_SET} union all
          select queue, body from n where place = {IN_DATA_SET}) m on m.queue = q.id
    where get_byte(m.body, 1) + 256 * get_byte(m.body, 2) = %s group by q.structure"""
BACKUPS = """select s.name, s.state, s.failed_at,
    exists (select from backup b where b.structure = s.name and b.state = 'ACTIVE'),
    b.member, b.ended, b.bytes, b.turn,
    (select string_agg(distinct g.member, ',') from segment g where g.turn >= b.turn)
    from structure s left join lateral (select * from backup b where b.structure = s.name
      and b.ended is not null order by b.turn desc limit 1) b on true order by s.name"""
NAMES = {1: "DB2", 2: "SMDS", 3: "OBJECT"}


class Source(Protocol):
    """Where the figures come from: a member's group."""

    facility: Facility
    repository: Repository
    bodies: Bodies

    def attributes_of(self, structure: str) -> Mapping[str, Value] | None:
        """Return the attributes of a structure."""


def rows(source: Source, what: str) -> Sequence[Row]:
    """Return the rows of one display."""
    return _MAKERS[what](source)


def day(moment: float | None) -> str:
    """Return a date as displays show it; blank if there is none."""
    return time.strftime("%Y-%m-%d", time.localtime(moment)) if moment else ""


def clock(moment: float | None) -> str:
    """Return a time of day as displays show it; blank if there is none."""
    return time.strftime("%H.%M.%S", time.localtime(moment)) if moment else ""


def _group(source: Source) -> list[Row]:
    return [
        status.GroupMemberStatus(
            group=source.facility.group.name,
            qmname=each.name,
            status=each.state.upper(),
            qmnum=each.number,
            sysname=each.host,
            incarn=each.incarnation,
            since=f"{day(each.since)} {clock(each.since)}",
        )
        for each in source.facility.members()
    ]


def _summary(source: Source) -> list[Row]:
    places = dict(source.facility.execute(PLACES))
    figures = source.facility.structure_figures()
    found: list[Row] = []
    for state in sorted(source.repository.structures().values(), key=lambda each: each.name):
        values = source.attributes_of(state.name)
        if values is None:
            continue
        size, counted = structures.size_of(values), figures.get(state.name)
        found.append(
            status.StructureStatus(
                cfstatus=state.name,
                status=state.state,
                offlduse=offload_use(str(values["OFFLOAD"]), places.get(state.name, [])),
                sizemax=size >> 10,
                sizeused=int(source.bodies.percent(state.name, values)),
                entsmax=offload_rules.entries_max(size),
                entsused=counted.messages if counted is not None else 0,
                failtime=clock(state.failed_at) if state.state == "FAILED" else "",
                faildate=day(state.failed_at) if state.state == "FAILED" else "",
            )
        )
    return found


def offload_use(choice: str, places: Sequence[int]) -> str:
    """Return OFFLDUSE: where offloaded bodies go, BOTH while some are elsewhere.

    >>> offload_use("SMDS", [1, 2]), offload_use("SMDS", []), offload_use("DB2", [2])
    ('BOTH', 'SMDS', 'BOTH')
    """
    kinds = {NAMES[place] for place in places} | ({choice} if choice != "NONE" else set())
    return "NONE" if not kinds else next(iter(kinds)) if len(kinds) == 1 else "BOTH"


def _connections(source: Source) -> list[Row]:
    members = source.facility.members()
    return [
        status.StructureConnectionStatus(
            cfstatus=name,
            qmname=each.name,
            sysname=each.host,
            status=each.state.upper(),
            failtime=clock(each.heartbeat) if each.state == "failed" else "",
            faildate=day(each.heartbeat) if each.state == "failed" else "",
        )
        for name in sorted(source.repository.structures())
        for each in members
    ]


def _backups(source: Source) -> list[Row]:
    """Show the last complete backup of each structure that can have one, and when it ended."""
    found: list[Row] = []
    for name, state, failed_at, running, member, ended, size, turn, logs in source.facility.execute(BACKUPS):
        values = source.attributes_of(name)
        if values is None or values["RECOVER"] != "YES":
            continue
        is_failed = state == FAILED
        backup = status.StructureBackupStatus(
            cfstatus=name,
            status=state if state != ACTIVE else "INBACKUP" if running else ACTIVE if member else "NONE",
            failtime=clock(failed_at) if is_failed else "",
            faildate=day(failed_at) if is_failed else "",
        )
        if member:
            backup.qmname, backup.logs = member, logs or ""
            backup.bkuptime, backup.bkupdate = clock(ended), day(ended)
            backup.bkupsize, backup.bkupsrba = -(-size // MEGABYTE), f"{turn:012X}"
        found.append(backup)
    return found


def _data_sets(source: Source) -> list[Row]:
    return [
        status.StructureDataSetStatus(
            cfstatus=each.structure,
            smds=each.member,
            status=each.status,
            access=each.access,
            rcvtime=clock(each.recovered_at),
            rcvdate=day(each.recovered_at),
            failtime=clock(each.failed_at),
            faildate=day(each.failed_at),
        )
        for each in source.repository.data_sets()
    ]


def _settings(source: Source) -> list[Row]:
    return [
        status.DataSetSettings(
            smds=each.member, cfstruct=each.structure, dsbufs=each.buffers, dsexpand=each.expand
        )
        for each in source.repository.data_sets()
    ]


def _data_set_connections(source: Source) -> list[Row]:
    return [_connection(source, each) for each in source.repository.data_sets()]


def _connection(source: Source, each: Any) -> Row:
    data_sets = source.bodies.data_sets(each.structure)
    is_own = each.member == source.facility.name
    opened = data_sets is not None and (data_sets.own is not None if is_own else data_sets.reads(each.member))
    own = data_sets.own if data_sets is not None and is_own else None
    stopped = data_sets is not None and each.member in data_sets.stopped
    suspended = data_sets is not None and each.member in data_sets.is_suspended
    return status.DataSetConnectionStatus(
        smdsconn=each.member,
        cfstruct=each.structure,
        openmode=("UPDATE" if is_own else "READONLY") if opened else "NONE",
        status="NOTENABLED" if each.access != "ENABLED" else "OPEN" if opened else "CLOSED",
        avail="STOPPED" if stopped else "ERROR" if suspended else "NORMAL",
        expandst=own.expansion.status if own is not None else "NORMAL",
    )


def _usage(source: Source) -> list[Row]:
    counts = dict(source.facility.execute(OFFLOADED, (source.facility.member,)))
    found: list[Row] = []
    for name in sorted(source.repository.structures()):
        data_sets = source.bodies.data_sets(name)
        if data_sets is None or data_sets.own is None:
            continue
        space, buffers = data_sets.own.map, data_sets.buffers
        blocks = space.pages // space.block_pages
        used = space.blocks_used - 1  # without the first block, which has the header and no data
        found.append(
            status.DataSetUsage(
                cfstruct=name,
                offloaded=counts.get(name, 0),
                blocks=blocks,
                datablocks=blocks - 1,
                usedblocks=used,
                usedpart=used * 100 // (blocks - 1),
                blocksize=str(data_sets.values["DSBLOCK"]),
                buffers=buffers.buffers,
                inuse=buffers.in_use,
                saved=buffers.saved,
                empty=max(buffers.buffers - buffers.in_use - buffers.saved, 0),
                readssaved=buffers.reads_saved_percent,
                lowestfree=buffers.lowest_free,
            )
        )
    return found


_MAKERS = {
    "GROUP": _group,
    "CFSTATUS SUMMARY": _summary,
    "CFSTATUS CONNECT": _connections,
    "CFSTATUS BACKUP": _backups,
    "CFSTATUS SMDS": _data_sets,
    "SMDS": _settings,
    "SMDSCONN": _data_set_connections,
    "USAGE": _usage,
}
