"""A small shop in a database: what tests of database nodes read and write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import create_engine, text

from penstock.esql.database.data_sources import driver_url


@contextmanager
def connected(url: str) -> Iterator[Any]:
    engine = create_engine(driver_url(url))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def create(url: str) -> None:
    """Make the tables anew: customers Ada and Ben, an empty audit."""
    with connected(url) as connection:
        for statement in (
            "DROP TABLE IF EXISTS customer",
            "DROP TABLE IF EXISTS audit",
            "CREATE TABLE customer (id integer primary key, name varchar(40), city varchar(40))",
            "CREATE TABLE audit (id integer, note varchar(40))",
            "INSERT INTO customer VALUES (1, 'Ada', 'London'), (2, 'Ben', NULL), (3, 'Cyd', 'London')",
        ):
            connection.execute(text(statement))


def rows(url: str, sql: str) -> list[tuple[Any, ...]]:
    with connected(url) as connection:
        return [tuple(row) for row in connection.execute(text(sql))]
