"""A pair of queue managers for all channel tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.channel_pairs import Pair
from tests.relay import Relay


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """QMA and QMB, running; tests use channels of names of their own."""
    running = Pair(tmp_path_factory.mktemp("pair"))
    yield running
    running.stop()


@pytest.fixture
def relay(pair: Pair) -> Iterator[Relay]:
    """A relay to QMB."""
    made = Relay(pair.ports["QMB"])
    yield made
    made.close()
