"""Shared channels as the facility keeps them: who runs them, their synch records, batches in doubt.

A shared channel sends from a shared transmission queue, at one member at a time. Its batches are held units
of the group, so a peer finds them when it goes on; a batch is committed and its record written in one
transaction. Called by `host.group_channels`, `rounds` and `members`. It decides nothing about a batch.
Invariant: only the member that has the transmission queue exclusively runs a channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import SyncRecord
from penstock.qmgr.prepared import BATCH_PREFIX
from penstock.share.exchange import Statement

if TYPE_CHECKING:
    from penstock.qmgr.channels.batches import Batch
    from penstock.share.facility import Facility

LINK_BITS = 32  # of a LUWID: the number of a batch on its link; above it the number of the link
STOPPED, STARTING = "STOPPED", "STARTING"
SETTLE_BATCH = Statement(
    "settle_batch_1",
    *("smallint", "bigint", "text", "boolean", "text", "text", "bigint", "bigint"),
    rows=True,
)

TABLES = """
create sequence if not exists channel_link;
create table if not exists channel_sync(channel text, partner text, luwid bigint not null,
    seq bigint not null, incarnation text not null, primary key(channel, partner));
alter table channel_sync add column if not exists reset bigint not null default 0;
create table if not exists shared_channel(name text primary key, member smallint not null,
    state text not null, partner text not null, xmitq text not null, conname text not null,
    since float8 not null);

create or replace function settle_batch_1(v_member smallint, v_round bigint, v_xid text, v_commit boolean,
    v_channel text, v_partner text, v_luwid bigint, v_seq bigint)
    returns table(state text, queues int[], places bigint[]) language plpgsql as $$
#variable_conflict use_variable
begin
  if v_commit then
    select s.state, s.queues, s.places into state, queues, places
      from settle_2(v_member, v_round, v_xid, true, null) s;
    insert into channel_sync values (v_channel, v_partner, v_luwid, v_seq, '')
      on conflict (channel, partner) do update set luwid = excluded.luwid, seq = excluded.seq, reset = 0;
  else
    places := '{}'; state := 'done';
    queues := array(select distinct h.queue from held h where h.xid = v_xid);
    delete from claim c using held h where h.xid = v_xid and c.seq = h.seq and c.member = 0;
    delete from held h where h.xid = v_xid;
    delete from held_unit u where u.xid = v_xid;
  end if;
  return next;
end $$;
"""


@dataclass(frozen=True, slots=True)
class Known:
    """What a member has about a channel when it begins a link."""

    link: int  # a number above that of every earlier link: the first LUWID
    qmid: str  # of the group, as partners see it
    records: dict[str, SyncRecord]  # by partner
    in_doubt: list[Batch]


@dataclass(frozen=True, slots=True)
class SharedChannel:
    """One shared channel that is not inactive."""

    name: str
    member: int
    qmgr: str
    state: str
    partner: str
    xmitq: str
    conname: str


def take(facility: Facility, name: str, xmitq: str, conname: str, *, forced: bool) -> Known:
    """Begin a link of a channel whose transmission queue this member has; refused if it is stopped."""
    ((state,),) = facility.execute(
        "insert into shared_channel values (%s, %s, %s, '', %s, %s, extract(epoch from clock_timestamp()))"
        " on conflict (name) do update set member = case when shared_channel.state = 'STOPPED' and not %s"
        " then shared_channel.member else excluded.member end, state = case when shared_channel.state ="
        " 'STOPPED' and not %s then 'STOPPED' else excluded.state end, conname = excluded.conname"
        " returning state",
        (name, facility.member, STARTING, xmitq, conname, forced, forced),
    )
    if state == STOPPED:
        raise error(mq.MQRC_CHANNEL_NOT_AVAILABLE, f"shared channel {name} is stopped", channel=name)
    ((link, space),) = facility.execute("select nextval('channel_link'), lock_space from grp")
    found = facility.execute(
        "select partner, luwid, seq, incarnation, reset from channel_sync where channel = %s", (name,)
    )
    records = {partner: SyncRecord(*values) for partner, *values in found}
    return Known(link << LINK_BITS, f"{facility.group.name}_{space:010d}_0", records, doubt(facility, name))


def doubt(facility: Facility, name: str) -> list[Batch]:
    """Return the batches of a channel that are in doubt, oldest first."""
    rows = facility.execute("select xid from held_unit where xid like %s", (f"{BATCH_PREFIX}%:{name}:%",))
    found = [batch for (xid,) in rows if (batch := batches.batch_of(xid)) is not None]
    return sorted((each for each in found if each.channel == name), key=lambda batch: batch.luwid)


def keep_partner(facility: Facility, name: str, partner: str, incarnation: str) -> None:
    """Keep the identity of the receiving end, which has applied a reset by now."""
    facility.execute(
        "insert into channel_sync values (%s, %s, 0, 0, %s)"
        " on conflict (channel, partner) do update set incarnation = excluded.incarnation, reset = 0",
        (name, partner, incarnation),
    )


def reset(facility: Facility, name: str, number: int) -> None:
    """Have the next message of a channel numbered so, at both ends from its next start."""
    changed = facility.execute(
        "update channel_sync set seq = %s, reset = %s where channel = %s returning partner",
        (number - 1, number, name),
    )
    if not changed and number != 1:
        detail = f"{name} has not run yet: its numbers begin with 1"
        raise error(mq.PSRC_CHANNEL_REFUSED, detail, channel=name)


def note(facility: Facility, name: str, state: str, partner: str) -> None:
    """Keep the state of a channel that runs here; a blank one is inactive."""
    if state:
        facility.execute(
            "update shared_channel set state = %s, partner = %s where name = %s and member = %s"
            " and state <> 'STOPPED'",
            (state, partner, name, facility.member),
        )
    else:
        facility.execute(
            "delete from shared_channel where name = %s and member = %s and state <> 'STOPPED'",
            (name, facility.member),
        )


def hold(facility: Facility, name: str) -> None:
    """Keep that a channel is stopped at every member."""
    facility.execute(
        "insert into shared_channel values (%s, 0, 'STOPPED', '', '', '', 0)"
        " on conflict (name) do update set state = 'STOPPED'",
        (name,),
    )


def is_stopped(facility: Facility, name: str) -> bool:
    """Return whether a channel is stopped for the group."""
    return facility.execute("select state from shared_channel where name = %s", (name,)) == [(STOPPED,)]


def listing(connection: Any) -> list[SharedChannel]:
    """Return the channels that are not inactive; of member 0 are those whose member has died."""
    rows = connection.execute(
        "select c.name, c.member, coalesce(m.name, ''), c.state, c.partner, c.xmitq, c.conname"
        " from shared_channel c left join member m on m.id = c.member order by c.name"
    ).fetchall()
    return [SharedChannel(*row) for row in rows]
