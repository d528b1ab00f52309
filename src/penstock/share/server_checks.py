"""What is risky in the PostgreSQL server that a group uses as its facility.

Reads settings and views, changes nothing but a session lock of its own. Called by `penstock qsg create`,
`qsg status` and `doctor`. A risk has what it means and what to do; a server that cannot be used is a
refusal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION_MIN = 160_000
HORIZON_SECONDS = 600  # a snapshot older than this keeps dead rows
PROBE_LOCK = 7_235_019_447  # a session lock that nobody else takes
CONNECTIONS_A_MEMBER = 5


@dataclass(frozen=True, slots=True)
class Risk:
    """One finding about a server; `fatal` ones forbid its use."""

    subject: str
    text: str
    advice: str
    fatal: bool = False


def examine(connection: Any) -> list[Risk]:
    """Return everything that is risky, the worst first."""
    found = [*_version(connection), *_pooler(connection), *_settings(connection), *_horizon(connection)]
    return sorted(found, key=lambda risk: not risk.fatal)


def _version(connection: Any) -> Iterator[Risk]:
    version = connection.info.server_version
    if version < VERSION_MIN:
        text = f"the server is PostgreSQL {version // 10000}; shared queues are tested with 16 and newer"
        yield Risk("version", text, "upgrade the server to PostgreSQL 16 or newer", fatal=True)


def _pooler(connection: Any) -> Iterator[Risk]:
    """Find a pooler that gives each transaction another session: locks and LISTEN would get lost."""
    pids = {_one(connection, "select pg_backend_pid()") for _ in range(3)}
    _one(connection, f"select pg_advisory_lock({PROBE_LOCK})::text")
    held = _one(
        connection, "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"
    )
    _one(connection, f"select pg_advisory_unlock({PROBE_LOCK})")
    if len(pids) > 1 or not held:
        text = "between here and the server is a pooler that changes sessions between transactions"
        yield Risk("pooler", text, "connect to the server itself, or use session pooling", fatal=True)


def _settings(connection: Any) -> Iterator[Risk]:
    values = dict(
        connection.execute(
            "select name, setting from pg_settings where name in ('fsync', 'full_page_writes',"
            " 'synchronous_standby_names', 'synchronous_commit', 'max_connections')"
        ).fetchall()
    )
    for name in ("fsync", "full_page_writes"):
        if values.get(name) == "off":
            text = f"{name} is off: a crash of the server may lose or damage confirmed messages"
            yield Risk(name, text, f"set {name} = on")
    if values.get("synchronous_commit") == "off":
        text = "synchronous_commit is off: a crash of the server loses confirmed messages"
        yield Risk("synchronous_commit", text, "set synchronous_commit = on")
    if not values.get("synchronous_standby_names"):
        text = "there is no synchronous standby: a fail-over may lose units that were answered"
        yield Risk("standby", text, "set synchronous_standby_names, or accept that one server is the copy")
    limit = int(values.get("max_connections", "100"))
    if limit < 4 * CONNECTIONS_A_MEMBER:
        text = f"max_connections is {limit}; each member needs {CONNECTIONS_A_MEMBER}"
        yield Risk("connections", text, "raise max_connections")


def _horizon(connection: Any) -> Iterator[Risk]:
    row = connection.execute(
        "select pid, coalesce(nullif(application_name, ''), usename, 'a session'),"
        " extract(epoch from now() - xact_start)::int from pg_stat_activity"
        " where backend_xmin is not null and xact_start is not null and pid <> pg_backend_pid()"
        " order by xact_start limit 1"
    ).fetchone()
    if row is not None and row[2] > HORIZON_SECONDS:
        text = f"{row[1]} (pid {row[0]}) has a transaction open for {row[2]} s: dead rows cannot be removed"
        yield Risk("horizon", text, "end that transaction; run dumps against a replica")
    slot = connection.execute(
        "select slot_name from pg_replication_slots where not active and xmin is not null limit 1"
    ).fetchone()
    if slot is not None:
        text = f"replication slot {slot[0]} is not in use and keeps dead rows"
        yield Risk("horizon", text, f"drop the slot: select pg_drop_replication_slot('{slot[0]}')")


def _one(connection: Any, statement: str) -> Any:
    return connection.execute(statement).fetchone()[0]
