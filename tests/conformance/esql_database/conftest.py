"""Every test runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from penstock.esql.database.databases import Databases


@dataclass
class Said:
    """The part of a context that statements write into."""

    sqlcode: int = -99
    sqlstate: str = ""
    sqlnativeerror: int = 0
    sqlerrortext: str = ""
    throws_database_errors: bool = True


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture(scope="session")
def postgresql_url(postgresql: str) -> str:
    return postgresql


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/shop.db"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def shop(database_url: str, said: Said) -> Iterator[Databases]:
    """A data source SHOP with a table of orders, four of them."""
    databases = Databases({"SHOP": database_url}, default="SHOP")
    blob = "blob" if database_url.startswith("sqlite") else "bytea"
    databases.passthru(said, None, "drop table if exists orders")
    databases.passthru(
        said,
        None,
        f"""create table orders (id integer primary key, customer varchar(40), total decimal(12, 2),
            weight double precision, placed date, at time, changed timestamp, paid boolean,
            picture {blob})""",
    )
    for row in (
        (1, "Ada", "10.50", 1.5),
        (2, "ben", "20.00", None),
        (3, "Cyd", None, 2.5),
        (4, None, "5.25", 0.5),
    ):
        databases.passthru(
            said, None, "insert into orders (id, customer, total, weight) values (?, ?, ?, ?)", row
        )
    databases.commit(said)
    yield databases
    databases.rollback_all()
    databases.passthru(said, None, "drop table orders")
    databases.commit_all()
    databases.close()
