"""Marks of cooperating browsers on shared queues: for the whole group, until MARKINT is over.

A mark is a row of an unlogged table: it goes with its member, with the handle that made it, with a backout of
its message, and with a crash of PostgreSQL. Called by `rounds`, `schema` and `members`.
Invariant: a message has the mark of one handle at a time, whichever member it is at.
"""

from __future__ import annotations

from penstock.share.exchange import Statement

LOOK_UNMARKED = Statement("look_unmarked_1", "int", "smallint", "bigint", "int", "float8", rows=True)
MARK = Statement("mark_1", "smallint", "int", "bigint", "int", "float8")
UNMARK = Statement("unmark_1", "smallint", "int", "bigint[]")

EXPIRED = "delete from mark where until <= clock_timestamp()"


def _unmarked(table: str) -> str:
    lasting = "true" if table == "p" else "false"
    return f"""(select lane, seq, {lasting} as lasting, expires_at, place, backouts, head, body from {table}
      where queue = v_queue and (lane, seq) > (v_lane, v_seq)
      and not exists (select from claim c where c.seq = {table}.seq)
      and not exists (select from mark k where k.queue = v_queue and k.seq = {table}.seq
        and k.until > clock_timestamp())
      and (expires_at is null or expires_at > v_now) order by lane, seq limit v_count)"""


TABLES = f"""
create or replace function look_unmarked_1(v_queue int, v_lane smallint, v_seq bigint, v_count int,
  v_now float8)
returns table(lane smallint, seq bigint, lasting boolean, expires_at float8, place smallint,
  backouts smallint, head bytea, body bytea) language sql volatile as $$
  select * from ({_unmarked("p")} union all {_unmarked("n")}) x order by lane, seq limit v_count
$$;

create or replace function mark_1(v_member smallint, v_queue int, v_seq bigint, v_on int, v_seconds float8)
returns boolean language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  if v_on = 2 then
    return not exists (select from mark where queue = v_queue and seq = v_seq and until > clock_timestamp());
  end if;
  if v_on = 0 then
    delete from mark where queue = v_queue and seq = v_seq;
    return true;
  end if;
  insert into mark values (v_queue, v_seq, v_member, case when v_seconds = 'infinity'
      then 'infinity'::timestamptz else clock_timestamp() + v_seconds * interval '1 s' end)
    on conflict (queue, seq) do update set member = excluded.member, until = excluded.until
      where mark.until <= clock_timestamp();
  return found;
end $$;

create or replace function unmark_1(v_member smallint, v_queue int, v_seqs bigint[]) returns void
language sql as $$
  delete from mark where queue = v_queue and seq = any(v_seqs) and member = v_member
$$;
"""
