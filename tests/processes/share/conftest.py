from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from penstock.host.queue_sharing import group_commands
from penstock.share import members as watch
from tests.relay import Relay
from tests.shared_groups import Members, members


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have members look at their group five times as often: most of these tests wait for such a look."""
    monkeypatch.setattr(watch, "FIGURES_SECONDS", 0.2)
    monkeypatch.setattr(group_commands, "COLLECT_SECONDS", 0.2)


@pytest.fixture(scope="session")
def facility(postgresql: str) -> str:
    return postgresql


class Distant(Members):
    """Members of a group that reach the facility through a relay, which can cut them off."""

    def __init__(self, group: Members) -> None:
        super().__init__(group.url, group.home)
        told = conninfo_to_dict(group.url)
        self.relay = Relay(Path(str(told["host"])) / f".s.PGSQL.{told.get('port', 5432)}")
        login = f"postgresql://{told['user']}@127.0.0.1:{self.relay.port}/{told['dbname']}"
        self.group = replace(group.group, facility=login)
        self.queues = group.queues

    def close(self) -> None:
        """Stop the members; the group stays."""
        for qm in self.here.values():
            qm.close()
        self.relay.close()


@pytest.fixture
def distant(pair: Members) -> Iterator[Distant]:
    """Further members of the group of `pair`, none yet."""
    found = Distant(pair)
    yield found
    found.close()


@pytest.fixture
def pair(facility: str, tmp_path: Path) -> Iterator[Members]:
    """Two members, QM1 and QM2, with the shared queue ORDERS."""
    with members(facility, tmp_path, "QM1", "QM2") as group:
        group.share("ORDERS")
        yield group
