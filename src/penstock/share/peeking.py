"""Looking at the messages of a shared queue without any effect: what is claimed and what has expired too.

A browse passes by what units hold; here are all rows, with the member that holds them. Called by `host` for
`qm.peek`. It only selects, on a connection of its own, so no round waits for it.
Invariant: what an answer holds is bounded, also while bodies outside their rows are read for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model.peeked import FREE, UNREADABLE
from penstock.qmgr.sharing.wishes import Row
from penstock.store.body_reference import decode_reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.share.facility import Facility

PLACE_MAX = (1 << 63) - 1
READ_BYTES_MAX = 32 << 20  # of bodies outside their rows, for one answer: they are read whole


@dataclass(slots=True)
class Seen:
    """A message as it is in the facility; its row's body may be cut."""

    row: Row
    length: int  # of the whole body
    holder: str  # as in `Peeked`


@dataclass(frozen=True)
class Wanted:
    """What to look at: so many messages behind a place, or before it, and how much of their bodies."""

    queue: int
    lane: int
    seq: int
    count: int
    body_bytes: int  # of one message
    answer_bytes: int  # of all bodies together; one message in any case
    backwards: bool


def look(facility: Facility, wanted: Wanted) -> list[Seen]:
    """Return messages of a shared queue in delivery order, or backwards; 2345 without the facility."""
    place = (wanted.queue, wanted.lane, max(0, min(wanted.seq, PLACE_MAX)), wanted.count)
    sizes = (wanted.count, wanted.body_bytes, wanted.body_bytes, wanted.answer_bytes)
    found = facility.execute(_statement(wanted.backwards), (*place, *place, *sizes))
    return list(_with_bodies(facility, wanted, found))


def _statement(backwards: bool) -> str:
    order, behind = ("desc", "<") if backwards else ("asc", ">")
    some = " union all ".join(
        f"(select lane, seq, {lasting} as lasting, expires_at, place, backouts, head, body from {table}"
        f" where queue = %s and (lane, seq) {behind} (%s, %s) order by lane {order}, seq {order} limit %s)"
        for table, lasting in (("p", "true"), ("n", "false"))
    )
    return (
        f"with x as (select * from ({some}) m order by lane {order}, seq {order} limit %s),"
        " y as (select *, row_number() over w as number,"
        " sum(case place when 0 then least(octet_length(body), %s) else 0 end) over w as size"
        f" from x window w as (order by lane {order}, seq {order}))"
        " select y.lane, y.seq, y.lasting, expires_at, place, backouts, head,"
        " case place when 0 then substring(body from 1 for %s) else body end, octet_length(body), member.name"
        " from y left join claim c on c.seq = y.seq left join member on member.id = c.member"
        f" where number = 1 or size <= %s order by y.lane {order}, y.seq {order}"
    )


def _with_bodies(facility: Facility, wanted: Wanted, found: list[tuple[Any, ...]]) -> Iterator[Seen]:
    """Yield rows with the bodies that are elsewhere, until enough was read; others come next."""
    size = read = 0
    for *values, length, member in found:
        seen = Seen(Row(wanted.queue, *values), length, f"member {member}" if member else FREE)
        if seen.row.place:
            _measure(seen)
            size += min(seen.length, wanted.body_bytes)
            read += seen.length if wanted.body_bytes else 0
            if read > seen.length and (size > wanted.answer_bytes or read > READ_BYTES_MAX):
                return
            _read(facility, seen, wanted.body_bytes)
        yield seen


def _measure(seen: Seen) -> None:
    try:
        seen.length = decode_reference(seen.row.body).length
    except ValueError as damage:
        seen.length, seen.holder = 0, seen.holder or f"{UNREADABLE}: {damage}"


def _read(facility: Facility, seen: Seen, body_bytes: int) -> None:
    """Replace a reference by as much of the body as is wanted."""
    row = seen.row
    if not (body_bytes and seen.length and facility.bodies is not None):
        row.body = b""
        return
    facility.bodies.load([row])
    if row.failure is not None:
        seen.holder = seen.holder or f"{UNREADABLE}: {row.failure}"
    row.body = b"" if row.failure is not None else row.body[:body_bytes]
