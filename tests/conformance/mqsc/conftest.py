"""A queue manager's engine without messages, and a way to speak MQSC to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import penstock
from penstock.admin.mqsc import Reply, run, transcript
from tests.unit.admin.engine_double import NOW, EngineDouble


@pytest.fixture
def engine() -> EngineDouble:
    return EngineDouble()


@pytest.fixture
def mqsc(engine: EngineDouble) -> Callable[[str], list[Reply]]:
    return lambda text: run(engine, text, NOW)


@pytest.fixture
def printed(engine: EngineDouble) -> Callable[[str], str]:
    return lambda text: transcript(engine, text, NOW)[0]


@pytest.fixture
def qm() -> Iterator[penstock.QueueManager]:
    """A whole queue manager, for what an engine without messages cannot show."""
    with penstock.embed("QM1", create=True, file_pages=256, primary_files=3) as qm:
        yield qm
