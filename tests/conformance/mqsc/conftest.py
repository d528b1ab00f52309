"""A queue manager's engine without messages, and a way to speak MQSC to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
