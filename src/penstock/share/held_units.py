"""Units that the group holds for outside coordinators: tables, functions, and how a round records their end.

What a held unit got stays claimed, by member 0, which no peer ever recovers; what it put is in a table of its
own, with whole bodies. All of it is logged, so it survives every member and a crash of PostgreSQL: the claims
are made again with the new era. Called by `rounds`, `schema` and `host.sharing`.
Invariant: a message of a held unit is claimed by member 0 until the unit has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.sharing.wishes import Commit, Put, Row
from penstock.share.exchange import Statement

if TYPE_CHECKING:
    from penstock.share.facility import Facility
    from penstock.share.message_journal import MessageJournal

HOLD = Statement(
    "hold_2",
    *("smallint", "text", "text", "float8", "bigint", "int[]", "smallint[]", "bigint[]", "boolean[]"),
    *("int[]", "smallint[]", "boolean[]", "bytea[]", "float8[]", "bytea[]", "bytea[]"),
)
SETTLE = Statement("settle_2", "smallint", "bigint", "text", "boolean", "text", rows=True)

TABLES = """
create table if not exists held_unit(xid text primary key, member smallint not null, usr text not null,
    started float8 not null);
alter table held_unit add column if not exists outcome bigint not null default 0;
create table if not exists held(xid text not null, queue int not null, lane smallint not null,
    seq bigint primary key, lasting boolean not null);
create index if not exists held_xid on held(xid);
create table if not exists kept(xid text, place int, queue int not null, lane smallint not null,
    lasting boolean not null, key bytea, expires_at float8, head bytea not null, body bytea not null,
    primary key(xid, place));

create or replace function hold_2(v_member smallint, v_xid text, v_user text, v_started float8,
    v_outcome bigint,
    g_queue int[], g_lane smallint[], g_seq bigint[], g_lasting boolean[],
    i_queue int[], i_lane smallint[], i_lasting boolean[], i_key bytea[], i_expires float8[],
    i_head bytea[], i_body bytea[]) returns text language plpgsql as $$
begin
  if exists (select from unnest(g_seq) as u(seq)
      where not exists (select from claim c where c.seq = u.seq and c.member = v_member)) then
    return 'lost';
  end if;
  insert into held_unit values (v_xid, v_member, v_user, v_started, v_outcome) on conflict do nothing;
  if not found then return 'exists'; end if;
  insert into held select v_xid, * from unnest(g_queue, g_lane, g_seq, g_lasting);
  insert into kept select v_xid, o, queue, lane, lasting, key, expires, head, body
    from unnest(i_queue, i_lane, i_lasting, i_key, i_expires, i_head, i_body)
      with ordinality as y(queue, lane, lasting, key, expires, head, body, o);
  update claim set member = 0 where seq = any(g_seq) and member = v_member;
  return 'held';
end $$;

create or replace function settle_2(v_member smallint, v_round bigint, v_xid text, v_commit boolean,
    v_user text) returns table(state text, queues int[], places bigint[], private bigint)
    language plpgsql as $$
