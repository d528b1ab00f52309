"""The fixtures of flows, here and in tests/unit/flow; databases, each SQLite and a real PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.esql.database.data_sources import DataSources
from tests.flow_fixtures import qm, run

__all__ = ["qm", "run"]


@pytest.fixture(scope="session")
def postgresql_url(postgresql: str) -> str:
    return postgresql


@pytest.fixture(params=["sqlite", "postgresql"])
def data_source(request: pytest.FixtureRequest, tmp_path: Path, penstock_home: Path) -> str:
    """The name SHOP for a database that the flow of a test finds by itself; returns its URL."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/shop.db"
    else:
        url = str(request.getfixturevalue("postgresql_url"))
    DataSources(penstock_home).add("SHOP", url)
    return url
