"""Figures of channel status that depend on the moment."""

from __future__ import annotations

import pytest

from penstock.serve.message_channels.status import seconds_until
from penstock.serve.message_channels.timers import NEVER


@pytest.mark.parametrize(("retry_at", "expected"), [(160.0, 60), (99.0, 0), (NEVER, 0)])
def test_seconds_until_the_next_try(retry_at: float, expected: int) -> None:
    assert seconds_until(retry_at, 100.2) == expected