#variable_conflict use_column
declare found_unit held_unit; drawn bigint[];
begin
  queues := '{}'; places := '{}'; state := 'unknown'; private := 0;
  select * into found_unit from held_unit where xid = v_xid for update;
  if not found then return next; return; end if;
  state := 'denied';
  if v_user is not null and found_unit.usr <> v_user then return next; return; end if;
  if found_unit.outcome > 0 then
    insert into outcome values (found_unit.member, found_unit.outcome,
      case when v_commit then 'C' else 'B' end);
    if found_unit.member = v_member then private := found_unit.outcome; end if;
  end if;
  if v_commit then
    queues := array(select distinct k.queue from kept k where k.xid = v_xid);
    drawn := array(select nextval('place') from kept k where k.xid = v_xid);
    insert into outcome values (v_member, v_round, 'C', '{}', drawn);
    with gone as (delete from p using held h where h.xid = v_xid and p.queue = h.queue and p.lane = h.lane
        and p.seq = h.seq returning p.place, p.seq, p.body)
      insert into released select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from gone
        where place > 0;
    with gone as (delete from n using held h where h.xid = v_xid and n.queue = h.queue and n.lane = h.lane
        and n.seq = h.seq returning n.place, n.seq, n.body)
      insert into released select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from gone
        where place > 0;
    insert into p select k.queue, k.lane, drawn[k.place], k.key, k.expires_at, 0, 0, k.head, k.body
      from kept k where k.xid = v_xid and k.lasting;
    insert into n select k.queue, k.lane, drawn[k.place], k.key, k.expires_at, 0, 0, k.head, k.body
      from kept k where k.xid = v_xid and not k.lasting;
    places := drawn;
  else
    queues := array(select distinct h.queue from held h where h.xid = v_xid);
    update p set backouts = least(p.backouts + 1, 32767) from held h where h.xid = v_xid
      and p.queue = h.queue and p.lane = h.lane and p.seq = h.seq;
    update n set backouts = least(n.backouts + 1, 32767) from held h where h.xid = v_xid
      and n.queue = h.queue and n.lane = h.lane and n.seq = h.seq;
  end if;
  delete from claim c using held h where h.xid = v_xid and c.seq = h.seq and c.member = 0;
  delete from held h where h.xid = v_xid;
  delete from kept k where k.xid = v_xid;
  delete from held_unit u where u.xid = v_xid;
  state := 'done';
  return next;
end $$;
"""

CLAIM_AGAIN = """insert into claim select h.seq, h.queue, h.lane, 0, h.lasting from held h
    where exists (select from p where p.queue = h.queue and p.lane = h.lane and p.seq = h.seq)
      or exists (select from n where n.queue = h.queue and n.lane = h.lane and n.seq = h.seq)
    on conflict do nothing"""
IN_DOUBT = "select outcome from held_unit where member = %s and outcome > 0"
LISTING = """select u.xid, m.name, u.usr, u.started, u.outcome,
    (select count(*) from kept k where k.xid = u.xid),
    (select count(*) from held h where h.xid = u.xid), array(select distinct q.name from queue q where q.id in
      (select queue from kept k where k.xid = u.xid union select queue from held h where h.xid = u.xid)
      order by q.name)
  from held_unit u left join member m on m.id = u.member order by u.started"""
GOT = """select p.queue, p.lane, p.seq, h.lasting, p.expires_at, p.place, p.backouts, p.head, ''::bytea
    from held h join p on p.queue = h.queue and p.lane = h.lane and p.seq = h.seq where h.xid = %s"""
PUT = """select k.queue, q.structure, k.lane, k.lasting, k.key, k.expires_at, k.head, k.body
    from kept k join queue q on q.id = k.queue where k.xid = %s order by k.place"""


def listing(facility: Facility) -> list[dict[str, Any]]:
    """Return the held units, as `qm.prepared()` shows them."""
    names = ("xid", "member", "user", "started", "outcome", "puts", "gets", "queues")
    return [dict(zip(names, row, strict=True)) for row in facility.execute(LISTING)]


def outcomes(connection: Any, member: int) -> dict[int, str]:
    """Return the outcomes of a member's units that have a private half."""
    statement = "select unit, state from outcome where member = %s and unit > 0"
    return dict(connection.execute(statement, (member,)).fetchall())


def recorded(facility: Facility, number: int, xid: str) -> MessageJournal | None:
    """Record what the commit of a held unit will do; return where, None if nothing of it is recorded."""
    journal = facility.journal
    if journal is None or not journal.structures:
        return None
    unit: Any = None
    commit = Commit(unit, [], [], 0, unit)
    commit.gets = [Row(*row) for row in facility.execute(GOT, (xid,))]
    commit.puts = [Put(*row) for row in facility.execute(PUT, (xid,))]
    return journal if journal.started(number, [commit]) else None
