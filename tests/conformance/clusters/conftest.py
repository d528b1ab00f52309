"""Three queue managers in a cluster, for all cluster tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster_group import Group

CLUSTER = "INVENTORY"


@pytest.fixture(scope="session")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Group]:
    """LONDON, NEWYORK and PARIS, joined by plain MQSC; tests use queues of names of their own."""
    running = Group(tmp_path_factory.mktemp("cluster"), ("LONDON", "NEWYORK", "PARIS"))
    running.form(CLUSTER)
    yield running
    running.stop()
