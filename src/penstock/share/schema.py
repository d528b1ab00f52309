"""The schema of a group: tables, functions and their version.

Every statement that changes messages is a function here, so that a step of a round is one call. Called by
`facility` (a member that starts makes what is missing, under a lock) and by `penstock qsg`. Not here: when a
function is called (`rounds`, `members`). Invariants: rows of messages are inserted and deleted, never updated
but for a backout count; claims, registrations and the era are unlogged, so they vanish together in a crash.
"""

from __future__ import annotations

import hashlib
from typing import Any

from penstock.share import (
    backup_catalogue,
    connection_tags,
    held_units,
    marks,
    member_commands,
    repository,
    shared_channels,
)

VERSION = 1
LOCK_SCHEMA, LOCK_CLAIM, LOCK_MEMBER = 1, 2, 3  # kinds of advisory locks: kind << 24 | id

PARTS = [
    repository.TABLES,
    backup_catalogue.TABLES,
    member_commands.TABLES,
    held_units.TABLES,
    marks.TABLES,
    connection_tags.TABLES,
    shared_channels.TABLES,
]  # further tables, of their own modules

TABLES = """
create table if not exists grp(version int not null, name text not null, lock_space int not null,
    created timestamptz not null default now());
create table if not exists layout(digest text primary key);
create table if not exists member(id smallint primary key, name text not null unique, state text not null,
    incarnation int not null, heartbeat timestamptz not null, since timestamptz not null, host text not null);
alter table member add column if not exists turn bigint not null default 0;
alter table member add column if not exists igq boolean not null default false;
alter table member add column if not exists swept int not null default 0;
create table if not exists queue(id int generated always as identity primary key, name text not null unique,
    structure text not null, armed boolean not null default true);
alter table queue add column if not exists fired float8;
create sequence if not exists place cache 1;
create table if not exists outcome(member smallint, unit bigint, state char(1) not null, failed int[],
    primary key(member, unit));
alter table outcome add column if not exists seqs bigint[];
create table if not exists p(queue int, lane smallint, seq bigint, key bytea, expires_at float8,
    place smallint not null, backouts smallint not null, head bytea not null, body bytea not null,
    primary key(queue, lane, seq));
create unlogged table if not exists n(like p including all);
create index if not exists p_key on p(queue, key, lane, seq) where key is not null;
create index if not exists n_key on n(queue, key, lane, seq) where key is not null;
create index if not exists p_expiry on p(expires_at) where expires_at is not null;
create index if not exists n_expiry on n(expires_at) where expires_at is not null;
create unlogged table if not exists claim(seq bigint primary key, queue int not null, lane smallint not null,
    member smallint not null, lasting boolean not null);
create index if not exists claim_member on claim(member);
create unlogged table if not exists era(id bigint not null);
create unlogged table if not exists opened(queue int, member smallint, inputs int not null,
    outputs int not null, exclusive boolean not null, primary key(queue, member));
create unlogged table if not exists waiting(queue int, member smallint, primary key(queue, member));
create unlogged table if not exists mark(queue int, seq bigint, member smallint, until timestamptz,
    primary key(queue, seq));
create table if not exists released(member smallint, seq bigint, extents bytea);
"""

CHURNING = ("p", "n", "claim", "outcome", "released", "waiting", "opened")
SETTINGS = (
    "autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000, "
    "autovacuum_vacuum_cost_delay=0, vacuum_truncate=off"
)

