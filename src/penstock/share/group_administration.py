"""Queue-sharing groups without a queue manager: create, look at, leave and drop, for `penstock qsg`.

Opens one connection of its own. It starts no member and reads no queue manager's folder. Invariant: nothing
is dropped or left that a running member, or a message, still needs.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.sharing.group import Group
from penstock.qmgr.sharing.structures import GROUP_NAME_LENGTH_MAX, name_refusal
from penstock.share import schema, server_checks
from penstock.share.facility import CONNECT_SECONDS, unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMBERS = """select name, state, incarnation, host, extract(epoch from since)::float8,
    extract(epoch from now() - heartbeat)::float8 from member where state <> 'left' order by id"""
STRUCTURES = """select s.name, s.state, coalesce(count(m.queue), 0), coalesce(sum(m.size), 0)::bigint,
    coalesce(sum(m.away), 0)::bigint from structure s left join queue q on q.structure = s.name
    left join (select queue, length(head) + length(body) as size, (place > 0)::int as away from p
      union all select queue, length(head) + length(body), (place > 0)::int from n) m on m.queue = q.id
    group by s.name, s.state order by s.name"""
DEAD = "select coalesce(sum(n_dead_tup), 0)::bigint from pg_stat_user_tables where schemaname = %s"
BODIES = """select count(*) from (
      select body from p where place > 1 union all select body from n where place > 1) x
    where get_byte(body, 1) + 256 * get_byte(body, 2) = (select id from member where name = %s)"""

UNITS = """select count(*) from (select member from outcome where unit > 0
      union all select member from held_unit where outcome > 0) u join member m on m.id = u.member
    where m.name = %s"""


def checked(name: str, facility: str) -> Group:
    """Return a group's settings; MQError for a name or address that cannot be."""
    if why := name_refusal(name, GROUP_NAME_LENGTH_MAX, "group"):
        raise error(mq.PSRC_INI_ERROR, f"group {name}: {why}")
    try:
        parts = conninfo_to_dict(facility)
    except psycopg.Error as failure:
        raise error(
            mq.PSRC_INI_ERROR, f"facility {facility!r} is no address of PostgreSQL: {failure}"
        ) from None
    if parts.get("password"):
        text = "the address has a password: use a password file (PGPASSFILE), a service file or a certificate"
        raise error(mq.PSRC_INI_ERROR, text)
    return Group(name, facility)


@contextmanager
def connected(group: Group) -> Iterator[Any]:
    """Give a connection to a group's facility; 2345 if it cannot be reached."""
    try:
        connection = psycopg.connect(group.facility, autocommit=True, connect_timeout=CONNECT_SECONDS)
    except (psycopg.Error, OSError) as failure:
        raise unreachable(group.name, failure) from failure
    with connection:
        connection.execute(f"set search_path to {group.schema}")
        try:
            yield connection
        except psycopg.errors.UndefinedTable as missing:
            raise error(
                mq.MQRC_CF_STRUC_ERROR, f"there is no group {group.name} in this database"
            ) from missing


def create(group: Group) -> list[server_checks.Risk]:
    """Test the server and make the schema; return what is risky. A server that cannot be used is refused."""
    with connected(group) as connection:
        risks = server_checks.examine(connection)
        fatal = [risk for risk in risks if risk.fatal]
        if fatal:
            raise error(mq.MQRC_CF_NOT_AVAILABLE, f"{fatal[0].text}: {fatal[0].advice}")
        connection.add_notice_handler(lambda notice: None)
        schema.install(connection, group.schema, group.name)
    return risks


def status(group: Group) -> dict[str, Any]:
    """Return members, structures, dead rows and risks."""
    with connected(group) as connection:
        members = connection.execute(MEMBERS).fetchall()
        structures = connection.execute(STRUCTURES).fetchall()
        dead = connection.execute(DEAD, (group.schema,)).fetchone()[0]
        risks = server_checks.examine(connection)
        prepared = connection.execute("select count(*) from outcome where unit > 0").fetchone()[0]
    names = ("name", "state", "incarnation", "host", "since", "heartbeat_seconds")
    return {
        "group": group.name,
        "facility": group.facility,
        "members": [dict(zip(names, row, strict=True)) for row in members],
        "structures": [
            dict(zip(("name", "state", "messages", "bytes", "offloaded"), row, strict=True))
            for row in structures
        ],
        "dead_rows": dead,
        "mixed_units_to_end": prepared,
        "risks": [{"subject": r.subject, "text": r.text, "advice": r.advice} for r in risks],
    }


def leave(group: Group, member: str) -> None:
    """Remove a member that does not run; 2042 while it runs or messages have their bodies at it."""
    with connected(group) as connection:
        row = connection.execute("select state from member where name = %s", (member,)).fetchone()
        if row is None:
            return
        if row[0] in ("active", "recovering"):
            raise error(mq.MQRC_OBJECT_IN_USE, f"{member} is running: stop it first", object=member)
        bodies = connection.execute(BODIES, (member,)).fetchone()[0]
        if bodies:
            text = f"{bodies} messages have their bodies in the data sets of {member}: get them first"
            raise error(mq.MQRC_OBJECT_IN_USE, text, object=member)
        units = connection.execute(UNITS, (member,)).fetchone()[0]
        if units:
            text = f"{units} units of {member} have a private half that has not ended: start it once"
            raise error(mq.MQRC_OBJECT_IN_USE, text, object=member)
        connection.execute("delete from smds where member = %s", (member,))
        connection.execute("update member set state = 'left' where name = %s", (member,))


def drop(group: Group) -> None:
    """Remove a group with its messages; 2042 while members run."""
    with connected(group) as connection:
        rows = connection.execute("select name from member where state = 'active' order by id").fetchall()
        if rows:
            names = ", ".join(row[0] for row in rows)
            raise error(mq.MQRC_OBJECT_IN_USE, f"members of {group.name} are running: {names}")
        connection.add_notice_handler(lambda notice: None)
        connection.execute(f"drop schema {group.schema} cascade")
