"""Connection tags of the group: which member has each.

A row of an unlogged table, made by `take` and removed by a round when the connection has ended; peers that
recover a dead member remove its rows in the transaction that frees its claims (`recover_1`). Called by
`host.sharing` and `rounds`. Invariant: a tag has one member at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.share.exchange import Statement

if TYPE_CHECKING:
    from penstock.share.facility import Facility

UNTAG = Statement("untag_1", "smallint", "text")
TABLES = """
create unlogged table if not exists tag(name text primary key, member smallint not null);

create or replace function tag_1(v_member smallint, v_name text) returns boolean language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into tag values (v_name, v_member) on conflict do nothing;
  return found;
end $$;

create or replace function untag_1(v_member smallint, v_name text) returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  delete from tag where name = v_name and member = v_member;
end $$;
"""


def take(facility: Facility, tag: str) -> bool:
    """Take a tag for this member; False if it is taken."""
    ((taken,),) = facility.execute("select tag_1(%s::smallint, %s)", (facility.member, tag))
    return bool(taken)


def give_back(facility: Facility, tag: str) -> None:
    """Free a tag that no connection needs."""
    facility.execute("select untag_1(%s::smallint, %s)", (facility.member, tag))