FUNCTIONS = """
create or replace function commit_2(v_member smallint, v_round bigint, v_before bigint,
    g_unit int[], g_queue int[], g_lane smallint[], g_seq bigint[], g_lasting boolean[],
    i_unit int[], i_queue int[], i_lane smallint[], i_lasting boolean[], i_key bytea[], i_expires float8[],
    i_place smallint[], i_head bytea[], i_body bytea[], o_unit int[], o_id bigint[])
returns table(failed int[], seqs bigint[]) language plpgsql as $$
#variable_conflict use_variable
begin
  if not (true = any(g_lasting) or true = any(i_lasting) or cardinality(o_unit) > 0) then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  seqs := array(select nextval('place') from generate_series(1, cardinality(i_unit)));
  select coalesce(array_agg(distinct u.unit), '{}') into failed from unnest(g_unit, g_seq) as u(unit, seq)
    where not exists (select from claim c where c.seq = u.seq and c.member = v_member);
  insert into outcome values (v_member, v_round, 'C', failed, seqs);
  delete from outcome o where o.member = v_member and o.unit = v_before;
  if cardinality(o_unit) > 0 then
    insert into outcome select v_member, o.id, 'C' from unnest(o_unit, o_id) as o(unit, id)
      where o.unit <> all(failed);
  end if;
  if cardinality(g_unit) > 0 then
    with gone as (delete from p using unnest(g_unit, g_queue, g_lane, g_seq, g_lasting)
        as u(unit, queue, lane, seq, lasting)
      where u.lasting and p.queue = u.queue and p.lane = u.lane and p.seq = u.seq and u.unit <> all(failed)
      returning p.place, p.seq, p.body)
    insert into released select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from gone
      where place > 0;
    if false = any(g_lasting) then
      with gone as (delete from n using unnest(g_unit, g_queue, g_lane, g_seq, g_lasting)
          as u(unit, queue, lane, seq, lasting)
        where not u.lasting and n.queue = u.queue and n.lane = u.lane and n.seq = u.seq
          and u.unit <> all(failed)
        returning n.place, n.seq, n.body)
      insert into released select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from gone
        where place > 0;
    end if;
    delete from claim c using unnest(g_unit, g_seq) as u(unit, seq)
      where c.seq = u.seq and c.member = v_member and u.unit <> all(failed);
  end if;
  if cardinality(i_unit) > 0 then
    with t as materialized (select * from
        unnest(i_unit, i_queue, i_lane, i_lasting, i_key, i_expires, i_place, i_head, i_body, seqs)
          as y(unit, queue, lane, lasting, key, expires, place, head, body, seq)
          where y.unit <> all(failed)),
      kept as (insert into p select t.queue, t.lane, t.seq, t.key, t.expires, t.place, 0, t.head, t.body
        from t where t.lasting)
    insert into n select t.queue, t.lane, t.seq, t.key, t.expires, t.place, 0, t.head, t.body
      from t where not t.lasting;
  end if;
  return next;
end $$;

create or replace function wait_1(v_member smallint, v_queue int) returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into waiting values (v_queue, v_member) on conflict do nothing;
end $$;

create or replace function wake_1(v_member smallint, v_channel text, v_queues int[]) returns int
language plpgsql as $$
declare found text;
begin
  perform set_config('synchronous_commit', 'off', true);
  select string_agg(distinct queue::text, ',') into found from waiting
    where queue = any(v_queues) and member <> v_member;
  if found is not null then
    perform pg_notify(v_channel, 'q:' || found);
    return 1;
  end if;
  return 0;
end $$;

create or replace function identity_1(head bytea, correl boolean) returns bytea language sql immutable as $$
  select case when correl
    then substring(head from 73 + (case get_byte(head, 0) when 2 then 4 else 0 end) + get_byte(head, 2)
      for get_byte(head, 3))
    else substring(head from 73 + (case get_byte(head, 0) when 2 then 4 else 0 end) for get_byte(head, 2)) end
$$;

create or replace function claim_1(v_member smallint, v_queue int, v_count int, v_now float8)
returns table(lane smallint, seq bigint, lasting boolean, expires_at float8, place smallint,
  backouts smallint, head bytea, body bytea) language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('synchronous_commit', 'off', true),
    pg_advisory_xact_lock((select lock_space from grp), 33554432 | v_queue);
  return query with c as (insert into claim as k
    (select x.seq, v_queue, x.lane, v_member, x.lasting from (
      (select p.seq, p.lane, true as lasting from p where p.queue = v_queue
        and not exists (select from claim c where c.seq = p.seq)
        and (p.expires_at is null or p.expires_at > v_now) order by p.lane, p.seq limit v_count)
      union all
      (select n.seq, n.lane, false from n where n.queue = v_queue
        and not exists (select from claim c where c.seq = n.seq)
        and (n.expires_at is null or n.expires_at > v_now) order by n.lane, n.seq limit v_count)
      ) x order by x.lane, x.seq limit v_count) on conflict do nothing
      returning k.seq, k.lane, k.lasting)
    select t.* from (
    select m.lane, m.seq, true, m.expires_at, m.place, m.backouts, m.head, m.body from c
      join p m on m.queue = v_queue and m.lane = c.lane and m.seq = c.seq where c.lasting
    union all
    select m.lane, m.seq, false, m.expires_at, m.place, m.backouts, m.head, m.body from c
      join n m on m.queue = v_queue and m.lane = c.lane and m.seq = c.seq where not c.lasting) t
    order by 1, 2;
end $$;

create or replace function claim_by_1(v_member smallint, v_queue int, v_count int, v_now float8,
  v_key bytea, v_msg_id bytea, v_correl_id bytea)
returns table(lane smallint, seq bigint, lasting boolean, expires_at float8, place smallint,
  backouts smallint, head bytea, body bytea) language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('synchronous_commit', 'off', true),
    pg_advisory_xact_lock((select lock_space from grp), 33554432 | v_queue);
  return query with c as (insert into claim as k
    (select x.seq, v_queue, x.lane, v_member, x.lasting from (
      (select p.seq, p.lane, true as lasting from p where p.queue = v_queue
        and (v_key is null or p.key = v_key)
        and (v_msg_id is null or identity_1(p.head, false) = v_msg_id)
        and (v_correl_id is null or identity_1(p.head, true) = v_correl_id)
        and not exists (select from claim c where c.seq = p.seq)
        and (p.expires_at is null or p.expires_at > v_now) order by p.lane, p.seq limit v_count)
      union all
      (select n.seq, n.lane, false from n where n.queue = v_queue
        and (v_key is null or n.key = v_key)
        and (v_msg_id is null or identity_1(n.head, false) = v_msg_id)
        and (v_correl_id is null or identity_1(n.head, true) = v_correl_id)
        and not exists (select from claim c where c.seq = n.seq)
        and (n.expires_at is null or n.expires_at > v_now) order by n.lane, n.seq limit v_count)
      ) x order by x.lane, x.seq limit v_count) on conflict do nothing
      returning k.seq, k.lane, k.lasting)
    select t.* from (
    select m.lane, m.seq, true, m.expires_at, m.place, m.backouts, m.head, m.body from c
      join p m on m.queue = v_queue and m.lane = c.lane and m.seq = c.seq where c.lasting
    union all
    select m.lane, m.seq, false, m.expires_at, m.place, m.backouts, m.head, m.body from c
      join n m on m.queue = v_queue and m.lane = c.lane and m.seq = c.seq where not c.lasting) t
    order by 1, 2;
end $$;

create or replace function claim_these_1(v_member smallint, v_queue int, v_seqs bigint[])
returns table(lane smallint, seq bigint, lasting boolean, expires_at float8, place smallint,
  backouts smallint, head bytea, body bytea) language plpgsql as $$
#variable_conflict use_column
declare wanted int := cardinality(v_seqs); have int;
begin
  perform set_config('synchronous_commit', 'off', true),
    pg_advisory_xact_lock((select lock_space from grp), 33554432 | v_queue);
  select count(*) into have from (select seq from p where queue = v_queue and seq = any(v_seqs)
    union all select seq from n where queue = v_queue and seq = any(v_seqs)) x
    where not exists (select from claim c where c.seq = x.seq);
  if have < wanted then return; end if;
  insert into claim select seq, v_queue, lane, v_member, true from p
      where queue = v_queue and seq = any(v_seqs)
    union all select seq, v_queue, lane, v_member, false from n where queue = v_queue and seq = any(v_seqs);
  return query select t.* from (
    select m.lane, m.seq, true, m.expires_at, m.place, m.backouts, m.head, m.body from p m
      where m.queue = v_queue and m.seq = any(v_seqs)
    union all
    select m.lane, m.seq, false, m.expires_at, m.place, m.backouts, m.head, m.body from n m
      where m.queue = v_queue and m.seq = any(v_seqs)) t order by 1, 2;
end $$;

create or replace function release_1(v_member smallint, v_counted boolean, v_queue int[], v_lane smallint[],
  v_seq bigint[], v_lasting boolean[]) returns void language plpgsql as $$
begin
  if not v_counted or not true = any(v_lasting) then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if v_counted then
    update p set backouts = least(backouts + 1, 32767) from unnest(v_queue, v_lane, v_seq, v_lasting)
      as u(queue, lane, seq, lasting) where u.lasting and p.queue = u.queue and p.lane = u.lane
      and p.seq = u.seq and exists (select from claim c where c.seq = u.seq and c.member = v_member);
    update n set backouts = least(backouts + 1, 32767) from unnest(v_queue, v_lane, v_seq, v_lasting)
      as u(queue, lane, seq, lasting) where not u.lasting and n.queue = u.queue and n.lane = u.lane
      and n.seq = u.seq and exists (select from claim c where c.seq = u.seq and c.member = v_member);
  end if;
  delete from claim where seq = any(v_seq) and member = v_member;
  if v_counted then
    delete from mark where queue = any(v_queue) and seq = any(v_seq);
  end if;
end $$;

create or replace function look_1(v_queue int, v_lane smallint, v_seq bigint, v_count int, v_now float8)
returns table(lane smallint, seq bigint, lasting boolean, expires_at float8, place smallint,
  backouts smallint, head bytea, body bytea) language sql stable as $$
  select * from (
    (select lane, seq, true as lasting, expires_at, place, backouts, head, body from p
      where queue = v_queue and (lane, seq) > (v_lane, v_seq)
      and not exists (select from claim c where c.seq = p.seq)
      and (expires_at is null or expires_at > v_now) order by lane, seq limit v_count)
    union all
    (select lane, seq, false, expires_at, place, backouts, head, body from n
      where queue = v_queue and (lane, seq) > (v_lane, v_seq)
      and not exists (select from claim c where c.seq = n.seq)
      and (expires_at is null or expires_at > v_now) order by lane, seq limit v_count)) x
  order by lane, seq limit v_count
$$;

create or replace function expired_1(v_member smallint, v_count int, v_now float8)
returns table(queue int, lane smallint, seq bigint, lasting boolean, expires_at float8, place smallint,
  backouts smallint, head bytea, body bytea) language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('synchronous_commit', 'off', true);
  return query with c as (insert into claim as k (
      (select p.seq, p.queue, p.lane, v_member, true from p where p.expires_at <= v_now
        and not exists (select from claim c where c.seq = p.seq) limit v_count)
      union all
      (select n.seq, n.queue, n.lane, v_member, false from n where n.expires_at <= v_now
        and not exists (select from claim c where c.seq = n.seq) limit v_count)) on conflict do nothing
      returning k.queue, k.seq, k.lane, k.lasting)
    select c.queue, m.lane, m.seq, true, m.expires_at, m.place, m.backouts, m.head, m.body from c
      join p m on m.queue = c.queue and m.lane = c.lane and m.seq = c.seq where c.lasting
    union all
    select c.queue, m.lane, m.seq, false, m.expires_at, m.place, m.backouts, m.head, m.body from c
      join n m on m.queue = c.queue and m.lane = c.lane and m.seq = c.seq where not c.lasting;
end $$;

create or replace function clear_2(v_queue int, v_count int) returns bigint[] language plpgsql as $$
declare found bigint[]; more bigint[];
begin
  perform pg_advisory_xact_lock((select lock_space from grp), 33554432 | v_queue);
  with gone as (delete from p where queue = v_queue and seq = any(array(select p.seq from p
      where p.queue = v_queue and not exists (select from claim c where c.seq = p.seq) limit v_count))
      returning place, seq, body),
    freed as (insert into released select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from gone
      where place > 0)
    select array_agg(seq) into found from gone;
  with gone as (delete from n where queue = v_queue and seq = any(array(select n.seq from n
      where n.queue = v_queue and not exists (select from claim c where c.seq = n.seq) limit v_count))
      returning place, seq, body),
    freed as (insert into released select get_byte(body, 1) + get_byte(body, 2) * 256, seq, body from gone
      where place > 0)
    select array_agg(seq) into more from gone;
  return coalesce(found, '{}') || coalesce(more, '{}');
end $$;

create or replace function trigger_1(v_member smallint, v_channel text, v_queue int, v_depth int,
  v_lane smallint, v_now float8, v_interval float8) returns boolean language plpgsql as $$
declare messages int;
begin
  if exists (select from opened where queue = v_queue and inputs > 0) then return false; end if;
  select count(*) into messages from (
    (select from p where queue = v_queue and lane <= v_lane
      and not exists (select from claim c where c.seq = p.seq) limit v_depth)
    union all
    (select from n where queue = v_queue and lane <= v_lane
      and not exists (select from claim c where c.seq = n.seq) limit v_depth)) x;
  if messages < v_depth then return false; end if;
  update queue set armed = false, fired = v_now
    where id = v_queue and (armed or fired <= v_now - v_interval);
  if not found then return false; end if;
  perform pg_notify(v_channel, 'trigger:' || v_queue || ',' || v_member);
  return true;
end $$;

create or replace function arm_1() returns void language sql as $$
  update queue q set armed = true where not armed and not exists (select from p where p.queue = q.id)
    and not exists (select from n where n.queue = q.id)
$$;

create or replace function open_1(v_member smallint, v_queue int, v_inputs int, v_outputs int,
  v_exclusive boolean) returns boolean language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true),
    pg_advisory_xact_lock((select lock_space from grp), 33554432 | v_queue);
  if v_inputs > 0 and exists (select from opened where queue = v_queue and member <> v_member and inputs > 0
      and (exclusive or v_exclusive)) then
    return false;
  end if;
  if v_inputs > 0 then
    update queue set armed = true where id = v_queue and not armed;
  end if;
  insert into opened values (v_queue, v_member, v_inputs, v_outputs, v_exclusive)
    on conflict (queue, member) do update set inputs = excluded.inputs, outputs = excluded.outputs,
      exclusive = excluded.exclusive;
  return true;
end $$;

create or replace function recover_1(v_member smallint) returns int language plpgsql as $$
declare freed int;
begin
  update p set backouts = least(backouts + 1, 32767) from claim c
    where c.member = v_member and c.lasting and p.queue = c.queue and p.lane = c.lane and p.seq = c.seq;
  update n set backouts = least(backouts + 1, 32767) from claim c
    where c.member = v_member and not c.lasting and n.queue = c.queue and n.lane = c.lane and n.seq = c.seq;
  with gone as (delete from claim where member = v_member returning 1) select count(*) into freed from gone;
  delete from opened where member = v_member;
  delete from waiting where member = v_member;
  delete from mark where member = v_member;
  delete from tag where member = v_member;
  update shared_channel set member = 0 where member = v_member and state <> 'STOPPED';
  update structure set state = 'FAILED' where state = 'INRECOVER' and recoverer = v_member;
  update backup set state = 'FAILED', failed_at = extract(epoch from clock_timestamp())
    where state = 'ACTIVE' and member = (select name from member where id = v_member);
  return freed;
end $$;
"""


