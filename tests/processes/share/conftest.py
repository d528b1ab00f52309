from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared_groups import Members, members


@pytest.fixture(scope="session")
def facility(postgresql: str) -> str:
    return postgresql


@pytest.fixture
def pair(facility: str, tmp_path: Path) -> Iterator[Members]:
    """Two members, QM1 and QM2, with the shared queue ORDERS."""
    with members(facility, tmp_path, "QM1", "QM2") as group:
        group.share("ORDERS")
        yield group
