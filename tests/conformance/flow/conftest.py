"""The fixtures of flows, here and in tests/unit/flow; databases, each SQLite and a real PostgreSQL;
flows in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.esql.database.data_sources import DataSources
from penstock.flow import CompiledFlow, Flow, Project
from penstock.flow.running.inline import InlineRun
from tests.flow_fixtures import qm, run
from tests.patience import until

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


@pytest.fixture
def serve(qm: Any, tmp_path: Path) -> Iterator[Callable[[Flow], None]]:
    """Run a flow in the background, and wait until it is at its input."""
    running: list[InlineRun] = []

    def begin(flow: Flow) -> None:
        job = InlineRun(
            CompiledFlow(flow, Project(tmp_path)), lambda: penstock.embed("QM1", home=tmp_path / "home")
        )
        job.start()
        running.append(job)
        until(lambda: job.ready)

    yield begin
    for job in running:
        job.stop()
        assert job.join_for(60)