def install(connection: Any, schema: str, name: str) -> None:
    """Make the schema of a group, or what is missing of it; members that start together take turns.

    What is there is left alone: the statements would wait for everybody who uses the tables.
    """
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(hashtext(%s))", (schema,))
        layout = hashlib.sha256("".join((TABLES, SETTINGS, FUNCTIONS, *PARTS)).encode()).hexdigest()
        found = connection.execute("select to_regclass(%s || '.layout')", (schema,)).fetchone()
        if found is not None and found[0] is not None:
            # a column, for a row without any is an empty tuple: false
            if connection.execute(f"select 1 from {schema}.layout where digest = %s", (layout,)).fetchone():
                return
        connection.execute(f"create schema if not exists {schema}")
        connection.execute(f"set local search_path to {schema}")
        connection.execute(TABLES)
        for table in CHURNING:
            connection.execute(f"alter table {table} set ({SETTINGS})")
        for table in ("p", "n"):
            connection.execute(f"alter table {table} alter column body set storage external")
        connection.execute(FUNCTIONS)
        connection.execute(
            "insert into grp select %s, %s, (random() * 2000000000)::int where not exists (select from grp)",
            (VERSION, name),
        )
        for part in PARTS:
            connection.execute(part)
        connection.execute("insert into layout values (%s) on conflict do nothing", (layout,))
