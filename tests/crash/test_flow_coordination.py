"""One transaction over queues and PostgreSQL: flow, queue manager and database killed at every step.

After a new start each message is in the table once and on the output queue once, and nothing is in doubt.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.exc import OperationalError

from penstock.esql.database.engines import make_engine
from penstock.model import constants as mq
from penstock.model.errors import EsqlError
from tests.command_forks import run_command
from tests.crash import coordinated_worker
from tests.flow_station import Station
from tests.patience import until
from tests.postgresql import running_server

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGES = 5
STEPS = (
    "before prepare",
    "after prepare",
    "before decide",
    "before follow",
    "after follow",
    "after forget",
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_server() as found:
        yield found


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Station]:
    """One home for all steps: each leaves its queues empty."""
    made = Station(tmp_path_factory.mktemp("coordination"))
    made.start()
    with made.connect() as qm:
        qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(100000)")
    yield made
    made.stop()


@pytest.fixture
def database(url: str) -> Iterator[Any]:
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS booked")
        connection.exec_driver_sql("CREATE TABLE booked (id INTEGER)")
    yield engine
    engine.dispose()


def die(station: Station, url: str, *fault: str) -> int:
    """Run the flow in a process of its own until somebody is killed; return how it ended."""
    words = (str(station.home), url, *fault)
    return run_command(*words, env=station.env, module="tests.crash.coordinated_worker").returncode


def answers(database: Any) -> bool:
    """Say whether the database takes connections."""
    try:
        database.connect().close()
    except OperationalError:
        return False
    return True


def finishes(station: Station, url: str) -> bool:
    """Say whether the flow gets to the end; a server that was killed may still end its last connections."""
    try:
        coordinated_worker.main(str(station.home), url)
    except EsqlError as failure:
        if failure.reason != mq.PSRC_ESQL_DATABASE:
            raise
        return False
    return True


@pytest.mark.parametrize("victim", ["flow", "qmgr", "database"])
@pytest.mark.parametrize("step", STEPS)
def test_nothing_is_lost_doubled_or_left_in_doubt(
    station: Station, url: str, database: Any, step: str, victim: str
) -> None:
    with station.connect() as qm:
        qm.put_many("IN", [b"<id>%d</id>" % n for n in range(MESSAGES)], persistent=True)
    assert station.server is not None
    code = die(station, url, step, victim, str(station.server.pid))
    if victim == "flow":
        assert code == -9
    if victim == "qmgr":
        station.stop(kill=True)
        station.start()
    until(lambda: answers(database) and finishes(station, url))
    with station.connect() as qm:
        found = sorted(each.body for each in qm.get_many("OUT", 100))
        assert found == [b"<id>%d</id>" % n for n in range(MESSAGES)]
        assert qm.get("IN") is None
        assert qm.get("SYSTEM.BROKER.XA.QUEUE") is None
    with database.connect() as connection:
        rows = connection.exec_driver_sql("SELECT id FROM booked ORDER BY id").scalars().all()
        doubts = connection.exec_driver_sql("SELECT gid FROM pg_prepared_xacts").scalars().all()
    assert rows == list(range(MESSAGES))
    assert doubts == []


def test_a_unit_of_a_flow_that_lives_is_left_alone(
    station: Station, url: str, database: Any, tmp_path: Path
) -> None:
    from penstock.esql.database.databases import Databases
    from penstock.flow.running.coordination import Coordination

    with station.connect() as qm, station.connect() as other:
        living = Coordination(qm, Databases({"SHOP": url}), ["SHOP"])
        connection = living.databases.connection("SHOP")
        with connection.executed("INSERT INTO booked VALUES (7)"):
            pass
        qm.begin()
        living.prepare()
        second = Coordination(other, Databases({"SHOP": url}), ["SHOP"])
        assert second.recover() == 0
        living.commit()
        for each in (living, second):
            each.close()
            each.databases.close()
    with database.connect() as connection:
        assert connection.exec_driver_sql("SELECT id FROM booked").scalars().all() == [7]
